//! Reading an enum whose kinds belong to several owners: the tag says which owner it belongs to, then the owner reads
//! it.

use serde::Deserialize;
use serde::de::value::EnumAccessDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, IntoDeserializer as _, VariantAccess};

/// A tag that was read already, and the content behind it.
pub(crate) struct Tagged<'t, A> {
    pub(crate) tag: &'t str,
    pub(crate) content: A,
}

impl<'de, A: VariantAccess<'de>> Tagged<'_, A> {
    /// Reads tag and content as the owner's enum.
    ///
    /// # Errors
    /// The owner does not know the tag, or the content does not fit it.
    pub(crate) fn read<T: Deserialize<'de>>(self) -> Result<T, A::Error> {
        T::deserialize(EnumAccessDeserializer::new(self))
    }
}

impl<'de, A: VariantAccess<'de>> EnumAccess<'de> for Tagged<'_, A> {
    type Error = A::Error;
    type Variant = A;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, A), A::Error> {
        Ok((seed.deserialize(self.tag.into_deserializer())?, self.content))
    }
}
