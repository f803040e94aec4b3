//! `hall witness`: cosigns the checkpoints of logs that it has seen grow and never rewritten (C2SP tlog-witness and
//! tlog-cosignature, decision 8.2).
//!
//! It trusts only the keys of the logs that it was given: checkpoints may be submitted by anybody. It knows nothing of
//! halls; any log with the same formats may be witnessed.
//!
//! | module | what it owns |
//! |---|---|
//! | `request` | the form of a submission |
//! | `key` | the file with the key and the name |
//! | `book` | the cosigned state of each log, and the verdict on a checkpoint |
//! | `store` | the folder that remembers it |
//! | `server` | HTTP |

mod book;
mod key;
mod request;
mod server;
mod store;
#[cfg(test)]
mod tests;

use crate::exit::{FAILED, OK, Status};
use crate::monitor::official_key;
use crate::signals::Signals;
use book::Book;
use clap::Args;
use hall_http::{HttpSettings, serve_service};
use hall_verify::note::VerifierKey;
use hall_wire::note::check_origin;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use store::Store;
use tokio::net::TcpListener;

/// Cosign the checkpoints of logs that only grow, as a witness that their readers can trust instead of the log.
#[derive(Debug, Args)]
#[command(
    after_help = "The first start makes the key; its public half is printed at every start. Give it to those who run the \
    logs (log.witnesses of a hall takes it with this address) and to those who check them (hall verify --witness).\n\
    Keep key and state together: a witness that forgot what it cosigned could cosign a fork.\n\
    Exit codes: 0 stopped cleanly, 2 it does not start.\n\n\
    Example:\n  hall witness --key witness.key --name witness.example/w1 --log https://hall.example"
)]
pub struct WitnessArgs {
    /// Where submissions are listened for; put a proxy with TLS in front of it
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The file with the witness's private key; made if it is not there
    #[arg(long, default_value = "witness.key", value_name = "FILE")]
    key: PathBuf,
    /// The name in the key when it is made, such as witness.example/w1; otherwise that of --listen
    #[arg(long, value_parser = name)]
    name: Option<String>,
    /// A log: its key, or the address of a hall that names it; may be repeated, also for several keys of one log
    #[arg(long = "log", required = true, value_name = "VKEY|URL", value_parser = source)]
    logs: Vec<Source>,
    /// The folder that remembers what was cosigned
    #[arg(long, default_value = "hall-witness", value_name = "DIR")]
    state: PathBuf,
}

/// Where the key of a log comes from.
#[derive(Clone, Debug)]
enum Source {
    Key(VerifierKey),
    Hall(String),
}

fn source(text: &str) -> Result<Source, String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        return Ok(Source::Hall(text.to_owned()));
    }
    VerifierKey::parse_log(text).map(Source::Key).map_err(|problem| problem.to_string())
}

fn name(text: &str) -> Result<String, String> {
    check_origin(text).map(|()| text.to_owned()).map_err(|expected| format!("write {expected}"))
}

/// Serves until it is told to stop.
#[must_use]
pub fn run(args: WitnessArgs) -> Status {
    crate::logs::start_quietly();
    let served = crate::runtime().map_err(|error| error.to_string());
    match served.and_then(|runtime| runtime.block_on(witness(args))) {
        Ok(()) => OK,
        Err(why) => {
            eprintln!("hall witness: {why}");
            FAILED
        }
    }
}

async fn witness(args: WitnessArgs) -> Result<(), String> {
    let WitnessArgs { listen, key, name, logs, state } = args;
    let mut signals = Signals::listen().map_err(|error| error.to_string())?;
    let listener =
        TcpListener::bind(listen).await.map_err(|error| format!("cannot listen on {listen}: {error}"))?;
    let mut keys = Vec::new();
    for log in logs {
        keys.push(match log {
            Source::Key(key) => key,
            Source::Hall(url) => {
                let named = official_key(&url).await.map_err(|error| format!("{url}: {error}"))?;
                VerifierKey::parse_log(&named).map_err(|error| format!("{url}: its log key: {error}"))?
            }
        });
    }
    let told = key.clone();
    let (key, name) =
        key::witness_key(&key, name.as_deref(), &listen.to_string()).map_err(|error| error.to_string())?;
    let store = Store::open(&state).map_err(|error| format!("{}: {error}", state.display()))?;
    let _lock = store.lock().map_err(|error| format!("{}: {error}", state.display()))?;
    let book = Arc::new(Book::open(&name, key, store, keys).map_err(|error| error.to_string())?);
    let settings = HttpSettings { max_connections_per_client: 0, ..HttpSettings::default() };
    let server = serve_service(server::service(Arc::clone(&book)), listener, &settings)
        .map_err(|error| error.to_string())?;
    println!("Witness at http://{}, key in {}.", server.local_addr(), told.display());
    println!("  key: {}", book.public());
    for (origin, size) in book.logs() {
        match size {
            Some(size) => println!("  log: {origin}, cosigned up to {size} leaves"),
            None => println!("  log: {origin}, nothing cosigned yet"),
        }
    }
    signals.next().await;
    server.stop().await;
    Ok(())
}
