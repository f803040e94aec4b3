//! The hall over MCP: the same endpoints as tools (specification 4, decision 11).
//!
//! | file | what it holds |
//! |---|---|
//! | `declared.rs` | the tools in the order of the list, with the endpoint that each is |
//! | `tools.rs` | tools as they are served: what each is shown with |
//! | `transport.rs` | a posted message on its way in and out: JSON, headers, errors |
//! | `server.rs` | what the protocol's library asks of us: who we are, the list, a call |
//! | `call.rs` | a call as the corresponding HTTP request, through the same dispatch |
//! | `arguments.rs` | arguments, read by the same strict rules as bodies and queries |
//! | `schemas.rs` | schemas of arguments and answers, taken from the OpenAPI document |
//! | `words.rs` | descriptions, with an example whose signatures are real |
//! | `discovery.rs` | documents for those who look before connecting |
//!
//! Framing, negotiation of revisions and header rules are handled by rmcp; all decisions are made behind the dispatch.
//! Both endpoints are stateless: no session, no stream, every message by itself.
//!
//! Decision: the service of rmcp is called directly, with the body that the pipeline has read, and not mounted beside
//! the pipeline. So a message is counted, bounded, timed and logged like any other request.
//!
//! Decision: rmcp gets each message without the arguments of its call. They may hold an operator token, and what a
//! library never sees it cannot write into a log.

mod arguments;
mod call;
mod declared;
mod discovery;
mod schemas;
mod server;
#[cfg(test)]
mod tests;
mod tools;
mod transport;
mod words;

pub(crate) use discovery::{AI_CATALOG, SERVER_CARD, ai_catalog, discovery, server_card, tool_rows};
pub(crate) use server::Services;
pub(crate) use transport::{Message, answer};
