//! Addresses that names may lead to and nobody may be rung at: those of the hall's own network, and the special ones of
//! the registries of IANA, plain and wrapped into IPv6.

use std::net::IpAddr;

/// Private and special addresses, with what they are.
const SPECIAL: [(&str, &str); 24] = [
    ("0.0.0.0", "this network"),
    ("100.64.0.1", "shared by carriers"),
    ("127.1.2.3", "this machine"),
    ("169.254.169.254", "metadata"),
    ("172.31.255.254", "private"),
    ("192.0.0.8", "protocol assignments"),
    ("192.168.0.1", "private"),
    ("198.19.255.255", "benchmarks"),
    ("203.0.113.9", "documentation"),
    ("224.0.0.251", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "unspecified"),
    ("::1", "this machine"),
    ("::ffff:10.0.0.7", "mapped"),
    ("::ffff:169.254.169.254", "mapped"),
    ("64:ff9b::a00:7", "NAT64"),
    ("64:ff9b:1::a00:7", "local NAT64"),
    ("2002:a00:7::1", "6to4"),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"),
    ("2001:db8::7", "documentation"),
    ("fd00:ec2::254", "metadata"),
    ("fe80::1", "link-local"),
    ("ff02::1", "multicast"),
];

/// One of them, with what it is.
pub(super) fn special(number: u64) -> (IpAddr, &'static str) {
    let place = usize::try_from(number).unwrap_or(0) % SPECIAL.len();
    let found = SPECIAL.get(place).and_then(|(address, what)| Some((address.parse().ok()?, *what)));
    found.expect("an address")
}

/// Whether it is one of them.
pub(super) fn is_special(address: IpAddr) -> bool {
    SPECIAL.iter().any(|(special, _)| special.parse() == Ok(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_them_is_drawn_and_recognised() {
        for number in 0..24 {
            assert!(is_special(special(number).0), "{number}");
        }
        assert!(!is_special("93.184.216.34".parse().unwrap()));
    }
}
