//! The trace hash: one number over everything that a world decided and told: each record of the journal, so each fact;
//! each leaf of the log; each effect, answer and ring.

use std::hash::{Hash, Hasher};

/// A running hash, the same on every machine with 64-bit little-endian words.
///
/// It is not a cryptographic hash: it shows whether two runs were the same, not whether one was forged.
#[derive(Clone, Debug)]
pub struct TraceHasher {
    state: u64,
    count: u64,
}

impl Default for TraceHasher {
    fn default() -> Self {
        Self { state: 0xcbf2_9ce4_8422_2325, count: 0 }
    }
}

impl TraceHasher {
    /// Takes in one item.
    pub fn take(&mut self, item: &impl Hash) {
        self.count += 1;
        item.hash(self);
    }

    /// The hash so far as text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:016x}", self.finish())
    }
}

impl Hasher for TraceHasher {
    fn finish(&self) -> u64 {
        mix(self.state ^ self.count)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        let mut rest = [0; 8];
        rest.iter_mut().zip(chunks.remainder()).for_each(|(to, from)| *to = *from);
        self.write_u64(u64::from_le_bytes(rest) ^ (u64::try_from(bytes.len()).unwrap_or(0) << 56));
    }

    fn write_u64(&mut self, word: u64) {
        self.state = mix(self.state.rotate_left(5) ^ word);
    }
}

/// The finalizer of splitmix64: every bit of the input reaches every bit of the output.
const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_the_items_or_their_order_changes_the_hash() {
        let hash = |items: &[&[u8]]| {
            let mut hasher = TraceHasher::default();
            items.iter().for_each(|item| hasher.take(item));
            hasher.text()
        };
        let plain = hash(&[b"one", b"two"]);
        assert_eq!(plain, hash(&[b"one", b"two"]));
        for other in
            [&[&b"two"[..], b"one"][..], &[b"one"], &[b"onetwo"], &[b"one", b"two", b""], &[b"one", b"twp"]]
        {
            assert_ne!(plain, hash(other), "{other:?}");
        }
    }
}
