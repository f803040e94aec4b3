//! `hall demo`: a hall with a few agents of different strengths, shown in the terminal.
//!
//! The hall listens on a real port and keeps its data in a folder that is removed at the end; the agents play over
//! HTTP. Only what is shown is read from inside. This hall has no request limit, because all its agents share one
//! address.

mod board;
mod results;
mod show;

use crate::hall::RunningHall;
use crate::settings::{Settings, SettingsArgs, Values};
use clap::Args;
use clap::builder::PossibleValuesParser;
use hall_driver::Engine;
use hall_games::{CATALOG, STANDARD};
use hall_tools::agent::{AgentError, ENGINE_GAME, Style, Table, play_in_house};
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use hall_tools::logs;
use hall_tools::signals::Signals;
use hall_tools::terminal::Terminal;
use hall_wire::Handle;
use results::Results;
use show::Show;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// Between two moves of an agent, where somebody watches.
const PAUSE_MILLIS: u64 = 300;

/// Between two attempts to remove the temporary folder.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Between two checks whether an agent has joined.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Watch agents of different strengths play in the terminal
///
/// Starts a hall on a free port of this machine with its data in a temporary folder. Agents play there, enough for two
/// tables and one who waits (one of them Stockfish at chess, if it is installed), and a board and a table of results are
/// shown. On a terminal the board has colours and chess symbols, unless NO_COLOR is set or the locale is not UTF-8;
/// elsewhere the moves are written as lines. Ctrl-C stops the demo and removes its data.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The game that is played
    #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(games()), default_value = games().next())]
    game: String,
    /// The variant of the game
    #[arg(long, value_name = "ID", default_value = STANDARD)]
    variant: String,
    /// Stop after this number of games [default: play until Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Address and port of the hall [default: a free port of 127.0.0.1]
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", hide_default_value = true)]
    listen: SocketAddr,
    /// Pause before each move, in milliseconds [default: 300 on a terminal, 0 elsewhere]
    #[arg(long, value_name = "MS")]
    pace_ms: Option<u64>,
}

/// The games of the catalog.
fn games() -> impl Iterator<Item = &'static str> {
    CATALOG.iter().map(|game| game.describe().id)
}

/// Runs the demo; `outer` are settings before the command, of which it takes none.
pub(crate) fn run(args: DemoArgs, outer: SettingsArgs) -> Status {
    if outer.config.is_some() || !outer.set.is_empty() {
        eprintln!("hall demo: the demo has fixed settings of its own; leave out --config and --set");
        return FAILED;
    }
    let seats = match seats(&args.game, &args.variant) {
        Ok(seats) => seats,
        Err(why) => {
            eprintln!("hall demo: {why}");
            return FAILED;
        }
    };
    logs::start_quietly();
    let folder = match Folder::create() {
        Ok(folder) => folder,
        Err(error) => return refuse(&format!("there is no temporary folder: {error}")),
    };
    let settings = match settings(&args, folder.0.path()) {
        Ok(settings) => settings,
        Err(error) => return refuse(&error.to_string()),
    };
    match hall_tools::runtime() {
        Ok(runtime) => runtime.block_on(demonstrate(args, seats, &settings)),
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
        // The demo also works without a network.
        "beacon.relays=".to_owned(),
        "server.max_connections_per_client=0".to_owned(),
    ];
    Settings::of(&Values::of_assignments(&assignments)?)
}

async fn demonstrate(args: DemoArgs, seats: u8, settings: &Settings) -> Status {
    let hall = match RunningHall::start(settings).await {
        Ok(hall) => hall,
        Err(failure) => return refuse(&failure.to_string()),
    };
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return refuse(&error.to_string()),
    };
    let terminal = Terminal::detect();
    let pace = args.pace_ms.unwrap_or(if terminal.redraws { PAUSE_MILLIS } else { 0 });
    let (mut playing, players) = (JoinSet::new(), players(&args.game, seats));
    let results = Results::of(players.iter().map(|(handle, style)| (handle.as_str(), plays(style))));
    let mut show = Show::new(hall.engine.clone(), hall.base_url.to_string(), terminal, results, args.games);
    let trouble = tokio::select! {
        () = show.run() => None,
        _ = signals.next() => None,
        trouble = let_play(&hall, &args, players, Duration::from_millis(pace), &mut playing) => Some(trouble),
    };
    show.finish();
    playing.shutdown().await;
    drop(show);
    if let Err(error) = hall.stop().await {
        return refuse(&error.to_string());
    }
    trouble.map_or(OK, |text| refuse(&text))
}

