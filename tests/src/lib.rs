//! Black-box tests of the built hall and of what it publishes, and its benchmark.
//!
//! The harness starts the real program on a new folder and speaks HTTP/1.1 byte by byte, so that a test can send
//! requests that no client library would. It shares only the wire formats with the hall; envelope, labels and
//! headers are judged from the specification.
//!
//! | module | what it owns |
//! |---|---|
//! | [`hall`] | the process: build, start, stop, kill, restart |
//! | [`http`] | raw requests, replies and event streams |
//! | [`envelope`] | the rules for every JSON reply |
//! | [`agent`] | keys, signed drafts, registration, lobbies |
//! | [`game`] | a game of two such agents |
//! | [`mcp`] | JSON-RPC and signed tool calls |
//! | [`endpoint`] | an endpoint of an agent, to be rung |
//! | [`relay`] | a relay of the randomness beacon |
//! | [`witness`] | the program as a witness and as a monitor |
//! | [`schema`] | JSON Schema, as much as the hall uses |
//! | [`dice`] | reproducible choices |
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a harness fails its test by panicking"
)]

pub mod agent;
pub mod dice;
pub mod endpoint;
pub mod envelope;
pub mod game;
pub mod hall;
pub mod http;
pub mod mcp;
pub mod relay;
pub mod schema;
pub mod witness;

pub use agent::{Agent, Draft};
pub use dice::Dice;
pub use game::Game;
pub use hall::{Hall, Settings};
pub use http::{Reply, Request, Wire};
pub use serde_json::{Value, json};
pub use witness::{Monitor, Witness};

use std::future::Future;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// Polls every few milliseconds until `look` returns something.
///
/// # Panics
/// With `what` if that takes longer than `within`.
pub fn eventually<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < within, "not within {within:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Serves every connection to a free port of this machine, on a thread that runs until the process ends.
fn serve<Served>(handle: impl Fn(TcpStream) -> Served + Send + 'static) -> SocketAddr
where
    Served: Future<Output = ()> + Send + 'static,
{
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handle(stream));
            }
        });
    });
    address
}
