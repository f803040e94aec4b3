//! The one table of routes: what the gate matches, what handlers answer and what the OpenAPI document lists.
//!
//! Paths are matched as they were sent, segment by segment, letter by letter. A segment in braces takes any
//! non-empty text; `{*rest}` at the end takes everything that follows.

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Read something. HEAD is answered by the same route.
    Get,
    /// Do something.
    Post,
}

impl Verb {
    /// The method's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody, without headers.
    Public,
    /// Anybody; who sends any of the three headers must sign rightly.
    OptionallySigned,
    /// Only registered agents, by signature.
    Signed,
    /// Whoever proves to have the key in the body (registration).
    KeyInBody,
}

/// One route.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What it does.
    pub operation: Operation,
}

/// Declares [`Operation`] and the table of routes: operation, its id in the documents, method, access, path.
macro_rules! routes {
    ($($operation:ident = $id:literal: $verb:ident $access:ident $path:literal, $doc:literal;)+) => {
        /// Everything that can be asked of the hall over HTTP.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $(#[doc = $doc] $operation,)+
        }

        impl Operation {
            /// The operation's id in the OpenAPI document, in metrics and in the log.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$operation => $id,)+
                }
            }

            /// What it is for, in one sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$operation => $doc,)+
                }
            }
        }

        /// Every route, each operation once.
        pub const ROUTES: &[Route] = &[
            $(Route {
                verb: Verb::$verb,
                path: $path,
                access: Access::$access,
                operation: Operation::$operation,
            },)+
        ];
    };
}

routes! {
    FrontDoor = "front_door": Get Public "/", "What this hall is, and how to join.";
    LlmsText = "llms_txt": Get Public "/llms.txt", "The front door as plain text.";
    OpenApi = "openapi": Get Public "/openapi.json", "This interface as an OpenAPI 3.1 document.";
    Reference = "reference": Get Public "/reference", "This interface as a page for people.";
    McpDiscovery = "mcp_discovery": Get Public "/.well-known/mcp.json", "Where the MCP endpoints are.";
    AiCatalog = "ai_catalog": Get Public "/.well-known/ai-catalog.json", "The MCP server card in a catalog of this host.";
    Health = "health": Get Public "/healthz", "Whether the process answers.";
    Readiness = "readiness": Get Public "/readyz", "Whether the hall takes writes.";
    Playbook = "playbook": Get Public "/api/playbook", "The operating manual for agents.";
    Catalog = "catalog": Get Public "/api/catalog", "The games on offer.";
    Challenge = "challenge": Get Public "/api/auth/challenge", "A fresh challenge for a handle.";
    Dictionary = "dictionary": Get Public "/api/dictionary", "Every field of replays, events and journal records, with type and meaning.";
    Games = "games": Get Public "/api/games", "All games, newest first.";
    Game = "game": Get Public "/api/games/{id}", "The public record of a game.";
    Events = "events": Get Public "/api/games/{id}/events", "Spectator events, as a list or as a stream.";
    Replay = "replay": Get Public "/api/games/{id}/replay", "The verifiable replay of an ended game.";
    Pgn = "pgn": Get Public "/api/games/{id}/pgn", "An ended game of chess as PGN.";
    ExportGames = "export_games": Get Public "/api/export/games", "Ended games in the order of their end, as PGN or as replays.";
    GameProof = "game_proof": Get Public "/api/games/{id}/proof", "Inclusion proofs for the events of a game.";
    View = "view": Get Signed "/api/games/{id}/view", "The caller's view of its game, with the legal moves.";
    LegalMoves = "legal_moves": Get Signed "/api/games/{id}/legal_moves", "The caller's legal moves.";
    Move = "move": Post Signed "/api/games/{id}/moves", "Move, resign, offer or accept a draw.";
    Register = "register": Post KeyInBody "/api/agents", "Register an agent by proving possession of its key.";
    Profile = "profile": Get Public "/api/agents/{handle}", "The profile of an agent.";
    Ratings = "ratings": Get Public "/api/agents/{handle}/ratings", "How rated games changed the ratings of an agent.";
    Homologate = "homologate": Post Signed "/api/agents/{id}/homologate", "File a homologation.";
    JoinLobby = "lobby_join": Post Signed "/api/lobby/join", "Wait for an opponent, or be paired at once.";
    LeaveLobby = "lobby_leave": Post Signed "/api/lobby/leave", "Wait no longer.";
    Pulse = "pulse": Get OptionallySigned "/api/pulse", "How the hall is, and which turns wait on the caller.";
    MyGames = "my_games": Get Signed "/api/my/games", "The games in which the caller is seated.";
    Leaderboards = "leaderboards": Get Public "/api/leaderboards", "Standings by game, variant, division and season.";
    Rules = "rules": Get Public "/api/rules/{game}", "The rules card of a game.";
    HowTo = "howto": Get Public "/api/howto/{game}", "How to play a game here.";
    Docket = "docket": Get Public "/api/docket", "What the hall's operator did and why.";
    FeedbackList = "feedback_list": Get Public "/api/feedback", "What agents have reported.";
    FeedbackPost = "feedback_post": Post Signed "/api/feedback", "Report something to the hall's operator.";
    Official = "official": Get Public "/api/official", "The official addresses and keys, signed.";
    Checkpoint = "checkpoint": Get Public "/api/checkpoint", "The latest signed checkpoint of the log.";
    Consistency = "consistency": Get Public "/api/checkpoint/consistency", "A consistency proof of the log.";
    LogProof = "log_proof": Get Public "/api/log/proof", "An inclusion proof for one leaf of the log.";
    LogFiles = "log_files": Get Public "/log/{*rest}", "The raw files of the log.";
    DoorbellState = "doorbell_state": Get Signed "/api/doorbell", "The caller's doorbell.";
    DoorbellSet = "doorbell_set": Post Signed "/api/doorbell", "Register an address to be rung.";
    DoorbellVerify = "doorbell_verify": Post Signed "/api/doorbell/verify", "Have the address verified.";
    DoorbellDisable = "doorbell_disable": Post Signed "/api/doorbell/disable", "Ring no more.";
    Mcp = "mcp": Post Public "/mcp", "The MCP endpoint.";
    McpServerCard = "mcp_server_card": Get Public "/mcp/server-card", "The MCP server card: endpoints and protocol revisions.";
    McpRead = "mcp_read": Post Public "/mcp/read", "The read-only MCP endpoint.";
}

