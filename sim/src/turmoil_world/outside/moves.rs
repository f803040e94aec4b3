//! Moves that were answered with 503: the hall says that it takes no writes, so none of them may count.

use std::collections::BTreeMap;

/// The moves that were sent, by their challenges. A copy of a request has the challenge of the first.
#[derive(Debug, Default)]
pub(in super::super) struct SentMoves(BTreeMap<String, SentMove>);

#[derive(Clone, Copy, Debug, Default)]
struct SentMove {
    sent: u64,
    refused: u64,
}

impl SentMoves {
    /// A move has left under this challenge.
    pub(super) fn sent(&mut self, challenge: &str) {
        self.0.entry(challenge.to_owned()).or_default().sent += 1;
    }

    /// One that was sent was answered with 503.
    pub(super) fn refused(&mut self, challenge: &str) {
        self.0.entry(challenge.to_owned()).or_default().refused += 1;
    }

    /// The challenges under which every move was refused. One whose answer was lost may have been made.
    pub(in super::super) fn all_refused(&self) -> impl Iterator<Item = &String> {
        self.0.iter().filter(|(_, count)| count.refused == count.sent).map(|(challenge, _)| challenge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_with_a_lost_answer_is_not_among_those_that_were_refused() {
        let mut moves = SentMoves::default();
        for (challenge, refused) in
            [("once", &[true][..]), ("twice", &[true, true]), ("lost", &[false, true])]
        {
            for refused in refused {
                moves.sent(challenge);
                if *refused {
                    moves.refused(challenge);
                }
            }
        }
        assert_eq!(moves.all_refused().collect::<Vec<_>>(), ["once", "twice"]);
    }
}
