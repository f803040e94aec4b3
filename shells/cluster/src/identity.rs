//! Who may use the link between nodes: those that hold the hall's cluster key.
//!
//! From the key every node derives the same certificate, without a date that could pass. Both ends show it, prove that they
//! hold its key, and accept no other.

use rcgen::{CertificateParams, DistinguishedName, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::version::TLS13;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, ServerConfig, SignatureScheme};
use std::sync::Arc;
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// The name in the certificate; nobody looks it up.
const NAME: &str = "hall-node";

/// What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410).
const PKCS8_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// Why no certificate can be derived.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The certificate cannot be made.
    #[error("the certificate of the link cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
    /// TLS cannot be set up with it.
    #[error("the link cannot be encrypted: {0}")]
    Tls(#[from] Error),
}

/// Both ends of the link, for nodes that hold the key.
#[derive(Clone)]
pub struct Identity {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) connector: TlsConnector,
}

impl Identity {
    /// Derives the certificate.
    ///
    /// # Errors
    /// The libraries refuse it, which no key causes.
    pub fn of(key: &[u8; 32]) -> Result<Self, IdentityError> {
        let (certificate, der) = certificate(key)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let pinned =
            Arc::new(PinnedCertificate { certificate: certificate.clone(), provider: Arc::clone(&provider) });
        let key = || PrivateKeyDer::from(PrivatePkcs8KeyDer::from(der.clone()));
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(Arc::<PinnedCertificate>::clone(&pinned))
            .with_single_cert(vec![certificate.clone()], key())?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(pinned)
            .with_client_auth_cert(vec![certificate], key())?;
        Ok(Self { acceptor: Arc::new(server).into(), connector: Arc::new(client).into() })
    }

    pub(crate) fn name() -> ServerName<'static> {
        ServerName::try_from(NAME).expect("a name of letters and a hyphen")
    }
}

/// The certificate of a key, and the key in PKCS #8.
fn certificate(key: &[u8; 32]) -> Result<(CertificateDer<'static>, Vec<u8>), rcgen::Error> {
    let der = [PKCS8_PREFIX.as_slice(), key].concat();
    let pair = PrivatePkcs8KeyDer::from(der.clone());
    let pair = KeyPair::from_pkcs8_der_and_sign_algo(&pair, &PKCS_ED25519)?;
    let mut params = CertificateParams::new([NAME.to_owned()])?;
    params.distinguished_name = DistinguishedName::new();
    params.serial_number = Some(SerialNumber::from(1));
    Ok((params.self_signed(&pair)?.der().clone(), der))
}

/// Accepts the one certificate that all nodes of a hall have.
#[derive(Debug)]
struct PinnedCertificate {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl PinnedCertificate {
    fn check(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        if *shown == self.certificate { Ok(()) } else { Err(CertificateError::UnknownIssuer.into()) }
    }

    fn proven(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }
}

/// TLS 1.2 is not spoken.
fn older_version() -> Error {
    Error::General("the link speaks TLS 1.3".to_owned())
}

impl ServerCertVerifier for PinnedCertificate {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end_entity).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(older_version())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.proven(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}

impl ClientCertVerifier for PinnedCertificate {
    fn root_hint_subjects(&self) -> &[rustls::DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(end_entity).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(older_version())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.proven(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// What becomes of a byte that a client sends to a server.
    async fn sent(server: &Identity, client: &Identity) -> (Option<u8>, bool) {
        let (near, far) = tokio::io::duplex(4_096);
        let serving = async {
            let mut stream = server.acceptor.accept(near).await.ok()?;
            stream.read_u8().await.ok()
        };
        let asking = async {
            let mut stream = client.connector.connect(Identity::name(), far).await.ok()?;
            let sent = stream.write_u8(7).await.is_ok() && stream.flush().await.is_ok();
            sent.then_some(stream)
        };
        // The client's end stays open until the server has read.
        let (heard, sent) = tokio::join!(serving, asking);
        (heard, sent.is_some())
    }

    #[tokio::test]
    async fn two_nodes_with_one_key_understand_each_other() {
        let identity = || Identity::of(&[7; 32]).unwrap();
        assert_eq!(sent(&identity(), &identity()).await, (Some(7), true));
    }

    #[tokio::test]
    async fn a_node_with_another_key_is_refused_by_both_ends() {
        let (hall, other) = (Identity::of(&[7; 32]).unwrap(), Identity::of(&[8; 32]).unwrap());
        assert_eq!(sent(&hall, &other).await, (None, false));
        assert_eq!(sent(&other, &hall).await, (None, false));
        // One that accepts any server and shows a certificate of its own.
        let mixed = Identity { acceptor: other.acceptor.clone(), connector: imposter() };
        assert_eq!(sent(&hall, &mixed).await.0, None, "the server refuses the client, too");
    }

    /// A client that accepts the certificate of the hall, as everybody sees it, and shows one of its own.
    fn imposter() -> TlsConnector {
        let own = Identity::of(&[9; 32]).unwrap();
        let mut config = (**own.connector.config()).clone();
        config.dangerous().set_certificate_verifier(Arc::new(PinnedCertificate {
            certificate: certificate(&[7; 32]).unwrap().0,
            provider: Arc::new(rustls::crypto::ring::default_provider()),
        }));
        Arc::new(config).into()
    }
}
