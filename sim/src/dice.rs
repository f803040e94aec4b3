//! The only source of chance in a world: streams of numbers that follow from its seed.

use hall_core::Entropy;
use hall_wire::{Digest, Span};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

/// A stream of random numbers. Streams with other names are independent, so that a draw more in one place changes
/// nothing elsewhere.
#[derive(Clone, Debug)]
pub struct Dice(Pcg64Mcg);

impl Dice {
    /// The stream of a world's seed with this name and number.
    #[must_use]
    pub fn of(seed: u64, name: &str, number: u64) -> Self {
        let digest =
            Digest::of_parts(&[b"hall-sim", &seed.to_be_bytes(), &number.to_be_bytes(), name.as_bytes()]);
        let mut start = [0; 16];
        start.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
        Self(Pcg64Mcg::from_seed(start))
    }

    /// A number from 0 to `n` - 1; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        let wide = u128::from(self.0.next_u64()) * u128::from(n);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }

    /// A number about `mean`: from a quarter of it to seven quarters.
    pub fn about(&mut self, mean: u64) -> u64 {
        self.between(mean / 4, mean * 7 / 4)
    }

    /// True in `permille` of 1,000 cases.
    pub fn permille(&mut self, permille: u32) -> bool {
        permille > 0 && self.below(1_000) < u64::from(permille)
    }

    /// A span from `least` to `most`, to the millisecond.
    pub fn span(&mut self, least: Span, most: Span) -> Span {
        Span::from_millis(self.between(least.as_millis(), most.as_millis()))
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(from.len()).unwrap_or(u64::MAX);
        from.get(usize::try_from(self.below(count)).unwrap_or(0))
    }

    /// Random bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

impl Entropy for Dice {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_only_on_seed_name_and_number() {
        let first = |seed, name, number| Dice::of(seed, name, number).below(u64::MAX);
        assert_eq!(first(1, "a", 0), first(1, "a", 0));
        let others = [first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)];
        assert!(others.iter().all(|other| *other != first(1, "a", 0)));
    }

    #[test]
    fn numbers_stay_within_their_bounds_and_reach_both() {
        let mut dice = Dice::of(3, "bounds", 0);
        let drawn: Vec<u64> = (0..200).map(|_| dice.between(5, 7)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&5), Some(&7)));
        assert_eq!(dice.below(0), 0);
    }
}
