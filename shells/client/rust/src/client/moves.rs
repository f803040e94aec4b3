//! Moves, and finding out what became of one whose answer was lost.

use super::Client;
use super::call::Call;
use crate::answer::{GameEvent, GameResult, LegalMove, ResolvedTurn, Verdict};
use crate::envelope::Refusal;
use crate::error::Error;
use crate::play::{Choice, MoveRef};
use crate::sign::SignedMove;
use hall_wire::GameId;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// For how long a hall may hold the answer to a move, in seconds, beyond the usual time for an attempt: the third illegal
/// one in a turn waits for its beacon round, 10 s at most.
pub const MOVE_HELD_SECONDS: u64 = 5;

/// What became of a move.
#[derive(Clone, Debug, PartialEq)]
pub enum MoveOutcome {
    /// The hall accepted it.
    Accepted(Verdict),
    /// The hall had accepted it in an earlier attempt whose answer was lost; its hash proves it.
    AlreadyApplied(AppliedTurn),
    /// The hall knows no such legal move. The turn goes on, unless it was the third illegal one.
    Illegal(Box<IllegalMove>),
    /// There was no draw offer to accept. The turn goes on.
    NoDrawOffer,
    /// The turn was resolved without this body: by its deadline, by another body, or the game has ended.
    NotApplied(Box<NotApplied>),
}

/// A turn that an earlier attempt resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedTurn {
    /// The turn, as the hall names it.
    pub turn: ResolvedTurn,
    /// The result of the game, if it has ended since.
    pub result: Option<GameResult>,
}

/// What the hall says of an illegal move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IllegalMove {
    /// How many illegal attempts this turn has seen from the caller. The third one costs a strike.
    pub attempts: u32,
    /// The notation of the legal move that was probably meant; absent where the hall recognizes none.
    pub did_you_mean: Option<String>,
    /// All legal moves; told from the second attempt on.
    pub legal_moves: Vec<LegalMove>,
    /// The random move that the hall made instead, after the third.
    pub applied: Option<ResolvedTurn>,
    /// The result of the game, if that ended it.
    pub result: Option<GameResult>,
}

/// How the game stands if a body was not the one that resolved its turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotApplied {
    /// `wrong_turn` or `GAME_NOT_LIVE`.
    pub code: String,
    /// The current turn.
    pub turn_index: Option<u32>,
    /// The caller's own last turn.
    pub your_last: Option<ResolvedTurn>,
    /// The last turn of the game.
    pub last_move: Option<ResolvedTurn>,
    /// The result, if the game has ended.
    pub result: Option<GameResult>,
}

/// What the room tells with a rejection.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Rejection {
    turn_index: Option<u32>,
    illegal_attempts: u32,
    did_you_mean: Option<String>,
    last_move: Option<ResolvedTurn>,
    your_last: Option<ResolvedTurn>,
    result: Option<GameResult>,
    legal_moves: Vec<LegalMove>,
    applied: Option<ResolvedTurn>,
}

impl Client {
    /// Answers turn `turn_index` of `game` with `choice`.
    ///
    /// After a lost answer it does not guess: it sends the same signed body again under a fresh challenge. If the
    /// first one had been applied, the hall rejects the second and names the body that resolved the caller's last
    /// turn. If that is a later one by then, the events of the game tell of this one.
    ///
    /// # Errors
    /// As every call. After an error that [leaves doubt](Error::leaves_doubt) the same call may be made again:
    /// it finds out. Make moves from the view's legal list: an illegal one that is sent twice counts twice.
    pub async fn make_move(
        &self,
        game: &GameId,
        turn_index: u32,
        choice: &Choice,
    ) -> Result<MoveOutcome, Error> {
        self.send_move(&SignedMove::new(self.key(), game, turn_index, choice)).await
    }

    /// Resigns the game; possible on one's own turn only.
    ///
    /// # Errors
    /// As [`Client::make_move`].
    pub async fn resign(&self, game: &GameId, turn_index: u32) -> Result<MoveOutcome, Error> {
        self.make_move(game, turn_index, &Choice::resign()).await
    }

    /// Makes a move and offers a draw with it.
    ///
    /// # Errors
    /// As [`Client::make_move`].
    pub async fn offer_draw(
        &self,
        game: &GameId,
        turn_index: u32,
        with: MoveRef,
    ) -> Result<MoveOutcome, Error> {
        self.make_move(game, turn_index, &Choice::offer_draw(with)).await
    }

