//! Addresses that lead, or pretend to lead, into private networks, with every way to write them that somebody has
//! thought of. A canary listens where most of them lead.

use super::kit::{Names, Switchboard};
use hall_outbound::doorbell::{CallFailure, DoorbellUrl, Endpoints, Policy, TlsRoots, VerifyFailure};
use hall_wire::Handle;
use hall_wire::message::Challenge;
use rustls::RootCertStore;
use std::collections::BTreeSet;
use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tokio::net::TcpListener;

/// Hosts that stand for an address that is not public, or for nothing at all.
const HOSTS: &[&str] = &[
    // This machine, as an IPv4 address in all its forms.
    "127.0.0.1",
    "127.0.0.0",
    "127.1",
    "127.0.1",
    "127.000.000.001",
    "127.0.0.01",
    "0127.0.0.1",
    "0177.0.0.1",
    "0177.1",
    "0177.0.1",
    "017700000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0x7F000001",
    "0x7f000001",
    "0X7F.0x0.0x0.0x1",
    "2130706433",
    "2130706433.",
    "127.0.0.1.",
    "127.255.255.254",
    "0x7f.0x000001",
    "127.0.0x0.1",
    "127.0.0.0x1",
    "0x0000007f.1",
    "00000177.0.0.1",
    "127.0.0.1%00",
    "127.0.0.1%2e",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127。0。0。1",
    "127．0．0．1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "127.0.0.1\t",
    " 127.0.0.1",
    "127.0.0.1 ",
    // All of this machine's addresses, and this network.
    "0",
    "0.0.0.0",
    "0.0",
    "00",
    "0x0",
    "0.0.0.1",
    "0.1.2.3",
    // IPv6 in all its forms.
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::]",
    "[::0]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[::ffff:0.0.0.0]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:192.168.1.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::8.8.8.8]",
    "[2002:7f00:1::]",
    "[2002:7f00:0001::1]",
    "[2002:a00:1::1]",
    "[2002:a9fe:a9fe::]",
    "[2002:c0a8:101::1]",
    "[2001::1]",
    "[2001:0:7f00:1::]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[fe80::1%251]",
    "[febf::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd00::1]",
    "[fd00:ec2::254]",
    "[fdff:ffff::1]",
    "[ff02::1]",
    "[ff0e::1]",
    "[100::1]",
    "[5f00::1]",
    "[::2]",
    "[1::]",
    "[4000::1]",
    "[::1",
    "::1]",
    "::1",
    "[]",
    "[:]",
    "[::1]]",
    "[[::1]]",
    "[::1].example.com",
    "[v1.fe80]",
    "[127.0.0.1]",
    "[0x7f000001]",
    "[2130706433]",
    // Private networks and where clouds keep their metadata.
    "10.0.0.1",
    "10.255.255.255",
    "10.1",
    "012.0.0.1",
    "0xa.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "0254.16.0.1",
    "2886729729",
    "192.168.0.1",
    "192.168.1.254",
    "192.168.257",
    "0300.0250.0.1",
    "3232235521",
    "0xc0a80001",
    "169.254.169.254",
    "169.254.0.1",
    "169.254.43518",
    "0251.0376.0251.0376",
    "0xa9.0xfe.0xa9.0xfe",
    "0xa9fea9fe",
    "2852039166",
    "169.254.169.254.",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "4294967295",
    "0xffffffff",
    // Numbers that are no address, or have too many parts.
    "256.256.256.256",
    "1.2.3.4.5",
    "4294967296",
    "1.2.3",
    "0x",
    "0x.0x.0x.0x",
    "1.1.1.0x",
    "8.8.8.08",
    "8.8.8.8.",
    "a.b.1",
    "example.0x1",
    "09.9.9.9",
    "99999999999999999999",
    // Names of this machine and of private networks.
    "localhost",
    "LOCALHOST",
    "LocalHost",
    "localhost.",
    "a.localhost",
    "localhost.localdomain.local",
    "ip6-localhost",
    "printer.local",
    "db.internal",
    "metadata.google.internal",
    "router.home.arpa",
    "x.onion",
    "x.invalid",
    "intranet",
    "metadata",
    "kubernetes",
    "com",
    "x",
    // What is no host.
    "",
    ".",
    "..",
    ".example.com",
    "example..com",
    "-a.example",
    "a-.example",
    "a_b.example",
    "a b.example",
    "a%20.example",
    "a\\.example",
    "a.example\\",
    "a.example\\@127.0.0.1",
    "*.example",
    "exämple.com",
    "例え.jp",
    "a,b.example",
    "a'b.example",
    "a\"b.example",
    "a<b.example",
    "a|b.example",
    "a^b.example",
    "a`b.example",
    "{a}.example",
    "a\u{200b}.example",
    "a\u{ad}.example",
    "a\u{0}.example",
    "a\r\nb.example",
    "a;b.example",
    "a!b.example",
    "a$b.example",
    "a&b.example",
    "a(b).example",
    "a+b.example",
    "a=b.example",
    "a~b.example",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.example",
];

