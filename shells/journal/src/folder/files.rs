//! File operations, always durable and readable by the owner only.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// How the names of files end that are not whole yet.
pub(crate) const UNFINISHED: &str = ".tmp";

/// Creates a folder with mode 0700, parents included; it may exist.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Creates or overwrites a file with mode 0600.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Puts a file in place as a whole or not at all: temporary name, sync, rename, sync of the folder.
pub(crate) fn write_whole(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    let temporary = folder.join(format!(".{name}{UNFINISHED}"));
    let write = || {
        let mut file = create_file(&temporary)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()?;
        std::fs::rename(&temporary, folder.join(name))
    };
    let written = write();
    if written.is_err() {
        // On a full disk its space is needed.
        let _ = std::fs::remove_file(&temporary);
    }
    written?;
    sync_folder(folder)
}
