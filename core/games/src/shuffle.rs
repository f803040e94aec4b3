//! How nature shuffles.

use crate::Chance;

/// Shuffles `cards` in place: from the last place down to the second, the card there changes places with the one at a
/// rolled place that is not behind it. `None` if a roll is missing; the cards are in no useful order then.
pub(crate) fn shuffle<T>(cards: &mut [T], chance: &mut dyn Chance) -> Option<()> {
    for last in (1..cards.len()).rev() {
        let places = u64::try_from(last).ok()?.checked_add(1)?;
        let place = usize::try_from(chance.below(places)?).ok()?;
        cards.swap(last, place);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Rolls that were written down, each with the bound that it is asked for.
    struct Written(Vec<(u64, u64)>);

    impl Chance for Written {
        fn below(&mut self, n: u64) -> Option<u64> {
            let (bound, roll) = self.0.pop()?;
            assert_eq!(n, bound);
            Some(roll)
        }
    }

    fn shuffled(rolls: &[(u64, u64)]) -> Option<[char; 4]> {
        let mut cards = ['a', 'b', 'c', 'd'];
        let mut chance = Written(rolls.iter().rev().copied().collect());
        shuffle(&mut cards, &mut chance).map(|()| cards)
    }

    #[test]
    fn the_last_card_changes_places_first_and_the_first_card_draws_nothing() {
        assert_eq!(shuffled(&[(4, 3), (3, 2), (2, 1)]), Some(['a', 'b', 'c', 'd']), "each stays");
        assert_eq!(shuffled(&[(4, 0), (3, 0), (2, 0)]), Some(['b', 'c', 'd', 'a']));
        assert_eq!(shuffled(&[(4, 1), (3, 2), (2, 0)]), Some(['d', 'a', 'c', 'b']));
    }

    #[test]
    fn a_shuffle_without_all_of_its_draws_is_none() {
        assert_eq!(shuffled(&[(4, 1), (3, 2)]), None);
        assert_eq!(shuffle::<u8>(&mut [], &mut Written(Vec::new())), Some(()), "nothing needs no roll");
    }
}
