//! One game in play: its turns, clocks, strikes, draw offers, rolls, seats and end.
//!
//! A room knows its seats and the rules of its game. It knows no lobby, quota, doorbell, docket or rating: what the hall
//! around it must know of a decision, it says in a [`Notice`]. [`Rooms::decide`] looks at the state and answers with a
//! [`RoomDecision`]; [`Rooms::apply`] turns facts into state. A decision is tried out on a copy of the room, fact by fact,
//! so that every consequence is computed from the state that the one before it left.
//!
//! | module | what it owns |
//! |---|---|
//! | `command`, `decision`, `fact` | requests, their outcomes, changes |
//! | `room`, `seat`, `rooms`, `turn_log` | the state of one game, of one seat, all games with their timers, past turns |
//! | `apply`, `standing` | how facts change a room; who is still in the game, and what an ended one counts for |
//! | `submit`, `adjudicate`, `penalty`, `gap`, `beacon`, `opening` | one decision each |
//! | `draft`, `notices` | the copy on which a decision is tried out, and what follows from it |
//! | `clock`, `chance`, `disclosure` | deadlines and side clocks; random numbers; disclosure of sealed moves |
//! | `event`, `leaf`, `pictures` | spectator events and their leaves in the log; what could be seen, turn by turn |
//! | `label`, `timing`, `limits`, `status`, `saved` | vocabulary, and the form in which snapshots keep a room |
//! | `unplayable` | what stands for a position whose rules this release does not have |
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

mod adjudicate;
mod apply;
mod beacon;
mod chance;
mod clock;
mod command;
mod decision;
mod disclosure;
mod draft;
mod event;
mod fact;
mod gap;
mod label;
mod leaf;
pub mod limits;
mod notices;
mod opening;
mod penalty;
mod pictures;
mod room;
mod rooms;
mod saved;
mod seat;
mod standing;
mod status;
mod submit;
mod timing;
mod turn_log;
mod unplayable;

pub use command::{Choice, GameVerdict, GapCause, MoveSubmission, RoomCommand, SignatureCheck, SignedBody};
pub use decision::{EndedGame, EndedSeat, Notice, RoomDecision, RoomRejection, RoomReply};
pub use event::{by_player, players, seats as seats_json};
pub use fact::{
    Attempt, BeaconStatus, BeaconTerms, BodyRecord, ChallengeText, ForcedCause, OpenTurn, Resolution,
    RoomChange, RoomEvent, RoomFact, SealedAction, Seat, Started,
};
pub use label::{Division, GameVariant, SeasonId, Word};
pub use opening::{NewGame, start};
pub use pictures::{picture, pictures};
pub use room::{DeferredPenalty, Phase, Room};
pub use rooms::Rooms;
pub use saved::{RoomOutline, SavedRoom, UnreadableRoom};
pub use seat::{SeatState, Vacancy};
pub use status::{TurnBrief, TurnStatus};
pub use submit::submit;
pub use timing::{BeaconChain, Timing};
pub use turn_log::{ResolvedTurn, TurnIter, TurnLog, TurnPlace};
