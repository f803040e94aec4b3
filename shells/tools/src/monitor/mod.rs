//! `hall monitor`: follows the log of a hall from outside, keeps what it saw, and raises an alarm if the hall ever
//! says something else (decision 8).
//!
//! It trusts nothing but the log key that it was given or saw first. Every checkpoint must be signed by that key and
//! be a continuation of the last one; every new leaf is fetched, and their hashes must make the root that was signed.
//! Old leaves are fetched again, a bundle at each look, and must be what they were.
//!
//! | module | what it owns |
//! |---|---|
//! | `follow` | one look at the log: what must hold, and the alarms |
//! | `store` | the folder with what was seen |
//! | `log_client` | asking the hall for its log |
//! | `interest` | which leaves are reported, in words |
//! | `reread` | rereading old leaves |

mod follow;
mod interest;
mod log_client;
mod reread;
mod store;
#[cfg(test)]
mod tests;

use crate::exit::{FAILED, OK, REFUSED, Status};
use crate::signals::Signals;
use clap::Args;
use follow::{Alarm, Follower, MonitorError, Update};
use hall_verify::note::VerifierKey;
use hall_wire::Handle;
use interest::Interest;
use log_client::LogClient;
use std::path::PathBuf;
use std::time::Duration;
use store::Store;

/// Follow the log of a hall, and raise an alarm if it ever rewrites history.
#[derive(Debug, Args)]
#[command(
    after_help = "What was seen is kept in a folder, and the next run continues from there. Without --log-key the key that \
    /api/official names at the first run is trusted from then on; give the key if you know it from elsewhere.\n\
    Each look fetches what is new, and one bundle of 256 old leaves once more, so that in time all are read again. An \
    alarm needs the signature of the log's key or leaves that contradict it; any other answer, such as the page of a proxy, \
    counts as none. A machine of the hall may lack the newest leaves for a moment: an earlier checkpoint that agrees with \
    what was seen counts as none either, unless the hall gives no newer one for as long as --patience says.\n\
    Exit codes: 0 stopped or looked once, and all was well; 1 an alarm, with the evidence in the folder; 2 wrong usage, \
    or (at the first run, or with --once) the hall could not be asked."
)]
pub struct MonitorArgs {
    /// The hall's address
    url: String,
    /// The log's key as a note verifier key
    #[arg(long, value_parser = VerifierKey::parse_log)]
    log_key: Option<VerifierKey>,
    /// Where what was seen is kept
    #[arg(long, default_value = "hall-monitor")]
    keep: PathBuf,
    /// Look once, and end
    #[arg(long)]
    once: bool,
    /// Seconds between two looks
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    every: u64,
    /// Seconds for which a hall may answer with an earlier checkpoint than before
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    patience: u64,
    /// Report what this agent does (may be given more than once)
    #[arg(long, value_parser = handle)]
    agent: Vec<Handle>,
    /// Report every leaf
    #[arg(long)]
    all: bool,
}

fn handle(text: &str) -> Result<Handle, String> {
    Handle::parse(text).ok_or_else(|| "a handle is 3 to 32 of a-z, 0-9, _ and -".to_owned())
}

/// The log key that the hall at `url` names itself; the error says why it could not be fetched.
pub(crate) async fn official_key(url: &str) -> Result<String, String> {
    LogClient::new(url).official_key().await
}

/// Follows until it is told to stop, or an alarm is raised.
#[must_use]
pub fn run(args: MonitorArgs) -> Status {
    match crate::runtime() {
        Ok(runtime) => runtime.block_on(monitor(args)),
        Err(error) => refuse(&error),
    }
}

async fn monitor(args: MonitorArgs) -> Status {
    let MonitorArgs { url, log_key, keep, once, every, patience, agent, all } = args;
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return refuse(&error),
    };
    let client = LogClient::new(&url);
    let store = match Store::open(&keep) {
        Ok(store) => store,
        Err(error) => return refuse(&error),
    };
    let patience = Duration::from_secs(patience);
    let mut follower = match Follower::begin(client, store, log_key, patience).await {
        Ok(follower) => follower,
        Err(error) => return report_error(&error),
    };
    println!("Following {}, key {}, from leaf {}.", url, follower.key(), follower.size());
    let mut interest = match follower.watched() {
        Ok(watched) => Interest::new(&agent, all, watched.as_deref()),
        Err(error) => return refuse(&error),
    };
    loop {
        tokio::select! {
            looked = round(&mut follower, &mut interest) => match looked {
                Ok(()) => {}
                Err(MonitorError::Unreachable(why)) if !once => println!("The hall cannot be asked: {why}"),
                Err(error) => return report_error(&error),
            },
            _ = signals.next() => return OK,
        }
        if once {
            return OK;
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(every)) => {}
            _ = signals.next() => return OK,
        }
    }
}

/// Checks new leaves and reports them, and reads some old ones again.
async fn round(follower: &mut Follower, interest: &mut Interest) -> Result<(), MonitorError> {
    if let Some(first) = interest.behind(follower.size()) {
        follower.reread_from(first, |leaf| interest.learn(leaf)).await?;
    }
    loop {
        let update = follower.look().await?;
        tell(&update, interest);
        if let Some(watched) = interest.state(follower.size()) {
            follower.keep_watched(&watched)?;
        }
        if !update.has_more {
            return follower.reread().await;
        }
    }
}

fn tell(update: &Update, interest: &mut Interest) {
    for key in &update.keys {
        println!("The log key was replaced, signed for by the previous one: {key}");
    }
    for (index, leaf) in &update.leaves {
        if let Some(words) = interest.words(leaf) {
            println!("{index}: {words}");
        }
    }
    if !update.leaves.is_empty() {
        let (size, new) = (update.size, update.leaves.len());
        println!("{size} leaves, {new} of them new: all as signed, nothing rewritten.");
    }
}

fn report_error(error: &MonitorError) -> Status {
    match error {
        MonitorError::Alarm(Alarm { why, evidence }) => {
            eprintln!("ALARM: {why}");
            eprintln!("The evidence is in {}.", evidence.display());
            REFUSED
        }
        MonitorError::Unreachable(_) | MonitorError::Store(_) => refuse(error),
    }
}

fn refuse(why: &dyn std::fmt::Display) -> Status {
    eprintln!("hall monitor: {why}");
    FAILED
}
