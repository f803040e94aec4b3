//! The strategies that the command line knows.

use super::AgentError;
use super::args::{AgentArgs, StrategyName};
use super::dice::Dice;
use super::exec::Exec;
use super::gtp::{Gtp, Wish};
use super::process::ProgramError;
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
    Uci(Box<Engine>, Dice),
    /// A GTP engine, with a greedy choice where it fails.
    Gtp(Box<Gtp>, Dice),
    /// A program that reads views, with a greedy choice where it fails.
    Exec(Box<Exec>, Dice),
}

impl AnyStrategy {
    /// Makes the strategy that the command line names; a program is started to see that it works.
    pub(super) async fn new(args: &AgentArgs, dice: Dice) -> Result<Self, AgentError> {
        let movetime = Duration::from_millis(args.movetime_ms);
        if let Some(command) = &args.uci {
            let settings =
                EngineSettings { command: command.clone(), options: args.uci_option.clone(), movetime };
            let engine = Engine::start(settings).await.map_err(|error| does_not_work(command, &error))?;
            return Ok(Self(Kind::Uci(Box::new(engine), dice)));
        }
        if let Some(command) = &args.gtp {
            let engine =
                Gtp::start(command, movetime).await.map_err(|error| does_not_work(command, &error))?;
            return Ok(Self(Kind::Gtp(Box::new(engine), dice)));
        }
        if let Some(command) = &args.exec {
            let program = Exec::start(command).map_err(|error| does_not_work(command, &error))?;
            return Ok(Self(Kind::Exec(Box::new(program), dice)));
        }
        Ok(Self(match args.strategy {
            StrategyName::Random => Kind::Random(dice),
            StrategyName::Greedy => Kind::Greedy(dice),
            StrategyName::Search => Kind::Search(dice),
        }))
    }

    /// What the agent says it runs on, unless told otherwise.
    #[must_use]
    pub fn model_id(&self) -> String {
        match &self.0 {
            Kind::Random(_) => "hall-agent random".to_owned(),
            Kind::Greedy(_) => "hall-agent greedy".to_owned(),
            Kind::Search(_) => "hall-agent search".to_owned(),
            Kind::Uci(engine, _) => named(engine.name()),
            Kind::Gtp(engine, _) => named(engine.name()),
            Kind::Exec(program, _) => named(program.command()),
        }
    }

    /// Everything that affects its play, in one line.
    #[must_use]
    pub fn config(&self) -> String {
        match &self.0 {
            Kind::Random(_) => "random".to_owned(),
            Kind::Greedy(_) => "greedy".to_owned(),
            Kind::Search(_) => "search".to_owned(),
            Kind::Uci(engine, _) => engine.settings().describe(),
            Kind::Gtp(engine, _) => engine.describe(),
            Kind::Exec(program, _) => format!("exec {}", program.command()),
        }
    }
}

impl Strategy for AnyStrategy {
    async fn choose(&mut self, turn: &Turn<'_>) -> Choice {
        let chosen: Option<&LegalMove> = match &mut self.0 {
            Kind::Random(dice) => dice.any(turn.view),
            Kind::Greedy(dice) => greedy(turn.view, *dice),
            Kind::Search(dice) => return searched(turn, *dice).await,
            Kind::Uci(engine, dice) => told_of(engine.choose(turn).await, turn, *dice),
            Kind::Gtp(engine, dice) => match engine.choose(turn).await {
                Ok(Wish::Resign) => return Choice::resign(),
                Ok(Wish::Play(legal)) => Some(legal),
                Err(error) => told_of(Err(error), turn, *dice),
            },
            Kind::Exec(program, dice) => told_of(program.choose(turn).await, turn, *dice),
        };
        played_of(chosen)
    }
}

fn does_not_work(command: &str, error: &ProgramError) -> AgentError {
    AgentError::Program { command: command.to_owned(), reason: error.to_string() }
}

/// What an agent says it runs on that asks a program of this name.
fn named(name: &str) -> String {
    let name = name.chars().filter(|letter| !letter.is_control());
    format!("hall-agent {}", name.take(100).collect::<String>())
}

/// The move of a program, or, where it failed, a quick choice and a report.
fn told_of<'a>(
    answer: Result<&'a LegalMove, ProgramError>,
    turn: &Turn<'a>,
    dice: Dice,
) -> Option<&'a LegalMove> {
    match answer {
        Ok(legal) => Some(legal),
        Err(error) => {
            let Turn { view, .. } = turn;
            report::trouble(&format!(
                "{} turn {}: the program gave no move ({error}); choosing greedily",
                view.game_id, view.turn_index
            ));
            greedy(view, dice)
        }
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

/// A quick choice by the strategy that knows the game of the view.
pub(super) fn greedy(view: &View, dice: Dice) -> Option<&LegalMove> {
    match board::game_id(view) {
        "chess" => chess::greedy(view, dice),
        "leduc_poker" => leduc::greedy(view, dice),
        "liars_dice" => liars_dice::choose(view, dice),
        "goofspiel" => goofspiel::choose(view, dice),
        _ => board::greedy(view, dice),
    }
}

/// The strongest choice for the game of the view. In liar's dice and goofspiel it is the quick one.
pub(super) fn search(view: &View, dice: Dice, bounds: board::Bounds) -> Option<&LegalMove> {
    match board::game_id(view) {
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
