//! Doorbells of agents in a world of several nodes: every process that leads rings them as the shipped program does, and it
//! is known in the end what came to each endpoint, and by whose hand.
//!
//! Names, connections and endpoints are simulated, in virtual time. Where an endpoint may be at all, and what hostile ones
//! do, is tried in turmoil worlds.
//!
//! | module | what it owns |
//! |---|---|
//! | `registry` | the endpoints of a world, and what came to them |
//! | `endpoint` | how endpoints answer |
//! | `connector` | names and connections, as one process has them |
//! | `ringers` | the ringing of one process, for as long as it leads |
//! | `weak` | ringers that are wrong on purpose |
//! | `owner` | agents that look after their doorbells |
//! | `judge` | whether what came to endpoints may be |

mod connector;
mod endpoint;
mod judge;
mod owner;
mod registry;
mod ringers;
mod weak;

pub(super) use judge::{RingTerms, judge};
pub(super) use owner::tend;
pub(super) use registry::EndpointRegistry;
pub(super) use ringers::{RingerParts, ring_while_leading};
