//! Key files: mode 0600, written whole or not at all, never overwritten.

use super::{Key, KeyError};
use crate::origin::Origin;
use crate::randomness::Randomness;
use hall_wire::PublicKey;
use hall_wire::text::{decode_hex, encode_hex};
use serde::Deserialize;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const FORMAT: &str = "hall-key/1";

/// More than any key file needs; a larger file is refused.
const MOST_BYTES: u64 = 16 * 1024;

/// What a key file holds.
#[derive(Deserialize)]
struct Contents {
    format: String,
    hall: String,
    public_key: String,
    private_key: Zeroizing<String>,
    operator_token: Zeroizing<String>,
}

impl Key {
    /// Reads the key file at `path`, which must belong to `hall`.
    ///
    /// # Errors
    /// [`KeyError::NotFound`], [`KeyError::Exposed`] if others may read it, [`KeyError::Malformed`],
    /// [`KeyError::OtherHall`], or [`KeyError::Io`].
    pub fn load(path: &Path, hall: &Origin) -> Result<Self, KeyError> {
        let key = Self::load_any(path)?;
        key.check_hall(hall)?;
        Ok(key)
    }

    /// Reads the key file at `path`, or makes a key for `hall` and keeps it there.
    ///
    /// Of several processes that do this at once all end up with the same key.
    ///
    /// # Errors
    /// As [`Key::load`] and [`Key::save`].
    pub fn load_or_generate(
        path: &Path,
        hall: &Origin,
        randomness: &dyn Randomness,
    ) -> Result<Self, KeyError> {
        match Self::load(path, hall) {
            Err(KeyError::NotFound { .. }) => {}
            other => return other,
        }
        let key = Self::generate(hall, randomness)?;
        match key.save(path, randomness) {
            Ok(()) => Ok(key),
            Err(KeyError::Exists { .. }) => Self::load(path, hall),
            Err(error) => Err(error),
        }
    }

    /// Keeps the key in a new file at `path` with mode 0600, making its folder (0700) where there is none.
    ///
    /// The file appears whole and synced, or not at all.
    ///
    /// # Errors
    /// [`KeyError::Exists`] if there is a file already, or [`KeyError::Io`].
    pub fn save(&self, path: &Path, randomness: &dyn Randomness) -> Result<(), KeyError> {
        let io = |error| KeyError::Io { path: path.to_owned(), error };
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        make_folder(folder).map_err(io)?;
        let mut tag = [0; 8];
        randomness.fill(&mut tag)?;
        let name = path.file_name().ok_or_else(|| io(io::ErrorKind::InvalidInput.into()))?;
        let temporary = folder.join(format!(".{}.{}.new", name.to_string_lossy(), encode_hex(&tag)));
        let written = write_new(&temporary, &self.to_text()).and_then(|()| publish(&temporary, path));
        // Either it has its name now, or it must not stay.
        let _ = fs::remove_file(&temporary);
        match written {
            Ok(()) => fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(io),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(KeyError::Exists { path: path.to_owned() })
            }
            Err(error) => Err(io(error)),
        }
    }

    fn load_any(path: &Path) -> Result<Self, KeyError> {
        let malformed =
            |reason: &str| KeyError::Malformed { path: path.to_owned(), reason: reason.to_owned() };
        let text = read_private(path)?;
        // The error of the parser is not passed on: it may quote what it read.
        let contents: Contents =
            serde_json::from_slice(&text).map_err(|_| malformed("not the JSON of a key"))?;
        if contents.format != FORMAT {
            return Err(malformed("its format is not hall-key/1"));
        }
        let hall = Origin::parse(&contents.hall).map_err(|_| malformed("its hall is not an address"))?;
        let seed = decode_hex(&contents.private_key).map(Zeroizing::new);
        let seed = seed.ok_or_else(|| malformed("its private_key is not 64 lowercase hex digits"))?;
        let key = Self::from_seed(&hall, &seed, &contents.operator_token)
            .map_err(|_| malformed("its operator_token does not have 8 to 256 characters"))?;
        if PublicKey::parse(&contents.public_key) != Some(key.public()) {
            return Err(malformed("its public_key is not that of its private_key"));
        }
        Ok(key)
    }

    fn to_text(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(self.private.seed());
        let secret = Zeroizing::new(encode_hex(seed.as_slice()));
        let token = Zeroizing::new(serde_json::Value::from(self.operator_token()).to_string());
        Zeroizing::new(format!(
            "{{\n  \"format\": \"{FORMAT}\",\n  \"hall\": \"{}\",\n  \"public_key\": \"{}\",\n  \
             \"private_key\": \"{}\",\n  \"operator_token\": {}\n}}\n",
            self.hall,
            self.public(),
            secret.as_str(),
            token.as_str(),
        ))
    }
}

