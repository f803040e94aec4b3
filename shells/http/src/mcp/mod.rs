//! The hall over MCP: the same operations as tools (specification 4, decision 11).
//!
//! | file | what it holds |
//! |---|---|
//! | `tools.rs` | the one table of tools: which operation each is, and what it is shown with |
//! | `door.rs` | a posted message on its way in and out: JSON, headers, errors |
//! | `server.rs` | what the protocol's library asks of us: who we are, the list, a call |
//! | `call.rs` | a call as the equal HTTP request, through the same gate |
//! | `arguments.rs` | arguments, read by the same strict rules as bodies and queries |
//! | `schemas.rs` | schemas of arguments and answers, taken from the OpenAPI document |
//! | `words.rs` | descriptions, with an example whose signatures are real |
//!
//! Framing, negotiation of revisions and header rules are rmcp's; what is decided is decided behind the gate. Both
//! endpoints are stateless: no session, no stream, every message by itself.
//!
//! Decision: the service of rmcp is called directly, with the body that the gate has read, and not mounted beside
//! the gate. So a message is counted, bounded, timed and logged like any other request.
//!
//! Decision: rmcp gets each message without the arguments of its call. They may hold an operator token, and what a
//! library never sees it cannot write into a log.

mod arguments;
mod call;
mod door;
mod schemas;
mod server;
#[cfg(test)]
mod tests;
mod tools;
mod words;

pub(crate) use door::{Letter, answer};
pub(crate) use server::{Endpoints, VERSIONS};
pub(crate) use tools::{Endpoint, listed};
