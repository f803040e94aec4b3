//! What the oracles see of a world: plain values that can be stored, changed and shown again.
//!
//! Every world shows the same observations, as far as it can see them. A world without a view of the gate shows none of
//! its observations, and the checks that live on them stay silent. Times are the hall's own unless said otherwise.

use super::clients::ClientRecord;
use crate::crypto::Crypto;
use crate::direct::{Observed, SignedRequest};
use crate::protocol::{AgentRequest, AnswerBrief, SendMode};
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{HallSettings, Lobby};
use hall_driver::Occupancy;
use hall_games::PlayerSet;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, HomologationId, Player, RingId, Span, Timestamp,
};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

/// A single observation.
#[derive(Clone, Debug)]
pub enum Observation {
    /// The world begins.
    Began(Terms),
    /// A secret that must never be written or disclosed.
    Secret(String),
    /// An agent sends a request.
    Asked {
        /// The handle in whose name it was sent.
        handle: Handle,
        /// The number of its request.
        number: u64,
        /// What.
        what: Arc<AgentRequest>,
        /// How it is sent.
        mode: SendMode,
    },
    /// An agent receives an answer, or knows that none will come.
    Heard {
        /// Who.
        handle: Handle,
        /// The number of its request.
        number: u64,
        /// What.
        answer: AnswerBrief,
    },
    /// The hall issued a challenge.
    Issued {
        /// The hall's time.
        at: Timestamp,
        /// To whom.
        handle: Handle,
        /// Which.
        challenge: Challenge,
    },
    /// A request is in the hall in full.
    Arrived {
        /// Its unique number.
        id: u64,
        /// Its stamp.
        stamp: Timestamp,
        /// The handle in whose name it was sent.
        handle: Handle,
        /// The request.
        what: Arc<AgentRequest>,
    },
    /// The gate has judged a request.
    Judged(Box<Judged>),
    /// A durable decision, in the order in which they were made.
    Decided(Arc<Observed>),
    /// An answer of the writer leaves the hall.
    Answered {
        /// The hall's time.
        at: Timestamp,
        /// To whom.
        handle: Handle,
        /// What.
        answer: AnswerBrief,
        /// The last record that is durable.
        durable: u64,
    },
    /// An event reaches a reader of a game's stream.
    Streamed {
        /// The reader; it continues where it was when its connection breaks.
        reader: u64,
        /// The game.
        game: GameId,
        /// The event's number.
        seq: u32,
        /// The hash of its leaf.
        leaf: Digest,
    },
    /// Nothing more comes out of a stream now, to a reader that has read all of it.
    Drained {
        /// The reader.
        reader: u64,
        /// The game.
        game: GameId,
    },
    /// The archive was read for all texts of a game, or for posts.
    Shown(Box<ShownTexts>),
    /// Readers have looked into a step of the writer.
    Glimpsed(Box<Glimpse>),
    /// The same world was run without readers of streams.
    Alone {
        /// The hash of the trace with readers.
        watched: String,
        /// The hash without.
        alone: String,
    },
    /// A round of the beacon was handed to a hall that is up.
    BeaconGiven {
        /// The hall's time.
        at: Timestamp,
        /// The chain.
        chain_hash: Digest,
        /// The round.
        round: u64,
    },
    /// An append succeeded though the disk failed in it.
    FailureIgnored {
        /// The hall's time.
        at: Timestamp,
    },
    /// The hall connects to an address that an agent named.
    Dialed(Dialed),
    /// An attempt to ring a doorbell begins.
    Rang(Box<Rang>),
    /// The ringer was too far behind, and reads all turns that wait, as after a start.
    RingerLagged {
        /// The hall's time.
        at: Timestamp,
    },
    /// An attempt to ring has ended.
    RingEnded {
        /// The hall's time.
        at: Timestamp,
        /// The address.
        url: String,
    },
    /// The writer has done a step.
    Stepped(Box<Picture>),
    /// The journal failed, or the process was killed: from now on nothing may leave it.
    Failed {
        /// The hall's time.
        at: Timestamp,
    },
    /// The process is gone.
    Died(Death),
    /// The journal was opened, and what it holds was read before the hall started on it.
    Opened(Box<Opened>),
    /// The hall is up again, its first decisions made.
    Started {
        /// The hall's time.
        at: Timestamp,
    },
    /// The hall was inactive for a while, for which no agent may pay.
    Away {
        /// The last instant before it.
        from: Timestamp,
        /// The first instant after it.
        until: Timestamp,
        /// Why.
        why: &'static str,
    },
    /// From now on there are no faults.
    Calm {
        /// The hall's time.
        at: Timestamp,
    },
    /// Something that a client of the hall received or did.
    Client(ClientRecord),
    /// The end of the world: the state, and what the journal alone gives.
    Ended(Box<Ending>),
    /// A second run of the same seed gave a different result.
    Repeated {
        /// The hash of the first run.
        first: String,
        /// The hash of the second.
        second: String,
    },
}

