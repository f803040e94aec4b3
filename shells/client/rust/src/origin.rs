//! Which hall: scheme, host and port.

use hyper::Uri;
use std::fmt;

/// The address of a hall: scheme, host and port, nothing else.
///
/// Written in one way only (lower case, no default port, no path), because keys are bound to it: the signed
/// messages name no hall, so a key that were used at two halls could be replayed from one at the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    https: bool,
    host: String,
    port: u16,
}

/// Why a text is not an address of a hall.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// It is no absolute address.
    #[error("{0:?} is not an address; write it as https://hall.example or http://127.0.0.1:8080")]
    NotAnAddress(String),
    /// Another scheme than http and https.
    #[error("the address of a hall begins with https:// or http://, not {0}://")]
    Scheme(String),
    /// More than scheme, host and port: a path, a query or a user name.
    #[error("{0:?} holds more than scheme, host and port; a hall has an origin of its own")]
    NotAnOrigin(String),
}

impl Origin {
    /// Reads an address such as `https://hall.example` or `http://127.0.0.1:8080/`.
    ///
    /// Plain http is accepted for any host. Decision: requests are signed and hold no secret but the operator
    /// token of a registration, and many halls run on a machine or network of one's own; over the open internet
    /// use https, or that token can be read on the way.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        let uri: Uri = text.parse().map_err(|_| OriginError::NotAnAddress(text.to_owned()))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(OriginError::NotAnAddress(text.to_owned()));
        };
        let https = match scheme {
            "https" => true,
            "http" => false,
            other => return Err(OriginError::Scheme(other.to_owned())),
        };
        let bare = uri.path().trim_matches('/').is_empty() && uri.query().is_none();
        if !bare || authority.as_str().contains('@') || authority.host().is_empty() || text.contains('#') {
            return Err(OriginError::NotAnOrigin(text.to_owned()));
        }
        let written_port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        let port = match authority.port_u16() {
            Some(port) => port,
            None if written_port.is_empty() => default_port(https),
            None => return Err(OriginError::NotAnAddress(text.to_owned())),
        };
        Ok(Self { https, host: authority.host().to_ascii_lowercase(), port })
    }

    /// Whether the hall is reached over TLS.
    #[must_use]
    pub const fn is_https(&self) -> bool {
        self.https
    }

    /// The host name or address; IPv6 addresses in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, written or by default.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// A name for a folder that belongs to this hall: host and port, with what file systems dislike replaced.
    #[must_use]
    pub fn folder_name(&self) -> String {
        let host: String = self
            .host
            .chars()
            .map(
                |letter| {
                    if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-') { letter } else { '_' }
                },
            )
            .collect();
        format!("{host}_{}", self.port)
    }
}

const fn default_port(https: bool) -> u16 {
    if https { 443 } else { 80 }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}://{}", if self.https { "https" } else { "http" }, self.host)?;
        if self.port == default_port(self.https) { Ok(()) } else { write!(out, ":{}", self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hall_has_one_written_form() {
        for (text, written, folder) in [
            ("https://Hall.Example", "https://hall.example", "hall.example_443"),
            ("https://hall.example:443/", "https://hall.example", "hall.example_443"),
            ("HTTP://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1_8080"),
            ("http://[::1]:80", "http://[::1]", "___1__80"),
        ] {
            let origin = Origin::parse(text).unwrap();
            assert_eq!(origin.to_string(), written, "{text}");
            assert_eq!(origin.folder_name(), folder, "{text}");
            assert_eq!(Origin::parse(written), Ok(origin), "{text}");
        }
    }

    #[test]
    fn addresses_that_are_not_exactly_an_origin_are_refused() {
        for wrong in [
            "",
            "hall.example",
            "/api",
            "ftp://hall.example",
            "https://",
            "https://hall.example/hall",
            "https://hall.example/?a=1",
            "https://hall.example/#a",
            "https://me@hall.example",
            "https://hall.example:99999",
            "https://hall.example:",
        ] {
            assert!(Origin::parse(wrong).is_err(), "{wrong}");
        }
    }
}
