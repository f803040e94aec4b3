//! Enums whose values are written as fixed words.

/// Declares an enum of fixed words, with `ALL`, `as_str`, `parse`, `Display` and the serialized form.
///
/// The crate that uses it depends on serde.
///
/// ```
/// hall_wire::words!(
///     /// Which way up.
///     Side {
///         /// Heads.
///         Heads = "heads",
///         /// Tails.
///         Tails = "tails",
///     }
/// );
/// assert_eq!(Side::parse("tails"), Some(Side::Tails));
/// assert_eq!(Side::Heads.as_str(), "heads");
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The written word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the written word.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == text)
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, out: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                out.write_str(self.as_str())
            }
        }
    };
}
