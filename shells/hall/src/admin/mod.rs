//! `hall admin`: the operator's commands, over a Unix socket in the data folder, never over a port. Anybody who can
//! read the data folder is the operator; nobody else can reach the socket (mode 0600).
//!
//! # Protocol
//! One connection, any number of requests one after the other. A request is one line of JSON, an object with
//! `command` and its arguments ([`request::Request`]), at most 64 KiB. The answer is any number of lines
//! `{"item": …}` and then exactly one that ends it: `{"ok": true, "data": {…}}` or
//! `{"ok": false, "error": {"code": "…", "message": "…"}}`.
//!
//! | module | what it owns |
//! |---|---|
//! | `commands` | the command line |
//! | `client` | sending a request and printing the answer |
//! | `request`, `lines` | the protocol |
//! | `socket` | the socket in the data folder |
//! | `server` | answering requests in the running hall |
//! | `context` | the parts of the hall that requests work on |
//! | `items` | the items of an answer on their way to its reader |
//! | `decisions` | commands that the core decides |
//! | `redaction` | texts that are withheld |
//! | `log_keys` | new keys, and the acceptance of a restored backup |
//! | `drain` | ending all games before a stop |
//! | `lists`, `table` | lists of agents, operators and games, and how they are printed |
//! | `backup`, `journal_export`, `games_export`, `stats` | the others |

mod backup;
mod client;
mod commands;
mod context;
mod decisions;
mod drain;
mod feedback;
mod games_export;
mod items;
mod journal_export;
mod lines;
mod lists;
mod log_keys;
mod nodes;
mod redaction;
mod request;
mod server;
mod socket;
mod stats;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use client::run;
pub(crate) use commands::AdminArgs;
pub(crate) use context::AdminContext;
pub(crate) use server::AdminServer;
