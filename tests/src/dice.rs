//! Reproducible choices: a seed printed by a failing test gives the same choices again.

/// A small generator of numbers (splitmix64); good enough to pick moments and places.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The generator that begins at `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed from the environment variable `name`, else `fallback`.
    #[must_use]
    pub fn from_environment(name: &str, fallback: u64) -> Self {
        Self(std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(fallback))
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is above zero. Slightly uneven, which does not matter here.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// An index into a list of `length` things.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap();
        usize::try_from(self.below(length)).unwrap()
    }
}
