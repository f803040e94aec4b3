//! Doorbells over the simulated network: endpoints of every kind, from honest to hostile, and what they saw.
//!
//! The hall reaches them by the client that it reaches endpoints with in production, under its strict policy: only the
//! resolver and the connections are this network's. Endpoints have public addresses here, and victims private ones, so
//! that nothing of the guard is loosened. The machine of the hall and the victims watch for connections that must not be.
//!
//! | module | what it owns |
//! |---|---|
//! | `manner` | kinds of endpoints, and where they are |
//! | `village` | all endpoints of a world, with what is known of each |
//! | `way` | names and connections, as the hall's machine has them; canaries |
//! | `endpoint` | the hosts that endpoints live on, and how they answer |
//! | `tower` | what the hall's process needs of it |
//! | `judge` | whether what endpoints saw may be |

mod endpoint;
mod judge;
mod manner;
mod tls;
mod tower;
mod village;
mod way;

pub(super) use judge::{GotRing, Rung, Turns, judge};
pub(super) use manner::Manner;
pub(super) use tower::tower;
pub(super) use village::{BELLS, HOLE, INSIDE, Own, SLOW, Village};
pub(super) use way::watch_for_connections;
