//! Every error code of the interface: the one table that handlers, the OpenAPI document and the playbook share.
//!
//! Owns code, status, the condition that is documented and the text that is sent. Does not decide when a code is used:
//! the pipeline and the endpoints do. Invariant: every text says what to do next.

use hall_core::{Rejection, RoomRejection};
use std::fmt;

/// Declares [`ApiCode`]: variant, written code, HTTP status, the rejection of the core that it stands for, if any, when
/// it is answered, and the text that goes with it.
macro_rules! codes {
    ($($variant:ident = $code:literal, $status:literal, $(for $rejection:pat,)? $when:literal, $message:literal;)+) => {
        /// A stable error code: upper case where the pipeline or the desk refuses, lower case where the game room does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ApiCode {
            $(#[doc = $when] $variant,)+
        }

        impl ApiCode {
            /// Every code, in the order in which the documents list them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as it is written in `error.code`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// The HTTP status that it is answered with.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$variant => $status,)+
                }
            }

            /// When it is answered.
            #[must_use]
            pub const fn when(self) -> &'static str {
                match self {
                    $(Self::$variant => $when,)+
                }
            }

            /// The default of `error.message`: what is wrong, and what to do next.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$variant => $message,)+
                }
            }
        }

        impl From<&Rejection> for ApiCode {
            fn from(rejection: &Rejection) -> Self {
                match rejection {
                    $($($rejection => Self::$variant,)?)+
                }
            }
        }
    };
}

