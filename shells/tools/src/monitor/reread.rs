//! Reading old leaves again: they must be the same as when they were first seen.

use super::follow::{Follower, MonitorError};
use super::log_client::Bundle;
use hall_verify::tile::{FULL_WIDTH, Level, Tile};
use hall_verify::tree::leaf_hash;

impl Follower {
    /// Reads one full bundle of old leaves again: the next one each time, so that each has its turn, even across
    /// restarts, and a check costs the same however long the log is.
    ///
    /// # Errors
    /// An alarm, or the hall or the folder is not available.
    pub(crate) async fn reread(&mut self) -> Result<(), MonitorError> {
        let Some(index) = self.store.next()?.checked_rem(self.size() / u64::from(FULL_WIDTH)) else {
            return Ok(());
        };
        // A bundle that cannot be fetched must not hold up the others; its turn comes again.
        self.store.keep_next(index + 1)?;
        let Some(tile) = Tile::new(Level::Entries, index, FULL_WIDTH) else { return Ok(()) };
        let bundle = self.client.bundle(tile).await.map_err(MonitorError::Unreachable)?;
        self.as_before(&[bundle], None)
    }

    /// Reads all leaves from `first` on that were seen again, one bundle after the other, and shows them.
    ///
    /// # Errors
    /// An alarm, or the hall or the folder is not available.
    pub(crate) async fn reread_from(
        &self,
        first: u64,
        mut show: impl FnMut(&str),
    ) -> Result<(), MonitorError> {
        if first >= self.size() {
            return Ok(());
        }
        let before = usize::try_from(first / u64::from(FULL_WIDTH)).unwrap_or(usize::MAX);
        for tile in Tile::of_tree(Level::Entries, self.size()).skip(before) {
            let bundle = self.client.bundle(tile).await.map_err(MonitorError::Unreachable)?;
            self.as_before(std::slice::from_ref(&bundle), None)?;
            let leaves = bundle.leaves().filter(|(index, _)| *index >= first);
            leaves.filter_map(|(_, leaf)| str::from_utf8(leaf).ok()).for_each(&mut show);
        }
        Ok(())
    }

    /// The leaves of these bundles that were seen before must be what they were; `note` is what was served with them.
    pub(super) fn as_before(&self, bundles: &[Bundle], note: Option<&str>) -> Result<(), MonitorError> {
        for bundle in bundles {
            let known = self.size().min(bundle.end()).saturating_sub(bundle.first());
            if known == 0 {
                return Ok(());
            }
            let hashes = self.store.hashes(bundle.first(), usize::try_from(known).unwrap_or(usize::MAX))?;
            let served = bundle.leaves().map(|(index, leaf)| (index, leaf_hash(leaf)));
            if let Some(((index, served), kept)) =
                served.zip(hashes).find(|((_, served), kept)| served != kept)
            {
                let why = format!(
                    "leaf {index} is served with other content than before: its hash was {}, and is {}",
                    kept.to_hex(),
                    served.to_hex()
                );
                return Err(self.alarm(&why, note, bundles));
            }
        }
        Ok(())
    }
}
