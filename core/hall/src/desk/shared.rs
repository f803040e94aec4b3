//! Copy-on-write state: copies share it until one of them changes it, so that copying the desk for a snapshot costs
//! almost nothing, however many agents are registered.
//!
//! Sharing affects memory only: shared values compare and serialize like the values that they hold.

use alloc::borrow::Borrow;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use hall_wire::{AgentId, HomologationId, OperatorId};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that copies share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared<V>(Arc<V>);

impl<V> Shared<V> {
    pub(super) fn new(value: V) -> Self {
        Self(Arc::new(value))
    }
}

impl<V: Clone> Shared<V> {
    /// The value to change; other copies keep what they had.
    pub(super) fn make_mut(&mut self) -> &mut V {
        Arc::make_mut(&mut self.0)
    }
}

impl<V> Deref for Shared<V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.0
    }
}

impl<V: Serialize> Serialize for Shared<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().serialize(serializer)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Shared<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        V::deserialize(deserializer).map(Self::new)
    }
}

/// The shard of a key.
pub(super) trait Sharded {
    /// A byte that takes all values about equally often. Where keys sort by it first, the whole map is in order.
    fn shard(&self) -> u8;
}

/// A map in 256 shards. A copy shares them all, and a change copies only the one that it touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShardedMap<K, V> {
    shards: Vec<Arc<BTreeMap<K, V>>>,
    len: usize,
}

impl<K, V> Default for ShardedMap<K, V> {
    fn default() -> Self {
        Self { shards: (0..=u8::MAX).map(|_| Arc::default()).collect(), len: 0 }
    }
}

impl<K: Ord + Sharded, V> ShardedMap<K, V> {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get<Q: Ord + Sharded + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.shard(key)?.get(key)
    }

    /// The key as it is stored.
    pub(super) fn get_key<Q: Ord + Sharded + ?Sized>(&self, key: &Q) -> Option<&K>
    where
        K: Borrow<Q>,
    {
        self.shard(key)?.get_key_value(key).map(|(key, _)| key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    /// The entries between two keys of the same shard, both included.
    pub(super) fn range(&self, first: K, last: K) -> impl Iterator<Item = (&K, &V)>
    where
        K: Copy,
    {
        self.shard(&first).into_iter().flat_map(move |shard| shard.range(first..=last))
    }

    fn shard<Q: Sharded + ?Sized>(&self, key: &Q) -> Option<&BTreeMap<K, V>> {
        self.shards.get(usize::from(key.shard())).map(AsRef::as_ref)
    }
}

impl<K: Ord + Sharded + Clone, V: Clone> ShardedMap<K, V> {
    /// The value to change, if there is one.
    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        // A shard is not copied for a key that it does not have.
        self.get(key)?;
        self.shard_mut(key)?.get_mut(key)
    }

    /// The value to change, made if there is none.
    ///
    /// # Panics
    /// Never: every key has a shard.
    pub(super) fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        self.len += usize::from(self.get(&key).is_none());
        self.shard_mut(&key).expect("every byte has a shard").entry(key).or_insert_with(make)
    }

    /// Puts a value in the place of another one, which is returned.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let previous = self.shard_mut(&key)?.insert(key, value);
        self.len += usize::from(previous.is_none());
        previous
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        self.get(key)?;
        self.len -= 1;
        self.shard_mut(key)?.remove(key)
    }

    fn shard_mut(&mut self, key: &K) -> Option<&mut BTreeMap<K, V>> {
        self.shards.get_mut(usize::from(key.shard())).map(Arc::make_mut)
    }
}

impl<K: Ord + Sharded + Serialize, V: Serialize> Serialize for ShardedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K, V> Deserialize<'de> for ShardedMap<K, V>
where
    K: Ord + Sharded + Clone + Deserialize<'de>,
    V: Clone + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Reads the entries of a sharded map one by one.
struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K, V> Visitor<'de> for Entries<K, V>
where
    K: Ord + Sharded + Clone + Deserialize<'de>,
    V: Clone + Deserialize<'de>,
{
    type Value = ShardedMap<K, V>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = ShardedMap::default();
        while let Some((key, value)) = entries.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// Identifiers are made of hashes or random bytes, so their first byte serves.
macro_rules! sharded_by_first_byte {
    ($($id:ty),+) => {
        $(impl Sharded for $id {
            fn shard(&self) -> u8 {
                let [first, ..] = self.as_bytes();
                *first
            }
        })+
    };
}

sharded_by_first_byte!(AgentId, OperatorId, HomologationId);

impl Sharded for str {
    fn shard(&self) -> u8 {
        self.bytes().fold(0, |hash: u8, byte| hash.wrapping_mul(31).wrapping_add(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_copy_shares_unchanged_shards_and_keeps_the_old_values_of_changed_ones() {
        let mut map = ShardedMap::default();
        for byte in 0..=u8::MAX {
            map.insert(agent(byte), byte);
        }
        let copy = map.clone();
        map.insert(agent(7), 0);
        map.remove(&agent(9));
        assert_eq!((copy.get(&agent(7)), copy.get(&agent(9)), copy.len()), (Some(&7), Some(&9), 256));
        assert_eq!((map.get(&agent(7)), map.get(&agent(9)), map.len()), (Some(&0), None, 255));
        let shared = map.shards.iter().zip(&copy.shards).filter(|(left, right)| Arc::ptr_eq(left, right));
        assert_eq!(shared.count(), 254);
        assert_eq!(map.get_mut(&agent(9)), None);
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_plain_map(acts in prop::collection::vec((any::<u8>(), 0_u8..4, any::<u8>()), 0..300)) {
            let (mut sharded, mut plain) = (ShardedMap::default(), BTreeMap::new());
            for (key, act, value) in acts {
                let key = agent(key);
                match act {
                    0 => prop_assert_eq!(sharded.insert(key, value), plain.insert(key, value)),
                    1 => prop_assert_eq!(sharded.remove(&key), plain.remove(&key)),
                    2 => prop_assert_eq!(sharded.get_or_insert_with(key, || value), plain.entry(key).or_insert(value)),
                    _ => prop_assert_eq!(sharded.get_mut(&key), plain.get_mut(&key)),
                }
                prop_assert_eq!(sharded.len(), plain.len());
            }
            prop_assert!(sharded.iter().eq(plain.iter()), "in the same order");
            let bytes = postcard::to_allocvec(&sharded).unwrap();
            prop_assert_eq!(&bytes, &postcard::to_allocvec(&plain).unwrap());
            prop_assert!(postcard::from_bytes::<ShardedMap<AgentId, u8>>(&bytes).unwrap() == sharded);
        }
    }

    fn agent(byte: u8) -> AgentId {
        AgentId::from_bytes([byte; 16])
    }
}
