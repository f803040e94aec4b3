//! The public half of the ring key in the form that its verifiers read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_wire::PublicKey;

/// The public key of doorbell rings in the form of Standard Webhooks: `whpk_<base64 of the key>`.
pub(crate) fn ring_public_key(key: &PublicKey) -> String {
    format!("whpk_{}", STANDARD.encode(key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_key_is_written_as_base64_with_a_prefix() {
        let key =
            PublicKey::parse("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a").unwrap();
        assert_eq!(ring_public_key(&key), "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    }
}
