//! Serializes a map of shared values as a plain map: the sharing is a matter of memory, not of state.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<K, V, S>(map: &BTreeMap<K, Arc<V>>, serializer: S) -> Result<S::Ok, S::Error>
where
    K: Serialize,
    V: Serialize,
    S: Serializer,
{
    serializer.collect_map(map.iter().map(|(key, value)| (key, value.as_ref())))
}

pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, Arc<V>>, D::Error>
where
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let map = BTreeMap::<K, V>::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(key, value)| (key, Arc::new(value))).collect())
}
