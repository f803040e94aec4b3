//! What can be checked of a game whose rules are not known here.

use super::{events, same};
use crate::replay::document::{Replay, Turn};
use crate::replay::report::{ClaimId, Ledger};
use hall_wire::draw::{draw_x, value_below};
use hall_wire::json::Value;

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
        ClaimId::Draws,
        "Each random number listed follows from seed, beacon and turn; its use is not known here.",
    );
    ledger.say(
        ClaimId::Events,
        "The spectators' events begin, number, date and end the game as it is, and tell its moves.",
    );
    for (place, turn) in (0_u32..).zip(&replay.moves) {
        ledger.settle(ClaimId::TurnOrder, same("the number of a turn", &turn.turn_index, &place));
        ledger.settle(ClaimId::Draws, draws(replay, turn));
    }
    let told = events::order(replay)
        .and_then(|()| events::first(replay))
        .and_then(|()| events::last(replay))
        .and_then(|()| moves(replay));
    ledger.settle(ClaimId::Events, told);
}

fn draws(replay: &Replay<'_>, turn: &Turn<'_>) -> Result<(), String> {
    let randomness = replay.beacon.randomness.map_or_else(String::new, |hash| hash.to_hex());
    for (counter, draw) in (0_u32..).zip(&turn.draws) {
        let place = format!("random number {counter} of turn {}", turn.turn_index);
        if draw.n == 0 {
            return Err(format!("{place} is below zero"));
        }
        let x = draw_x(&replay.game_id, turn.turn_index, counter, &replay.seed, &randomness);
        same(&format!("the counter of {place}"), &draw.counter, &u64::from(counter))?;
        same(&format!("x of {place}"), &draw.x, &format!("{x:016x}").as_str())?;
        same(&format!("the value of {place}"), &draw.value, &value_below(x, draw.n))?;
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
