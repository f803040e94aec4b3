//! Small files that are replaced atomically.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Puts a file of mode 0600 in place: temporary name, sync, rename, sync of the folder.
///
/// # Errors
/// Writing failed. The file has either its old or its new contents; which of them is unknown.
pub fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fill(path, |out| out.write_all(bytes), |()| true)
}

/// The same with what `write` writes, if `is_whole` says so of what it returns; else nothing happens to the file.
///
/// # Errors
/// As [`replace`], or `write` failed.
pub fn fill<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<T>,
    is_whole: impl FnOnce(&T) -> bool,
) -> std::io::Result<T> {
    let temporary = temporary(path);
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
    let mut out = BufWriter::new(file);
    let written = write(&mut out).and_then(|done| {
        out.flush()?;
        Ok(done)
    });
    if !written.as_ref().is_ok_and(is_whole) {
        std::fs::remove_file(&temporary)?;
        return written;
    }
    out.get_ref().sync_all()?;
    std::fs::rename(&temporary, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
    written
}

/// Reads a file as text; `None` if there is none.
///
/// # Errors
/// It cannot be read, or is not text.
pub fn read_text(path: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.b");
        assert_eq!(read_text(&path).unwrap(), None);
        std::fs::write(temporary(&path), "left by a crash").unwrap();
        for words in ["first", "second, which is longer", ""] {
            replace(&path, words.as_bytes()).unwrap();
            assert_eq!(read_text(&path).unwrap().as_deref(), Some(words));
        }
        std::fs::write(&path, "kept").unwrap();
        assert!(fill(&path, |out| out.write_all(b"half"), |()| false).is_ok());
        fill(&path, |_| Err::<(), _>(ErrorKind::Other.into()), |()| true).unwrap_err();
        assert_eq!(read_text(&path).unwrap().as_deref(), Some("kept"));
        replace(&path, b"").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(replace(&folder.path().join("absent/file"), b"").is_err());
    }
}
