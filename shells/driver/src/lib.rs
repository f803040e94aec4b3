//! The single writer of the hall.
//!
//! Commands queue up. One writer takes what is there, lets the core decide and apply it in memory, and appends all of
//! it to the journal in one batch. Only when that is durable does it release the results: answers, events, wake-ups,
//! and reads that saw the new state. The contract:
//!
//! - **Nothing leaves the hall before its cause is on disk.** [`Engine::read`] reads the newest state and holds its
//!   result back until everything in it is durable.
//! - **A failed append ends the hall.** The contents of the disk are then unknown, and only a restart finds out.
//! - **Time comes first.** Before a request is decided, everything that was due before its stamp is done; and the hall
//!   does not act in an agent's place while a request with an earlier stamp is in flight (for at most two seconds).
//! - **No agent pays for a gap**: a restart, a pause of more than five seconds, a commit of more than one.
//!
//! - **The log's tree grows in the same batch as its leaves**, and what is signed of it is durable before it is.
//!
//! The hall with its writer is a plain value ([`Driven`]) that advances with [`Driven::step`]; a thread drives it in
//! production ([`start`]), and a simulator drives it by hand. It uses no clock but the [`HallClock`].

mod archive;
mod arrivals;
mod background;
mod challenges;
mod clock;
mod commits;
mod counters;
mod docket_wording;
mod doorbells;
mod drain;
mod durable;
mod ends;
mod engine;
mod feed;
mod follower;
mod forward;
mod hall_events;
mod holds;
mod log;
mod play_counts;
mod projection;
mod queue;
mod recent;
mod record;
mod recovery;
mod runner;
mod seat_plays;
mod shared;
mod start_error;
mod statistics;
pub mod tables;
mod watched;
mod writer;

pub use archive::{Archive, ArchiveError, FeedbackEntry, FiledEntry};
pub use arrivals::Arrival;
pub use background::in_background;
pub use challenges::{ASKING, ChallengeRefused, Challenges, Recognised, Right, Spend, Term};
pub use clock::{HallClock, ManualClock, MonotonicClock, RawClocks, SystemClocks};
pub use commits::{CommitFeed, Commits, Committed};
pub use counters::{Counters, SECONDS_BUCKETS};
pub use docket_wording::docket_wording;
pub use doorbells::{Doorbells, NoDoorbells, RingCounts, Unverified, Verifying};
pub use drain::DrainOver;
pub use ends::{
    EndKey, EndOrder, EndRange, Ended, FillEndsError, RatedGame, RecentEnd, RecentEnds, SeatRating,
};
pub use engine::{Engine, EngineStatus, Occupancy, PendingAnswer};
pub use feed::{Calls, EventFeed, Feed, PublishedFact, RingCall, RingFeed, StopSignal, TurnWatch};
pub use follower::{FollowOptions, Follower};
pub use forward::{AnswerSlot, FollowerMark, Forwarded, Handover};
pub use hall_events::{HallEvent, HallEventId, HallEventKind, HallNews};
#[cfg(feature = "holds")]
pub use holds::Holds;
pub use log::{
    CheckpointStore, FillError, LeafPlace, LogError, LogReader, LogTreeBuilder, SignedCheckpoint, TILE_WIDTH,
    published_keys, read_log,
};
pub use play_counts::{LOBBY_SECONDS_BUCKETS, LobbyWaits, PlayCounts};
pub use queue::Unavailable;
pub use record::JournalEntry;
pub use recovery::{RecoverError, Recovered, SNAPSHOT_TAG, recover};
pub use runner::{Driven, LeadOptions, Pause, Running, StartOptions, start};
pub use shared::Lead;
pub use start_error::{FollowError, StartError};
pub use statistics::{Counted, Pairing, Score, SeatPlay, Statistics, Tally};
pub use writer::{Decided, Next, Observer};
