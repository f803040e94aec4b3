//! The HTTP shell of Hall: endpoints, envelope, documents, event streams.
//!
//! A request passes a pipeline in a fixed order of checks (rate, framing, path, method, body, headers, shape,
//! signature), becomes an action of its endpoint, and leaves as an envelope. All decisions are made in the core; this
//! crate only translates requests and answers. [`service`] makes the whole of it as one salvo service, which a server
//! of this crate ([`serve`]) or any other acceptor may drive; [`admin_service`] is for the operator alone.
//!
//! Each module imports only modules above it in this table, or in the same row:
//!
//! | modules | what they own |
//! |---|---|
//! | `settings`, `network`, `paths`, `errors`, `payload`, `lock` | settings, addresses, error codes, the `data` of answers |
//! | `response`, `requests`, `refusals`, `negotiation` | envelopes and failures; reading bodies, queries and Accept headers |
//! | `permits`, `streams`, `connections`, `signatures`, `ends`, `histories`, `metrics`, `access_log`, … | state beside the hall |
//! | `shell`, `authentication` | that state in one place; who asks |
//! | `endpoint`, `documents` | what a declaration of an endpoint consists of; documents as functions of the settings |
//! | `openapi`, `dispatch`, `mcp` | what follows from a list of endpoints, whichever they are |
//! | `endpoints` | the declarations and the list of them, each beside what it does; the pages of `hall-pages` with what they show |
//! | `pipeline`, `admin`, `server` | checks in their order, responses, sockets |
//!
//! # What is salvo's and what is not
//!
//! Salvo serves: connections, HTTP/1.1, TLS, bodies, an orderly end. Three of its parts are not used, because the
//! contract (decisions 2.1 and 5) fixes what they decide differently:
//!
//! - Its router. The request rate, the framing and the spelling of the path are checked before the route is looked for;
//!   a path is matched and signed exactly as it was sent, where salvo decodes it and forgives slashes; and a path with
//!   other methods answers 405 with an envelope and `Allow`. So the pipeline is one handler before an empty router.
//! - Its extractors. The bytes of a body are hashed and signed before they are read; JSON is read strictly, without
//!   duplicate keys; and one answer names everything that is wrong, where an extractor stops at the first problem.
//! - Its event streams. A HEAD request opens none, a reader that falls behind is dropped and resumes by id, an ended
//!   game answers 204, and the comments that keep a stream open are part of the contract. Only the two words `id:` and
//!   `data:` would be left for salvo.
//!
//! The shapes of answers are described by the trait in [`payload::schema`], which says why that is not `schemars`.

mod access_log;
mod admin;
mod authentication;
mod beacon_health;
#[cfg(test)]
mod client_sources;
mod connections;
mod description;
mod dispatch;
mod distributions;
mod documents;
mod endpoint;
mod endpoints;
pub mod errors;
mod game_export;
mod histories;
mod lock;
mod log_signer;
mod mcp;
mod metrics;
mod negotiation;
mod network;
mod node;
mod openapi;
mod operators;
mod paths;
pub mod payload;
mod permits;
mod pipeline;
mod prepared;
mod rate_policy;
mod refusals;
mod replay_log;
mod requests;
mod response;
mod rules_pages;
mod server;
mod settings;
mod shell;
mod signatures;
mod stream_connections;
mod streams;
mod witness_health;

pub use admin::admin_service;
pub use beacon_health::BeaconHealth;
pub use endpoint::{Access, Route, Verb};
pub use endpoints::{page_routes, routes};
pub use game_export::{ExportError, ReplayLine, game_pgn, game_replay};
pub use log_signer::{Cosignatures, LogSigner};
pub use network::{Network, NotANetwork};
pub use node::{NodeInfo, NodeView};
pub use pipeline::service;
pub use replay_log::{keep_proven, replay_log};
pub use server::{
    Listener, RunningServer, ServeError, check_tls, serve, serve_admin, serve_inside, serve_service,
};
pub use settings::{ClientAddresses, HttpSettings, TlsFiles};
pub use shell::{Shell, ShellParts};
pub use stream_connections::StreamThreads;
pub use witness_health::WitnessHealth;
