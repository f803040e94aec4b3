//! Addresses: which proxies are trusted, and which client a request comes from.

use hall_core::rate::ClientKey;
use ipnet::IpNet;
use salvo::http::HeaderMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

/// An address or a block of addresses in CIDR notation, as `10.0.0.0/8` or `::1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

/// A text that is neither an address nor a block of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANetwork;

impl fmt::Display for NotANetwork {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("neither an IP address nor a block such as 10.0.0.0/8")
    }
}

impl std::error::Error for NotANetwork {}

impl Network {
    /// Whether `address` lies in this block. An IPv4 address that is mapped into IPv6 counts as that IPv4 address.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let block = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        block.map(Self).map_err(|_| NotANetwork)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The client that a request comes from: the peer or, if the peer is a trusted proxy, the rightmost address in all
/// `X-Forwarded-For` lines that is not a trusted proxy.
///
/// Decision: an entry that is not an address ends the search, and the hop before it is taken. Its author can hide
/// behind the proxy this way, but not behind another client.
#[must_use]
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer;
    let lines: Vec<_> = headers.get_all("x-forwarded-for").iter().collect();
    let entries = lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    for entry in entries {
        if !is_trusted(client) {
            return client;
        }
        let Some(hop) = std::str::from_utf8(entry).ok().and_then(|text| forwarded_address(text.trim()))
        else {
            return client;
        };
        client = hop;
    }
    client
}

/// Whether a request comes from this machine itself: from a loopback address, and not through a proxy that says so.
#[must_use]
pub(crate) fn is_local(peer: IpAddr, headers: &HeaderMap) -> bool {
    let forwarded = ["forwarded", "x-forwarded-for"].iter().any(|name| headers.contains_key(*name));
    peer.to_canonical().is_loopback() && !forwarded
}

/// An address as proxies write it: alone, with a port, or in brackets with a port.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    if let Ok(with_port) = text.parse::<std::net::SocketAddr>() {
        return Some(with_port.ip());
    }
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// From this address.
    Address(IpAddr),
    /// From within the process: an agent of the house.
    Inside,
}

impl Origin {
    /// The client that its requests are counted for.
    pub(crate) fn key(self) -> ClientKey {
        match self {
            Self::Address(address) => ClientKey::of(address),
            Self::Inside => ClientKey::of(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn a_block_holds_exactly_its_addresses() {
        for (network, address, inside) in [
            ("10.0.0.0/8", "10.255.255.255", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db9::1", true),
            ("::1", "::1", true),
        ] {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), inside, "{address} in {network}");
        }
        for wrong in
            ["", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/+8", "10.0.0", "host", "1.2.3.4/8/8"]
        {
            assert_eq!(wrong.parse::<Network>(), Err(NotANetwork), "{wrong}");
        }
    }

    #[test]
    fn only_a_loopback_peer_without_a_forwarding_header_is_local() {
        for (peer, header, local) in [
            ("127.0.0.1", None, true),
            ("127.8.9.10", None, true),
            ("::1", None, true),
            ("::ffff:127.0.0.1", None, true),
            ("192.0.2.1", None, false),
            ("0.0.0.0", None, false),
            ("127.0.0.1", Some("x-forwarded-for"), false),
            ("::1", Some("forwarded"), false),
            ("127.0.0.1", Some("via"), true),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(header, HeaderValue::from_static(""));
            }
            assert_eq!(is_local(peer.parse().unwrap(), &headers), local, "{peer} {header:?}");
        }
    }

    #[test]
    fn the_client_is_the_rightmost_address_that_is_not_a_trusted_proxy() {
        let proxies = ["10.0.0.0/8", "::1"];
        for (peer, lines, client) in [
            ("203.0.113.9", &["198.51.100.1"][..], "203.0.113.9"),
            ("10.0.0.1", &[][..], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1", "198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["198.51.100.1, 10.0.0.2", "10.0.0.3"], "198.51.100.1"),
            ("10.0.0.1", &["10.0.0.3,10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.1, junk, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("::1", &["[2001:db8::7]:443"], "2001:db8::7"),
            ("::1", &["2001:db8::7"], "2001:db8::7"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-for", HeaderValue::from_static(line));
            }
            let trusted: Vec<Network> = proxies.iter().map(|text| text.parse().unwrap()).collect();
            let expected: IpAddr = client.parse().unwrap();
            assert_eq!(
                client_address(peer.parse().unwrap(), &headers, &trusted),
                expected,
                "{peer} {lines:?}"
            );
        }
    }
}