/// Reads a file that only its owner may read.
fn read_private(path: &Path) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let io = |error: io::Error| {
        let path = path.to_owned();
        if error.kind() == io::ErrorKind::NotFound {
            KeyError::NotFound { path }
        } else {
            KeyError::Io { path, error }
        }
    };
    let file = fs::File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    check_mode(path, &metadata)?;
    if metadata.len() > MOST_BYTES || !metadata.is_file() {
        return Err(KeyError::Malformed { path: path.to_owned(), reason: "not a small file".to_owned() });
    }
    // Room for all of it at once: a growing buffer would leave copies of the secret behind.
    let capacity = usize::try_from(metadata.len()).unwrap_or_default().saturating_add(1);
    let mut text = Zeroizing::new(Vec::with_capacity(capacity));
    file.take(MOST_BYTES).read_to_end(&mut text).map_err(io)?;
    Ok(text)
}

#[cfg(unix)]
fn check_mode(path: &Path, metadata: &fs::Metadata) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(KeyError::Exposed { path: path.to_owned(), mode }) }
}

#[cfg(not(unix))]
fn check_mode(_path: &Path, _metadata: &fs::Metadata) -> Result<(), KeyError> {
    Ok(())
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn write_new(path: &PathBuf, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Gives the finished file its name, unless something has that name.
fn publish(temporary: &Path, path: &Path) -> io::Result<()> {
    // A link, unlike a rename, never replaces what is there.
    match fs::hard_link(temporary, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no links. Then a check must do, with a moment between it and the rename.
        Err(_) if path.try_exists()? => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(temporary, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    #[test]
    fn a_saved_key_reads_back_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys/hall/ada.json");
        let key = Key::generate(&hall(), &SystemRandomness).unwrap();
        key.save(&path, &SystemRandomness).unwrap();
        let read = Key::load(&path, &hall()).unwrap();
        assert_eq!((read.public(), read.operator_token()), (key.public(), key.operator_token()));
        assert_eq!(key.operator_token().len(), 64);
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file stays: {left:?}");
    }

    #[test]
    fn a_key_is_refused_at_every_other_hall() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ada.json");
        Key::generate(&hall(), &SystemRandomness).unwrap().save(&path, &SystemRandomness).unwrap();
        for other in ["http://hall.example", "https://hall.example:444", "https://other.example"] {
            let error = Key::load(&path, &Origin::parse(other).unwrap()).unwrap_err();
            assert!(matches!(error, KeyError::OtherHall { .. }), "{other}: {error}");
        }
        assert!(Key::load(&path, &Origin::parse("https://HALL.example:443/").unwrap()).is_ok());
    }

    #[test]
    fn an_existing_key_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ada.json");
        let first = Key::load_or_generate(&path, &hall(), &SystemRandomness).unwrap();
        let second = Key::generate(&hall(), &SystemRandomness).unwrap();
        assert!(matches!(second.save(&path, &SystemRandomness), Err(KeyError::Exists { .. })));
        let again = Key::load_or_generate(&path, &hall(), &SystemRandomness).unwrap();
        assert_eq!(again.public(), first.public());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn simultaneous_creators_of_a_key_file_all_get_the_same_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ada.json");
        let keys: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| Key::load_or_generate(&path, &hall(), &SystemRandomness).unwrap().public())
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(keys.windows(2).all(|pair| pair[0] == pair[1]), "{keys:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ada.json");
        Key::load_or_generate(&path, &hall(), &SystemRandomness).unwrap();
        for exposed in [0o604, 0o640, 0o644] {
            fs::set_permissions(&path, fs::Permissions::from_mode(exposed)).unwrap();
            let error = Key::load(&path, &hall()).unwrap_err();
            assert!(matches!(error, KeyError::Exposed { mode, .. } if mode == exposed), "{error}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused_without_its_secret_in_the_message() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ada.json");
        let key = Key::load_or_generate(&path, &hall(), &SystemRandomness).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        let secret = encode_hex(key.private.seed().as_slice());
        for bad in [
            good.replace("hall-key/1", "hall-key/2"),
            good.replace(&secret, &secret.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A")),
            good.replace(&key.public().to_string(), &"0".repeat(64)),
            good.replace(key.operator_token(), "short"),
            good.replace("https://", "gopher://"),
            good[..good.len() / 2].to_owned(),
            String::new(),
        ] {
            fs::write(&path, &bad).unwrap();
            let error = Key::load(&path, &hall()).unwrap_err();
            assert!(matches!(error, KeyError::Malformed { .. }), "{error}");
            assert!(!error.to_string().contains(&secret));
        }
        assert!(!format!("{key:?}").contains(&secret));
    }

    fn hall() -> Origin {
        Origin::parse("https://hall.example").unwrap()
    }

    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }
}
