//! Serving with TLS, without a proxy before the hall.

use crate::hall::{Sent, TestHall, settings};
use hall_http::{HttpSettings, TlsFiles, check_tls};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hall_with_a_certificate_answers_with_tls_and_not_without() {
    let folder = tempfile::tempdir().unwrap();
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let [certificate, key] = ["certificate.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&certificate, cert.pem()).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    let tls = Some(TlsFiles { certificate, key });
    let hall = TestHall::start(HttpSettings { tls, ..settings() }).await;
    let connector = trusting(cert.der().clone());
    // Two requests on one connection, the second with a long answer.
    let stream = TcpStream::connect(hall.address).await.unwrap();
    let mut stream = connector.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap();
    for (path, told) in [("/healthz", "{\"status\":\"ok\"}"), ("/api/playbook", "svc.playbook.v1")] {
        stream.write_all(&Sent::new("GET", path).without("Connection").bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !String::from_utf8_lossy(&answer).contains(told) {
            assert!(stream.read_buf(&mut answer).await.unwrap() > 0, "{path} ended");
        }
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"), "{path}");
    }
    let mut plain = TcpStream::connect(hall.address).await.unwrap();
    plain.write_all(&Sent::new("GET", "/healthz").bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&answer));
    drop(stream);
    hall.stop().await;
}

#[test]
fn a_certificate_and_a_key_that_do_not_belong_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let [certificate, key] =
            ["certificate", "key"].map(|kind| folder.path().join(format!("{name}-{kind}.pem")));
        std::fs::write(&certificate, cert.pem()).unwrap();
        std::fs::write(&key, signing_key.serialize_pem()).unwrap();
        TlsFiles { certificate, key }
    };
    let (old, new) = (write("old"), write("new"));
    for files in [&old, &new] {
        check_tls(files).unwrap();
    }
    let crossed = TlsFiles { certificate: new.certificate.clone(), key: old.key.clone() };
    let refused = check_tls(&crossed).unwrap_err().to_string();
    assert!(refused.contains("new-certificate.pem") && refused.contains("old-key.pem"), "{refused}");
    std::fs::write(&new.certificate, "").unwrap();
    let refused = check_tls(&new).unwrap_err().to_string();
    assert!(refused.contains("new-certificate.pem") && refused.contains("no certificate"), "{refused}");
}

/// A client that trusts this certificate alone.
fn trusting(certificate: CertificateDer<'static>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}
