//! From a name to a connection: the checked address is the one that is dialled.

use super::support::{Endpoint, Names, Switchboard, answer};
use futures_util::future::join_all;
use hall_outbound::doorbell::{CallFailure, Dial, Dialing, Endpoints, Policy, TlsRoots, VerifyFailure};
use hall_wire::Handle;
use hall_wire::message::Challenge;
use rustls::RootCertStore;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn a_rebound_name_is_resolved_again_and_refused() {
    let endpoint = Endpoint::new(&["bell.example"], vec![answer("204 No Content", &signature())]).await;
    let names = Names::default();
    names
        .add("bell.example", &[&["93.184.216.34"], &["127.0.0.1"], &["93.184.216.34"], &["169.254.169.254"]]);
    let switchboard = Switchboard::leading_to(endpoint.address);
    let hall =
        Endpoints::over(Policy::default(), &endpoint.roots, Box::new(names), Box::new(switchboard.clone()));
    for right in [true, false, true, false] {
        let asked = ask(&hall, "https://bell.example/ring").await;
        let refused = Err(VerifyFailure::Call(CallFailure::Refused));
        assert_eq!(asked, if right { Ok("ab".repeat(64)) } else { refused });
    }
    let public = "93.184.216.34:443".parse().unwrap();
    assert_eq!(switchboard.dialled(), [public, public], "exactly what was checked");
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    for status in [
        "301 Moved Permanently",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let location = [("location", "https://127.0.0.1/"), ("x-svc-doorbell-signature", "ab")];
        let endpoint = Endpoint::new(&["bell.example"], vec![answer(status, &location)]).await;
        let (hall, switchboard) = endpoint.endpoints();
        let code = status.split(' ').next().unwrap().parse().unwrap();
        let bad = Err(VerifyFailure::Call(CallFailure::BadStatus(code)));
        assert_eq!(ask(&hall, "https://bell.example/ring").await, bad);
        assert_eq!(switchboard.dialled().len(), 1);
    }
}

#[tokio::test]
async fn a_host_whose_certificate_has_another_name_is_unreachable() {
    let endpoint = Endpoint::new(&["other.example"], vec![answer("204 No Content", &signature())]).await;
    let (hall, _) = endpoint.endpoints();
    let unreachable = Err(VerifyFailure::Call(CallFailure::Unreachable));
    assert_eq!(ask(&hall, "https://bell.example/ring").await, unreachable);
}

#[tokio::test]
async fn a_name_without_an_address_is_unreachable() {
    let endpoint = Endpoint::new(&["bell.example"], vec![answer("204 No Content", &signature())]).await;
    let (hall, _) = endpoint.endpoints();
    let unreachable = Err(VerifyFailure::Call(CallFailure::Unreachable));
    assert_eq!(ask(&hall, "https://nowhere.example/ring").await, unreachable);
}

#[tokio::test]
async fn private_addresses_are_reached_only_where_tests_say_so_and_metadata_never() {
    let endpoint = Endpoint::new(&["127.0.0.1"], vec![answer("200 OK", &signature())]).await;
    let port = endpoint.address.port();
    for allow_private in [false, true] {
        let policy = Policy { ports: BTreeSet::from([port]), allow_private };
        let switchboard = Switchboard::default();
        let hall = Endpoints::over(
            policy,
            &endpoint.roots,
            Box::new(Names::default()),
            Box::new(switchboard.clone()),
        );
        let asked = ask(&hall, &format!("https://127.0.0.1:{port}/ring")).await;
        assert_eq!(asked.is_ok(), allow_private);
        let metadata = ask(&hall, &format!("https://169.254.169.254:{port}/")).await;
        assert_eq!(metadata, Err(VerifyFailure::Call(CallFailure::Refused)));
        assert_eq!(switchboard.dialled().len(), usize::from(allow_private));
    }
}

#[tokio::test]
async fn a_signature_from_one_address_does_not_speak_for_another_one_of_the_same_name() {
    let names: Vec<String> = (0..61).map(|number| format!("n{number}.example")).collect();
    let mut manners = vec![answer("404 Not Found", &[]); 59];
    manners.extend([answer("200 OK", &signature()), answer("404 Not Found", &[])]);
    let certified: Vec<&str> = names.iter().map(String::as_str).chain(["both.example"]).collect();
    let endpoint = Endpoint::new(&certified, manners).await;
    let (victim, other) = ("93.184.216.34", "93.184.216.35");
    let known = Names::default();
    names.iter().for_each(|name| known.add(name, &[&[victim]]));
    known.add("both.example", &[&[other, victim]]);
    let switchboard = Switchboard::leading_to(endpoint.address);
    let hall = Endpoints::over(Policy::default(), &endpoint.roots, Box::new(known), Box::new(switchboard));
    let url = |name: &str| format!("https://{name}/ring");
    let bad = || Err(VerifyFailure::Call(CallFailure::BadStatus(404)));
    for name in &names[..59] {
        assert_eq!(ask(&hall, &url(name)).await, bad());
    }
    assert!(ask(&hall, &url("both.example")).await.is_ok());
    assert_eq!(ask(&hall, &url(&names[59])).await, bad());
    let more = ask(&hall, &url(&names[60])).await;
    assert!(matches!(more, Err(VerifyFailure::TooOften { most: 60, .. })), "{more:?}");
}

#[tokio::test(start_paused = true)]
async fn any_number_of_names_share_a_few_connections_to_their_one_address() {
    let names = Names::default();
    (0..40).for_each(|number| names.add(&format!("n{number}.example"), &[&["93.184.216.34"]]));
    let dead = DeadEnd::default();
    let roots = TlsRoots::of(RootCertStore::empty()).unwrap();
    let hall = Endpoints::over(Policy::default(), &roots, Box::new(names), Box::new(dead.clone()));
    let asked = (0..40).map(|number| {
        let hall = &hall;
        async move { ask(hall, &format!("https://n{number}.example/ring")).await }
    });
    for said in join_all(asked).await {
        assert_eq!(said, Err(VerifyFailure::Call(CallFailure::Timeout)));
    }
    assert_eq!(dead.most.load(Ordering::Relaxed), 8);
}

/// Takes connections and never completes them; counts how many are begun, and the most at the same time.
#[derive(Clone, Default)]
struct DeadEnd {
    begun: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Dial for DeadEnd {
    fn dial(&self, _: SocketAddr) -> Dialing<'_> {
        let now = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        let open = Open(&self.begun);
        Box::pin(async move {
            let _open = open;
            std::future::pending().await
        })
    }
}

struct Open<'a>(&'a AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn signature() -> [(&'static str, &'static str); 1] {
    const SIGNATURE: &str = "abababababababababababababababababababababababababababababababababababababababab\
                             abababababababababababababababababababababababab";
    [("x-svc-doorbell-signature", SIGNATURE)]
}

async fn ask(hall: &Endpoints, url: &str) -> Result<String, VerifyFailure> {
    hall.verify(url, &Handle::parse("ada").unwrap(), &Challenge::from_bytes([1; 32])).await
}
