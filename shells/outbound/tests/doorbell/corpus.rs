//! Addresses that lead, or pretend to lead, into private networks, in every known spelling. A canary listens where
//! most of them lead.

use super::refused::refused_addresses;
use super::support::{Names, Switchboard};
use hall_outbound::doorbell::{CallFailure, DoorbellUrl, Endpoints, Policy, TlsRoots, VerifyFailure};
use hall_wire::Handle;
use hall_wire::message::Challenge;
use rustls::RootCertStore;
use std::collections::BTreeSet;
use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tokio::net::TcpListener;

/// Names that look public, and the answers that they lead to.
const ANSWERS: &[&[&str]] = &[
    &["127.0.0.1"],
    &["127.0.0.2"],
    &["0.0.0.0"],
    &["10.0.0.1"],
    &["172.16.0.1"],
    &["192.168.0.1"],
    &["169.254.169.254"],
    &["100.64.0.1"],
    &["192.0.2.1"],
    &["198.18.0.1"],
    &["203.0.113.1"],
    &["224.0.0.1"],
    &["255.255.255.255"],
    &["::1"],
    &["::"],
    &["::ffff:127.0.0.1"],
    &["::ffff:169.254.169.254"],
    &["::127.0.0.1"],
    &["64:ff9b::127.0.0.1"],
    &["64:ff9b::10.0.0.1"],
    &["2002:7f00:1::1"],
    &["2001::1"],
    &["2001:db8::1"],
    &["fe80::1"],
    &["fc00::1"],
    &["fd00:ec2::254"],
    &["ff02::1"],
    // One good address does not make the others good, in any order.
    &["93.184.216.34", "127.0.0.1"],
    &["127.0.0.1", "93.184.216.34"],
    &["93.184.216.34", "169.254.169.254"],
    &["93.184.216.34", "::1"],
    &["2606:4700::1111", "fe80::1"],
    &["8.8.8.8", "1.1.1.1", "9.9.9.9", "10.0.0.1"],
];

#[tokio::test]
async fn none_of_two_hundred_tricky_addresses_and_answers_reaches_the_canary() {
    let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = canary.local_addr().unwrap().port();
    let policy = Policy { ports: BTreeSet::from([443, port]), allow_private: false };
    let names = Names::default();
    let switchboard = Switchboard::default();
    let roots = TlsRoots::of(RootCertStore::empty()).unwrap();
    let hall =
        Endpoints::over(policy.clone(), &roots, Box::new(names.clone()), Box::new(switchboard.clone()));

    let seen = refused_addresses(port);
    assert!(seen.len() + ANSWERS.len() >= 200);
    for url in &seen {
        assert!(DoorbellUrl::parse(url, &policy).is_err(), "{url:?} is refused when it is registered");
        assert_eq!(ask(&hall, url).await, Err(VerifyFailure::Call(CallFailure::Refused)), "{url:?}");
    }
    for (number, answer) in ANSWERS.iter().enumerate() {
        let name = format!("n{number}.example");
        names.add(&name, &[answer]);
        let url = format!("https://{name}:{port}/ring");
        assert!(DoorbellUrl::parse(&url, &policy).is_ok(), "{url} looks harmless");
        let refused = ask(&hall, &url).await;
        assert_eq!(refused, Err(VerifyFailure::Call(CallFailure::Refused)), "{answer:?}");
    }
    assert_eq!(switchboard.dialled(), []);
    let mut accepting = pin!(canary.accept());
    let heard = accepting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(heard, Poll::Pending), "the canary has heard something");
}

#[test]
fn ordinary_addresses_of_agents_are_accepted() {
    let policy = Policy { ports: BTreeSet::from([443, 8443]), allow_private: false };
    for (url, authority, target) in [
        ("https://bell.example", "bell.example", "/"),
        ("https://bell.example?x=1", "bell.example", "/?x=1"),
        ("https://Bell.Example/Ring?agent=ada&x=%20", "bell.example", "/Ring?agent=ada&x=%20"),
        ("https://bell.example:443/", "bell.example", "/"),
        ("https://bell.example:8443/a/b;c", "bell.example:8443", "/a/b;c"),
        ("https://xn--exmple-cua.com/", "xn--exmple-cua.com", "/"),
        ("https://1password.com/", "1password.com", "/"),
        ("https://a.0x1.com/@/:", "a.0x1.com", "/@/:"),
        ("https://93.184.216.34/", "93.184.216.34", "/"),
        ("https://[2606:4700::1111]:8443/", "[2606:4700::1111]:8443", "/"),
        ("https://[2606:4700:0:0::1111]/", "[2606:4700::1111]", "/"),
    ] {
        let read = DoorbellUrl::parse(url, &policy).unwrap_or_else(|why| panic!("{url}: {why}"));
        assert_eq!((read.authority().as_str(), read.path_and_query()), (authority, target), "{url}");
    }
}

async fn ask(hall: &Endpoints, url: &str) -> Result<String, VerifyFailure> {
    hall.verify(url, &Handle::parse("ada").unwrap(), &Challenge::from_bytes([1; 32])).await
}
