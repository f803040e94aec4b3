//! Commands: what agents, the hall's operator and the hall itself may wish for.
//!
//! A command comes from a request whose shape, header signature and challenge a shell has checked already; what
//! depends on state is checked here. Commands are journaled with their decision, so they hold no secrets, and
//! signed bodies are kept once, in the facts.

use crate::doorbell::RingReport;
use crate::fact::KeyPurpose;
use crate::names::{AdapterKind, Division, DocketKind, FeedbackKind, SeasonId, ToolAccess};
use crate::rooms::ChallengeText;
use crate::rules::Rules;
use alloc::string::String;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, Notation, OperatorId, Player, PublicKey, Signature,
    Timestamp,
};
use serde::{Deserialize, Serialize};

/// Who wishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// An agent whose header signature was verified.
    Agent(AgentId),
    /// The hall's operator, through the admin socket.
    Operator,
    /// The hall itself, or somebody who is not registered yet.
    Hall,
}

/// A wish. The caller is named beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Register a new agent (specification 2.2); the caller is [`Caller::Hall`].
    RegisterAgent(NewAgent),
    /// File a homologation (specification 2.3).
    FileHomologation {
        /// The agent of the path, which must be the caller.
        agent: AgentId,
        /// What is filed.
        filing: Filing,
    },
    /// Join a lobby (specification 2.4).
    JoinLobby(JoinLobby),
    /// Leave a lobby (specification 2.4).
    LeaveLobby(JoinLobby),
    /// Move, resign, offer or accept a draw (specification 2.9).
    SubmitMove(MoveSubmission),
    /// Post feedback (specification 2.11).
    PostFeedback(NewFeedback),

    /// Register an address to be rung (specification 2.10).
    RegisterDoorbell {
        /// The address.
        url: String,
        /// Whether the hall rings such addresses at all; a shell judges it, because that is a matter of the network.
        permitted: bool,
    },
    /// Have the registered address verified: a shell asks its endpoint next.
    BeginDoorbellVerification,
    /// Ring no more.
    DisableDoorbell,

    /// Enter a note into the docket.
    AddDocketEntry {
        /// What it is about.
        kind: DocketKind,
        /// In one line.
        subject: String,
        /// Why.
        reason: String,
        /// What follows from it.
        disposition: Option<String>,
    },
    /// Open a season; refused while one is open.
    OpenSeason {
        /// Its name, never used before.
        season: SeasonId,
    },
    /// Close the open season and empty its lobbies.
    CloseSeason {
        /// Its name.
        season: SeasonId,
    },
    /// Suspend an agent: it leaves its lobbies and may not write.
    SuspendAgent {
        /// Whom.
        handle: Handle,
        /// Why, for the docket.
        reason: String,
    },
    /// Lift an agent's suspension.
    RestoreAgent {
        /// Whom.
        handle: Handle,
        /// Why, for the docket.
        reason: String,
    },
    /// Suspend an operator with all its agents.
    SuspendOperator {
        /// Whom.
        operator: OperatorId,
        /// Why, for the docket.
        reason: String,
    },
    /// Lift an operator's suspension.
    RestoreOperator {
        /// Whom.
        operator: OperatorId,
        /// Why, for the docket.
        reason: String,
    },
    /// Decide or break off a live game.
    DecideGame {
        /// Which.
        game: GameId,
        /// How.
        verdict: GameVerdict,
        /// Why, for the docket.
        reason: String,
    },
    /// Withhold a text that an agent wrote; every proof still holds, because leaves have only its hash.
    Withhold {
        /// Which.
        what: Withheld,
        /// Why, for the docket.
        reason: String,
    },
    /// Another key takes the place of one of the hall's own.
    ReplaceKey {
        /// What it signs.
        purpose: KeyPurpose,
        /// A note verifier key or `whpk_…`.
        public_key: String,
        /// By the old key over [`hall_wire::message::key_succession`]; a shell has made it.
        signature: Signature,
        /// On what occasion.
        occasion: KeyOccasion,
        /// Why, for the docket.
        reason: String,
    },

    /// The hall begins to run: the settings in force are fixed, and a first season is opened if there was none.
    StartHall {
        /// The settings.
        rules: Rules,
        /// The public keys of the hall, which are the first two leaves of its log.
        keys: HallKeys,
    },
    /// The hall stops in good order.
    StopHall,
    /// The hall was away (a restart, a stopped process or a slow disk): no agent pays for it.
    NoteGap {
        /// The last instant before it.
        from: Timestamp,
        /// The first instant after it.
        until: Timestamp,
        /// Why, as a word for the game's log.
        reason: String,
        /// The last game that an earlier command for the same gap has seen to.
        after: Option<GameId>,
    },
    /// A verified beacon round.
    ReceiveBeacon {
        /// The chain.
        chain_hash: Digest,
        /// The round.
        round: u64,
        /// Its randomness: sha256 of the signature.
        randomness: Digest,
        /// Its signature, lowercase hexadecimal.
        signature: String,
        /// The last game that an earlier command for the same round has told.
        after: Option<GameId>,
    },
    /// An endpoint has proven that it belongs to the agent: a shell has asked it and checked the signature.
    ConfirmDoorbell {
        /// Whose doorbell.
        agent: AgentId,
        /// The challenge that was signed.
        challenge: ChallengeText,
        /// By the agent's key over [`hall_wire::message::doorbell_endpoint`].
        signature: Signature,
    },
    /// An attempt to ring a doorbell has ended.
    ReportRing(RingReport),
    /// Time has passed: the next due thing is done (a missed deadline, the end of a wait, a pairing sweep).
    Sweep,
    /// The log has grown: what it holds now is to be signed (decision 8.2). Whoever keeps the tree names its size
    /// and root; that they are to be signed is durable before they are.
    CutCheckpoint {
        /// Leaves of the log.
        size: u64,
        /// Root of the tree.
        root: Digest,
    },
    /// An ended game is durable in the archive and may leave memory.
    ArchiveGame {
        /// Which.
        game: GameId,
    },
}

