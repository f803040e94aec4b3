//! TLS to the database: always with a check of the server's certificate and name.

use crate::error::OpenError;
use crate::settings::Settings;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What makes TLS connections; `None` where the connection string does not ask for TLS.
pub(crate) fn connector(settings: &Settings) -> Result<Option<MakeRustlsConnect>, OpenError> {
    if !settings.wants_tls() {
        return Ok(None);
    }
    let failed = |what: String| OpenError::Tls { what };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?
        .with_root_certificates(roots(settings)?)
        .with_no_client_auth();
    Ok(Some(MakeRustlsConnect::new(config)))
}

fn roots(settings: &Settings) -> Result<RootCertStore, OpenError> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = &settings.tls_roots {
        let failed = |what: String| OpenError::Tls { what: format!("{}: {what}", file.display()) };
        let read = CertificateDer::pem_file_iter(file).map_err(|error| failed(error.to_string()))?;
        for certificate in read {
            let certificate = certificate.map_err(|error| failed(error.to_string()))?;
            roots.add(certificate).map_err(|error| failed(error.to_string()))?;
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    if roots.is_empty() {
        return Err(OpenError::Tls { what: "no certificate is trusted".to_owned() });
    }
    Ok(roots)
}