impl Observation {
    /// The state, where it shows that.
    pub(super) fn picture(&self) -> Option<&Picture> {
        match self {
            Self::Stepped(picture) => Some(picture),
            Self::Ended(ending) => ending.picture.as_ref(),
            _ => None,
        }
    }
}

/// The fixed properties of a world.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The hall's time.
    pub at: Timestamp,
    /// The kind of signatures.
    pub crypto: Crypto,
    /// The settings.
    pub settings: HallSettings,
    /// Whether every attempt to ring is shown.
    pub rings: bool,
    /// Agents that must never be given a strike: honest ones, in a world whose only trouble is other agents.
    pub unharmed: BTreeSet<AgentId>,
}

/// The gate's verdict on a request.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The number of its arrival.
    pub id: u64,
    /// The hall's time.
    pub at: Timestamp,
    /// Its stamp.
    pub stamp: Timestamp,
    /// The request.
    pub request: SignedRequest,
    /// The answer, unless it waits for the writer.
    pub answer: Option<AnswerBrief>,
    /// Whether its challenge was consumed.
    pub spent: bool,
    /// The last record applied, before and after.
    pub applied: (u64, u64),
    /// The digest of the state, before and after, for some of those that were refused.
    pub digests: Option<(Digest, Digest)>,
}

/// What readers see of a hall within one step of its writer. All that came since they began is there each time.
#[derive(Clone, Debug)]
pub struct Glimpse {
    /// The hall's time.
    pub at: Timestamp,
    /// When in the step.
    pub moment: Moment,
    /// The record that was the last durable one when they began.
    pub since: u64,
    /// The record that is the last durable one now.
    pub durable: u64,
    /// What they see.
    pub seen: Vec<Seen>,
    /// The agents whose turns they watch.
    pub watched: Vec<AgentId>,
    /// The games whose events they follow.
    pub followed: Vec<GameId>,
    /// Reads of the state that wait for their answer.
    pub waiting: usize,
}

/// A moment in a step of the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is decided, and the next append is about to begin.
    Ahead,
    /// The append has failed.
    Failed,
    /// Everything is durable.
    Durable,
}

impl Moment {
    /// Its word in marks.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ahead => "ahead_of_the_disk",
            Self::Failed => "after_a_failed_append",
            Self::Durable => "after_an_append",
        }
    }
}

/// Something that readers see of a hall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A fact in the feed of a game: its number.
    Fact(GameId, u32),
    /// The turns of an agent have changed.
    Woken(AgentId),
    /// A turn to ring for.
    Ring(AgentId, GameId, u32),
    /// The size of the newest checkpoint.
    Checkpoint(u64),
    /// The answer to a read of the state, which saw everything up to this record.
    Read(u64),
    /// A fact of a game in the archive: its number.
    Archived(GameId, u32),
    /// A record in the journal.
    Record(u64),
    /// So many requests were let go of without an answer, so that their callers are told that nothing was done.
    GivenUp(usize),
}

