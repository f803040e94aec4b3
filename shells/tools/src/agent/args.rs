//! The command line of `hall agent`.

use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// Play at a hall as an agent: register or resume, join the lobby, play.
///
/// The first run makes a key and registers the handle; later runs find both and continue, live games included. Anyone
/// who has the key file can act as the agent, so keep it safe; it works only at this hall.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("chooses").args(["strategy", "uci", "gtp", "exec"]))]
#[command(after_help = "Examples:
  hall agent --handle ada                                   a random player at http://127.0.0.1:8080
  hall agent --handle bob --strategy greedy --games 10      takes what it can get, ten times
  hall agent --handle eve --game go --variant 19x19 --strategy search
  hall agent --handle fish --uci stockfish --movetime-ms 500
  hall agent --handle fishling --uci stockfish --uci-option 'Skill Level=3'
  hall agent --handle boom --game crazyhouse --uci fairy-stockfish --uci-option UCI_Variant=crazyhouse
  hall agent --handle shuffle --game chess960 --uci stockfish --uci-option UCI_Chess960=true
  hall agent --handle stone --game go --gtp 'gnugo --mode gtp --chinese-rules --allow-suicide --positional-superko'
  hall agent --handle own --game backgammon --exec 'python3 my_player.py'
  hall agent --handle ada --hall https://hall.example       another hall, with its own key
  hall agent --handle ada --games 10 --quiet --pgn ada.pgn  only the results, and the games in a file

A program that --uci, --gtp or --exec names is started once and asked at every turn. One that ends is started again; if it
says nothing until 3.5 seconds before the deadline, or names no legal move, the agent reports it on standard error and chooses
greedily in that turn.

Agents with one operator token are never paired with each other; every key made here has its own token,
unless --operator-token-file names one.")]
pub struct AgentArgs {
    /// The address of the hall
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) hall: String,
    /// The agent's unique name: 3 to 32 of a-z, 0-9, '_' and '-'
    #[arg(long)]
    pub(crate) handle: String,
    /// The key file, made if there is none [default: hall/keys/HOST_PORT/HANDLE.json in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Take the operator token from the first line of this file, to register with: agents with one token have one
    /// operator [default: a new token for every key]
    #[arg(long, value_name = "FILE")]
    pub(crate) operator_token_file: Option<PathBuf>,
    /// The game, as the hall's catalog calls it
    #[arg(long, value_name = "ID", default_value = first_game(), long_help = game_help())]
    pub(crate) game: String,
    /// The variant of the game, as the hall's catalog calls it
    #[arg(long, value_name = "ID", default_value = hall_games::STANDARD)]
    pub(crate) variant: String,
    /// The division: `pure` is for agents without an engine, `open` for all
    #[arg(long, value_enum, default_value_t = Division::Open)]
    pub(crate) division: Division,
    /// What the agent says it runs on, at most 128 characters [default: the strategy or the engine]
    #[arg(long, value_name = "TEXT")]
    pub(crate) model_id: Option<String>,
    /// Stop after this many ended games [default: never]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) games: Option<u64>,
    /// How to choose moves
    #[arg(long, value_enum, default_value_t = StrategyName::Random)]
    pub(crate) strategy: StrategyName,
    /// Ask this UCI engine, for chess and its variants; a program and its arguments, separated by spaces
    #[arg(long, value_name = "COMMAND")]
    pub(crate) uci: Option<String>,
    /// An option to set in the engine, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "uci")]
    pub(crate) uci_option: Vec<String>,
    /// Ask this GTP engine, for Go, Othello or Hex; a program and its arguments, separated by spaces
    #[arg(long, value_name = "COMMAND")]
    pub(crate) gtp: Option<String>,
    /// Ask this program, for any game: it reads the view as a line of JSON at each turn, and writes {"index": N} or
    /// {"move": "NOTATION"} as another
    #[arg(long, value_name = "COMMAND")]
    pub(crate) exec: Option<String>,
    /// How long the engine thinks about a move, in milliseconds; a UCI engine less when the deadline is near
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) movetime_ms: u64,
    /// Makes random choices repeatable: the same seed, game and turn give the same choice
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Append the PGN of each ended game to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) pgn: Option<PathBuf>,
    /// Print only results and errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// The game that is played unless another is asked for: the first of the catalog.
pub(crate) fn first_game() -> &'static str {
    hall_games::CATALOG.iter().next().map_or("", |game| game.describe().id)
}

/// What is said of `--game`. A hall may have other games than this program knows.
fn game_help() -> String {
    let known: Vec<&str> = hall_games::CATALOG.iter().map(|game| game.describe().id).collect();
    format!("The game, as the hall's catalog calls it. This program knows {}", known.join(", "))
}

/// A division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Division {
    /// For agents without an engine.
    Pure,
    /// For all.
    Open,
}

/// A built-in strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// Any legal move.
    Random,
    /// Looks one move ahead: wins if it can, else takes what is worth most; counts cards and dice.
    Greedy,
    /// Looks several moves ahead; plays an equilibrium in Leduc hold'em and Kuhn poker.
    Search,
}

impl Division {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Open => "open",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        agent: AgentArgs,
    }

    fn parse(line: &str) -> Result<AgentArgs, clap::Error> {
        Program::try_parse_from(line.split(' ')).map(|program| program.agent)
    }

    #[test]
    fn only_the_handle_is_required() {
        let args = parse("hall --handle ada").unwrap();
        assert_eq!((args.hall.as_str(), args.division), ("http://127.0.0.1:8080", Division::Open));
        assert_eq!((args.strategy, args.games, args.uci), (StrategyName::Random, None, None));
    }

    #[test]
    fn the_help_names_every_game_that_the_program_knows() {
        use clap::CommandFactory as _;
        let help = Program::command().render_long_help().to_string();
        for game in hall_games::CATALOG.iter() {
            let id = game.describe().id;
            assert!(help.contains(&format!(" {id},")) || help.contains(&format!(" {id}\n")), "{id}: {help}");
        }
    }

    #[test]
    fn contradictory_arguments_are_refused() {
        for line in [
            "hall",
            "hall --handle ada --strategy greedy --uci stockfish",
            "hall --handle ada --exec cat --uci stockfish",
            "hall --handle ada --exec cat --gtp gnugo",
            "hall --handle ada --exec cat --strategy random",
            "hall --handle ada --uci-option Threads=1",
            "hall --handle ada --games 0",
            "hall --handle ada --movetime-ms 0",
            "hall --handle ada --division closed",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
