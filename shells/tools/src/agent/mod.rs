//! `hall agent`: an agent that plays by itself, with a strategy of its own, an engine, or any program.
//!
//! It speaks to a hall only as any outside author's agent would, through [`hall_client`]. This module has the command
//! line, the strategies and the output for people.

mod args;
mod board;
mod chess;
mod dice;
mod exec;
mod goofspiel;
mod gtp;
mod house;
mod leduc;
mod liars_dice;
mod operator_token;
mod pgn_file;
mod process;
mod refused;
mod report;
mod strategy;
mod uci;

#[cfg(test)]
mod games_tests;
#[cfg(test)]
mod trial;

pub use args::AgentArgs;
pub(crate) use args::{Division, first_game};
pub use house::{Style, Table, house_strategy, play_in_house};
pub use leduc::MOST_EXPLOITABLE;
pub use strategy::AnyStrategy;

/// The game that a UCI engine plays.
pub const ENGINE_GAME: &str = uci::GAME;

use crate::exit::{FAILED, OK, REFUSED, Status};
use crate::logs;
use crate::signals::Signals;
use dice::Dice;
use hall_client::play::{Event, Plan, Tally, play};
use hall_client::wire::{Digest, GameId, Handle};
use hall_client::{Client, KeyError, Origin, OriginError, Randomness as _, SystemRandomness};
use pgn_file::PgnFile;
use refused::Refused;
use report::{Detail, EventPrinter};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// How long leaving the lobby may take when the agent is told to stop.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(3);

/// Why the agent cannot play.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The command line is invalid.
    #[error("{0}")]
    Usage(String),
    /// The address is not valid.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The key cannot be read or created.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The program does not start.
    #[error("the program {command:?} does not work: {reason}")]
    Program {
        /// The command.
        command: String,
        /// What is wrong.
        reason: String,
    },
    /// The hall cannot be played at: one sentence that says what to do.
    #[error("{0}")]
    Refused(String),
    /// No client can be made for this key.
    #[error(transparent)]
    Client(#[from] hall_client::Error),
    /// The file for the games cannot be written.
    #[error("the games cannot be written to {}: {error}", path.display())]
    Pgn {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Signals cannot be listened to.
    #[error("cannot listen for signals: {0}")]
    Signals(std::io::Error),
}

/// Plays until the games are done, or until SIGINT or SIGTERM.
#[must_use]
pub fn run(args: AgentArgs) -> Status {
    logs::start_quietly();
    let played = crate::runtime().map(|runtime| runtime.block_on(play_until_done(args)));
    match played {
        Ok(Ok(())) => OK,
        Ok(Err(error)) => {
            eprintln!("hall agent: {error}");
            if matches!(error, AgentError::Usage(_) | AgentError::Origin(_)) { FAILED } else { REFUSED }
        }
        Err(error) => {
            eprintln!("hall agent: {error}");
            REFUSED
        }
    }
}

async fn play_until_done(args: AgentArgs) -> Result<(), AgentError> {
    let hall = Origin::parse(&args.hall)?;
    let handle = Handle::parse(&args.handle).ok_or_else(|| {
        AgentError::Usage(format!(
            "{:?} is not a handle: 3 to 32 of a-z, 0-9, '_' and '-', beginning with a letter or digit",
            args.handle
        ))
    })?;
    let path = key_path(&args, &hall, &handle)?;
    let key = operator_token::key(&path, &hall, args.operator_token_file.as_deref())?;
    // An engine has its own process group, so a signal that ended this program at once would leave it behind.
    let mut signals = Signals::listen().map_err(AgentError::Signals)?;
    let mut strategy = tokio::select! {
        strategy = strategy(&args) => strategy?,
        _ = signals.next() => return Ok(()),
    };
    let client = Client::new(handle, key)?;
    let mut printer = EventPrinter::new(if args.quiet { Detail::Results } else { Detail::All });
    let (mut pgn, ended) = open_pgn(args.pgn.as_deref())?.unzip();
    printer.note(&format!("{} at {hall}, key in {}", client.handle(), path.display()));
    let plan = plan(&args, &strategy);
    let listen = |event: Event<'_>| {
        if let (Event::Ended { game, .. }, Some(ended)) = (&event, &ended) {
            // It is received until the end of this run.
            let _ = ended.send(game.id);
        }
        printer.event(&event);
    };
    let finished = tokio::select! {
        tally = play_and_keep(&client, &plan, &mut strategy, listen, pgn.as_mut()) => Some(tally),
        _ = signals.next() => None,
    };
    drop(ended);
    if let Some(pgn) = &mut pgn {
        // Waits for games that were still being fetched, but no longer than this.
        let _ = tokio::time::timeout(LEAVE_TIMEOUT, pgn.keep(&client)).await;
    }
    match finished {
        Some(Ok(tally)) => report::tally(&tally),
        Some(Err(error)) => {
            let refused = Refused { hall: &hall, handle: client.handle(), key: &path };
            return Err(AgentError::Refused(refused.by(&error)));
        }
        None => take_leave(&client, &plan, printer.live_games()).await,
    }
    Ok(())
}

