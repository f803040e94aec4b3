//! Programs for agents and outsiders, which know a hall only by its address, or not at all.
//!
//! | module | command | what it does |
//! |---|---|---|
//! | [`agent`] | `hall agent` | plays by itself, with a built-in strategy, an engine, or any program |
//! | [`bridge`] | `hall mcp-bridge` | lets a chat client without a key play |
//! | [`conform`] | `hall conform` | runs the public contract against a hall |
//! | [`watch`] | `hall watch` | shows live games in the terminal |
//! | [`verify`] | `hall verify` | checks the replay of an ended game |
//! | [`monitor`] | `hall monitor` | follows a hall's log and raises an alarm if it is rewritten |
//! | [`witness`] | `hall witness` | cosigns the checkpoints of logs that only grow |
//!
//! Each has its arguments and a `run` that returns the exit code; the binary `hall` calls them. The other modules are
//! what every command needs ([`exit`], [`logs`], `reading`, [`signals`], [`terminal`]) and the files that both these programs and a hall keep
//! ([`atomic_file`], [`secret_file`]). Nothing here opens a journal or a hall's data folder.

pub mod agent;
pub mod atomic_file;
pub mod bridge;
pub mod conform;
pub mod exit;
pub mod logs;
pub mod monitor;
mod reading;
pub mod secret_file;
pub mod signals;
pub mod terminal;
pub mod verify;
pub mod watch;
pub mod witness;

/// Creates the runtime for all asynchronous code.
///
/// # Errors
/// The operating system gives it no threads.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}
