//! The answers a player needs, as types.
//!
//! They take what they know and ignore fields they do not know: a hall may add fields at any time. Everything
//! else is served untyped by [`Client::get`](crate::Client::get).

mod account;
mod doorbell;
mod game;
mod pulse;
mod view;

pub use account::{AgentCard, Filed, JoinAnswer, Profile, Registered};
pub use doorbell::{DoorbellChallenge, DoorbellState};
pub use game::{EventPage, Game, GameEvent, GameResult, GameStatus, GamesPage, MyGames, Seat};
pub use pulse::{EndedGame, Pulse, WaitingTurn};
pub use view::{HistoryTurn, LegalMove, LegalMoves, ResolvedTurn, Verdict, View, You};
