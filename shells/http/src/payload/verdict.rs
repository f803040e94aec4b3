//! What came of a move, and what a refusal tells.

use super::by_player::ByPlayer;
use super::legal::{LegalMoveEntry, legal_moves};
use super::schema::payload;
use hall_core::rooms::ForcedCause;
use hall_core::{TurnBrief, TurnStatus};
use hall_games::GameResult;
use hall_wire::{Digest, GameId, Notation, Player};

payload! {
    /// A move that was taken.
    pub MoveVerdict as "MoveVerdict" {
        /// Always true.
        accepted: bool,
        /// The turn just resolved.
        turn_index: u32,
        /// The move applied; null for a resignation or an agreed draw.
        notation: Option<Notation>,
        /// sha256 of `svc.state.v1:` + game_id + `:` + next turn_index + `:` + state_string, after the move; null while the
        /// turn waits for the others who share it.
        state_hash: Option<Digest>,
        /// Whether that ended the game.
        game_over: bool,
        /// How it ended; null while it goes on.
        result: Option<GameResult>,
    }

    /// The answer to a move.
    pub MoveData as "MoveData" {
        /// What became of the move.
        verdict: MoveVerdict,
    }

    /// A resolved turn in brief.
    pub TurnRecord as "Turn" {
        /// Its index.
        turn_index: u32,
        /// Whose turn it was; null for an adjudication or abort.
        player: Option<Player>,
        /// The move applied; null if none was.
        notation: Option<Notation>,
        /// `deadline`, `illegal_moves` or `vacated` where the hall acted in the player's place, else null.
        forced: Option<&'static str>,
        /// sha256 of the signed body; null if nobody signed, or while the move is sealed.
        body_sha256: Option<Digest>,
    }

    /// What a refusal says of the game, so that an agent that lost the answer to its move can find out what became of
    /// it.
    pub RoomReport as "RoomReport" {
        /// Always `ROOM_REJECTED`.
        rejected_by: &'static str,
        /// The game.
        game_id: GameId,
        /// The current turn.
        turn_index: u32,
        /// Who must move now.
        to_move: Vec<Player>,
        /// The caller's illegal moves in the current turn.
        illegal_attempts: u8,
        /// Strikes by player.
        strikes: ByPlayer<u8>,
        /// The last resolved turn; null before the first.
        last_move: Option<TurnRecord>,
        /// The caller's own last resolved turn; null before the first. Compare body_sha256 with what you sent.
        your_last: Option<TurnRecord>,
        /// How the game ended; null while it is live.
        result: Option<GameResult>,
        /// The legal move that was probably meant: only if the illegal one is another spelling of it.
        did_you_mean [skip_serializing_if = "Option::is_none"]: Option<Notation>,
        /// The complete legal set: only from the second illegal move in a turn on.
        legal_moves [skip_serializing_if = "Option::is_none"]: Option<Vec<LegalMoveEntry>>,
        /// The forced turn: only after the third illegal move in a turn.
        applied [skip_serializing_if = "Option::is_none"]: Option<TurnRecord>,
    }

    /// One thing that is wrong with a body, a query or the headers of a signed request.
    pub Problem as "Problem" {
        /// The field, as a path within the body, the query parameter, or the header.
        field: String,
        /// The rule that it breaks.
        rule: String,
    }

    /// All that is wrong with a body, a query or the headers of a signed request.
    pub ProblemsData as "ProblemsData" {
        /// Every problem.
        problems: Vec<Problem>,
    }

    /// Which signature did not verify.
    pub WhichSignature as "WhichSignature" {
        /// `header` or `body`.
        which: &'static str,
        /// The message that it must sign, made of what was sent; `{handle}` stands for the handle.
        expected_message: String,
    }

    /// How long to wait.
    pub RetryAfterData as "RetryAfterData" {
        /// Whole seconds, as in the header Retry-After.
        retry_after_seconds: u64,
    }

    /// What became of a request that is not known to have failed.
    pub OutcomeData as "OutcomeData" {
        /// `unknown`: the request may have been carried out. Read the state before you repeat it.
        outcome: &'static str,
    }

    /// Why an endpoint was not verified.
    pub WhyUnverified as "WhyUnverified" {
        /// `unreachable`, `timeout`, `bad_status`, `no_signature` or `bad_signature`.
        reason: &'static str,
    }
}

impl From<TurnBrief> for TurnRecord {
    fn from(turn: TurnBrief) -> Self {
        Self {
            turn_index: turn.turn_index,
            player: turn.player,
            notation: turn.notation,
            forced: turn.forced.map(ForcedCause::as_str),
            body_sha256: turn.body_sha256,
        }
    }
}

impl From<TurnStatus> for RoomReport {
    fn from(report: TurnStatus) -> Self {
        Self {
            rejected_by: "ROOM_REJECTED",
            game_id: report.game,
            turn_index: report.turn_index,
            to_move: report.to_move.iter().collect(),
            illegal_attempts: report.illegal_attempts,
            strikes: ByPlayer(report.strikes),
            last_move: report.last_move.map(TurnRecord::from),
            your_last: report.your_last.map(TurnRecord::from),
            result: report.result,
            did_you_mean: report.did_you_mean,
            legal_moves: report.legal_moves.map(legal_moves),
            applied: report.applied.map(TurnRecord::from),
        }
    }
}

impl MoveData {
    /// The verdict on a move that resolved `turn_index`.
    #[must_use]
    pub const fn taken(
        turn_index: u32,
        notation: Option<Notation>,
        state_hash: Option<Digest>,
        result: Option<GameResult>,
    ) -> Self {
        let game_over = result.is_some();
        Self { verdict: MoveVerdict { accepted: true, turn_index, notation, state_hash, game_over, result } }
    }
}
