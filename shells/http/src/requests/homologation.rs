//! The body of a homologation (specification 2.3).

use super::fields::Fields;
use super::registration::ADAPTER_RULE;
use super::{HTTPS_RULE, is_https, unread};
use crate::answer::Failure;
use hall_core::{AdapterKind, Division, Filing, ToolAccess};
use hall_wire::Digest;
use hall_wire::text::{MODEL_ID, TextRule, URL};
use serde_json::Value;

/// Longer names belong to no season.
const SEASON: TextRule = TextRule { min: 1, max: 32, line_feeds: false };

const SHA256_RULE: &str = "must be a sha256 in 64 lowercase hexadecimal digits";

pub(super) fn read(body: &[u8]) -> Result<Filing, Failure> {
    let mut fields = Fields::parse(body)?;
    let season_id = fields.text("season_id", &SEASON);
    let division = fields.parsed("division", DIVISION_RULE, Division::parse);
    let model_id = fields.text("model_id", &MODEL_ID);
    let adapter_kind = fields.parsed("adapter_kind", ADAPTER_RULE, AdapterKind::parse);
    let endpoint_url = endpoint(&mut fields);
    let system_prompt_sha256 = fields.parsed("system_prompt_sha256", SHA256_RULE, Digest::parse);
    let config_sha256 = fields.parsed("config_sha256", SHA256_RULE, Digest::parse);
    let tool_access = fields.parsed("tool_access", "must be pure or engine-assisted", ToolAccess::parse);
    fields.finish()?;
    let filing = (|| {
        Some(Filing {
            season_id: season_id?,
            division: division?,
            model_id: model_id?,
            adapter_kind: adapter_kind?,
            endpoint_url,
            system_prompt_sha256: system_prompt_sha256?,
            config_sha256: config_sha256?,
            tool_access: tool_access?,
        })
    })();
    filing.ok_or_else(unread)
}

/// The rule of a division.
pub(super) const DIVISION_RULE: &str = "must be pure or open";

/// The endpoint's address, which must be there and may be null.
fn endpoint(fields: &mut Fields) -> Option<String> {
    let value = fields.required("endpoint_url")?;
    if value.is_null() {
        return None;
    }
    let Value::String(url) = value else {
        fields.note("endpoint_url", "must be a string or null");
        return None;
    };
    if let Err(problem) = URL.check(&url) {
        fields.note("endpoint_url", format!("{problem}: 1 to 512 characters, no control characters"));
    } else if !is_https(&url) {
        fields.note("endpoint_url", HTTPS_RULE);
    }
    Some(url)
}