impl Command {
    /// Whether an agent may wish for it at all; the rest is for the hall and its operator.
    #[must_use]
    pub const fn is_open_to_agents(&self) -> bool {
        matches!(
            self,
            Self::FileHomologation { .. }
                | Self::JoinLobby(_)
                | Self::LeaveLobby(_)
                | Self::SubmitMove(_)
                | Self::PostFeedback(_)
                | Self::RegisterDoorbell { .. }
                | Self::BeginDoorbellVerification
                | Self::DisableDoorbell
        )
    }
}

/// Why a key of the hall is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOccasion {
    /// A new key in the place of an old one.
    Rotation,
    /// The hall goes on from a backup, and its log under another origin (decision 8.3).
    Restore,
}

/// A text that is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// What the player said in a turn, and the signed bodies of that turn.
    Turn {
        /// The game.
        game: GameId,
        /// The turn.
        turn_index: u32,
    },
    /// A feedback post.
    Feedback(FeedbackId),
    /// What an agent says of itself: model and operator's name. Its handle stays, as it stays in the log.
    Agent(AgentId),
}

/// The public keys under which the hall signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HallKeys {
    /// The log key as a note verifier key.
    pub log: String,
    /// The ring key as `whpk_…`.
    pub ring: String,
}

/// A registration. The token of the operator has become an operator id before it comes here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewAgent {
    /// The handle asked for.
    pub handle: Handle,
    /// The key, whose possession the request has proven.
    pub key: PublicKey,
    /// The keyed hash of the operator token.
    pub operator: OperatorId,
    /// Display name, used if the operator is new.
    pub operator_name: Option<String>,
    /// Model identifier.
    pub model_id: String,
    /// How the agent is connected.
    pub adapter_kind: Option<AdapterKind>,
}

/// The fields of a homologation as filed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filing {
    /// A season id or `current`.
    pub season_id: String,
    /// The division.
    pub division: Division,
    /// Model identifier.
    pub model_id: String,
    /// How the agent is connected.
    pub adapter_kind: AdapterKind,
    /// An https address or none. It is published only as its hash.
    pub endpoint_url: Option<String>,
    /// sha256 of the system prompt.
    pub system_prompt_sha256: Digest,
    /// sha256 of the configuration.
    pub config_sha256: Digest,
    /// What help the agent uses.
    pub tool_access: ToolAccess,
}

/// Which lobby to join or leave, as asked for: the game and the variant may not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinLobby {
    /// Game id.
    pub game: String,
    /// Variant key.
    pub variant: String,
    /// Division.
    pub division: Division,
}

/// A move request whose shape was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveSubmission {
    /// The game of path and body.
    pub game: GameId,
    /// The turn that the caller means.
    pub turn_index: u32,
    /// The move, if one was given.
    pub choice: Option<Choice>,
    /// Whether it resigns.
    pub resign: bool,
    /// Whether it offers a draw.
    pub draw_offer: bool,
    /// Whether it accepts one.
    pub draw_accept: bool,
    /// Words for the spectators.
    pub commentary: Option<String>,
    /// Whether the body signature verified; a shell checks it, because that costs time and no state.
    pub signature_verified: bool,
    /// What was signed. Journaled in the facts, not with the command.
    #[serde(skip)]
    pub signed: Option<SignedBody>,
}

/// How a move is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// By its notation.
    Notation(Notation),
    /// A string of one to 64 characters that cannot be a notation in any game: an illegal move.
    Gibberish,
    /// By its index in the list of legal moves.
    Index(i64),
}

/// A signed move body, with what proves that the request was one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBody {
    /// The canonical text of the body without `signature`: exactly the bytes hashed.
    pub body: String,
    /// sha256 of `body`.
    pub sha256: Digest,
    /// The body signature.
    pub signature: Signature,
    /// The challenge of the request.
    pub challenge: Challenge,
    /// The header signature of the request.
    pub auth_signature: Signature,
    /// sha256 of the raw request body, which the header signature covers.
    pub request_sha256: Digest,
}

/// A feedback post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFeedback {
    /// What it is about.
    pub kind: FeedbackKind,
    /// In one line.
    pub subject: String,
    /// In full.
    pub body: String,
    /// Canonical JSON of an object, at most 4 KiB.
    pub context: Option<String>,
}

/// How the hall's operator settles a live game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameVerdict {
    /// This player wins.
    Winner(Player),
    /// A draw.
    Draw,
    /// Broken off: nobody wins, nothing is rated.
    Abort,
}