    /// Accepts the opponent's standing draw offer.
    ///
    /// # Errors
    /// As [`Client::make_move`].
    pub async fn accept_draw(&self, game: &GameId, turn_index: u32) -> Result<MoveOutcome, Error> {
        self.make_move(game, turn_index, &Choice::accept_draw()).await
    }

    /// Sends a signed move until it is known what became of it.
    ///
    /// # Errors
    /// As [`Client::make_move`].
    pub async fn send_move(&self, signed: &SignedMove) -> Result<MoveOutcome, Error> {
        let call = Call::post_bytes(format!("/api/games/{}/moves", signed.game), signed.body.clone())
            .held(Duration::from_secs(MOVE_HELD_SECONDS));
        let mut failed = 0;
        loop {
            let error = match self.attempt_answer(&call).await {
                Ok(answer) => return answer.member("verdict").map(MoveOutcome::Accepted),
                Err(error) => error,
            };
            match error.refusal().and_then(|refusal| settled(signed, refusal)) {
                Some(MoveOutcome::NotApplied(told)) if told.is_of_later_turn(signed) => {
                    return self.look_back(signed, told).await;
                }
                Some(outcome) => return Ok(outcome),
                None => {}
            }
            failed += 1;
            match self.pause(&error, failed) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    /// Finds out what became of a move when later turns have been resolved since.
    async fn look_back(&self, signed: &SignedMove, told: Box<NotApplied>) -> Result<MoveOutcome, Error> {
        let events = self.events_since(&signed.game, 0).await?;
        let caller = told.your_last.as_ref().and_then(|turn| turn.player);
        let ours = |turn: &ResolvedTurn| turn.player == caller && turn.is_by(signed);
        let ours = events.iter().filter_map(resolved_by).find(ours);
        Ok(match ours {
            Some(turn) => MoveOutcome::AlreadyApplied(AppliedTurn { turn, result: told.result }),
            None => MoveOutcome::NotApplied(told),
        })
    }
}

impl NotApplied {
    /// Whether the caller has had another turn since, so that the hall tells of that one.
    fn is_of_later_turn(&self, signed: &SignedMove) -> bool {
        self.your_last.as_ref().is_some_and(|turn| turn.turn_index > signed.turn_index)
    }
}

impl ResolvedTurn {
    /// Whether this body resolved it. Players of a shared turn may sign the same body.
    fn is_by(&self, signed: &SignedMove) -> bool {
        self.turn_index == signed.turn_index && self.body_sha256 == Some(signed.body_sha256)
    }
}

/// The turn of an event that is a move.
fn resolved_by(event: &GameEvent) -> Option<ResolvedTurn> {
    let is_move = event.event.get("type").and_then(Value::as_str) == Some("move");
    event.event.get("data").filter(|_| is_move).and_then(|data| ResolvedTurn::deserialize(data).ok())
}

/// Reads from a room's rejection what became of the move; `None` if it is no such rejection.
fn settled(signed: &SignedMove, refusal: &Refusal) -> Option<MoveOutcome> {
    let told = || Rejection::deserialize(&refusal.data).unwrap_or_default();
    match refusal.code.as_str() {
        "wrong_turn" | "GAME_NOT_LIVE" => {
            let told = told();
            if let Some(turn) = told.your_last.as_ref().filter(|turn| turn.is_by(signed)) {
                return Some(MoveOutcome::AlreadyApplied(AppliedTurn {
                    turn: turn.clone(),
                    result: told.result,
                }));
            }
            Some(MoveOutcome::NotApplied(Box::new(NotApplied {
                code: refusal.code.clone(),
                turn_index: told.turn_index,
                your_last: told.your_last,
                last_move: told.last_move,
                result: told.result,
            })))
        }
        "illegal_move" => {
            let told = told();
            Some(MoveOutcome::Illegal(Box::new(IllegalMove {
                attempts: told.illegal_attempts,
                did_you_mean: told.did_you_mean,
                legal_moves: told.legal_moves,
                applied: told.applied,
                result: told.result,
            })))
        }
        "no_draw_offer" => Some(MoveOutcome::NoDrawOffer),
        _ => None,
    }
}
