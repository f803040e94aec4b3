//! The strategies that the command line knows.

use super::AgentError;
use super::args::{AgentArgs, StrategyName};
use super::dice::Dice;
use super::uci::{Engine, EngineSettings};
use super::{board, chess, goofspiel, leduc, liars_dice, report};
use hall_client::answer::{LegalMove, View};
use hall_client::play::Turn;
use hall_client::{Choice, Strategy};
use std::time::{Duration, Instant};

/// How many moves a search makes in all its trials: about a second at the largest board, far less at others.
pub(super) const SEARCHED_MOVES: u32 = 20_000;
/// The longest that a search takes on a slow machine.
const LONGEST_SEARCH: Duration = Duration::from_secs(5);

/// How moves are chosen.
#[derive(Debug)]
pub struct AnyStrategy(Kind);

#[derive(Debug)]
enum Kind {
    /// Any legal move.
    Random(Dice),
    /// One move ahead.
    Greedy(Dice),
    /// Several moves ahead.
    Search(Dice),
    /// A UCI engine, with a greedy choice where it fails.
    Engine(Box<Engine>, Dice),
}

impl AnyStrategy {
    /// Makes the strategy that the command line names; an engine is started to see that it works.
    pub(super) async fn new(args: &AgentArgs, dice: Dice) -> Result<Self, AgentError> {
        let Some(command) = &args.uci else {
            return Ok(Self(match args.strategy {
                StrategyName::Random => Kind::Random(dice),
                StrategyName::Greedy => Kind::Greedy(dice),
                StrategyName::Search => Kind::Search(dice),
            }));
        };
        let settings = EngineSettings {
            command: command.clone(),
            options: args.uci_option.clone(),
            movetime: Duration::from_millis(args.movetime_ms),
        };
        let engine = Engine::start(settings)
            .await
            .map_err(|error| AgentError::Engine { command: command.clone(), reason: error.to_string() })?;
        Ok(Self(Kind::Engine(Box::new(engine), dice)))
    }

    /// What the agent says it runs on, unless told otherwise.
    #[must_use]
    pub fn model_id(&self) -> String {
        match &self.0 {
            Kind::Random(_) => "hall-agent random".to_owned(),
            Kind::Greedy(_) => "hall-agent greedy".to_owned(),
            Kind::Search(_) => "hall-agent search".to_owned(),
            Kind::Engine(engine, _) => {
                let name = engine.name().chars().filter(|letter| !letter.is_control());
                format!("hall-agent {}", name.take(100).collect::<String>())
            }
        }
    }

    /// Everything that affects its play, in one line.
    #[must_use]
    pub fn config(&self) -> String {
        match &self.0 {
            Kind::Random(_) => "random".to_owned(),
            Kind::Greedy(_) => "greedy".to_owned(),
            Kind::Search(_) => "search".to_owned(),
            Kind::Engine(engine, _) => engine.settings().describe(),
        }
    }
}

impl Strategy for AnyStrategy {
    async fn choose(&mut self, turn: &Turn<'_>) -> Choice {
        let chosen: Option<&LegalMove> = match &mut self.0 {
            Kind::Random(dice) => dice.any(turn.view),
            Kind::Greedy(dice) => greedy(turn.view, *dice),
            Kind::Search(dice) => return searched(turn, *dice).await,
            Kind::Engine(engine, dice) => match engine.choose(turn).await {
                Ok(chosen) => Some(chosen),
                Err(error) => {
                    report::print(&format!("the engine gave no move ({error}); choosing greedily"));
                    greedy(turn.view, *dice)
                }
            },
        };
        played_of(chosen)
    }
}

/// Without a legal move there is no turn; the client replaces what is not legal.
fn played_of(chosen: Option<&LegalMove>) -> Choice {
    chosen.map_or(Choice::index(0), |legal| Choice::play(legal.notation.as_str()))
}

/// Searches on a blocking thread.
async fn searched(turn: &Turn<'_>, dice: Dice) -> Choice {
    let view = turn.view.clone();
    let time = turn.time_left.map_or(LONGEST_SEARCH, |left| LONGEST_SEARCH.min(left / 2));
    let bounds = board::Bounds { moves: SEARCHED_MOVES, until: Instant::now().checked_add(time) };
    let searching = tokio::task::spawn_blocking(move || played_of(search(&view, dice, bounds)));
    match searching.await {
        Ok(choice) => choice,
        Err(_) => played_of(dice.any(turn.view)),
    }
}

/// The game of a view, as its rules card names it.
pub(super) fn game_of(view: &View) -> &str {
    view.rules_card.get("game").and_then(|word| word.as_str()).unwrap_or_default()
}

/// A quick choice by the strategy that knows the game of the view.
pub(super) fn greedy(view: &View, dice: Dice) -> Option<&LegalMove> {
    match game_of(view) {
        "chess" => chess::greedy(view, dice),
        "leduc_poker" => leduc::greedy(view, dice),
        "liars_dice" => liars_dice::choose(view, dice),
        "goofspiel" => goofspiel::choose(view, dice),
        _ => board::greedy(view, dice),
    }
}

/// The strongest choice for the game of the view. In liar's dice and goofspiel it is the quick one.
pub(super) fn search(view: &View, dice: Dice, bounds: board::Bounds) -> Option<&LegalMove> {
    match game_of(view) {
        "chess" => chess::search(view, dice),
        "leduc_poker" => leduc::search(view, dice),
        "liars_dice" => liars_dice::choose(view, dice),
        "goofspiel" => goofspiel::choose(view, dice),
        _ => board::search(view, dice, bounds),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use hall_client::answer::View;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn a_random_choice_is_legal_and_repeatable() {
        let view = view("", &["a", "b", "c", "d"]);
        let turn = Turn { view: &view, time_left: None };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..64 {
            let first = AnyStrategy(Kind::Random(Dice::new(seed))).choose(&turn).await;
            assert_eq!(first, AnyStrategy(Kind::Random(Dice::new(seed))).choose(&turn).await);
            seen.insert(format!("{:?}", first.action));
        }
        assert_eq!(seen.len(), 4);
    }

    /// A view of a position with these legal moves.
    pub(in crate::agent) fn view(state: &str, moves: &[&str]) -> View {
        let legal: Vec<Value> = moves
            .iter()
            .enumerate()
            .map(|(index, notation)| json!({ "index": index, "move": notation, "notation": notation, "summary": "" }))
            .collect();
        serde_json::from_value(json!({
            "game_id": "g_00000000000000000000000000", "you": { "player": "p0", "seat": 0 }, "to_move": ["p0"],
            "turn_index": 0, "state_string": state, "legal_moves": legal,
        }))
        .unwrap()
    }
}
