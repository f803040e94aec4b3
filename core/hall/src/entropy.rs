//! Sources of random bytes: drawn by a shell when deciding, read back when re-deciding.

use alloc::vec::Vec;

/// A source of random bytes.
pub trait Entropy {
    /// Fills `bytes` with random bytes.
    fn fill(&mut self, bytes: &mut [u8]);
}

/// Remembers the bytes that it passes on, for the journal record of the decision.
#[derive(Debug)]
pub struct RecordingEntropy<'a, E: Entropy + ?Sized> {
    source: &'a mut E,
    drawn: Vec<u8>,
}

impl<'a, E: Entropy + ?Sized> RecordingEntropy<'a, E> {
    /// Draws from `source`.
    pub const fn new(source: &'a mut E) -> Self {
        Self { source, drawn: Vec::new() }
    }

    /// Everything drawn, in order.
    #[must_use]
    pub fn into_drawn(self) -> Vec<u8> {
        self.drawn
    }
}

impl<E: Entropy + ?Sized> Entropy for RecordingEntropy<'_, E> {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.source.fill(bytes);
        self.drawn.extend_from_slice(bytes);
    }
}

/// Plays back the bytes that a journal record says were drawn; zeros once they are used up.
#[derive(Clone, Debug)]
pub struct RecordedEntropy {
    left: Vec<u8>,
}

impl RecordedEntropy {
    /// Plays back `drawn`.
    #[must_use]
    pub fn new(mut drawn: Vec<u8>) -> Self {
        drawn.reverse();
        Self { left: drawn }
    }
}

impl Entropy for RecordedEntropy {
    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.left.pop().unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_draws_play_back() {
        struct Counting(u8);
        impl Entropy for Counting {
            fn fill(&mut self, bytes: &mut [u8]) {
                for byte in bytes {
                    self.0 += 1;
                    *byte = self.0;
                }
            }
        }
        let mut source = Counting(0);
        let mut recording = RecordingEntropy::new(&mut source);
        let (mut first, mut second) = ([0; 2], [0; 3]);
        recording.fill(&mut first);
        recording.fill(&mut second);
        let mut recorded = RecordedEntropy::new(recording.into_drawn());
        let (mut again_first, mut again_second) = ([0; 2], [0; 3]);
        recorded.fill(&mut again_first);
        recorded.fill(&mut again_second);
        assert_eq!((first, second), (again_first, again_second));
        assert_eq!(second, [3, 4, 5]);
    }
}