/// Texts as the archive shows them.
#[derive(Clone, Debug)]
pub struct ShownTexts {
    /// The hall's time.
    pub at: Timestamp,
    /// The game of which every fact was read; none if posts were read.
    pub game: Option<GameId>,
    /// What was written where, and the words that are shown of it.
    pub words: Vec<(Written, Words)>,
}

/// The place of a text written by an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// In a game: the number of the fact.
    Fact(GameId, u32),
    /// In a feedback post.
    Post(FeedbackId),
}

/// What an agent wrote in one place, and what the log says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The turn in which it was, in a game.
    pub turn_index: Option<u32>,
    /// The words: commentary and signed body, or subject, body and context. None where there are none.
    pub texts: Vec<String>,
    /// The leaf in the log, if the fact has one.
    pub leaf: Option<Digest>,
}

impl Words {
    /// The words in a fact of a game; none if it is of a kind that cannot hold any.
    #[must_use]
    pub fn of(fact: &RoomFact) -> Option<Self> {
        let (turn_index, body) = match &fact.change {
            RoomChange::IllegalAttempted { turn_index, attempt, .. } => (*turn_index, Some(&attempt.body)),
            RoomChange::MovePlayed(resolution) | RoomChange::Ended { resolution: Some(resolution), .. } => {
                (resolution.turn_index, resolution.body.as_ref())
            }
            RoomChange::MoveSealed { turn_index, action, .. } => (*turn_index, action.body.as_ref()),
            RoomChange::SeatVacated { turn_index, body, .. } => (*turn_index, body.as_ref()),
            _ => return None,
        };
        let sealed = match &fact.change {
            RoomChange::MoveSealed { action, .. } => action.commentary.as_deref(),
            _ => None,
        };
        let commentary = fact.event.as_ref().and_then(|event| event.commentary.as_deref());
        let texts = [commentary.or(sealed), body.map(|body| body.text.as_str())];
        Some(Self {
            turn_index: Some(turn_index),
            texts: written(texts),
            leaf: fact.event.as_ref().map(|event| Digest::of(event.leaf.as_bytes())),
        })
    }

    /// The words of a feedback post.
    #[must_use]
    pub fn of_post(subject: &str, body: &str, context: Option<&str>) -> Self {
        Self { turn_index: None, texts: written([Some(subject), Some(body), context]), leaf: None }
    }
}

/// The texts that are there.
fn written<const N: usize>(texts: [Option<&str>; N]) -> Vec<String> {
    texts.into_iter().flatten().filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// A connection to an endpoint.
#[derive(Clone, Debug)]
pub struct Dialed {
    /// The hall's time.
    pub at: Timestamp,
    /// The URL.
    pub url: String,
    /// The address that it resolved to.
    pub address: IpAddr,
    /// The port.
    pub port: u16,
}

/// An attempt to ring a doorbell.
#[derive(Clone, Debug)]
pub struct Rang {
    /// The hall's time.
    pub at: Timestamp,
    /// The agent.
    pub agent: AgentId,
    /// The game.
    pub game: GameId,
    /// The turn.
    pub turn_index: u32,
    /// The event.
    pub id: RingId,
    /// Which attempt of the turn it is, from 1.
    pub attempt: u8,
    /// The longest wait that could be drawn between it and the attempt before it; none if this process made none.
    pub longest_wait: Option<Span>,
    /// Where.
    pub url: String,
    /// The host.
    pub host: String,
    /// What is sent.
    pub body: String,
    /// Turns that are rung for at that time.
    pub turns: usize,
    /// Hosts that the ringer remembers then.
    pub hosts: usize,
}

/// What is known about a process that is gone.
#[derive(Clone, Debug)]
pub struct Death {
    /// The hall's time.
    pub at: Timestamp,
    /// The last record that was known to be durable.
    pub durable: u64,
    /// The digest of the state, if all of it was durable.
    pub digest: Option<Digest>,
}

/// The contents of a journal.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The hall's time.
    pub at: Timestamp,
    /// Its last record.
    pub seq: u64,
    /// The records since the last reading, oldest first, or why they cannot be read.
    pub records: Result<Vec<Recorded>, String>,
    /// The digest of the state as the hall recovers it, with a snapshot if there is one, or why it cannot.
    pub recovered: Result<Digest, String>,
    /// The same for the fold over all facts without a snapshot, unless that is too much work now.
    pub folded: Option<Result<Digest, String>>,
    /// Decisions of which it is unknown whether they are durable, oldest first.
    pub in_doubt: Vec<Arc<Observed>>,
}

