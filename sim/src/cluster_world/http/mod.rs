//! HTTP between clients and nodes: the service as it is shipped, over the connections of the simulator.
//!
//! | module | what it owns |
//! |---|---|
//! | `server` | the service of a process |
//! | `exchange` | requests and answers as text |
//! | `answer` | what an answer means to an agent |
//! | `judge` | what must hold of every answer, of streams, and of what nodes say of themselves |
//! | `caller` | the way of a client to the nodes |
//! | `spectator`, `visitor` | readers of event streams; readers of what is public, on one connection |

mod answer;
mod caller;
mod exchange;
mod judge;
mod server;
mod spectator;
mod visitor;

pub(super) use answer::read;
pub(super) use caller::Caller;
pub(super) use exchange::{HttpAnswer, request_text};
pub(super) use judge::HttpJudge;
pub(super) use server::{NodeServer, ServerParts, log_signer};
pub(super) use spectator::Spectator;
pub(super) use visitor::Visitor;
