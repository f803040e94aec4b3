//! One simulated file: what is durable, what was written since the last sync, and what is left of that when power
//! fails.

use super::fault::{Pieces, Survival};
use super::pages::{Pages, to_u64, to_usize};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng as _;
use std::collections::BTreeMap;

/// A file as the disk has it.
#[derive(Debug, Default)]
pub(super) struct SimFile {
    durable: Pages,
    /// What readers see, where it is not simply `durable` with `pending` over it.
    cache: Option<Pages>,
    /// Whether `cache` shows bytes that a failed sync dropped: then it stays until power fails.
    dropped: bool,
    pending: Vec<Change>,
    /// The bytes of `pending`, one after another.
    bytes: Vec<u8>,
    /// The length that readers see.
    length: u64,
}

/// Bytes written and not synced.
#[derive(Clone, Copy, Debug)]
struct Change {
    at: u64,
    from: usize,
    len: usize,
}

impl SimFile {
    /// A file with this durable content.
    pub(super) fn of(durable: Pages) -> Self {
        Self { length: durable.length(), durable, ..Self::default() }
    }

    pub(super) const fn durable(&self) -> &Pages {
        &self.durable
    }

    /// The length that readers see.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Bytes that the file takes on the disk: a beginning that was never written does not count.
    pub(super) fn used(&self) -> u64 {
        self.length.saturating_sub(self.durable.first_held())
    }

