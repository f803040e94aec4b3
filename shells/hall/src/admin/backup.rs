//! A backup of the running hall: the journal at one durable point, the keys, the name of the log, and
//! what witnesses have cosigned.

use super::context::AdminContext;
use super::lines::Refused;
use crate::backup_mark;
use crate::keys::{self, HallSecrets, KeyFiles};
use crate::new_folder::{self, NewFolderError};
use hall_journal::Head;
use hall_wire::text::encode_hex;
use serde_json::{Value, json};
use std::path::Path;

/// Writes the backup. It gets its name when all is there: what breaks off before could start without knowing that it is a
/// backup.
pub(super) fn write(context: &AdminContext, to: &Path) -> Result<Value, Refused> {
    if !to.is_absolute() {
        return Err(Refused::bad_request("the folder of a backup is named by its absolute path"));
    }
    let head = new_folder::write(to, |folder| fill(context, folder))?;
    tracing::info!(to = %to.display(), seq = head.seq, "backup written");
    Ok(json!({
        "backup": to.display().to_string(),
        "journal_records": head.seq,
        "chain": encode_hex(&head.chain),
        "start_it_with": format!("hall serve --set storage.path={}", to.display()),
    }))
}

/// Writes everything. The journal comes first, because its folder must be empty; the keys come last: without them,
/// nothing starts there.
fn fill(context: &AdminContext, to: &Path) -> Result<Head, Refused> {
    let failed = |error: &dyn std::fmt::Display| Refused::new("BACKUP_FAILED", error.to_string());
    let engine = &context.engine;
    let named = || engine.peek(|hall| hall.keys().cloned());
    let before = named();
    let head = context.backups.write(to).map_err(|error| failed(&error))?;
    backup_mark::write(to, head.seq, engine.now()).map_err(|error| failed(&error))?;
    context.log.cosignatures.copy(to).map_err(|error| failed(&error))?;
    let copies = KeyFiles::in_data(to);
    keys::copy(&context.keys, &copies).map_err(|error| failed(&error))?;
    let copied = HallSecrets::load(&copies, false, None, "").map_err(|error| failed(&error))?;
    if [before, named()] != [Some(copied.public()), Some(copied.public())] {
        let message = "the keys are not those that the journal of the backup names: one was replaced meanwhile, or at another \
                       node. See that the new one is here, and make another backup";
        return Err(Refused::new("BACKUP_FAILED", message));
    }
    Ok(head)
}

impl From<NewFolderError> for Refused {
    fn from(error: NewFolderError) -> Self {
        Self::new("BACKUP_FAILED", error.to_string())
    }
}
