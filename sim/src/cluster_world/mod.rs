//! The world of several nodes: two to five of them over one database, and agents that go to any of them.
//!
//! The nodes are the ones that are shipped: who leads, the link between them, challenges over all of them, and the
//! writer. Their machines, their network and their database are simulated, on one thread and in virtual time, so that a
//! seed gives the same world again. In one world of four clients come over HTTP, with the service as it is shipped.
//!
//! | module | what it owns |
//! |---|---|
//! | `plan` | what a world is drawn with |
//! | `process` | processes that stand still or end, and the clocks of their machines |
//! | `network`, `connection` | the links between machines; the bytes on them |
//! | `http` | the service of a node, and clients over HTTP |
//! | `database` | the database at its worst |
//! | `reached` | the way to it from a machine |
//! | `node` | a node on a machine |
//! | `bells` | doorbells of agents, and their ringing |
//! | `client` | agents |
//! | `operator`, `beacon` | commands of the hall's operator; rounds of a beacon |
//! | `faults` | what goes wrong with all of them |
//! | `acknowledged`, `blame`, `outages` | what clients were told; who has brought a strike about; time without a leader |
//! | `in_time` | moves that arrive while their deadline passes |
//! | `unseen` | moves and registrations that the node which answers does not show |
//! | `judge` | what must hold |

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a judge, an agent and a node look at what concerns them, whatever else is there"
)]

mod acknowledged;
mod beacon;
mod bells;
mod blame;
mod client;
mod connection;
mod database;
mod faults;
mod http;
mod in_time;
mod judge;
mod network;
mod node;
mod operator;
mod outages;
mod plan;
mod process;
mod reached;
mod unseen;
mod world;

pub use faults::Fault;
pub use plan::{ClusterPlan, Weakness};
pub use world::{run, run_while};