/// Whole addresses that are refused for another reason than their host. `PORT` is the canary's.
const URLS: &[&str] = &[
    "",
    "https",
    "https:",
    "https:/",
    "https://",
    "https:///",
    "https:///path",
    "https://?",
    "https://#",
    "http://bell.example/",
    "HTTP://bell.example/",
    "HTTPS://bell.example/",
    "Https://bell.example/",
    "ftp://bell.example/",
    "file:///etc/passwd",
    "gopher://bell.example/",
    "ws://bell.example/",
    "//bell.example/",
    "bell.example",
    "javascript:alert(1)",
    "data:text/plain,x",
    "https:bell.example",
    "https:\\\\bell.example",
    " https://bell.example/",
    "https://bell.example/ ",
    "https://bell.example/a b",
    "https://bell.example/\n",
    "\thttps://bell.example/",
    "https://bell.example/ä",
    "https://bell.example/#fragment",
    "https://bell.example#",
    "https://user@bell.example/",
    "https://user:word@bell.example/",
    "https://@bell.example/",
    "https://:@bell.example/",
    "https://bell.example@127.0.0.1:PORT/",
    "https://127.0.0.1:PORT@bell.example/",
    "https://a@b@bell.example/",
    "https://bell.example%40127.0.0.1:PORT/",
    "https://bell.example\\@127.0.0.1:PORT/",
    "https://bell.example:22/",
    "https://bell.example:80/",
    "https://bell.example:8443/",
    "https://bell.example:0/",
    "https://bell.example:/",
    "https://bell.example:0443/",
    "https://bell.example:65536/",
    "https://bell.example:99999999999/",
    "https://bell.example:-1/",
    "https://bell.example:+443/",
    "https://bell.example:443:PORT/",
    "https://bell.example:https/",
    "https://bell.example:４４３/",
    "https://bell.example:443a/",
    "https://bell.example: 443/",
    "https://[::1]443/",
    "https://[::1]:/",
    "https://[::1]a:443/",
];

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
    // One good address among others makes none of them good, in whatever order.
    &["93.184.216.34", "127.0.0.1"],
    &["127.0.0.1", "93.184.216.34"],
    &["93.184.216.34", "169.254.169.254"],
    &["93.184.216.34", "::1"],
    &["2606:4700::1111", "fe80::1"],
    &["8.8.8.8", "1.1.1.1", "9.9.9.9", "10.0.0.1"],
];

#[tokio::test]
async fn nothing_of_two_hundred_tricky_addresses_and_answers_reaches_the_canary() {
    let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = canary.local_addr().unwrap().port();
    let policy = Policy { ports: BTreeSet::from([443, port]), allow_private: false };
    let names = Names::default();
    let switchboard = Switchboard::default();
    let roots = TlsRoots::of(RootCertStore::empty()).unwrap();
    let hall =
        Endpoints::over(policy.clone(), &roots, Box::new(names.clone()), Box::new(switchboard.clone()));

    let with_port = HOSTS.iter().map(|host| format!("https://{host}:{port}/ring"));
    let without = HOSTS.iter().map(|host| format!("https://{host}"));
    let whole = URLS.iter().map(|url| url.replace("PORT", &port.to_string()));
    let seen: Vec<String> = with_port.chain(without).chain(whole).collect();
    assert!(seen.len() + ANSWERS.len() >= 200);
    for url in &seen {
        assert!(DoorbellUrl::parse(url, &policy).is_err(), "{url:?} is refused when it is registered");
        assert_eq!(ask(&hall, url).await, Err(VerifyFailure::Call(CallFailure::Refused)), "{url:?}");
    }
    for (number, answer) in ANSWERS.iter().enumerate() {
        let name = format!("n{number}.example");
        names.add(&name, &[answer]);
        let url = format!("https://{name}:{port}/ring");
        assert!(DoorbellUrl::parse(&url, &policy).is_ok(), "nothing is to be seen in {url}");
        let refused = ask(&hall, &url).await;
        assert_eq!(refused, Err(VerifyFailure::Call(CallFailure::Refused)), "{answer:?}");
    }
    assert_eq!(switchboard.dialled(), []);
    let mut accepting = pin!(canary.accept());
    let heard = accepting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(heard, Poll::Pending), "the canary has heard something");
}

#[test]
fn addresses_as_agents_have_them_are_taken() {
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
