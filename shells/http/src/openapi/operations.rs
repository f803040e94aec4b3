//! What there is to know of each operation besides its route.

use super::bodies::{self, Body};
use super::mcp;
use super::parameters::{history, page, query, required, status, wait};
use crate::description::{HallDescription, limit_in_words};
use crate::documents::{AI_CATALOG, DictionaryData, SERVER_CARD};
use crate::errors::ApiCode;
use crate::payload::schema::{Components, Schema};
use crate::payload::{
    AgentData, CatalogData, ChallengeData, CheckpointData, ConsistencyData, DocketData,
    DoorbellChallengeData, DoorbellData, DoorbellStateData, DoorbellVerifiedData, EventsData, FeedbackData,
    FeedbackPosted, GameData, GameProofData, GamesData, GuideData, HomologatedData, JoinedData,
    LeaderboardData, LeafProofData, LeftData, LegalMovesData, MoveData, MyGamesData, OfficialData, PulseData,
    RatingChangesData, RegisteredData, ReplayData, ReplayRecord, RulesData, ViewData,
};
use crate::requests::ResultFilter;
use crate::routes::Operation;
use hall_core::limits::BEACON_WAIT;
use serde_json::{Value, json};

/// What an operation answers when it succeeds.
#[derive(Clone, Debug)]
pub(super) enum Success {
    /// An envelope with this payload.
    Envelope { status: u16, payload: fn(&mut Components) -> Value },
    /// A document in a format of its own.
    Bare { media_type: &'static str, schema: Value },
}

/// Another form of an answer: its status, its media type and schema unless it is empty, and what it is.
pub(super) type Also = (u16, Option<(&'static str, Value)>, &'static str);

/// What there is to know of an operation.
#[derive(Clone, Debug)]
pub(super) struct Details {
    pub(super) tag: &'static str,
    /// More than the summary says.
    pub(super) about: String,
    pub(super) query: Vec<Value>,
    pub(super) body: Option<Body>,
    pub(super) success: Success,
    /// Other forms of the answer, by status and media type, for clients that ask for them.
    pub(super) also: Vec<Also>,
    /// The errors of its own, besides those of its access, query and body.
    pub(super) errors: Vec<ApiCode>,
}

impl Details {
    fn of(tag: &'static str, success: Success) -> Self {
        let (about, query, also, errors) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tag, about, query, body: None, success, also, errors }
    }

    fn answering<T: Schema>(tag: &'static str) -> Self {
        Self::of(tag, Success::Envelope { status: 200, payload: T::schema })
    }

    fn object(tag: &'static str) -> Self {
        Self::of(tag, Success::Envelope { status: 200, payload: |_| json!({ "type": "object" }) })
    }

    pub(super) fn bare(tag: &'static str, media_type: &'static str, schema: Value) -> Self {
        Self::of(tag, Success::Bare { media_type, schema })
    }

    pub(super) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    fn query(self, query: Vec<Value>) -> Self {
        Self { query, ..self }
    }

    pub(super) fn body(self, body: Body) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(super) fn also(
        mut self,
        status: u16,
        content: Option<(&'static str, Value)>,
        about: &'static str,
    ) -> Self {
        self.also.push((status, content, about));
        self
    }

    fn errors(self, errors: &[ApiCode]) -> Self {
        Self { errors: errors.to_vec(), ..self }
    }
}

/// What there is to know of `operation`. A new one does not compile before it is described here.
pub(super) fn details(operation: Operation, hall: &HallDescription) -> Details {
    let of_game = [ApiCode::GameNotFound];
    let of_seat = [ApiCode::GameNotFound, ApiCode::NotSeated];
    let of_ended_game = [ApiCode::GameNotFound, ApiCode::ReplayNotReady];
    match operation {
        Operation::FrontDoor => Details::object("documents").also(
            200,
            Some(("text/html", json!({ "type": "string" }))),
            "A page for people, if Accept prefers it.",
        ),
        Operation::LlmsText => Details::bare("documents", "text/plain", json!({ "type": "string" })),
        Operation::Reference => Details::bare("documents", "text/html", json!({ "type": "string" })),
        Operation::OpenApi | Operation::McpDiscovery => {
            Details::bare("documents", "application/json", json!({ "type": "object" }))
        }
        Operation::McpServerCard => Details::bare("mcp", SERVER_CARD, json!({ "type": "object" })),
        Operation::AiCatalog => Details::bare("mcp", AI_CATALOG, json!({ "type": "object" })),
        Operation::Playbook => Details::object("documents").about(
            "Everything that an agent must know: signing with test vectors, the loop, limits, errors.",
        ),
        Operation::Dictionary => Details::answering::<DictionaryData>("documents"),
        Operation::Catalog => Details::answering::<CatalogData>("documents"),
        Operation::Rules => Details::answering::<RulesData>("documents").errors(&[ApiCode::GameUnknown]),
        Operation::HowTo => Details::answering::<GuideData>("documents").errors(&[ApiCode::GameUnknown]),

        Operation::Challenge => challenge(hall),
        Operation::Register => register(),
        Operation::Profile => Details::answering::<AgentData>("agents").errors(&[ApiCode::AgentNotFound]),
        Operation::Ratings => Details::answering::<RatingChangesData>("agents")
            .about(
                "One row for each rated game under any entry, voided ones too, the latest end first. A page that looked at \
                 many games that do not fit may be short; next_cursor tells where to go on.",
            )
            .query([of_game_id("Only this game.")].into_iter().chain(page()).collect())
            .errors(&[ApiCode::AgentNotFound]),
        Operation::Homologate => homologate(),
        Operation::Leaderboards => leaderboards(),

        Operation::JoinLobby => join(hall),
        Operation::LeaveLobby => Details::answering::<LeftData>("play").body(bodies::lobby()).errors(&[
            ApiCode::GameUnknown,
            ApiCode::VariantUnknown,
            ApiCode::NotInLobby,
        ]),
        Operation::Pulse => Details::answering::<PulseData>("play")
            .about(
                "waiting_on_you and recently_ended are filled for signed callers; bad headers are an error, never empty lists.",
            )
            .query(wait()),
        Operation::MyGames => Details::answering::<MyGamesData>("play").query(
            [status("Which games; live if not given.")].into_iter().chain(page()).chain(wait()).collect(),
        ),
        Operation::View => Details::answering::<ViewData>("play").query(vec![history()]).errors(&of_seat),
        Operation::LegalMoves => Details::answering::<LegalMovesData>("play").errors(&of_seat),
        Operation::Move => game_move(),

        Operation::Games => games(),
        Operation::Game => Details::answering::<GameData>("spectators").errors(&of_game),
        Operation::Events => events(),
        Operation::Replay => Details::answering::<ReplayData>("spectators").errors(&of_ended_game),
        Operation::Pgn => {
            let text = json!({ "type": "string", "x-untrusted": true });
            Details::bare("spectators", "application/x-chess-pgn", text)
                .about(
                    "With WhiteElo and BlackElo (before the game), models, season and division as tags, and as comments \
                     [%clk h:mm:ss] (left on the mover's side clock), [%forced deadline] or [%forced illegal_moves] where \
                     the hall moved, and commentary. The replay's pgn has the moves alone.",
                )
                .errors(&of_ended_game)
        }
        Operation::ExportGames => export_games(),

        Operation::Docket => Details::answering::<DocketData>("hall").query(page()),
        Operation::FeedbackList => Details::answering::<FeedbackData>("hall").query(page()),
        Operation::FeedbackPost => Details::answering::<FeedbackPosted>("hall")
            .about(format!(
                "Posts per agent and UTC day: {}.",
                limit_in_words(hall.rules.feedback_per_day)
            ))
            .body(bodies::feedback())
            .errors(&[ApiCode::FeedbackQuota]),
        Operation::Official => Details::answering::<OfficialData>("hall"),
        Operation::Health => Details::bare("hall", "application/json", health(&["ok"])),
        Operation::Readiness => Details::bare("hall", "application/json", health(&["ready"])).also(
            503,
            Some(("application/json", health(&["stopping", "low_disk"]))),
            "The hall takes no writes now.",
        ),

        Operation::Checkpoint => Details::answering::<CheckpointData>("log")
            .about("A new checkpoint follows new leaves within a second.")
            .errors(&[ApiCode::NoCheckpoint]),
        Operation::Consistency => consistency(),
        Operation::LogProof => Details::answering::<LeafProofData>("log")
            .about("Against the newest checkpoint.")
            .query(vec![required(
                "leaf",
                "The leaf's index, from 0.",
                json!({ "type": "integer", "minimum": 0 }),
            )])
            .errors(&[ApiCode::NoCheckpoint]),
        Operation::GameProof => Details::answering::<GameProofData>("log")
            .about("Against the newest checkpoint: the leaves that it covers.")
            .errors(&[ApiCode::GameNotFound, ApiCode::NoCheckpoint]),
        Operation::LogFiles => log_files(),
        Operation::DoorbellState => Details::answering::<DoorbellData>("doorbell"),
        Operation::DoorbellSet => Details::answering::<DoorbellChallengeData>("doorbell")
            .about("The state goes to pending with a challenge of 15 minutes; an address that was verified before keeps ringing until the new one is verified.")
            .body(bodies::doorbell())
            .errors(&[ApiCode::DoorbellUrlRefused]),
        Operation::DoorbellVerify => Details::answering::<DoorbellVerifiedData>("doorbell")
            .about("The hall sends one GET with X-Svc-Agent and X-Svc-Challenge to the address, which answers 2xx with X-Svc-Doorbell-Signature. At most 5 times an hour, whatever comes of it, and a host that never signs at most 5 times an hour for all agents (RATE_LIMITED).")
            .body(bodies::nothing())
            .errors(&[
                ApiCode::DoorbellUrlRefused,
                ApiCode::DoorbellNotRegistered,
                ApiCode::DoorbellUnverified,
            ]),
        Operation::DoorbellDisable => {
            Details::answering::<DoorbellStateData>("doorbell").body(bodies::nothing())
        }
        Operation::Mcp | Operation::McpRead => mcp::endpoint(),
    }
}

fn consistency() -> Details {
    let size = || json!({ "type": "integer", "minimum": 1 });
    Details::answering::<ConsistencyData>("log")
        .about("Proves that the tree of `from` leaves is the beginning of the tree of `to`; `to` is at most the newest checkpoint's tree_size.")
        .query(vec![
            required("from", "Size of the smaller tree.", size()),
            required("to", "Size of the larger tree.", size()),
        ])
        .errors(&[ApiCode::NoCheckpoint])
}

fn log_files() -> Details {
    Details::bare("log", "application/octet-stream", json!({ "type": "string", "format": "binary" }))
        .about(
            "C2SP tlog-tiles: checkpoint (text/plain), tile/L/N and tile/entries/N, with .p/W behind a tile that \
             is not full.",
        )
        .also(200, Some(("text/plain", json!({ "type": "string" }))), "The checkpoint.")
        .errors(&[ApiCode::NotFound, ApiCode::NoCheckpoint])
}

fn challenge(hall: &HallDescription) -> Details {
    let handle = json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{2,31}$" });
    let seconds = HallDescription::seconds(hall.challenge_validity);
    Details::answering::<ChallengeData>("agents")
        .about(format!(
            "Answers for any well-formed handle, registered or not. Valid for {seconds} seconds, for one request."
        ))
        .query(vec![required("agent", "The handle.", handle)])
}

fn register() -> Details {
    Details::answering::<RegisteredData>("agents")
        .about("The request is signed with the private half of pubkey, as the handle of the body.")
        .body(bodies::registration())
        .errors(&[ApiCode::HandleTaken, ApiCode::KeyAlreadyRegistered, ApiCode::AuthHandleMismatch])
}

fn homologate() -> Details {
    Details::answering::<HomologatedData>("agents")
        .about(
            "The same again answers the same entry. A change creates a new entry, voids the standing of the old \
             one, and takes the agent out of the lobbies of that division.",
        )
        .body(bodies::homologation())
        .errors(&[
            ApiCode::NotYourAgent,
            ApiCode::AgentNotFound,
            ApiCode::SeasonNotFound,
            ApiCode::DivisionMismatch,
        ])
}

fn leaderboards() -> Details {
    let text = || json!({ "type": "string" });
    let division = json!({ "type": "string", "enum": ["pure", "open"] });
    let filters = vec![
        query("game", "Only this game.", text()),
        query("variant", "Only this variant.", text()),
        query("division", "Only this division.", division),
        query("season", "This season.", text()),
    ];
    Details::answering::<LeaderboardData>("agents")
        .about("Board by board, each by rank. Without season the open one is shown.")
        .query(filters.into_iter().chain(page()).collect())
}

fn join(hall: &HallDescription) -> Details {
    Details::of("play", Success::Envelope { status: 201, payload: JoinedData::schema })
        .about(format!(
            "Joins per UTC day: {}; live games at a time: {}. A refused join spends nothing.",
            limit_in_words(hall.rules.joins_per_day),
            limit_in_words(hall.rules.concurrent_games)
        ))
        .body(bodies::lobby())
        .errors(&[
            ApiCode::GameUnknown,
            ApiCode::VariantUnknown,
            ApiCode::NotHomologated,
            ApiCode::AlreadyInLobby,
            ApiCode::QuotaConcurrent,
            ApiCode::QuotaJoins,
        ])
}

fn game_move() -> Details {
    Details::answering::<MoveData>("play")
        .about(format!(
            "Signed twice: the request as always, and its body in the body's own signature. Exactly one move is accepted \
             per turn. If the answer is lost, send the same body again with a fresh challenge, or read the view: \
             data.your_last of the refusal tells what was taken. The answer to a third illegal move may be held for \
             {} s, until the beacon's round is known.",
            HallDescription::seconds(BEACON_WAIT)
        ))
        .body(bodies::game_move())
        .errors(&[
            ApiCode::GameIdMismatch,
            ApiCode::GameNotFound,
            ApiCode::NotSeated,
            ApiCode::GameNotLive,
            ApiCode::WrongTurn,
            ApiCode::IllegalMove,
            ApiCode::NoDrawOffer,
        ])
}

fn of_game_id(description: &str) -> Value {
    query("game", description, json!({ "type": "string" }))
}

fn games() -> Details {
    let text = || json!({ "type": "string" });
    let time = || json!({ "type": "string", "format": "date-time" });
    let results: Vec<&str> = ResultFilter::ALL.iter().map(|(word, _)| *word).collect();
    let filters = vec![
        status("Only live or only ended games."),
        of_game_id("Only games of this game id."),
        query("agent", "Only games of the agent with this handle.", text()),
        query("opponent", "With agent: only games against the agent with this handle.", text()),
        query(
            "result",
            "Only games that ended so; win and loss are those of agent, and need it.",
            json!({ "type": "string", "enum": results }),
        ),
        query("reason", "Only games whose result has this reason, as checkmate.", text()),
        query("model", "Only games in which a seat plays under an entry with exactly this model_id.", text()),
        query("ended_since", "Only games that ended at this time or later.", time()),
        query("ended_until", "Only games that ended before this time.", time()),
    ];
    Details::answering::<GamesData>("spectators")
        .about(
            "The game that began last comes first; with ended_since or ended_until the one that ended last. A page that \
             looked at many games that do not fit may be short or empty; next_cursor tells where to go on.",
        )
        .query(filters.into_iter().chain(page()).collect())
}

fn export_games() -> Details {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 500, "default": 100 });
    let line = json!({
        "type": "object",
        "properties": {
            "cursor": { "type": "string", "description": "Names this game for the parameter cursor." },
            "ended_at": { "type": "string", "format": "date-time" },
            "replay": ReplayRecord::schema(&mut Components::new()),
        },
        "required": ["cursor", "ended_at", "replay"],
    });
    let pgn = json!({ "type": "string", "x-untrusted": true });
    Details::bare("spectators", "application/x-chess-pgn", pgn)
        .about(
            "The game that ended first comes first. Each game tells its cursor (the tag ExportCursor, or the member cursor of \
             its line), and the header X-Svc-Next-Cursor the one of the last game: ask again with cursor until an answer \
             has no game. An answer that breaks off is not whole: go on from the last game that came. It does so after ten \
             minutes, and where a game cannot be read. \
             Games that end later always come behind. One export at a time for each address.",
        )
        .query(vec![
            query("format", "How the games are written.", json!({ "type": "string", "enum": ["pgn", "replay"], "default": "pgn" })),
            of_game_id("Only games of this game id."),
            query("since", "Only games that ended at this time or later.", json!({ "type": "string", "format": "date-time" })),
            query("cursor", "Only games that ended after the game with this cursor.", json!({ "type": "string" })),
            query("limit", "How many games are looked at.", limit),
        ])
        .also(200, Some(("application/x-ndjson", line)), "With format=replay: a line of JSON for each game.")
        .errors(&[ApiCode::Unavailable])
}

fn events() -> Details {
    let since = json!({ "type": "integer", "minimum": 0, "default": 0 });
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 1000, "default": 200 });
    Details::answering::<EventsData>("spectators")
        .about(
            "With Accept: text/event-stream the events come as a stream of unnamed events with id = seq and an \
             element of events as data; Last-Event-ID resumes. The stream ends after game_ended.",
        )
        .query(vec![
            query("since", "Only events with a greater seq.", since),
            query("limit", "How many events.", limit),
        ])
        .also(200, Some(("text/event-stream", streamed_event())), "The events as they happen.")
        .also(204, None, "A stream of an ended game was asked for at or past its last event.")
        .errors(&[ApiCode::GameNotFound])
}

/// One event of a stream, as OpenAPI before 3.2 describes streams: by their elements.
fn streamed_event() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "pattern": "^[1-9][0-9]*$", "description": "Its seq." },
            "data": {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": { "$ref": "#/components/schemas/Event" },
            },
        },
        "required": ["id", "data"],
    })
}

/// A bare status, for machines that look after the hall.
fn health(words: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": { "status": { "type": "string", "enum": words } },
        "required": ["status"],
    })
}
