//! The certificate of all endpoints of a world. Its keys are as random as any; no length depends on them, so that a world
//! is the same for every one of them.

use hall_outbound::doorbell::TlsRoots;
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use std::sync::Arc;

/// Names that the certificate is for.
const NAMES: &str = "*.bells.example";

/// What endpoints identify themselves with, and what the hall believes.
#[derive(Clone)]
pub(super) struct Identity {
    pub(super) server: Arc<ServerConfig>,
    pub(super) roots: TlsRoots,
}

impl Identity {
    /// A new one.
    ///
    /// # Panics
    /// The system has no randomness.
    pub(super) fn new() -> Self {
        let made = CertificateParams::new(vec![NAMES.to_owned()]).and_then(|mut params| {
            // Drawn from the key, it would be a byte shorter for some.
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
        // Without tickets every connection begins the same way.
        config.send_tls13_tickets = 0;
        let roots = TlsRoots::of(roots).expect("the provider has the default versions");
        Self { server: Arc::new(config), roots }
    }
}
