//! A game that the code plays for the reader of a guide.

use super::notations;
use crate::{Chance, Position};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use serde_json::json;

/// The rolls of the examples: always the same ones.
#[derive(Default)]
pub(crate) struct ExampleRolls(u64);

impl Chance for ExampleRolls {
    fn below(&mut self, n: u64) -> Option<u64> {
        // A linear congruential generator (the multiplier and the increment are Knuth's MMIX); its upper half is good
        // enough for examples.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33).checked_rem(n)
    }
}

/// How much of a worked example is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every turn.
    Whole,
    /// The turns before this one; the rest of the game is only played.
    Until(usize),
}

/// Plays `position` to its end with the moves that `choose` names (by number of the turn, player and legal moves),
/// and tells each turn as the players see it. `None` if a chosen move is not legal, which tests rule out.
pub(crate) fn play_example(
    mut position: alloc::boxed::Box<dyn Position>,
    extent: Extent,
    choose: &dyn Fn(&dyn Position, usize, Player) -> Option<Notation>,
) -> Option<Value> {
    let mut rolls = ExampleRolls::default();
    let (mut steps, mut turn) = (Vec::new(), 0);
    while position.outcome().is_none() {
        let is_written = extent == Extent::Whole || matches!(extent, Extent::Until(end) if turn < end);
        let step = if position.awaits_nature() {
            let before = position.state_string();
            let act = position.act(&mut rolls).ok()?;
            json!({ "turn_index": turn, "state_string": before, "nature": act.outcome, "nature_complete": act.complete })
        } else {
            let step = turn_of_players(&mut *position, &mut rolls, turn, choose)?;
            turn += 1;
            step
        };
        if is_written {
            steps.push(step);
        }
    }
    let result = position.result_by_the_rules()?;
    Some(json!({
        "steps": steps,
        "turns_played": turn,
        "final": { "state_string": position.state_string(), "result": result, "hidden": position.hidden() },
    }))
}

/// Lets everybody who is to move do so: one turn.
fn turn_of_players(
    position: &mut dyn Position,
    rolls: &mut ExampleRolls,
    turn: usize,
    choose: &dyn Fn(&dyn Position, usize, Player) -> Option<Notation>,
) -> Option<Value> {
    let state = position.state_string();
    let movers: Vec<Player> = position.to_move().iter().collect();
    let (mut moves, mut shown) = (Vec::new(), None);
    for player in &movers {
        let legal = position.legal_moves(*player);
        let notation = choose(position, turn, *player)?;
        let private = position.private(*player);
        shown = position.play(*player, &notation, rolls).ok()?.shown;
        moves.push(json!({
            "player": player,
            "private": private,
            "legal_moves": notations(&legal),
            "index": legal.iter().position(|entry| entry.notation == notation),
            "move": notation,
        }));
    }
    let mut step = Map::new();
    step.insert("turn_index".into(), turn.into());
    step.insert("state_string".into(), state.into());
    step.insert("to_move".into(), json!(movers));
    step.insert("moves".into(), moves.into());
    if let Some(shown) = shown {
        step.insert("shown".into(), shown.into());
    }
    Some(Value::Object(step))
}