/// A record of the journal.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its number.
    pub seq: u64,
    /// Its chain value.
    pub chain: [u8; 32],
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The end of a world.
#[derive(Clone, Debug)]
pub struct Ending {
    /// The whole state; none if the hall is not up.
    pub picture: Option<Picture>,
    /// The hall's time.
    pub at: Timestamp,
    /// Whether a phase without faults came before.
    pub rested: bool,
    /// The digest of the state, and of the fold over the whole journal or why there is none.
    pub digests: Option<(Digest, Result<Digest, String>)>,
}

/// The state as far as it may have changed since the last picture, or all of it.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The hall's time.
    pub at: Timestamp,
    /// Whether it shows everything.
    pub whole: bool,
    /// Whether the hall accepts writes.
    pub writable: bool,
    /// When the hall must next act by itself.
    pub next_deadline: Option<Timestamp>,
    /// Live games.
    pub live: u64,
    /// Ended games.
    pub ended: u64,
    /// Registered agents.
    pub agents: u64,
    /// Docket entries.
    pub docket: u64,
    /// The lobbies in which agents wait, and how many do.
    pub lobbies: Vec<(Lobby, usize)>,
    /// Games.
    pub rooms: Vec<RoomPicture>,
    /// Agents.
    pub people: Vec<PersonPicture>,
    /// Bytes that spent challenges take.
    pub spent_bytes: usize,
    /// Commands that wait.
    pub queued: usize,
    /// Size and root of the newest checkpoint that anybody can have.
    pub checkpoint: Option<(u64, Digest)>,
    /// The log key that it is signed with.
    pub signed_by: Option<String>,
    /// What the process holds, where the world knows what it should.
    pub held: Option<Held>,
}

/// What the process holds for requests and readers, and how many of them there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// What it holds.
    pub occupancy: Occupancy,
    /// Requests that have arrived and are not at the gate yet.
    pub lingering: usize,
    /// Games that somebody follows.
    pub followed: usize,
}

/// A game.
#[derive(Clone, Debug)]
pub struct RoomPicture {
    /// Which.
    pub game: GameId,
    /// The current turn.
    pub turn_index: u32,
    /// Whether it is still live.
    pub live: bool,
    /// Who is to move.
    pub to_move: PlayerSet,
    /// The seats.
    pub seats: Vec<SeatPicture>,
    /// The player whose draw offer stands.
    pub offer: Option<Player>,
}

/// A seat of a game.
#[derive(Clone, Debug)]
pub struct SeatPicture {
    /// Its agent.
    pub agent: AgentId,
    /// The entry that it plays under.
    pub homologation: HomologationId,
    /// Its deadline.
    pub deadline: Option<Timestamp>,
    /// Its strikes.
    pub strikes: u8,
    /// Its illegal attempts in this turn.
    pub illegal: u8,
    /// How many legal moves it is offered; only in a picture of everything.
    pub legal: Option<usize>,
}

/// An agent.
#[derive(Clone, Debug)]
pub struct PersonPicture {
    /// Who.
    pub agent: AgentId,
    /// Its handle.
    pub handle: Handle,
    /// Its key.
    pub key: hall_wire::PublicKey,
    /// Joins left today.
    pub joins_left: Option<u32>,
    /// Posts left today.
    pub posts_left: Option<u32>,
    /// Its live games.
    pub live: Vec<GameId>,
    /// Where it waits.
    pub lobbies: Vec<Lobby>,
    /// Its standing entries.
    pub standing: Vec<HomologationId>,
}
