//! The identity of a test's server: a certificate that was just made, and roots that trust it.

use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use std::sync::Arc;

/// A certificate with its key. They are random, but no length depends on them, so that a simulated world is the same
/// with every one.
#[derive(Clone)]
pub struct TlsIdentity {
    /// The server's side: it sends no session tickets, so that every connection begins the same way.
    pub server: Arc<ServerConfig>,
    /// The client's side: it trusts this certificate and no other.
    pub roots: RootCertStore,
    /// The certificate as a PEM file.
    pub pem: String,
}

impl TlsIdentity {
    /// Makes a certificate for these names of hosts.
    #[must_use]
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let made = CertificateParams::new(names).and_then(|mut params| {
            // Drawn from the key, it would be a byte shorter for some keys.
            params.serial_number = Some(SerialNumber::from(vec![1]));
            let key = KeyPair::generate_for(&PKCS_ED25519)?;
            Ok((params.self_signed(&key)?, key))
        });
        let (certificate, key) = made.expect("a certificate can be made");
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone()).expect("a certificate that was just made");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key)
            })
            .expect("a certificate with its key");
        config.send_tls13_tickets = 0;
        Self { server: Arc::new(config), roots, pem: certificate.pem() }
    }
}