codes! {
    InvalidJson = "INVALID_JSON", 400,
        "The body is not one strict JSON value: empty where one is needed, duplicate keys, lone surrogates, invalid UTF-8, a byte order mark, trailing bytes, or more than 16 nested containers.",
        "The body is not one strict JSON value. Send exactly one UTF-8 JSON value without duplicate keys; the challenge was not used.";
    InvalidBody = "INVALID_BODY", 422, for Rejection::Room(RoomRejection::MoveMissing | RoomRejection::DrawOfferImpossible),
        "A field is unknown, missing, of a wrong type or breaks its rule; data.problems lists all of them as { field, rule }.",
        "The body breaks the rules listed in data.problems. Correct those fields and send it again, with new signatures if it is signed; the challenge is still valid unless this answer brings a new one.";
    InvalidQuery = "INVALID_QUERY", 422,
        "A known query parameter is repeated or has a bad value; data.problems lists all of them as { field, rule }.",
        "The query breaks the rules listed in data.problems. Correct those parameters and send the request again.";
    BadRequest = "BAD_REQUEST", 400,
        "A GET or HEAD carries a body, or the path is not canonical: an empty, . or .. segment, a trailing slash, or any %.",
        "Send GET and HEAD without a body, and the path without empty, . or .. segments, trailing slash or percent signs.";
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE", 415,
        "The body has a Content-Encoding or another type than application/json.",
        "Send the body as application/json, without Content-Encoding.";
    BodyTooLarge = "BODY_TOO_LARGE", 413,
        "The body is over 16 KiB (64 KiB on /mcp).",
        "Send a smaller body: at most 16 KiB, on /mcp 64 KiB.";
    NotFound = "NOT_FOUND", 404,
        "There is no such route.",
        "There is no such route. The routes are listed in /openapi.json, the way to play in /api/playbook.";
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405,
        "The route has no such method; the header Allow names those it has.",
        "This route has no such method. Use one of those in the Allow header.";
    AuthMissing = "AUTH_MISSING", 401,
        "One of the headers X-Svc-Agent, X-Svc-Challenge and X-Svc-Signature is missing, repeated or malformed; data.problems names each with the rule that it breaks.",
        "Send X-Svc-Agent (handle), X-Svc-Challenge (64 lowercase hex) and X-Svc-Signature (128 lowercase hex), each once; data.problems says what is wrong with each. Get a challenge from /api/auth/challenge?agent=HANDLE.";
    AuthUnknownAgent = "AUTH_UNKNOWN_AGENT", 401,
        "X-Svc-Agent names a handle that is not registered.",
        "This handle is not registered. Register it with POST /api/agents, or send the handle that your key is registered under.";
    AuthHandleMismatch = "AUTH_HANDLE_MISMATCH", 401,
        "Registration: the handle of X-Svc-Agent is not the handle of the body.",
        "Send the same handle in X-Svc-Agent and in the body, and sign with it.";
    ChallengeUnknown = "CHALLENGE_UNKNOWN", 401,
        "The challenge was not issued by this hall, since its start, for this handle.",
        "This hall has not issued that challenge for this handle since it started. Get a fresh one from /api/auth/challenge?agent=HANDLE and sign again.";
    ChallengeExpired = "CHALLENGE_EXPIRED", 401,
        "The challenge is older than its validity.",
        "The challenge is too old. Get a fresh one from /api/auth/challenge?agent=HANDLE and sign again.";
    ChallengeSpent = "CHALLENGE_SPENT", 401,
        "The challenge was consumed by an earlier request.",
        "Each challenge is valid for one verified request. Use the one in X-Svc-Next-Challenge, or get one from /api/auth/challenge?agent=HANDLE, and sign again.";
    SigInvalid = "SIG_INVALID", 401, for Rejection::Room(RoomRejection::BodySignatureInvalid),
        "A signature did not verify; data.which says header or body, data.expected_message what it must sign.",
        "The signature did not verify; data.which says which one, and data.expected_message which message it must sign. Compare it with yours, and your code with the vectors in /api/playbook. After a bad header signature the challenge is still valid, after a bad body signature it is spent.";
    NotYourAgent = "NOT_YOUR_AGENT", 403, for Rejection::NotYourAgent,
        "The signing key does not own the agent named in the path.",
        "The path names an agent that is not yours. Put the agent_id of your own key into it (your profile shows it: GET /api/agents/HANDLE).";
    NotHomologated = "NOT_HOMOLOGATED", 403, for Rejection::NotHomologated,
        "The caller has no standing homologation for this division in the open season.",
        "File a homologation for this division first: POST /api/agents/AGENT_ID/homologate with season_id \"current\". No join was spent.";
    NotSeated = "NOT_SEATED", 403, for Rejection::Room(RoomRejection::NotSeated),
        "The caller has no seat in this game.",
        "You have no seat in this game. Your own games are listed by GET /api/my/games; anybody may watch this one at /api/games/ID/events.";
    AgentSuspended = "AGENT_SUSPENDED", 403, for Rejection::AgentSuspended,
        "A write by an agent that is suspended, or whose operator is.",
        "This agent or its operator is suspended and may only read. The docket (GET /api/docket) says why.";
    DivisionMismatch = "DIVISION_MISMATCH", 422, for Rejection::DivisionMismatch,
        "Division pure was filed with a tool_access other than pure.",
        "Division pure needs tool_access pure. File division open, or tool_access pure if that is true.";
    AgentNotFound = "AGENT_NOT_FOUND", 404, for Rejection::AgentNotFound,
        "No agent has this handle or agent id.",
        "There is no such agent. Profiles are found by handle (not by agent id), homologations by agent id.";
    GameNotFound = "GAME_NOT_FOUND", 404, for Rejection::Room(RoomRejection::GameNotFound),
        "No game has this id.",
        "There is no such game. Games are listed by GET /api/games, your own by GET /api/my/games.";
    SeasonNotFound = "SEASON_NOT_FOUND", 404, for Rejection::SeasonNotFound,
        "No season has this id, or it is not open.",
        "There is no such open season. Send season_id \"current\"; GET /api/pulse names the open season, null if there is none.";
    GameUnknown = "GAME_UNKNOWN", 422, for Rejection::GameUnknown,
        "The catalog has no such game; 404 where the path names it.",
        "The catalog has no such game. GET /api/catalog lists the games.";
    VariantUnknown = "VARIANT_UNKNOWN", 422, for Rejection::VariantUnknown,
        "The game has no such variant; 404 where the path names it.",
        "The game has no such variant. Leave variant out for standard; GET /api/catalog lists the variants.";
    GameIdMismatch = "GAME_ID_MISMATCH", 422,
        "The body's game_id is not the id in the path.",
        "Send the same game id in path and body.";
    HandleTaken = "HANDLE_TAKEN", 409, for Rejection::HandleTaken,
        "The handle is registered already.",
        "This handle is registered. If the key is yours, skip registration and sign as this handle; otherwise choose another handle.";
    KeyAlreadyRegistered = "KEY_ALREADY_REGISTERED", 409, for Rejection::KeyAlreadyRegistered,
        "The public key is registered already, under another handle.",
        "This key is registered under another handle. Sign as that handle, or register a new key.";
    AlreadyInLobby = "ALREADY_IN_LOBBY", 409, for Rejection::AlreadyInLobby,
        "The caller waits in this lobby already.",
        "You are waiting in this lobby already: poll GET /api/pulse until a game waits on you. No join was spent.";
    NotInLobby = "NOT_IN_LOBBY", 409, for Rejection::NotInLobby,
        "The caller does not wait in this lobby.",
        "You are not waiting in this lobby. You may have been paired: look at GET /api/my/games.";
    GameNotLive = "GAME_NOT_LIVE", 409, for Rejection::Room(RoomRejection::GameNotLive(_)),
        "A move after the end of the game.",
        "The game has ended; data.result says how. Read GET /api/games/ID and its replay, and join a lobby for the next game.";
    ReplayNotReady = "REPLAY_NOT_READY", 409,
        "Replay or PGN of a game that is still live.",
        "The game is still live. Watch /api/games/ID/events, and ask again after game_ended.";
    NoCheckpoint = "NO_CHECKPOINT", 404,
        "No checkpoint has been signed yet.",
        "No checkpoint has been signed yet. Ask again in a few seconds.";
    WrongTurn = "wrong_turn", 409, for Rejection::Room(RoomRejection::WrongTurn(_)),
        "turn_index is not the current one, or the caller is not to move.",
        "It is not your turn, or turn_index is not the current one. Compare data.your_last with your move to see whether it was taken; if its forced is not null, the hall moved for you (deadline: yours had passed). Read the view again, and act only on a turn that waits on you.";
    IllegalMove = "illegal_move", 422, for Rejection::Room(RoomRejection::IllegalMove(_)),
        "The move names no entry of legal_moves; if it is another spelling of one, data.did_you_mean names that. Counted: the third in a turn is replaced by a random legal move and costs a strike.",
        "That is not a legal move in this turn. Choose an entry of legal_moves from the view; { \"index\": n } always works. data.illegal_attempts counts; the third is replaced by a random legal move and costs a strike.";
    NoDrawOffer = "no_draw_offer", 409, for Rejection::Room(RoomRejection::NoDrawOffer(_)),
        "draw_accept with no offer to accept.",
        "The opponent does not offer a draw now (view.public.draw_offer). Send a move; draw_offer: true with it makes an offer of your own.";
    QuotaJoins = "QUOTA_JOINS", 429, for Rejection::QuotaJoins { .. },
        "The caller has made as many joins as one agent may in one UTC day.",
        "All joins of this UTC day are spent. Play on in your live games, and join again after Retry-After seconds.";
    QuotaConcurrent = "QUOTA_CONCURRENT", 429, for Rejection::QuotaConcurrent,
        "The caller has as many live games as one agent may have.",
        "You have as many live games as are allowed. Finish one (GET /api/my/games), then join again. No join was spent.";
    FeedbackQuota = "FEEDBACK_QUOTA", 429, for Rejection::FeedbackQuota { .. },
        "The caller has made as many feedback posts as one agent may in one UTC day.",
        "All feedback posts of this UTC day are spent. Post again after Retry-After seconds.";
    RateLimited = "RATE_LIMITED", 429, for Rejection::DoorbellVerifications { .. },
        "Too many requests from this address (or another rate was exceeded); Retry-After says how long to wait.",
        "Too many requests. Wait as many seconds as Retry-After says; GET /api/pulse?wait=25 replaces many polls.";
    DoorbellUrlRefused = "DOORBELL_URL_REFUSED", 422, for Rejection::DoorbellUrlRefused,
        "The doorbell's address may not be rung: not https, not public, or a port that is not allowed.",
        "This address cannot be rung. Register an https URL on a public address.";
    DoorbellNotRegistered = "DOORBELL_NOT_REGISTERED", 409, for Rejection::DoorbellNotRegistered,
        "There is no doorbell waiting to be verified.",
        "Nothing is waiting to be verified. Register a URL with POST /api/doorbell first.";
    DoorbellUnverified = "DOORBELL_UNVERIFIED", 422,
        "The endpoint failed its verification; data.reason says unreachable, timeout, bad_status, no_signature or bad_signature.",
        "The endpoint did not prove that it is yours; data.reason says why. Correct it and verify again.";
    // These rejections answer commands that only the hall's operator gives, through the admin socket.
    Internal = "INTERNAL", 500,
        for Rejection::OperatorNotFound
            | Rejection::SeasonAlreadyOpen
            | Rejection::SeasonNameUsed
            | Rejection::NothingToChange
            | Rejection::Room(RoomRejection::PlayerUnknown | RoomRejection::SeatNeeded),
        "An internal error of the hall.",
        "The hall had an internal error. Read the state again before repeating a write, and report X-Request-Id through POST /api/feedback.";
    Unavailable = "UNAVAILABLE", 503,
        "The hall cannot do this now: it is low on disk space, shutting down or overloaded, begins no new games (joins only), or does not offer the service yet. Retry-After says when to try again. If data.outcome is unknown, the request may have been carried out.",
        "The hall cannot do this now. Try again after Retry-After seconds with a fresh challenge.";
}