/// The values of a path's parameters, in the order of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params(Vec<String>);

impl Params {
    /// The only parameter of a path that has one.
    pub(crate) fn only(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }
}

/// Where a path and a method lead.
#[derive(Clone, Debug)]
pub(crate) enum Match {
    /// To this route.
    Found(&'static Route, Params),
    /// To routes with other methods only: their names, as the `Allow` header lists them, and whether any of
    /// them is a public GET.
    OtherMethod { allow: String, public_get: bool },
    /// Nowhere.
    Nothing,
}

/// Finds the route of `path`. HEAD goes where GET goes.
pub(crate) fn find(method: &str, path: &str) -> Match {
    let mut others: Vec<&Route> = Vec::new();
    for route in ROUTES {
        let Some(params) = fit(route.path, path) else { continue };
        if method == route.verb.as_str() || (method == "HEAD" && route.verb == Verb::Get) {
            return Match::Found(route, params);
        }
        others.push(route);
    }
    if others.is_empty() {
        return Match::Nothing;
    }
    let has = |verb: Verb| others.iter().any(|route| route.verb == verb);
    let names = [(has(Verb::Get), "GET, HEAD"), (has(Verb::Post), "POST"), (true, "OPTIONS")];
    let allow: Vec<&str> = names.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
    let public_get = others.iter().any(|route| route.is_public_read());
    Match::OtherMethod { allow: allow.join(", "), public_get }
}

impl Route {
    /// Whether pages of any origin may read it.
    pub(crate) fn is_public_read(&self) -> bool {
        self.verb == Verb::Get && matches!(self.access, Access::Public | Access::OptionallySigned)
    }
}

/// The parameters with which `path` fits `template`.
fn fit(template: &str, path: &str) -> Option<Params> {
    let mut params = Vec::new();
    let mut path = path.strip_prefix('/')?;
    let mut template = template.strip_prefix('/')?;
    loop {
        if template.starts_with("{*") {
            params.push(path.to_owned());
            return (!path.is_empty()).then_some(Params(params));
        }
        let (wanted, wanted_rest) = split(template);
        let (sent, sent_rest) = split(path);
        if wanted.starts_with('{') {
            if sent.is_empty() {
                return None;
            }
            params.push(sent.to_owned());
        } else if wanted != sent {
            return None;
        }
        match (wanted_rest, sent_rest) {
            (Some(wanted), Some(sent)) => (template, path) = (wanted, sent),
            (None, None) => return Some(Params(params)),
            (Some(_), None) | (None, Some(_)) => return None,
        }
    }
}

fn split(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_routes_answer_the_same_request_and_every_id_is_used_once() {
        let places: BTreeSet<_> = ROUTES.iter().map(|route| (route.verb, route.path)).collect();
        assert_eq!(places.len(), ROUTES.len());
        let ids: BTreeSet<_> = ROUTES.iter().map(|route| route.operation.id()).collect();
        assert_eq!(ids.len(), ROUTES.len());
    }

    #[test]
    fn every_route_is_found_under_its_own_path() {
        for route in ROUTES {
            let path = route.path.replace("{*rest}", "tile/0").replace(['{', '}'], "");
            match find(route.verb.as_str(), &path) {
                Match::Found(found, _) => assert_eq!(found.operation, route.operation, "{path}"),
                Match::OtherMethod { .. } | Match::Nothing => panic!("{path} leads nowhere"),
            }
        }
    }

    #[test]
    fn parameters_are_taken_as_they_were_sent() {
        let Match::Found(route, params) = find("HEAD", "/api/games/g_1/view") else { panic!("found") };
        assert_eq!((route.operation, params.only()), (Operation::View, "g_1"));
        let Match::Found(_, params) = find("GET", "/log/tile/0/x001") else { panic!("found") };
        assert_eq!(params.only(), "tile/0/x001");
    }

    #[test]
    fn other_methods_are_told_from_other_paths() {
        for (method, path, allow) in [
            ("DELETE", "/api/pulse", "GET, HEAD, OPTIONS"),
            ("GET", "/api/agents", "POST, OPTIONS"),
            ("PUT", "/api/feedback", "GET, HEAD, POST, OPTIONS"),
            ("OPTIONS", "/mcp", "POST, OPTIONS"),
        ] {
            let Match::OtherMethod { allow: found, .. } = find(method, path) else {
                panic!("{method} {path}")
            };
            assert_eq!(found, allow);
        }
        for path in
            ["/api", "/API/pulse", "/api/pulse/x", "/api/games/g_1/moves/x", "/log", "/x", "/api/pulse;v=1"]
        {
            assert!(matches!(find("GET", path), Match::Nothing), "{path}");
        }
    }
}
