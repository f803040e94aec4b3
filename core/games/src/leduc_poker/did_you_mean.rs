//! Guesses which action a text means that is not one of the five words.

use super::rules::Step;
use alloc::string::String;

/// The one of `actions` that `written` means: in capital letters, with something behind it (`bets`, `raise 4`), cut
/// short (`c`), by the letter `k` for a check, or by the word that poker has for the same thing when there is, or is
/// not, a bet to answer.
pub(super) fn did_you_mean(actions: impl Iterator<Item = Step>, written: &str) -> Option<Step> {
    let word: String = written
        .trim_start_matches(|letter: char| !letter.is_ascii_alphabetic())
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    // Actions that are legal together begin with different letters, in every word for them: no second one can fit.
    let mut others = actions.filter(|action| action.word() != written);
    others.find(|action| !word.is_empty() && is_called(*action, &word))
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