type Playing = JoinSet<Result<(), AgentError>>;

/// Lets the agents join in their order, so that the first games are between different strengths, and play. Returns
/// when one of them stops, and says why.
async fn let_play(
    hall: &RunningHall,
    args: &DemoArgs,
    players: Vec<(String, Style)>,
    pause: Duration,
    playing: &mut Playing,
) -> String {
    let why = |ended: Result<Result<(), AgentError>, JoinError>| match ended {
        Ok(Ok(())) => "an agent stopped playing".to_owned(),
        Ok(Err(error)) => format!("an agent cannot play: {error}"),
        Err(error) => format!("an agent failed: {error}"),
    };
    for (handle, style) in players {
        let (url, agent) = (hall.base_url.clone(), handle.clone());
        let table = Table { game: args.game.clone(), variant: args.variant.clone() };
        playing.spawn(async move { play_in_house(&url, &agent, table, style, pause).await });
        tokio::select! {
            () = joined(&hall.engine, &handle) => {}
            Some(ended) = playing.join_next() => return why(ended),
        }
    }
    match playing.join_next().await {
        Some(ended) => why(ended),
        None => "there are no agents".to_owned(),
    }
}

/// Waits until the agent with this handle is in a lobby or a game, or the hall stops.
async fn joined(engine: &Engine, handle: &str) {
    let Some(handle) = Handle::parse(handle) else { return };
    loop {
        let handle = handle.clone();
        let seen = engine.read(move |hall| {
            let desk = hall.desk();
            desk.agent_by_handle(&handle).is_some_and(|agent| {
                desk.lobbies_of(&agent.id).next().is_some() || desk.live_games(&agent.id).next().is_some()
            })
        });
        match seen.await {
            Ok(false) => tokio::time::sleep(POLL_INTERVAL).await,
            Ok(true) | Err(_) => return,
        }
    }
}

/// A temporary folder that is removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn create() -> std::io::Result<Self> {
        tempfile::Builder::new().prefix("hall-demo-").disable_cleanup(true).tempdir().map(Self)
    }
}

impl Drop for Folder {
    /// The journal's threads may write for a moment longer, and a folder in which a file appears meanwhile is not
    /// removed: so it is tried again.
    fn drop(&mut self) {
        for _ in 0..40 {
            match std::fs::remove_dir_all(self.0.path()) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => std::thread::sleep(RETRY_DELAY),
                Ok(()) | Err(_) => return,
            }
        }
        eprintln!("hall demo: {} could not be removed", self.0.path().display());
    }
}

/// How many play a variant of a game; the variants that there are, if there is no such one.
fn seats(game: &str, variant: &str) -> Result<u8, String> {
    let described = CATALOG.find(game).map(hall_games::Game::describe);
    let described = described.ok_or_else(|| format!("there is no game {game:?}"))?;
    described.players_of(variant).map(|players| players.min).ok_or_else(|| {
        let known: Vec<&str> = described.variant_ids().collect();
        format!("{game} has no variant {variant:?}; it has: {}", known.join(", "))
    })
}

/// The agents in the order in which they join. Two games are played at a time and one agent waits, so that the tables
/// change. The first tables are of different strengths.
fn players(game: &str, seats: u8) -> Vec<(String, Style)> {
    let stockfish = stockfish().filter(|_| game == ENGINE_GAME);
    let mut styles = vec![Style::Search, Style::Random];
    styles.push(match stockfish {
        Some(path) => {
            let options = vec!["Skill Level=5".to_owned(), "Hash=16".to_owned(), "Threads=1".to_owned()];
            Style::Engine { command: path.display().to_string(), options }
        }
        None => Style::Search,
    });
    styles.extend([Style::Greedy, Style::Random]);
    let more = [Style::Greedy, Style::Random, Style::Search, Style::Random];
    styles.extend(more.into_iter().take(2 * usize::from(seats.saturating_sub(2))));
    let mut named: Vec<(String, Style)> = Vec::new();
    for style in styles {
        let word = plays(&style).to_ascii_lowercase();
        let number = named.iter().filter(|(_, other)| plays(other) == plays(&style)).count() + 1;
        named.push((format!("{word}-{number}"), style));
    }
    named
}

/// A style in one word.
const fn plays(style: &Style) -> &'static str {
    match style {
        Style::Random => "random",
        Style::Greedy => "greedy",
        Style::Search => "search",
        Style::Engine { .. } => "Stockfish",
    }
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
