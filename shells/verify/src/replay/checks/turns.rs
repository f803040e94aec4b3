//! What can be checked of a game whose rules are not known here.

use super::{events, same};
use crate::replay::document::{Replay, RollText};
use crate::replay::report::{ClaimId, Ledger};
use hall_wire::json::Value;
use hall_wire::roll::{roll_x, value_below};
use std::collections::BTreeMap;

/// Numbers and events of the turns, and the random numbers as far as their bounds are listed.
pub(super) fn check_unknown_game(replay: &Replay<'_>, ledger: &mut Ledger) {
    let why = format!("the rules of {} ({}) are not known here", replay.game, replay.ruleset);
    for claim in [
        ClaimId::Legality,
        ClaimId::Forced,
        ClaimId::DrawOffers,
        ClaimId::StateHashes,
        ClaimId::Result,
        ClaimId::Times,
        ClaimId::Clocks,
        ClaimId::Hidden,
        ClaimId::Pgn,
    ] {
        ledger.leave(claim, why.as_str());
    }
    ledger.say(ClaimId::TurnOrder, "The turns are counted without a gap; whose they were is not known here.");
    ledger.say(
        ClaimId::Rolls,
        "Each random number listed follows from seed, beacon and turn; its use is not known here.",
    );
    ledger.say(
        ClaimId::Events,
        "The spectators' events begin, number, date and end the game as it is, and tell its moves.",
    );
    ledger.settle(ClaimId::TurnOrder, counted(replay));
    for (turn_index, listed) in rolls_of_turns(replay) {
        ledger.settle(ClaimId::Rolls, rolls_hold(replay, turn_index, &listed));
    }
    let told = events::order(replay)
        .and_then(|()| events::first(replay))
        .and_then(|()| events::last(replay))
        .and_then(|()| moves(replay));
    ledger.settle(ClaimId::Events, told);
}

/// A turn that players share has several entries.
fn counted(replay: &Replay<'_>) -> Result<(), String> {
    let mut next = 0;
    for turn in &replay.moves {
        if turn.turn_index.checked_add(1) != Some(next) {
            same("the number of a turn", &turn.turn_index, &next)?;
            next += 1;
        }
    }
    Ok(())
}

/// All rolls by turn: by nature and for players, in the order in which it was counted.
fn rolls_of_turns<'r>(replay: &'r Replay<'_>) -> BTreeMap<u32, Vec<&'r RollText<'r>>> {
    let acts = replay.chance.iter().flatten().map(|act| (act.turn_index, &act.rolls));
    let turns = replay.moves.iter().map(|turn| (turn.turn_index, &turn.rolls));
    let mut by_turn = BTreeMap::<u32, Vec<&RollText<'_>>>::new();
    for (turn_index, rolls) in acts.chain(turns) {
        by_turn.entry(turn_index).or_default().extend(rolls);
    }
    by_turn.values_mut().for_each(|rolls| rolls.sort_by_key(|roll| roll.counter));
    by_turn
}

fn rolls_hold(replay: &Replay<'_>, turn_index: u32, listed: &[&RollText<'_>]) -> Result<(), String> {
    let randomness = replay.beacon.randomness.map_or_else(String::new, |hash| hash.to_hex());
    for (counter, roll) in (0_u32..).zip(listed) {
        let place = format!("random number {counter} of turn {turn_index}");
        if roll.n == 0 {
            return Err(format!("{place} is below zero"));
        }
        let x = roll_x(&replay.game_id, turn_index, counter, &replay.seed, &randomness);
        same(&format!("the counter of {place}"), &roll.counter, &u64::from(counter))?;
        same(&format!("x of {place}"), &roll.x, &format!("{x:016x}").as_str())?;
        same(&format!("the value of {place}"), &roll.value, &value_below(x, roll.n))?;
    }
    Ok(())
}

/// Each turn with a move has one event, which says the same.
fn moves(replay: &Replay<'_>) -> Result<(), String> {
    let mut told = replay.events.iter().filter(|event| event.kind == "move");
    for turn in replay.moves.iter().filter(|turn| turn.notation.is_some()) {
        let event =
            told.next().ok_or_else(|| format!("no event has the move of turn {}", turn.turn_index))?;
        let shared =
            ["turn_index", "player", "notation", "forced", "at", "body_sha256", "state_hash", "clocks_ms"];
        for name in shared {
            let (found, expected) = (event.data.get(name), turn.value.get(name));
            if found != expected {
                let shown =
                    |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
                let (found, expected) = (shown(found), shown(expected));
                return Err(format!(
                    "event {} says {found} of {name}, but the turn says {expected}",
                    event.seq
                ));
            }
        }
    }
    told.next().map_or(Ok(()), |event| Err(format!("event {} has a move of no turn", event.seq)))
}
