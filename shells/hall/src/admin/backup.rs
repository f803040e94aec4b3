//! A backup of the running hall: the journal at one durable point, the keys, the name of the log, and
//! what witnesses have cosigned.

use super::context::AdminContext;
use super::lines::Refused;
use crate::backup_mark;
use crate::keys::{self, HallSecrets, KeyFiles};
use hall_wire::text::encode_hex;
use serde_json::{Value, json};
use std::path::Path;

/// Writes the backup. The journal comes first, because its folder must be empty; a backup that breaks off before
/// the keys are there is refused when it is started, as is one without its journal's head mark.
pub(super) fn write(context: &AdminContext, to: &Path) -> Result<Value, Refused> {
    if !to.is_absolute() {
        return Err(Refused::bad_request("the folder of a backup is named by its absolute path"));
    }
    let failed = |error: &dyn std::fmt::Display| Refused::new("BACKUP_FAILED", error.to_string());
    let engine = &context.engine;
    let named = || engine.peek(|hall| hall.keys().cloned());
    let before = named();
    let head = context.backups.write(to).map_err(|error| failed(&error))?;
    let copies = KeyFiles::in_data(to);
    keys::copy(&context.keys, &copies).map_err(|error| failed(&error))?;
    let copied = HallSecrets::load(&copies, false, None, "").map_err(|error| failed(&error))?;
    if [before, named()] != [Some(copied.public()), Some(copied.public())] {
        let message = "the keys are not those that the journal of the backup names: one was replaced meanwhile, or at another \
                       node. See that the new one is here, and make another backup";
        return Err(Refused::new("BACKUP_FAILED", message));
    }
    context.log.cosignatures.copy(to).map_err(|error| failed(&error))?;
    backup_mark::write(to, head.seq, engine.now()).map_err(|error| failed(&error))?;
    tracing::info!(to = %to.display(), seq = head.seq, "backup written");
    Ok(json!({
        "backup": to.display().to_string(),
        "journal_records": head.seq,
        "chain": encode_hex(&head.chain),
        "start_it_with": format!("hall serve --set storage.path={}", to.display()),
    }))
}
