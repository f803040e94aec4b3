//! The checks, each of some claims. They run over one typed document and share what they find out about the game
//! through a [`Story`].

mod bodies;
mod events;
mod fairness;
mod log;
mod pgn;
mod seats;
mod story;
mod times;
mod turns;

use super::document::Replay;
use super::report::{ClaimId, Ledger};
use super::trust::{RoundCache, Trust};
use bodies::Bodies;
use hall_wire::json::{NumberProblem, Value};
use story::Story;

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
    if replay.game == "chess" && replay.value.get("variant").and_then(Value::as_str) != Some("standard") {
        ledger.fail(ClaimId::Document, "chess has no variant but standard");
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
    seats::check(replay, ledger);
    let bodies = Bodies::check(replay, ledger);
    let cosigned = log::check(replay, trust, ledger);
    fairness::check(replay, trust, rounds, cosigned, ledger);
    if replay.is_chess() {
        let story = Story::of(replay, &bodies, ledger);
        events::check(replay, &story, &bodies, ledger);
        times::check(replay, ledger);
        pgn::check(replay, &story, ledger);
        if !replay.hidden.is_null() {
            ledger.fail(ClaimId::Hidden, "something is shown as hidden, but chess hides nothing");
        }
    } else {
        turns::check_unknown_game(replay, ledger);
    }
}

/// A difference in the usual words.
fn same<T: PartialEq + core::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found:?}, but must be {expected:?}")) }
}
