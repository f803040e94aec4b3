//! Doorbells over the simulated network: endpoints of every kind, from honest to hostile, and what they saw.
//!
//! The hall reaches them by the client that it reaches endpoints with in production, under its strict policy: only the
//! resolver and the connections are this network's. Endpoints have public addresses here, and victims private ones, so
//! that nothing of the guard is loosened. The machine of the hall and the victims watch for connections that must not be.
//!
//! | module | what it owns |
//! |---|---|
//! | `endpoint_kind` | kinds of endpoints, and where they are |
//! | `registry` | all endpoints of a world, with what is known of each |
//! | `special` | addresses that are never rung |
//! | `connector` | names and connections, as the hall's machine has them; canaries |
//! | `endpoint` | the hosts that endpoints live on, and how they answer |
//! | `notifier` | what the hall's process needs of it |
//! | `judge` | whether what endpoints saw may be |

mod connector;
mod endpoint;
mod endpoint_kind;
mod judge;
mod notifier;
mod registry;
mod special;

pub(super) use connector::watch_for_connections;
pub(super) use endpoint_kind::EndpointKind;
pub(super) use judge::{GotRing, OpenedTurn, PlayerTurn, Turns, judge};
pub(super) use notifier::notifier;
pub(super) use registry::{BELLS, EndpointRegistry, HOLE, INSIDE, Own, SLOW};
