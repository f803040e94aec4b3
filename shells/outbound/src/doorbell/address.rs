//! Which addresses the hall connects to: those of the public internet, after the registries of special-purpose
//! addresses of IANA.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressClass {
    /// An address of the public internet.
    Public,
    /// A private network or this machine: allowed only where tests enable it.
    Private,
    /// An address that is never connected to: link-local (where clouds keep their metadata), multicast, reserved,
    /// documentation, transition mechanisms.
    Never,
}

/// IPv4 networks that are private.
const PRIVATE_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
];

/// IPv4 networks that are not of the public internet and not private either.
const NEVER_V4: &[(Ipv4Addr, u32)] = &[
    // This network.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Shared by carriers.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Link-local.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Protocol assignments.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Relays of 6to4, deprecated.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and limited broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The only IPv6 addresses that are handed out for the public internet.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within them that are not of the public internet.
const NEVER_V6: &[(Ipv6Addr, u32)] = &[
    // Protocol assignments: Teredo, benchmarks, identifiers.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Unique local addresses.
const LOCAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7);

/// IPv6 networks whose addresses stand for an IPv4 address, with the bit at which it begins.
const WRAPPED_V4: &[(Ipv6Addr, u32, u32)] = &[
    // IPv4-mapped.
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, 96),
    // NAT64.
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, 96),
    // 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, 16),
];

/// The purpose of an address. An address that embeds an IPv4 address has the purpose of that one.
#[must_use]
pub fn class_of(address: IpAddr) -> AddressClass {
    match address {
        IpAddr::V4(address) => class_of_v4(address),
        IpAddr::V6(address) => class_of_v6(address),
    }
}

fn class_of_v4(address: Ipv4Addr) -> AddressClass {
    let within = |networks: &[(Ipv4Addr, u32)]| {
        networks.iter().any(|(network, length)| {
            let kept = u32::MAX.checked_shl(32 - length).unwrap_or(0);
            address.to_bits() & kept == network.to_bits()
        })
    };
    if within(NEVER_V4) {
        AddressClass::Never
    } else if within(PRIVATE_V4) {
        AddressClass::Private
    } else {
        AddressClass::Public
    }
}

fn class_of_v6(address: Ipv6Addr) -> AddressClass {
    let bits = address.to_bits();
    if let Some((_, _, begin)) =
        WRAPPED_V4.iter().find(|(network, length, _)| lies_in(address, *network, *length))
    {
        let embedded = (bits << begin) >> 96;
        return u32::try_from(embedded)
            .map_or(AddressClass::Never, |v4| class_of_v4(Ipv4Addr::from_bits(v4)));
    }
    if address == Ipv6Addr::LOCALHOST || lies_in(address, LOCAL_V6.0, LOCAL_V6.1) {
        return AddressClass::Private;
    }
    let reserved = NEVER_V6.iter().any(|(network, length)| lies_in(address, *network, *length));
    if reserved || !lies_in(address, GLOBAL_V6.0, GLOBAL_V6.1) {
        AddressClass::Never
    } else {
        AddressClass::Public
    }
}

fn lies_in(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    let kept = u128::MAX.checked_shl(128 - length).unwrap_or(0);
    address.to_bits() & kept == network.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_network_is_classified_at_both_ends_of_its_range() {
        use AddressClass::{Never, Private, Public};
        for (address, class) in [
            ("0.0.0.0", Never),
            ("0.255.255.255", Never),
            ("1.0.0.0", Public),
            ("9.255.255.255", Public),
            ("10.0.0.0", Private),
            ("10.255.255.255", Private),
            ("11.0.0.0", Public),
            ("100.63.255.255", Public),
            ("100.64.0.0", Never),
            ("100.127.255.255", Never),
            ("100.128.0.0", Public),
            ("127.0.0.1", Private),
            ("127.255.255.254", Private),
            ("128.0.0.1", Public),
            ("169.253.255.255", Public),
            ("169.254.169.254", Never),
            ("172.15.255.255", Public),
            ("172.16.0.0", Private),
            ("172.31.255.255", Private),
            ("172.32.0.0", Public),
            ("192.0.0.8", Never),
            ("192.0.1.0", Public),
            ("192.0.2.9", Never),
            ("192.88.99.1", Never),
            ("192.168.0.1", Private),
            ("198.17.255.255", Public),
            ("198.18.0.1", Never),
            ("198.19.255.255", Never),
            ("198.20.0.0", Public),
            ("198.51.100.7", Never),
            ("203.0.113.7", Never),
            ("223.255.255.255", Public),
            ("224.0.0.1", Never),
            ("239.255.255.255", Never),
            ("240.0.0.1", Never),
            ("255.255.255.255", Never),
            ("8.8.8.8", Public),
            ("::", Never),
            ("::1", Private),
            ("::2", Never),
            ("::8.8.8.8", Never),
            ("::ffff:8.8.8.8", Public),
            ("::ffff:127.0.0.1", Private),
            ("::ffff:169.254.169.254", Never),
            ("::ffff:0:127.0.0.1", Never),
            ("64:ff9b::8.8.8.8", Public),
            ("64:ff9b::10.0.0.1", Private),
            ("64:ff9b::169.254.169.254", Never),
            ("64:ff9b:1::8.8.8.8", Never),
            ("100::1", Never),
            ("1fff:ffff::1", Never),
            ("2000::1", Public),
            ("2001::1", Never),
            ("2001:1ff:ffff::1", Never),
            ("2001:200::1", Public),
            ("2001:db8::1", Never),
            ("2001:4860:4860::8888", Public),
            ("2002:808:808::1", Public),
            ("2002:7f00:1::1", Private),
            ("2002:a9fe:a9fe::1", Never),
            ("2606:4700::1111", Public),
            ("3fff:fff::1", Never),
            ("3fff:1000::1", Public),
            ("4000::1", Never),
            ("5f00::1", Never),
            ("fc00::1", Private),
            ("fdff::1", Private),
            ("fe80::1", Never),
            ("fec0::1", Never),
            ("ff02::1", Never),
        ] {
            assert_eq!(class_of(address.parse().unwrap()), class, "{address}");
        }
    }
}
