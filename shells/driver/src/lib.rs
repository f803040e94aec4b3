//! The single writer of the hall.
//!
//! Commands queue up; one writer takes what is there, lets the core decide and apply in memory, appends all of it
//! to the journal at once, and only when that is durable releases what anybody may learn of it: answers, events,
//! wake-ups, and reads that saw the new state. That is the whole contract:
//!
//! - **Nothing leaves the hall before its cause is on disk.** [`Engine::read`] looks at the newest state and holds
//!   its result back until all that it shows is durable.
//! - **A failed append ends the hall.** What is on disk is unknown then; only a start finds out.
//! - **Time comes first.** Before a request is decided, what was due before its stamp is done; and nothing is done
//!   in an agent's place while a request with an earlier stamp is still on its way (two seconds at most).
//! - **No agent pays for a gap**: a restart, a pause of more than five seconds, a commit of more than one.
//!
//! - **The log's tree grows in the same batch as its leaves**, and what is signed of it is durable before it is.
//!
//! The hall with its writer is a plain value ([`Driven`]) that goes on by [`Driven::step`]; a thread drives it in
//! production ([`start`]), and a simulator drives it by hand. It acts upon no clock but the [`HallClock`].

mod archive;
mod arrivals;
mod clock;
mod counters;
mod docket_wording;
mod doorbells;
mod drain;
mod ends;
mod engine;
mod feed;
mod log;
mod play_counts;
mod projection;
mod queue;
mod recent;
mod record;
mod recovery;
mod runner;
mod shared;
pub mod tables;
mod watched;
mod writer;

pub use archive::{Archive, ArchiveError, FeedbackEntry, FiledEntry};
pub use arrivals::Arrival;
pub use clock::{HallClock, ManualClock, MonotonicClock, RawClocks, SystemClocks};
pub use counters::{Counters, SECONDS_BUCKETS};
pub use docket_wording::docket_wording;
pub use doorbells::{Doorbells, NoDoorbells, RingCounts, Unverified, Verifying};
pub use drain::DrainOver;
pub use ends::{EndKey, EndOrder, EndRange, Ended, FillEndsError, RatedGame, SeatRating};
pub use engine::{Engine, EngineStatus, Ticket};
pub use feed::{Calls, EventFeed, Feed, RingCall, RingFeed, StopSignal, TurnWatch};
pub use log::{
    CheckpointKeeper, FillError, LeafPlace, LogError, LogReader, LogTreeBuilder, SignedCheckpoint,
    TILE_WIDTH, published_keys, read_log,
};
pub use play_counts::{LOBBY_SECONDS_BUCKETS, LobbyWaits, PlayCounts};
pub use queue::Unavailable;
pub use record::JournalEntry;
pub use recovery::{RecoverError, Recovered, SNAPSHOT_TAG, recover};
pub use runner::{Driven, Running, StartError, StartOptions, start};
pub use writer::{Decided, Next, Observer};
