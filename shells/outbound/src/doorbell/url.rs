//! A doorbell's address, and what can be seen in it before anybody is asked.

use super::address::{AddressClass, class_of};
use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The port of https.
const HTTPS_PORT: u16 = 443;
/// Bytes of a name at most.
const NAME_BYTES: usize = 253;
/// Bytes of one of its labels at most.
const LABEL_BYTES: usize = 63;
/// Characters that RFC 3986 allows nowhere in an address.
const NEVER_IN_URL: &str = "\"<>\\^`{|}";
/// Names that lead into a private network, or nowhere, by what they are.
const LOCAL_NAMES: &[&str] = &["localhost", "local", "internal", "home.arpa", "onion", "invalid"];

/// Which endpoints the hall's operator lets be rung.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Ports at which an endpoint may be.
    pub ports: BTreeSet<u16>,
    /// Whether private addresses are allowed, for tests only.
    pub allow_private: bool,
}

impl Default for Policy {
    /// Port 443 at public addresses.
    fn default() -> Self {
        Self { ports: BTreeSet::from([HTTPS_PORT]), allow_private: false }
    }
}

impl Policy {
    /// Whether the hall connects to this address.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        match class_of(address) {
            AddressClass::Public => true,
            AddressClass::Private => self.allow_private,
            AddressClass::Never => false,
        }
    }
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefused {
    /// It is not an https URL.
    #[error("it does not begin with https://")]
    NotHttps,
    /// It has a user's name or password in it.
    #[error("it names a user")]
    UserInfo,
    /// It is not written as an address is.
    #[error("it is not well formed")]
    Malformed,
    /// It has a fragment, which no server sees.
    #[error("it has a fragment")]
    Fragment,
    /// The host is a number that is not an address in its usual form.
    #[error("its host is a number in an unusual form")]
    OddNumber,
    /// The host is not public.
    #[error("its host is not public")]
    NotPublic,
    /// The port is not allowed.
    #[error("its port is not allowed")]
    Port,
}

/// Where an endpoint is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name in lower case, which is looked up for each request.
    Name(String),
    /// An address, which resolves to itself.
    Address(IpAddr),
}

/// An address that may be rung, as far as can be seen in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorbellUrl {
    host: Host,
    port: u16,
    path_and_query: String,
}

impl DoorbellUrl {
    /// Reads an address.
    ///
    /// Decision: what some libraries read as an address and others as a name (`127.1`, `0x7f000001`, `2130706433`,
    /// `0177.0.0.1`, escapes in the host, a dot at its end) is refused, and letters outside ASCII too: an endpoint with
    /// such a name is reached by its `xn--` form.
    ///
    /// # Errors
    /// Why it may not be rung.
    pub fn parse(text: &str, policy: &Policy) -> Result<Self, UrlRefused> {
        let rest = text.strip_prefix("https://").ok_or(UrlRefused::NotHttps)?;
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) || rest.contains(|c| NEVER_IN_URL.contains(c)) {
            return Err(UrlRefused::Malformed);
        }
        if rest.contains('#') {
            return Err(UrlRefused::Fragment);
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at_checked(end).ok_or(UrlRefused::Malformed)?;
        if authority.contains('@') {
            return Err(UrlRefused::UserInfo);
        }
        let (host, port) = split_port(authority)?;
        let host = read_host(host)?;
        if !policy.ports.contains(&port) {
            return Err(UrlRefused::Port);
        }
        let public = match &host {
            Host::Address(address) => policy.permits(*address),
            Host::Name(name) => policy.allow_private || !is_local(name),
        };
        if !public {
            return Err(UrlRefused::NotPublic);
        }
        let path_and_query = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self { host, port, path_and_query })
    }

    /// Where it is.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// At which port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// What is asked for there.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// The host with its port where that is not the usual one, as a `Host` header has it.
    #[must_use]
    pub fn authority(&self) -> String {
        if self.port == HTTPS_PORT { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => out.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(out, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(out, "[{address}]"),
        }
    }
}

fn split_port(authority: &str) -> Result<(&str, u16), UrlRefused> {
    // The colons of an IPv6 address lie within its brackets.
    let after = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    let colon = authority.get(after..).and_then(|rest| rest.find(':')).map(|place| after + place);
    let Some(colon) = colon else { return Ok((authority, HTTPS_PORT)) };
    let (host, port) = authority.split_at_checked(colon).ok_or(UrlRefused::Malformed)?;
    let digits = port.strip_prefix(':').ok_or(UrlRefused::Malformed)?;
    if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(UrlRefused::Malformed);
    }
    Ok((host, digits.parse().map_err(|_| UrlRefused::Malformed)?))
}

fn read_host(text: &str) -> Result<Host, UrlRefused> {
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']').ok_or(UrlRefused::Malformed)?;
        let address: Ipv6Addr = inner.parse().map_err(|_| UrlRefused::Malformed)?;
        return Ok(Host::Address(IpAddr::V6(address)));
    }
    let is_label = |label: &str| {
        let ends = [label.bytes().next(), label.bytes().next_back()];
        (1..=LABEL_BYTES).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && ends.iter().all(|end| end.is_some_and(|end| end != b'-'))
    };
    if text.len() > NAME_BYTES || !text.split('.').all(is_label) {
        return Err(UrlRefused::Malformed);
    }
    let last = text.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x") {
        let address: Ipv4Addr = text.parse().map_err(|_| UrlRefused::OddNumber)?;
        return Ok(Host::Address(IpAddr::V4(address)));
    }
    Ok(Host::Name(text.to_ascii_lowercase()))
}

/// Whether a name is of a private network by what it is. A name without a dot is: nobody has one on the internet.
fn is_local(name: &str) -> bool {
    let within = |local: &&str| {
        name.strip_suffix(*local).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    !name.contains('.') || LOCAL_NAMES.iter().any(within)
}
