//! The view: a game as one of its players sees it, with all that is needed to choose a move.

use super::by_player::ByPlayer;
use super::catalog::Fixed;
use super::game::strikes;
use super::history::History;
use super::legal::{LegalMoveEntry, legal_moves};
use super::schema::{Components, Schema, component, object, payload};
use super::untrusted::BOUNDARY;
use super::verdict::TurnRecord;
use hall_core::SeasonId;
use hall_core::rooms::Room;
use hall_games::GameResult;
use hall_wire::json::{Map, Value};
use hall_wire::{GameId, Player, Timestamp};
use serde::Serialize;
use serde_json::json;

payload! {
    /// The caller's seat.
    pub You as "You" {
        /// The caller's player identifier.
        player: Player,
        /// The seat, from 0.
        seat: u8,
    }

    /// A game as the caller sees it.
    pub View as "View" {
        /// The game.
        game_id: GameId,
        /// The season.
        season_id: SeasonId,
        /// The caller's seat.
        you: You,
        /// Who must move now: it is the caller's turn when this holds `you.player`.
        to_move: Vec<Player>,
        /// The current turn; a move must name it.
        turn_index: u32,
        /// `playing`, `awaiting_beacon` or `ended`.
        phase: &'static str,
        /// The deadline for the move: the caller's own on its turn, else that of those who must move; null if nobody must.
        deadline_utc: Option<Timestamp>,
        /// The board as text.
        board_text: String,
        /// The state in the standard text form of the game (chess: FEN).
        state_string: String,
        /// What everybody may know.
        public: ViewPublic,
        /// What only the caller may know; `{}` in games of perfect information. Where turns are shared, `sealed` is the
        /// caller's own action in this turn, null before it.

        private: Value,
        /// The complete legal set; non-empty exactly when it is the caller's turn.
        legal_moves: Vec<LegalMoveEntry>,
        /// Every resolved turn, oldest first; a shared turn has an entry for each player.
        history: History,
        /// What must be known to play.
        rules_card: Fixed,
        /// The notice about untrusted data.
        boundary: &'static str,
        /// How the game ended; null while it is live.
        result: Option<GameResult>,
    }

    /// The answer to a request for a view.
    pub ViewData as "ViewData" {
        /// The view.
        view: View,
    }
}

/// The public part of a view: what the game says, and what the room adds.
#[derive(Clone, Debug, Serialize)]
pub struct ViewPublic {
    /// The game's own part; chess: `fen` and `check`.
    #[serde(flatten)]
    pub of_game: Map<String, Value>,
    /// The last resolved turn.
    pub last_move: Option<TurnRecord>,
    /// The player whose draw offer stands.
    pub draw_offer: Option<Player>,
    /// Strikes by player.
    pub strikes: ByPlayer<u8>,
    /// Illegal moves in this turn.
    pub illegal_attempts: u8,
    /// Milliseconds left on the side clocks, the running turn not counted; null without side clocks.
    pub clocks_ms: Option<ByPlayer<u64>>,
}

impl Schema for ViewPublic {
    fn schema(components: &mut Components) -> Value {
        component(components, "ViewPublic", |components| {
            let members = vec![
                ("last_move", Option::<TurnRecord>::schema(components)),
                ("draw_offer", Option::<Player>::schema(components)),
                ("strikes", ByPlayer::<u8>::schema(components)),
                ("illegal_attempts", u8::schema(components)),
                ("clocks_ms", Option::<ByPlayer<u64>>::schema(components)),
                ("fen", json!({ "type": "string", "description": "Chess: the position." })),
                (
                    "check",
                    json!({ "type": "boolean", "description": "Chess: whether the side to move is in check." }),
                ),
            ];
            object("What everybody may know; each game adds its own fields.", members, &["fen", "check"])
        })
    }
}

impl View {
    /// The game as `player` sees it, with its history as it is to be shown.
    #[must_use]
    pub fn of(room: &Room, player: Player, history: History) -> Self {
        let position = room.position();
        Self {
            game_id: room.id(),
            season_id: room.season().clone(),
            you: You { player, seat: player.seat() },
            to_move: room.to_move().iter().collect(),
            turn_index: room.turn_index(),
            phase: room.phase().as_str(),
            deadline_utc: room.deadline_of(player).or_else(|| room.deadline()),
            board_text: room.board_text(player),
            state_string: position.state_string(),
            public: ViewPublic::of(room),
            private: private(room, player),
            legal_moves: legal_moves(room.legal_moves(player)),
            history,
            rules_card: Fixed::card(room),
            boundary: BOUNDARY,
            result: room.result().cloned(),
        }
    }
}

/// What only `player` may know: in a shared turn also what it has done already.
fn private(room: &Room, player: Player) -> Value {
    let mut private = room.position().private(player);
    if let Some(members) = private.as_object_mut().filter(|_| room.is_simultaneous()) {
        members.insert("sealed".to_owned(), json!(room.sealed_by(player).map(|action| action.notation)));
    }
    private
}

impl ViewPublic {
    fn of(room: &Room) -> Self {
        let clocks = room.clocks();
        Self {
            of_game: room.position().public(),
            last_move: room.last_turn().map(|turn| TurnRecord::from(room.brief_for(None, turn))),
            draw_offer: room.draw_offer(),
            strikes: strikes(room),
            // Decision: one number for everybody, as the field is public; where several may move at once it is
            // that of the player with the most.
            illegal_attempts: room.seats().iter().map(|seat| seat.illegal_attempts).max().unwrap_or(0),
            clocks_ms: clocks
                .map(|clocks| ByPlayer(clocks.into_iter().map(hall_wire::Span::as_millis).collect())),
        }
    }
}
