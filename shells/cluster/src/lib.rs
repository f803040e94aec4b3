//! One hall on several machines: who leads, how followers follow, and the link between them.
//!
//! | module | what it owns |
//! |---|---|
//! | `node` | the roles of a node |
//! | `leading` | what a hall does in the process that leads |
//! | `control` | what others ask of a node, and what it tells |
//! | `lease_renewal` | the lease of a leader |
//! | `journal` | what a node needs of the journal that all share |
//! | `serve` | the leader's end of a link |
//! | `link` | a follower's end of it |
//! | `messages`, `frames` | what is said over a link, and how it is framed |
//! | `transport` | how nodes reach each other |
//! | `identity` | who may use the link |

mod control;
mod frames;
mod identity;
mod journal;
mod leading;
mod lease_renewal;
mod lease_watch;
mod link;
mod messages;
mod node;
mod serve;
mod transport;

pub use control::{NodeHandle, NodeRole, NodeStatus};
pub use frames::Stream;
pub use identity::{Identity, IdentityError};
pub use journal::{Holder, Lease, Owned, SharedError, SharedJournal};
pub use leading::{LeadWith, Leading};
pub use node::{Node, NodeOptions, RunningNode, Spawn, start};
pub use serve::FollowerStatus;
pub use transport::{Connecting, Connection, SecureTcp, Transport};