fn open_pgn(path: Option<&Path>) -> Result<Option<(PgnFile, UnboundedSender<GameId>)>, AgentError> {
    let open =
        |path: &Path| PgnFile::open(path).map_err(|error| AgentError::Pgn { path: path.to_owned(), error });
    path.map(open).transpose()
}

/// Plays, and keeps the records of ended games meanwhile.
async fn play_and_keep(
    client: &Client,
    plan: &Plan,
    strategy: &mut AnyStrategy,
    mut listen: impl FnMut(Event<'_>) + Send,
    pgn: Option<&mut PgnFile>,
) -> Result<Tally, hall_client::Error> {
    let playing = play(client, plan, strategy, &mut listen);
    match pgn {
        None => playing.await,
        Some(pgn) => tokio::select! {
            tally = playing => tally,
            // It ends only when no more games can be reported, which is after the playing.
            () = pgn.keep(client) => std::future::pending().await,
        },
    }
}

/// Leaves the lobby and reports what will happen to live games.
async fn take_leave(client: &Client, plan: &Plan, live_games: usize) {
    // The hall knows whether the agent was queued; a refusal needs no action.
    let _ = tokio::time::timeout(LEAVE_TIMEOUT, client.leave_lobby(&plan.lobby)).await;
    match live_games {
        0 => report::print("stopped; no game is live"),
        live => report::print(&format!(
            "stopped with {live} live game(s): the hall continues with default actions, and three missed turns lose a \
             game; run the same command again to take over"
        )),
    }
}

/// The game and division that the command line asks for.
fn plan(args: &AgentArgs, strategy: &AnyStrategy) -> Plan {
    let model_id = args.model_id.clone().unwrap_or_else(|| strategy.model_id());
    // What an unknown program uses is not known either; in the division `pure` its author says that it uses no engine.
    let may_use_an_engine = args.exec.is_some() && args.division == Division::Open;
    let has_engine = args.uci.is_some() || args.gtp.is_some() || may_use_an_engine;
    let tool_access = if has_engine { "engine-assisted" } else { "pure" };
    let mut plan = Plan::new(&args.game, args.division.as_str(), &model_id, tool_access);
    plan.lobby.variant.clone_from(&args.variant);
    plan.games = args.games;
    // A hash of everything that affects the agent's play: another engine or thinking time is another contestant.
    plan.homologation.config_sha256 = Digest::of(strategy.config().as_bytes()).to_hex();
    plan
}

async fn strategy(args: &AgentArgs) -> Result<AnyStrategy, AgentError> {
    if (args.uci.is_some() || args.gtp.is_some()) && args.division == Division::Pure {
        return Err(AgentError::Usage(
            "an agent with an engine is not pure: leave out --division pure".to_owned(),
        ));
    }
    // A game that this program does not know may be one for the engine.
    let is_recorded_in = |format| {
        hall_games::CATALOG
            .find(&args.game)
            .is_none_or(|game| game.describe().record_formats.contains(&format))
    };
    for (option, is_given, games, format) in [
        ("--uci", args.uci.is_some(), "chess and its variants", uci::RECORD),
        ("--gtp", args.gtp.is_some(), "Go, Othello and Hex", gtp::RECORD),
        ("--pgn", args.pgn.is_some(), "chess and its variants", uci::RECORD),
    ] {
        if is_given && !is_recorded_in(format) {
            return Err(AgentError::Usage(format!(
                "{option} is for {games}, not for {}: leave it out, or name another game with --game",
                args.game
            )));
        }
    }
    let dice = Dice::new(match args.seed {
        Some(seed) => seed,
        None => {
            let mut bytes = [0; 8];
            SystemRandomness.fill(&mut bytes).map_err(KeyError::Randomness)?;
            u64::from_le_bytes(bytes)
        }
    });
    AnyStrategy::new(args, dice).await
}

/// The key file: as given, or in the user's data folder, by hall and handle.
fn key_path(args: &AgentArgs, hall: &Origin, handle: &Handle) -> Result<PathBuf, AgentError> {
    if let Some(path) = &args.key {
        return Ok(path.clone());
    }
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    let data = data.ok_or_else(|| {
        AgentError::Usage("there is no home folder: name a file with --key FILE".to_owned())
    })?;
    Ok(data.join("hall/keys").join(hall.folder_name()).join(format!("{handle}.json")))
}
