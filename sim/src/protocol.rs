//! Requests of an agent to a hall, and the answers: the meaning of the signed interface, without its bytes.
//!
//! These are the requests of the direct world, which passes them to its own gate. Agents of the turmoil world have the
//! real client and send HTTP requests.

use hall_core::{FeedbackKind, Filing, JoinLobby, NewAgent};
use hall_wire::{GameId, Notation, Player, Timestamp};

/// What an agent asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentRequest {
    /// A challenge, unsigned.
    Challenge,
    /// Register.
    Register(Box<NewAgent>),
    /// File a homologation.
    File(Box<Filing>),
    /// Join a lobby, of a game and variant that need not be on offer.
    Join(JoinLobby),
    /// Leave a lobby.
    Leave(JoinLobby),
    /// Its live games, with the turns that wait on it.
    MyGames,
    /// The view of a game, with the legal moves.
    View(GameId),
    /// A move.
    Move(Box<MoveRequest>),
    /// A feedback post.
    Post(FeedbackKind, String),
}

impl AgentRequest {
    /// The word by which marks and traces call it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Register(_) => "register",
            Self::File(_) => "file",
            Self::Join(_) => "join",
            Self::Leave(_) => "leave",
            Self::MyGames => "my_games",
            Self::View(_) => "view",
            Self::Move(_) => "move",
            Self::Post(..) => "post",
        }
    }

    /// Whether it is a POST with a body, and not a GET.
    #[must_use]
    pub const fn is_post(&self) -> bool {
        !matches!(self, Self::Challenge | Self::MyGames | Self::View(_))
    }
}

/// A move request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRequest {
    /// The game.
    pub game: GameId,
    /// The turn that the agent means.
    pub turn_index: u32,
    /// The move.
    pub choice: Option<MoveText>,
    /// Resign.
    pub resign: bool,
    /// Offer a draw.
    pub draw_offer: bool,
    /// Accept a draw.
    pub draw_accept: bool,
    /// Words for the spectators.
    pub commentary: Option<String>,
}

/// How a move is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveText {
    /// As text, which need not be a notation.
    Text(String),
    /// By its place in the list of legal moves.
    Index(i64),
}

/// How a request is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendMode {
    /// As it should be.
    Honest,
    /// So many copies at the same time, with one challenge.
    Race(u8),
    /// The last signed request once more, byte for byte, or an older one of those who keep them.
    Replay,
    /// With a bit of the header signature turned.
    ForgedHeader,
    /// With a bit of the body signature turned.
    ForgedBody,
    /// Signed with a key that is not the agent's.
    OtherKey,
    /// Signed for another path.
    OtherPath,
    /// In the name of another agent, with the own key.
    OtherHandle,
    /// About another agent, in the own name and with the own key.
    ForAnother,
    /// With a challenge that was issued to another agent.
    OthersChallenge,
    /// With a challenge that nobody issued.
    InventedChallenge,
}

impl SendMode {
    /// Its word in marks.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Honest => "honest",
            Self::Race(_) => "race",
            Self::Replay => "replay",
            Self::ForgedHeader => "forged_header",
            Self::ForgedBody => "forged_body",
            Self::OtherKey => "other_key",
            Self::OtherPath => "other_path",
            Self::OtherHandle => "other_handle",
            Self::ForAnother => "for_another",
            Self::OthersChallenge => "others_challenge",
            Self::InventedChallenge => "invented_challenge",
        }
    }
}

/// An answer to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnswerBrief {
    /// It is registered.
    Registered,
    /// Its homologation stands.
    Filed {
        /// Whether the same stood already.
        unchanged: bool,
    },
    /// It waits in the lobby, or was paired immediately.
    Joined {
        /// The game that was formed immediately.
        game: Option<GameId>,
    },
    /// It waits no longer.
    Left,
    /// Its live games.
    Games(Vec<GameBrief>),
    /// A view.
    View(Box<ViewBrief>),
    /// The turn is resolved as asked.
    Moved {
        /// The turn just resolved.
        turn_index: u32,
        /// The move applied.
        notation: Option<Notation>,
        /// Hash of the state after it.
        state_hash: [u8; 32],
        /// Whether that ended the game.
        ended: bool,
    },
    /// The post is kept.
    Posted,
    /// A challenge was issued.
    Challenged,
    /// Refused with this code.
    Refused {
        /// The stable code.
        code: &'static str,
        /// What the room said about the game, if it did.
        report: Option<Box<RoomBrief>>,
    },
    /// No answer came. What became of the request is unknown.
    Lost,
}

/// A live game as its player sees it in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameBrief {
    /// The game.
    pub game: GameId,
    /// The current turn.
    pub turn_index: u32,
    /// Whether it waits on the asking agent.
    pub mine: bool,
    /// The deadline of the turn.
    pub deadline: Option<Timestamp>,
}

/// A view of a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ViewBrief {
    /// The game.
    pub game: GameId,
    /// The current turn.
    pub turn_index: u32,
    /// The agent's seat.
    pub player: Player,
    /// Whether the game is still live.
    pub live: bool,
    /// Whether the agent is to move.
    pub mine: bool,
    /// The legal moves, if the agent is to move.
    pub legal: Vec<Notation>,
    /// The deadline of the agent's turn.
    pub deadline: Option<Timestamp>,
    /// Who has offered a draw.
    pub draw_offer: Option<Player>,
    /// Strikes by seat.
    pub strikes: Vec<u8>,
}

/// What a refusal says about the game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RoomBrief {
    /// The current turn.
    pub turn_index: u32,
    /// The caller's illegal attempts in it.
    pub illegal_attempts: u8,
    /// The legal moves, where the refusal tells them.
    pub legal: Option<Vec<Notation>>,
    /// Whether the game is still live.
    pub live: bool,
}
