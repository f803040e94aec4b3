//! The turmoil world: the real service, the real client and real HTTP over a simulated network.
//!
//! The hall is one host, with the machine that outlives its process; agents are tasks on a handful of client sites,
//! because the network's cost grows with the cube of its hosts. Faults come from a schedule, and stop; then every
//! game must end, and the journal, the answers of the hall and the answers that clients got must be one history.
//!
//! What it refuses to know: how the hall decides. It is the twin of the direct world that sees only bytes and the
//! journal, so that what lies between them (connections, framing, retries, lost answers, starts and stops) is tested
//! as it is shipped.
//!
//! | module | what it owns |
//! |---|---|
//! | `plan` | what one world is made of |
//! | `windows` | how much slow readers have room for |
//! | `host`, `sockets`, `clock`, `disk`, `frail`, `pace` | the hall's process and its machine |
//! | `agent`, `rung_agent`, `spectator`, `hall_reader` | the users of the hall |
//! | `population` | who lives where |
//! | `dialer`, `connection_fault`, `proxy` | their connections, and faults and proxies of these |
//! | `researcher`, `library` | readers of public data, and their knowledge of it |
//! | `low_disk` | what they try while the disk is full |
//! | `archivist`, `log_copy` | how they read the log, and their copy of it |
//! | `hostile` | hostile actions of agents, and the allowed answers |
//! | `faults`, `full_disk` | what breaks when, and when it is repaired |
//! | `redactor`, `rereader` | the operator, who withholds words, and players who look meanwhile |
//! | `bells` | endpoints of doorbells, from honest to hostile |
//! | `beacon`, `relay`, `relay_faults` | the beacon that the hall asks, its relays, and what happens to them |
//! | `outside` | every byte that clients send and get, judged as it passes |
//! | `chronicle` | observations; it shows the oracles what is durable, and at the end the answers of clients |
//! | `auditor`, `lists` | requests at the end for every game, and for lists |
//! | `authored` | whether answers list where agents' words stand |
//! | `twin` | a script for a simulated hall and for the shipped program, whose answers must be the same |
//! | `operators` | who belongs to which operator, and whether the hall keeps them apart |
//! | `replays` | a stranger's verdict on each replay |
//! | `tokens`, `log_watch` | a search for operator tokens that leaked, also into the log |
//!
//! In half of the worlds the hall has a beacon: its relays are hosts too, and the real client asks them over this
//! network. With the profile `bells` most agents have a doorbell: its endpoints are hosts too, many of them hostile, and
//! the client that rings them is the real one with its guard.
//!
//! With the profiles `swarm` and `storm` some agents are hostile, with `flood` three of four; with the others, `calm`
//! above all, all are honest.
//!
//! # Determinism
//! One thread, virtual time, seeded chance: the same seed gives the same trace hash in any process and at any level
//! of optimisation. The network draws latencies in floating point, so equality between kinds of machines is not
//! promised.

mod agent;
mod archivist;
mod auditor;
mod authored;
mod beacon;
mod bells;
mod chronicle;
mod clock;
mod connection_fault;
mod dialer;
mod disk;
mod faults;
mod frail;
mod full_disk;
mod hall_reader;
mod host;
mod hostile;
mod last_call;
mod library;
mod lists;
mod log_copy;
mod log_watch;
mod low_disk;
mod onlooker;
mod operators;
mod outside;
mod pace;
mod plan;
mod population;
mod proxy;
mod redactor;
mod relay;
mod relay_faults;
mod replays;
mod rereader;
mod researcher;
mod rung_agent;
mod sockets;
mod spectator;
mod tokens;
mod twin;
mod windows;
mod world;

pub(crate) use outside::heads;
pub use plan::{NetworkFaults, NetworkPlan, Traffic};
pub use twin::{Exchange, play as play_twin, play_simulated as play_simulated_twin};
pub use world::{MachineWeakness, PlayedWorld, run, run_seen, run_weakened, run_while};
