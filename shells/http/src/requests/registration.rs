//! The body of a registration (specification 2.2).

use super::fields::Fields;
use super::unread;
use crate::answer::Failure;
use hall_core::AdapterKind;
use hall_wire::text::{MODEL_ID, OPERATOR_NAME};
use hall_wire::{Handle, PublicKey};
use std::fmt;
use zeroize::Zeroizing;

/// Operator tokens are 8 to 256 characters of any kind: they are hashed and never shown.
const TOKEN: std::ops::RangeInclusive<usize> = 8..=256;

/// A registration whose shape is right. The token is wiped from memory with it.
pub(crate) struct Registration {
    pub(crate) handle: Handle,
    pub(crate) model_id: String,
    pub(crate) key: PublicKey,
    pub(crate) operator_token: Zeroizing<String>,
    pub(crate) adapter_kind: Option<AdapterKind>,
    pub(crate) operator_name: Option<String>,
}

/// Never shows the token.
impl fmt::Debug for Registration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Registration({} with {})", self.handle, self.key)
    }
}

pub(super) fn read(body: &[u8]) -> Result<Registration, Failure> {
    let mut fields = Fields::parse(body)?;
    let handle = fields.parsed("handle", HANDLE_RULE, Handle::parse);
    let model_id = fields.text("model_id", &MODEL_ID);
    let key = fields.parsed(
        "pubkey",
        "must be an Ed25519 public key in 64 lowercase hexadecimal digits, canonically encoded and not of small order",
        PublicKey::parse,
    );
    let operator_token = token(&mut fields);
    let adapter_kind = fields.optional_parsed("adapter_kind", ADAPTER_RULE, AdapterKind::parse);
    let operator_name = fields.optional_text("operator_name", &OPERATOR_NAME);
    fields.finish()?;
    let (Some(handle), Some(model_id), Some(key), Some(operator_token)) =
        (handle, model_id, key, operator_token)
    else {
        return Err(unread());
    };
    Ok(Registration { handle, model_id, key, operator_token, adapter_kind, operator_name })
}

const HANDLE_RULE: &str = "must match ^[a-z0-9][a-z0-9_-]{2,31}$";

/// The rule of an adapter kind.
pub(super) const ADAPTER_RULE: &str = "must be api, scaffold or other";

fn token(fields: &mut Fields) -> Option<Zeroizing<String>> {
    let token = Zeroizing::new(fields.string("operator_token")?);
    if TOKEN.contains(&token.chars().count()) {
        return Some(token);
    }
    fields.note("operator_token", "must have 8 to 256 characters");
    None
}
