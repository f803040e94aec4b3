//! Guesses which action a text means that is not one of the five words.

use super::rules::Step;
use alloc::vec::Vec;

/// The one of `actions` that `written` means: in capital letters, with something beside it (`bets`, `raise 4`), cut
/// short (`c`), by the letter `k` for a check, or by the word that poker has for the same thing when there is, or is
/// not, a bet to answer. Words for two actions mean neither, but who raises also calls (`call 2 and raise by 2`).
pub(super) fn did_you_mean(actions: impl Iterator<Item = Step>, written: &str) -> Option<Step> {
    let actions: Vec<Step> = actions.collect();
    if actions.iter().any(|action| action.word() == written) {
        return None;
    }
    let lower = written.to_ascii_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    // Actions that are legal together begin with different letters, in every word for them: no second one can fit.
    let mut named = words.filter_map(|word| actions.iter().copied().find(|action| is_called(*action, word)));
    let first = named.next()?;
    named.try_fold(first, both)
}

/// The action that is meant where two are named.
fn both(one: Step, other: Step) -> Option<Step> {
    match (one, other) {
        (Step::Call, Step::Raise) | (Step::Raise, Step::Call) => Some(Step::Raise),
        _ => (one == other).then_some(one),
    }
}

fn is_called(action: Step, word: &str) -> bool {
    let spelling = |name: &str| name.starts_with(word) || word.starts_with(name);
    spelling(action.word())
        || match action {
            Step::Check => word == "k" || word == "x" || spelling("call"),
            Step::Bet => spelling("raise"),
            Step::Raise => spelling("bet"),
            Step::Call | Step::Fold | Step::Board => false,
        }
}
