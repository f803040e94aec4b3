//! The checks, each of some claims. They run over one typed document and share what they find out about the game
//! through a [`Playthrough`].

mod bodies;
mod events;
mod fairness;
mod log;
mod pgn;
mod playthrough;
mod seats;
mod times;
mod turns;

use super::document::Replay;
use super::report::{ClaimId, Ledger};
use super::rules::Rules;
use super::trust::{RoundCache, Trust};
use bodies::Bodies;
use hall_games::CATALOG;
use hall_wire::json::{NumberProblem, Value};
use playthrough::Playthrough;

const VERSION: &str = "svc.replay.v1";

/// The form of the document, beyond what its typed form already says.
pub(super) fn document(
    replay: &Replay<'_>,
    numbers: &[NumberProblem],
    unknown: &[String],
    ledger: &mut Ledger,
) {
    if replay.version != VERSION {
        ledger.fail(ClaimId::Document, format!("its version is {:?}, not {VERSION}", replay.version));
    }
    if let Some(number) = numbers.first() {
        ledger.fail(ClaimId::Document, format!("{} is not a plain integer", number.field));
    }
    let division = replay.value.get("division").and_then(Value::as_str);
    if !matches!(division, Some("pure" | "open")) {
        ledger.fail(ClaimId::Document, "division is neither pure nor open");
    }
    let version = replay.ruleset.strip_prefix(replay.game).and_then(|rest| rest.strip_prefix('/'));
    if version.is_none_or(|number| number.parse::<u32>().is_err()) {
        let reason = format!("ruleset_version {:?} is no version of {:?}", replay.ruleset, replay.game);
        ledger.fail(ClaimId::Document, reason);
    }
    if let Some(game) = CATALOG.find(replay.game) {
        let variants: Vec<&str> = game.describe().variant_ids().collect();
        let variant = replay.value.get("variant").and_then(Value::as_str);
        if !variant.is_some_and(|variant| variants.contains(&variant)) {
            let reason = format!("{} has no variant but {}", replay.game, variants.join(", "));
            ledger.fail(ClaimId::Document, reason);
        }
    }
    if replay.moves.is_empty() {
        ledger.fail(ClaimId::Document, "it has no turns, but an ended game has at least one");
    }
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().take(5).map(String::as_str).collect();
        let more = if unknown.len() > names.len() { ", …" } else { "" };
        ledger.leave(
            ClaimId::Additions,
            format!("nothing is known here of {}{more}; what they say was not checked", names.join(", ")),
        );
    }
}

/// Every check.
pub(super) fn all(replay: &Replay<'_>, trust: &Trust, rounds: &mut RoundCache, ledger: &mut Ledger) {
    let rules = Rules::of(replay);
    if let Some(rules) = rules {
        ledger.settle(ClaimId::Document, parts(replay, rules));
    }
    seats::check(replay, rules, ledger);
    let bodies = Bodies::check(replay, ledger);
    let cosigned = log::check(replay, trust, ledger);
    fairness::check(replay, trust, rounds, cosigned, ledger);
    let Some((rules, position)) = rules.and_then(|rules| Some((rules, rules.open(replay)?))) else {
        return turns::check_unknown_game(replay, ledger);
    };
    let playthrough = Playthrough::of(replay, rules, position, &bodies, ledger);
    events::check(replay, &playthrough, &bodies, ledger);
    times::check(replay, &playthrough, ledger);
    pgn::check(replay, rules, &playthrough, ledger);
    if playthrough.end.is_ok() && *replay.hidden != playthrough.hidden {
        let reason = if playthrough.hidden.is_null() {
            format!("something is shown as hidden, but {} hides nothing", replay.game)
        } else {
            "what is shown as hidden is not what the game hid".to_owned()
        };
        ledger.fail(ClaimId::Hidden, reason);
    }
}

/// The parts that only some games have.
fn parts(replay: &Replay<'_>, rules: Rules) -> Result<(), String> {
    let parts = [
        ("chance", replay.chance.is_some(), rules.has_chance()),
        ("unresolved", replay.unresolved.is_some(), rules.shares_turns()),
    ];
    let wrong = parts.into_iter().find(|(_, is_there, belongs)| is_there != belongs);
    wrong.map_or(Ok(()), |(name, is_there, _)| {
        let game = replay.game;
        Err(if is_there {
            format!("{name} is no part of {game}")
        } else {
            format!("{name} is missing in {game}")
        })
    })
}

/// A difference in the usual words.
fn same<T: PartialEq + core::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found:?}, but must be {expected:?}")) }
}
