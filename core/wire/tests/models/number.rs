//! Numbers of 256 bits modulo another, bit by bit: slow and plain.

/// A number: its upper and its lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number(u128, u128);

/// The prime of the field, 2^255 - 19.
pub(crate) const P: Number = Number(u128::MAX >> 1, u128::MAX - 18);

/// The order of the group, 2^252 + 27742317777372353535851937790883648493.
pub(crate) const L: Number = Number(1 << 124, 27_742_317_777_372_353_535_851_937_790_883_648_493);

pub(crate) const ONE: Number = Number(0, 1);
const ZERO: Number = Number(0, 0);

impl Number {
    /// Reads 32 bytes, the lowest first.
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Self {
        let half = |part: &[u8]| part.iter().rev().fold(0, |sum, byte| (sum << 8) | u128::from(*byte));
        let (low, high) = bytes.split_at(16);
        Self(half(high), half(low))
    }

    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let all = self.1.to_le_bytes().into_iter().chain(self.0.to_le_bytes());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }

    /// The sum, which must be below 2^256.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (low, carried) = self.1.overflowing_add(other.1);
        Self(self.0.wrapping_add(other.0).wrapping_add(u128::from(carried)), low)
    }

    /// The difference, which must not be negative.
    pub(crate) fn minus(self, other: Self) -> Self {
        let (low, borrowed) = self.1.overflowing_sub(other.1);
        Self(self.0.wrapping_sub(other.0).wrapping_sub(u128::from(borrowed)), low)
    }

    /// The sum of two numbers below `modulus`, which is below 2^255.
    pub(crate) fn add(self, other: Self, modulus: Self) -> Self {
        let sum = self.plus(other);
        if sum >= modulus { sum.minus(modulus) } else { sum }
    }

    /// The product with a number below `modulus`.
    pub(crate) fn times(self, other: Self, modulus: Self) -> Self {
        self.bits().fold(ZERO, |sum, bit| {
            let twice = sum.add(sum, modulus);
            if bit { twice.add(other, modulus) } else { twice }
        })
    }

    /// This to the power of `exponent`.
    pub(crate) fn power(self, exponent: Self, modulus: Self) -> Self {
        exponent.bits().fold(ONE, |product, bit| {
            let square = product.times(product, modulus);
            if bit { square.times(self, modulus) } else { square }
        })
    }

    /// What bytes, the lowest first, leave when divided by `modulus`.
    pub(crate) fn reduced(bytes: &[u8], modulus: Self) -> Self {
        bytes.iter().rev().flat_map(|byte| (0..8).rev().map(move |place| byte >> place & 1)).fold(
            ZERO,
            |sum, bit| {
                let twice = sum.add(sum, modulus);
                if bit == 1 { twice.add(ONE, modulus) } else { twice }
            },
        )
    }

    /// Whether it is the square of something modulo [`P`].
    pub(crate) fn is_square(self) -> bool {
        // (p - 1) / 2
        let half = Self(u128::MAX >> 2, u128::MAX - 9);
        self == ZERO || self.power(half, P) == ONE
    }

    /// Every bit, the highest first.
    fn bits(self) -> impl Iterator<Item = bool> {
        let of = |half: u128| (0..128).rev().map(move |place| half >> place & 1 == 1);
        of(self.0).chain(of(self.1))
    }
}

#[test]
fn arithmetic_on_small_numbers_gives_known_results() {
    let small = |number| Number(0, number);
    assert_eq!(small(7).times(small(9), small(10)), small(3));
    assert_eq!(small(3).power(small(4), small(100)), small(81));
    assert_eq!(Number::reduced(&[1, 1], small(10)), small(7));
    assert_eq!(P.minus(ONE).times(P.minus(ONE), P), ONE);
    assert!(small(4).is_square() && !small(2).is_square());
    assert_eq!(Number::from_bytes(&L.to_bytes()), L);
}
