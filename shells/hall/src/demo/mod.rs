//! `hall demo`: a hall with a few agents of different strengths, before your eyes.
//!
//! The hall is a real one on a real port, in a folder that is removed at the end; the agents play over HTTP. Only
//! what is shown is read from inside. The request limit is lifted for this hall, because all its agents share one
//! address.

mod board;
mod results;
mod show;

use crate::agent::{Style, play_in_house};
use crate::exit::{FAILED, OK, REFUSED, Status};
use crate::hall::RunningHall;
use crate::logs;
use crate::settings::{Settings, SettingsArgs, Values};
use crate::signals::Signals;
use clap::Args;
use show::Show;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two moves of an agent, where somebody watches.
const PAUSE_MILLIS: u64 = 300;

/// Between two attempts to remove the temporary folder.
const AGAIN: Duration = Duration::from_millis(50);

/// See a hall with a few agents of different strengths play.
///
/// Starts a hall on a free port of this machine with its data in a temporary folder, lets five agents play chess
/// (with Stockfish if it is installed), and shows a board. Ctrl-C ends it; nothing is left behind.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// End by itself after so many games, with a summary [default: go on until Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Listen here instead of on a free port of 127.0.0.1
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", hide_default_value = true)]
    listen: SocketAddr,
    /// Pause before each move in milliseconds [default: 300 on a terminal, else none]
    #[arg(long, value_name = "MS")]
    pace_ms: Option<u64>,
}

/// Runs the demo; `outer` are settings before the command, of which it takes none.
pub(crate) fn run(args: DemoArgs, outer: SettingsArgs) -> Status {
    if outer.config.is_some() || !outer.set.is_empty() {
        eprintln!("hall demo: it has a hall with settings of its own; leave out --config and --set");
        return FAILED;
    }
    logs::start_quietly();
    let folder = match Folder::create() {
        Ok(folder) => folder,
        Err(error) => return refuse(&format!("there is no temporary folder: {error}")),
    };
    let settings = match settings(&args, folder.0.path()) {
        Ok(settings) => settings,
        Err(error) => return refuse(&error.to_string()),
    };
    match crate::runtime() {
        Ok(runtime) => runtime.block_on(demonstrate(args, &settings)),
        Err(error) => refuse(&error.to_string()),
    }
}

fn settings(args: &DemoArgs, folder: &Path) -> Result<Settings, crate::settings::SettingsError> {
    let assignments = [
        format!("server.listen={}", args.listen),
        format!("storage.path={}", folder.display()),
        // The demo is small; a machine that is low on disk can show it all the same.
        "storage.reserve_mib=16".to_owned(),
        "limits.requests_per_minute=0".to_owned(),
        "limits.joins_per_day=0".to_owned(),
        // It shows itself on a machine without a network, too.
        "beacon.relays=".to_owned(),
        "server.max_connections_per_client=0".to_owned(),
    ];
    Settings::of(&Values::of_assignments(&assignments)?)
}

async fn demonstrate(args: DemoArgs, settings: &Settings) -> Status {
    let hall = match RunningHall::start(settings).await {
        Ok(hall) => hall,
        Err(failure) => return refuse(&failure.to_string()),
    };
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return refuse(&error.to_string()),
    };
    let on_terminal = std::io::stdout().is_terminal();
    let pace = args.pace_ms.unwrap_or(if on_terminal { PAUSE_MILLIS } else { 0 });
    let mut playing = tokio::task::JoinSet::new();
    for (handle, style) in players() {
        let (url, pause) = (hall.base_url.clone(), Duration::from_millis(pace));
        playing.spawn(async move { play_in_house(&url, handle, style, pause).await });
    }
    let mut show = Show::new(hall.engine.clone(), hall.base_url.to_string(), on_terminal, args.games);
    let trouble = tokio::select! {
        () = show.run() => None,
        _ = signals.next() => None,
        Some(ended) = playing.join_next() => Some(match ended {
            Ok(Ok(())) => "an agent stopped playing".to_owned(),
            Ok(Err(error)) => format!("an agent cannot play: {error}"),
            Err(error) => format!("an agent broke down: {error}"),
        }),
    };
    show.finish();
    playing.shutdown().await;
    drop(show);
    if let Err(error) = hall.stop().await {
        return refuse(&error.to_string());
    }
    trouble.map_or(OK, |text| refuse(&text))
}

/// A temporary folder that is gone at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn create() -> std::io::Result<Self> {
        tempfile::Builder::new().prefix("hall-demo-").disable_cleanup(true).tempdir().map(Self)
    }
}

impl Drop for Folder {
    /// The journal's threads may still be at work for a moment, and a folder in which a file appears meanwhile is
    /// not removed: so it is tried again.
    fn drop(&mut self) {
        for _ in 0..40 {
            match std::fs::remove_dir_all(self.0.path()) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => std::thread::sleep(AGAIN),
                Ok(()) | Err(_) => return,
            }
        }
        eprintln!("hall demo: {} could not be removed", self.0.path().display());
    }
}

/// Five agents, so that two games go on and one agent waits: whoever finishes meets somebody else.
fn players() -> [(&'static str, Style); 5] {
    let last = match stockfish() {
        Some(path) => {
            let options = vec!["Skill Level=5".to_owned(), "Hash=16".to_owned(), "Threads=1".to_owned()];
            ("stockfish-1", Style::Engine { command: path.display().to_string(), options })
        }
        None => ("greedy-3", Style::Greedy),
    };
    [
        ("random-1", Style::Random),
        ("greedy-1", Style::Greedy),
        ("random-2", Style::Random),
        ("greedy-2", Style::Greedy),
        last,
    ]
}

/// Stockfish, if it is installed where programs are looked for, or where Debian puts games.
fn stockfish() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    // A command is split at blanks, so a folder with blanks in its name cannot be used.
    let usable = |file: &PathBuf| file.is_file() && !file.display().to_string().contains(char::is_whitespace);
    folders.map(|folder| folder.join("stockfish")).find(usable)
}

fn refuse(why: &str) -> Status {
    eprintln!("hall demo: {why}");
    REFUSED
}