    /// Changes the file at rest: what was not yet synced is not touched, and is lost.
    pub(super) fn at_rest(&mut self, change: impl FnOnce(&mut Pages)) {
        let mut durable = std::mem::take(&mut self.durable);
        change(&mut durable);
        *self = Self::of(durable);
    }

    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) {
        if let Some(cache) = &mut self.cache {
            cache.write(at, bytes);
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.pending.push(Change { at, from, len: bytes.len() });
        self.extend(at.saturating_add(to_u64(bytes.len())));
    }

    /// Makes the file longer without writing anything.
    pub(super) fn extend(&mut self, length: u64) {
        self.length = self.length.max(length);
        if let Some(cache) = &mut self.cache {
            cache.extend(length);
        }
    }

    pub(super) fn read(&mut self, at: u64, len: usize) -> Vec<u8> {
        if self.cache.is_none() && self.pending.is_empty() && self.durable.length() == self.length {
            return self.durable.read(at, len);
        }
        self.show().read(at, len)
    }

    /// Where what readers may find to be other than zero ends, before `end`.
    pub(super) fn held_end(&mut self, from: u64, end: u64) -> u64 {
        self.show().held_end(from, end)
    }

    pub(super) fn sync(&mut self) {
        for change in &self.pending {
            let end = change.from.saturating_add(change.len);
            self.durable.write(change.at, self.bytes.get(change.from..end).unwrap_or_default());
        }
        self.durable.extend(self.length);
        self.pending.clear();
        self.bytes.clear();
        if !self.dropped {
            self.cache = None;
        }
    }

    /// Success reported, nothing done: what is pending stays so.
    pub(super) fn pretend_to_sync(&mut self) {
        // From here on much may be pending for long, and readers should not put it together each time.
        self.show();
    }

    /// Forgets what is pending; readers keep seeing it until power fails.
    pub(super) fn drop_pending(&mut self) {
        self.show();
        self.dropped = true;
        self.pending.clear();
        self.bytes.clear();
    }

    /// Truncates the file, immediately and durably.
    pub(super) fn truncate(&mut self, length: u64) {
        for change in &mut self.pending {
            let room = to_usize(length.saturating_sub(change.at));
            change.len = change.len.min(room);
        }
        self.pending.retain(|change| change.len > 0);
        self.durable.truncate(length);
        if let Some(cache) = &mut self.cache {
            cache.truncate(length);
        }
        self.length = self.length.min(length);
    }

    /// Power fails: of what is pending, only what `survival` says becomes durable.
    pub(super) fn lose_power(&mut self, survival: Survival, draws: &mut Pcg64Mcg) {
        let pending = std::mem::take(&mut self.pending);
        let bytes = std::mem::take(&mut self.bytes);
        let unit = survival.unit.bytes();
        let mut pieces: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, change) in pending.iter().enumerate() {
            let end = change.at.saturating_add(to_u64(change.len));
            for piece in change.at / unit..end.div_ceil(unit) {
                pieces.entry(piece).or_default().push(index);
            }
        }
        let count = pieces.len();
        let mut reached = self.durable.length();
        for (rank, (piece, versions)) in pieces.into_iter().enumerate() {
            // How many of the writes to this piece arrived: the last of them is its content.
            let arrived = match survival.pieces {
                Pieces::Nothing | Pieces::Length => 0,
                Pieces::Everything => versions.len(),
                Pieces::FirstHalf => versions.len().saturating_mul(usize::from(rank < count.div_ceil(2))),
                Pieces::SecondHalf => versions.len().saturating_mul(usize::from(rank >= count / 2)),
                Pieces::Odd => versions.len().saturating_mul(usize::from(rank % 2 == 0)),
                Pieces::Even => versions.len().saturating_mul(usize::from(rank % 2 == 1)),
                Pieces::Drawn => to_usize(draws.next_u64() % to_u64(versions.len()).saturating_add(1)),
            };
            let (start, end) = (piece.saturating_mul(unit), piece.saturating_add(1).saturating_mul(unit));
            for change in versions.iter().take(arrived).filter_map(|index| pending.get(*index)) {
                let from = start.max(change.at);
                let to = end.min(change.at.saturating_add(to_u64(change.len)));
                let skip = change.from.saturating_add(to_usize(from.saturating_sub(change.at)));
                let part = skip..skip.saturating_add(to_usize(to.saturating_sub(from)));
                self.durable.write(from, bytes.get(part).unwrap_or_default());
                reached = reached.max(to);
            }
        }
        let longer = match survival.pieces {
            Pieces::Nothing | Pieces::FirstHalf => false,
            Pieces::Length | Pieces::Everything | Pieces::SecondHalf | Pieces::Odd | Pieces::Even => true,
            Pieces::Drawn => draws.next_u64() & 1 == 1,
        };
        self.durable.extend(if longer { self.length } else { reached });
        *self = Self::of(std::mem::take(&mut self.durable));
    }

    /// What readers see, put together and kept.
    fn show(&mut self) -> &Pages {
        let (durable, pending, bytes) = (&self.durable, &self.pending, &self.bytes);
        let length = self.length;
        self.cache.get_or_insert_with(|| {
            let mut shown = durable.clone();
            for change in pending {
                let end = change.from.saturating_add(change.len);
                shown.write(change.at, bytes.get(change.from..end).unwrap_or_default());
            }
            shown.extend(length);
            shown
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fault::Unit;
    use super::*;
    use rand_pcg::rand_core::SeedableRng as _;

    fn written() -> SimFile {
        let mut file = SimFile::default();
        file.write(0, &[1; 3000]);
        file.sync();
        file.write(1000, &[2; 4000]);
        file
    }

    fn left(survival: Survival) -> Vec<u8> {
        let mut file = written();
        file.lose_power(survival, &mut Pcg64Mcg::seed_from_u64(1));
        file.read(0, 10_000)
    }

    #[test]
    fn unsynced_writes_can_be_read_but_a_power_cut_loses_them() {
        let mut file = written();
        assert_eq!(file.read(999, 2), [1, 2]);
        assert_eq!(file.length(), 5000);
        assert_eq!(left(Survival::default()), [1; 3000]);
        file.sync();
        file.lose_power(Survival::default(), &mut Pcg64Mcg::seed_from_u64(1));
        assert_eq!(file.read(0, 10_000), [vec![1; 1000], vec![2; 4000]].concat());
    }

    #[test]
    fn a_torn_write_leaves_whole_pieces() {
        let first = left(Survival::of(Unit::Sector, Pieces::FirstHalf));
        // Sectors 1 to 9 are touched; the first five of them arrived.
        assert_eq!(first, [vec![1; 1000], vec![2; 3072 - 1000]].concat());
        let second = left(Survival::of(Unit::Block, Pieces::SecondHalf));
        assert_eq!(second, [vec![1; 3000], vec![0; 1096], vec![2; 904]].concat());
        assert_eq!(left(Survival::of(Unit::Sector, Pieces::Length)), [vec![1; 3000], vec![0; 2000]].concat());
        let (odd, even) =
            (left(Survival::of(Unit::Sector, Pieces::Odd)), left(Survival::of(Unit::Sector, Pieces::Even)));
        for at in 1000..5000 {
            assert_eq!((odd[at] == 2, even[at] == 2), ((at / 512) % 2 == 1, (at / 512) % 2 == 0), "{at}");
        }
    }

    #[test]
    fn a_piece_written_twice_can_survive_in_either_version() {
        let seen: std::collections::BTreeSet<u8> = (0..64)
            .map(|seed| {
                let mut file = SimFile::default();
                file.write(0, &[1; 512]);
                file.write(0, &[2; 512]);
                file.lose_power(
                    Survival::of(Unit::Sector, Pieces::Drawn),
                    &mut Pcg64Mcg::seed_from_u64(seed),
                );
                file.read(0, 1).first().copied().unwrap_or(0)
            })
            .collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn writes_dropped_by_a_failed_sync_can_be_read_until_a_power_cut_despite_later_syncs() {
        let mut file = written();
        file.drop_pending();
        file.write(0, &[3; 10]);
        file.sync();
        assert_eq!(file.read(9, 2), [3, 1]);
        assert_eq!(file.read(4000, 1), [2]);
        file.lose_power(Survival::default(), &mut Pcg64Mcg::seed_from_u64(1));
        assert_eq!(file.read(1000, 1), [1]);
        // The later sync recorded the length that the file had.
        assert_eq!(file.read(4000, 1), [0]);
    }

    #[test]
    fn a_lying_sync_keeps_everything_pending_until_an_honest_one() {
        let mut file = written();
        file.pretend_to_sync();
        assert_eq!(file.durable().length(), 3000);
        file.sync();
        assert_eq!(file.durable().length(), 5000);
    }
}
