//! The socket in the data folder.

use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Name of the socket in the data folder.
const FILE: &str = "admin.sock";

/// A listening socket; its file is removed when it is dropped.
pub(super) struct Socket {
    /// What is listened on.
    pub(super) listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Listens in a data folder whose lock this process holds, so that what an earlier hall left behind is dead.
    ///
    /// # Errors
    /// Something else has the name of the socket, or the operating system refuses.
    pub(super) fn listen(data: &Path) -> Result<Self> {
        let path = data.join(FILE);
        match path.symlink_metadata() {
            Ok(found) if found.file_type().is_socket() => std::fs::remove_file(&path)?,
            Ok(_) => {
                let text = format!("{} exists and is not a socket; move it away", path.display());
                return Err(Error::new(ErrorKind::AlreadyExists, text));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // The folder is the owner's alone, so nobody gets in between the two calls.
        let listener =
            with_short_path(data, |path| UnixListener::bind_addr(&SocketAddr::from_pathname(path)?))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, path = %self.path.display(), "the admin socket was gone already");
        }
    }
}

/// Connects to the hall that runs on a data folder.
///
/// # Errors
/// None runs there.
pub(super) fn connect(data: &Path) -> Result<UnixStream> {
    with_short_path(data, |path| UnixStream::connect_addr(&SocketAddr::from_pathname(path)?))
}

/// Unix socket paths end after about 100 bytes; a deep folder is therefore named by an open file.
fn with_short_path<T>(data: &Path, act: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let path = data.join(FILE);
    if path.as_os_str().len() < 100 {
        return act(&path);
    }
    let folder = std::fs::File::open(data)?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&folder);
    act(&PathBuf::from(format!("/proc/self/fd/{number}")).join(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_can_use_a_socket_and_it_disappears_with_its_hall() {
        let data = tempfile::tempdir().unwrap();
        let socket = Socket::listen(data.path()).unwrap();
        let mode = data.path().join(FILE).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert!(connect(data.path()).is_ok());
        drop(socket);
        assert!(connect(data.path()).is_err());
        assert!(!data.path().join(FILE).exists());
    }

    #[test]
    fn the_socket_of_a_dead_hall_is_replaced_and_any_other_file_is_not() {
        let data = tempfile::tempdir().unwrap();
        drop(UnixListener::bind(data.path().join(FILE)).unwrap());
        assert!(data.path().join(FILE).exists(), "a listener alone leaves its file behind");
        drop(Socket::listen(data.path()).unwrap());
        std::fs::write(data.path().join(FILE), "mine").unwrap();
        assert!(Socket::listen(data.path()).is_err());
        assert_eq!(std::fs::read_to_string(data.path().join(FILE)).unwrap(), "mine");
    }

    #[test]
    fn a_data_folder_may_have_a_long_path() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("a".repeat(100)).join("b".repeat(100));
        std::fs::create_dir_all(&data).unwrap();
        let _socket = Socket::listen(&data).unwrap();
        assert!(connect(&data).is_ok());
    }
}