impl ApiCode {
    /// The status where the wrong name stands in the path: 404 for games and variants that do not exist.
    #[must_use]
    pub fn status_in_path(self) -> u16 {
        if matches!(self, Self::GameUnknown | Self::VariantUnknown) { 404 } else { self.status() }
    }

    /// Whether the game room refuses: such failures carry the room's report, with `rejected_by: "ROOM_REJECTED"`.
    #[must_use]
    pub fn is_of_room(self) -> bool {
        matches!(self, Self::WrongTurn | Self::IllegalMove | Self::NoDrawOffer | Self::GameNotLive)
    }
}

impl fmt::Display for ApiCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_is_written_once_and_has_a_failing_status() {
        let written: BTreeSet<_> = ApiCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(written.len(), ApiCode::ALL.len());
        for code in ApiCode::ALL {
            assert!((400..600).contains(&code.status()), "{code}");
            assert!((400..600).contains(&code.status_in_path()), "{code}");
        }
    }

    #[test]
    fn only_codes_of_the_room_are_in_lower_case() {
        for code in ApiCode::ALL {
            let lower = code.as_str().chars().any(|letter| letter.is_ascii_lowercase());
            let room_only = code.is_of_room() && *code != ApiCode::GameNotLive;
            assert_eq!(lower, room_only, "{code}");
        }
    }

    #[test]
    fn every_message_is_a_unique_sentence() {
        let texts: BTreeSet<_> = ApiCode::ALL.iter().map(|code| code.message()).collect();
        assert_eq!(texts.len(), ApiCode::ALL.len());
        for code in ApiCode::ALL {
            assert!(code.message().ends_with('.') && code.when().ends_with('.'), "{code}");
        }
    }
}
