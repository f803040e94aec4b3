//! Agents that run in the same process as their hall: those of `hall demo` and those of the house. They too speak to
//! it only over HTTP.

use super::args::{AgentArgs, Division, StrategyName, first_game};
use super::strategy::AnyStrategy;
use super::{AgentError, plan, strategy};
use hall_client::play::{Turn, play};
use hall_client::wire::Handle;
use hall_client::{Choice, Client, Key, Origin, Strategy, SystemRandomness};
use hall_games::STANDARD;
use std::time::Duration;

/// How an agent of the house plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Style {
    /// Any legal move.
    Random,
    /// Looks one move ahead: wins if it can, else takes what is worth most; counts cards and dice where there are any.
    Greedy,
    /// Looks several moves ahead; in Leduc hold'em and Kuhn poker plays an equilibrium.
    Search,
    /// A UCI engine for chess and its variants, with options as `NAME=VALUE`; where it gives no move, the greedy choice.
    Engine {
        /// The program and its arguments, separated by spaces.
        command: String,
        /// Options to set in it.
        options: Vec<String>,
    },
}

/// The strategy of a style.
///
/// # Errors
/// An engine does not start.
pub async fn house_strategy(hall: &Origin, style: Style) -> Result<AnyStrategy, AgentError> {
    strategy(&args(hall, "house", style)).await
}

/// What is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The id of the game.
    pub game: String,
    /// Its variant.
    pub variant: String,
}

/// Plays at `table` until the future is dropped, under a key that is not stored, pausing before each move so that people
/// can follow.
///
/// # Errors
/// Playing is impossible; the error says why.
pub async fn play_in_house(
    hall: &Origin,
    handle: &str,
    table: Table,
    style: Style,
    pause: Duration,
) -> Result<(), AgentError> {
    let parsed =
        Handle::parse(handle).ok_or_else(|| AgentError::Usage(format!("{handle:?} is not a handle")))?;
    let args = AgentArgs { game: table.game, variant: table.variant, ..args(hall, handle, style) };
    let mut paced = Paced { inner: strategy(&args).await?, pause };
    let client = Client::new(parsed, Key::generate(hall, &SystemRandomness)?)?;
    let plan = plan(&args, &paced.inner);
    play(&client, &plan, &mut paced, &mut |event| tracing::debug!(handle, %event, "agent of the house"))
        .await?;
    Ok(())
}

fn args(hall: &Origin, handle: &str, style: Style) -> AgentArgs {
    let (strategy, uci, uci_option) = match style {
        Style::Random => (StrategyName::Random, None, Vec::new()),
        Style::Greedy => (StrategyName::Greedy, None, Vec::new()),
        Style::Search => (StrategyName::Search, None, Vec::new()),
        Style::Engine { command, options } => (StrategyName::Greedy, Some(command), options),
    };
    AgentArgs {
        hall: hall.to_string(),
        handle: handle.to_owned(),
        key: None,
        game: first_game().to_owned(),
        variant: STANDARD.to_owned(),
        division: Division::Open,
        model_id: None,
        games: None,
        strategy,
        uci,
        uci_option,
        gtp: None,
        exec: None,
        movetime_ms: 50,
        seed: None,
        operator_token_file: None,
        pgn: None,
        quiet: false,
    }
}

/// A strategy that pauses before each move.
struct Paced {
    inner: AnyStrategy,
    pause: Duration,
}

impl Strategy for Paced {
    async fn choose(&mut self, turn: &Turn<'_>) -> Choice {
        tokio::time::sleep(self.pause).await;
        self.inner.choose(turn).await
    }
}
