//! Derives operator ids from operator tokens. The token is not passed on from here.

use hall_wire::OperatorId;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroizing;

/// The secret under which operator tokens are hashed. It belongs to the hall's data and must never change: equal
/// tokens must always give equal operators.
pub(crate) struct OperatorSecret(Zeroizing<[u8; 32]>);

impl OperatorSecret {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self(Zeroizing::new(secret))
    }

    /// The operator that a token stands for: the first 16 bytes of its HMAC-SHA256.
    pub(crate) fn operator_of(&self, token: &str) -> OperatorId {
        let mut hash = Hmac::<Sha256>::new_from_slice(&*self.0).expect("HMAC takes keys of any length");
        hash.update(token.as_bytes());
        let digest = hash.finalize().into_bytes();
        let mut half = [0; 16];
        half.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        OperatorId::from_bytes(half)
    }
}

impl fmt::Debug for OperatorSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OperatorSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::text::encode_hex;

    #[test]
    fn the_operator_id_is_half_of_a_published_hmac() {
        // Test case 2 of RFC 4231 has a shorter key; HMAC pads it with zeros, and so do we.
        let mut secret = [0; 32];
        secret[..4].copy_from_slice(b"Jefe");
        let operator = OperatorSecret::new(secret).operator_of("what do ya want for nothing?");
        assert_eq!(encode_hex(operator.as_bytes()), "5bdcc146bf60754e6a042426089575c7");
    }

    #[test]
    fn another_secret_or_another_token_is_another_operator() {
        let secret = OperatorSecret::new([1; 32]);
        assert_eq!(secret.operator_of("a token of mine"), secret.operator_of("a token of mine"));
        assert_ne!(secret.operator_of("a token of mine"), secret.operator_of("a token of yours"));
        assert_ne!(
            secret.operator_of("a token of mine"),
            OperatorSecret::new([2; 32]).operator_of("a token of mine")
        );
    }
}
