//! Certificate and key, which are renewed while the hall serves.

use super::ServeError;
use crate::settings::TlsFiles;
use futures_util::stream::{self, Stream, StreamExt as _};
use hall_wire::Digest;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use salvo::conn::rustls::{Keycert, RustlsConfig};
use std::path::Path;
use std::time::Duration;
use std::{fmt, io};

/// Sees that certificate and key can be read and belong together.
///
/// # Errors
/// They cannot, or do not.
pub fn check_tls(files: &TlsFiles) -> Result<(), ServeError> {
    let TlsFiles { certificate, key } = files;
    let named =
        |path: &Path, error: &dyn fmt::Display| ServeError::Tls(format!("{}: {error}", path.display()));
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| named(certificate, &error))?;
    if chain.is_empty() {
        return Err(named(certificate, &"it holds no certificate in PEM form"));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| named(key, &error))?;
    let provider = rustls::crypto::ring::default_provider();
    CertifiedKey::from_der(chain, private, &provider).map(drop).map_err(|error| {
        let (certificate, key) = (certificate.display(), key.display());
        ServeError::Tls(format!("the certificate in {certificate} and the key in {key} do not fit: {error}"))
    })
}

/// What they make a server.
fn config_of(files: &TlsFiles) -> Result<RustlsConfig, ServeError> {
    check_tls(files)?;
    let named = |path: &Path, error: io::Error| ServeError::Tls(format!("{}: {error}", path.display()));
    let keycert = Keycert::new()
        .key_from_path(&files.key)
        .map_err(|error| named(&files.key, error))?
        .cert_from_path(&files.certificate)
        .map_err(|error| named(&files.certificate, error))?;
    Ok(RustlsConfig::new(keycert))
}

/// The pair that the files hold now, and each later one: they are looked at every so often. New connections get the newest
/// pair that fits; while the files hold no such pair the one before it stays.
///
/// # Errors
/// The pair that they hold now cannot be used.
pub(super) fn renewed(
    files: &TlsFiles,
    every: Duration,
) -> Result<impl Stream<Item = RustlsConfig> + Send + 'static, ServeError> {
    let seen = FileDigests::of(files);
    let first = config_of(files)?;
    let later = stream::unfold((files.clone(), seen), move |(files, mut seen)| async move {
        loop {
            tokio::time::sleep(every).await;
            let now = FileDigests::of(&files);
            if std::mem::replace(&mut seen, now) == now {
                continue;
            }
            match config_of(&files) {
                Ok(config) => return Some((config, (files, seen))),
                Err(error) => tracing::warn!(%error, "the certificate before it is served on"),
            }
        }
    });
    Ok(stream::iter([first]).chain(later))
}

/// The digests of certificate and key when they were last read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileDigests([Option<Digest>; 2]);

impl FileDigests {
    fn of(files: &TlsFiles) -> Self {
        let digest = |path| std::fs::read(path).ok().map(|bytes| Digest::of(&bytes));
        Self([&files.certificate, &files.key].map(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::generate_simple_self_signed;

    #[tokio::test(start_paused = true)]
    async fn a_renewed_pair_is_served_as_soon_as_both_files_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let files = TlsFiles { certificate: path("certificate.pem"), key: path("key.pem") };
        let pair = || {
            let new = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
            (new.cert.pem(), new.signing_key.serialize_pem())
        };
        let write = |path, text: &str| std::fs::write(path, text).unwrap();
        let (certificate, key) = pair();
        write(&files.certificate, &certificate);
        write(&files.key, &key);
        let mut pairs = std::pin::pin!(renewed(&files, Duration::from_secs(30)).unwrap());
        let mut next = async || tokio::time::timeout(Duration::from_secs(120), pairs.next()).await.is_ok();
        assert!(next().await, "the first");
        assert!(!next().await, "nothing has changed");
        let (certificate, key) = pair();
        write(&files.certificate, &certificate);
        assert!(!next().await, "the key is still the old one");
        write(&files.key, &key);
        assert!(next().await);
        std::fs::remove_file(&files.key).unwrap();
        assert!(!next().await, "the pair before stays");
    }
}
