//! Doorbells: endpoints of agents, which are asked to prove themselves and rung when a turn waits (decision 9).
//!
//! | module | what it owns |
//! |---|---|
//! | `address` | which addresses the hall connects to at all |
//! | `url` | what can be seen in a doorbell's address before anybody is asked |
//! | `network` | names and connections, as the machine has them or a simulator |
//! | `endpoints` | one guarded request: resolve, check, connect to what was checked, ask, give up in time |
//! | `quota` | how often a host may fail to prove itself; pure |
//! | `ring` | what is sent, and how it is signed |
//! | `schedule` | which attempt is made when; pure |
//! | `ringer` | the loop that ties them together |
//! | `notifier` | the same for the turns of a running hall |
//!
//! Endpoints are chosen by agents, so no name, address or answer is trusted here. A name is looked up for each
//! request, all of its addresses are checked, and the connection goes to one that was checked. Redirects are not
//! followed; a redirect counts as a failure.

mod address;
mod endpoints;
mod network;
mod notifier;
mod quota;
mod ring;
mod ringer;
mod schedule;
mod url;

pub use address::{AddressClass, class_of};
pub use endpoints::{CallFailure, Endpoints, RootsError, Rung, TlsRoots, VerifyFailure};
pub use network::{Dial, Dialing, Resolve, Resolving, Stream, SystemDial, SystemResolve};
pub use notifier::{Jitter, RingNotifier, ring_turns};
pub use ring::{Ring, public_key};
pub use ringer::{Attempted, Due, RingSource, RingTally, run};
pub use schedule::{Added, RingKey, RingLimits, RingSchedule, RingStep, Settled};
pub use url::{DoorbellUrl, Host, Policy, UrlRefused};
