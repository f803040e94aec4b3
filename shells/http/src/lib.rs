//! The HTTP shell of Hall: routes, envelope, documents, event streams.
//!
//! A request passes a gate in a fixed order of checks (rate, framing, path, method, body, headers, shape,
//! signature), becomes an operation, and leaves as an envelope. What the hall decides is decided elsewhere; here
//! is only how it is asked and how it is told. [`service`] makes the whole of it as one salvo service, which a
//! server of this crate ([`serve`]) or any other acceptor may drive; [`admin_service`] is for the operator's eyes.

mod access_log;
mod answer;
mod authentication;
mod beacon_health;
mod commentary;
mod connections;
mod description;
mod documents;
mod ends;
pub mod errors;
mod game_export;
mod gate;
mod lock;
mod log_signer;
mod mcp;
mod metrics;
mod negotiation;
mod network;
mod openapi;
mod operations;
mod operators;
mod paths;
pub mod payload;
mod refusals;
mod replay_log;
mod requests;
pub mod routes;
mod server;
mod settings;
mod shell;
mod signatures;
mod streams;
mod witness_health;

pub use beacon_health::BeaconHealth;
pub use game_export::{ExportError, game_pgn, game_replay};
pub use gate::service;
pub use log_signer::{Cosignatures, LogSigner};
pub use network::{Network, NotANetwork};
pub use operations::admin_service;
pub use replay_log::replay_log;
pub use server::{Listening, ServeError, Serving, serve, serve_admin, serve_inside, serve_service};
pub use settings::{ClientAddresses, HttpSettings, TlsFiles};
pub use shell::{Shell, ShellParts};
pub use witness_health::WitnessHealth;
