//! A least-recently-used cache.

use std::collections::BTreeMap;

/// A map that evicts the entry that was not used for the longest time.
pub(crate) struct Recent<K, V> {
    tick: u64,
    /// With when each was used last.
    values: BTreeMap<K, (u64, V)>,
    by_use: BTreeMap<u64, K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { tick: 0, values: BTreeMap::new(), by_use: BTreeMap::new() }
    }
}

impl<K: Ord + Copy, V> Recent<K, V> {
    /// The value, which counts as used now.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        self.get_mut(key).map(|value| &*value)
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let (used, value) = self.values.get_mut(key)?;
        self.tick += 1;
        self.by_use.remove(used);
        self.by_use.insert(self.tick, *key);
        *used = self.tick;
        Some(value)
    }

    /// The value, to be changed; it does not count as used.
    pub(crate) fn peek_mut(&mut self, key: &K) -> Option<&mut V> {
        self.values.get_mut(key).map(|(_, value)| value)
    }

    /// Stores a value; beyond `most` values, the one that was not used for the longest time is evicted.
    pub(crate) fn put(&mut self, key: K, value: V, most: usize) {
        self.tick += 1;
        if let Some((used, _)) = self.values.insert(key, (self.tick, value)) {
            self.by_use.remove(&used);
        } else if self.values.len() > most
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.values.remove(&oldest);
        }
        self.by_use.insert(self.tick, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_forgotten() {
        let mut recent = Recent::default();
        for key in 0..3 {
            recent.put(key, key * 10, 3);
        }
        assert_eq!(recent.get(&0), Some(&0));
        recent.put(3, 30, 3);
        let kept: Vec<_> = (0..4).filter(|key| recent.get(key).is_some()).collect();
        assert_eq!(kept, [0, 2, 3]);
    }

    #[test]
    fn replacing_a_value_evicts_no_other() {
        let mut recent = Recent::default();
        for key in 0..3 {
            recent.put(key, key, 3);
        }
        recent.put(2, 22, 3);
        let kept: Vec<_> = (0..3).filter_map(|key| recent.get(&key).copied()).collect();
        assert_eq!(kept, [0, 1, 22]);
    }
}
