//! The base address of a server that the hall contacts: scheme, host, port and an optional path.

use hyper::Uri;
use std::fmt;

/// The longest address, in bytes.
const MAX_URL: usize = 512;

/// A base address, to which paths are appended: `https://api.drand.sh`, or with a path,
/// `http://127.0.0.1:8080/drand`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BaseUrl {
    https: bool,
    /// Without a slash at the end.
    text: String,
}

/// Why a text is not a base address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// Not an absolute address, or too long.
    #[error("write the address as https://host.example, in at most {MAX_URL} characters")]
    NotAnAddress,
    /// Another scheme than http and https.
    #[error("the address begins with https:// or http://")]
    Scheme,
    /// A user name, a query or a fragment.
    #[error("the address has no user name, no query and no fragment")]
    TooMuch,
}

impl BaseUrl {
    /// Parses a base address; trailing slashes are ignored.
    ///
    /// Plain http is accepted for any host: answers are verified regardless of the transport, so an attacker on the
    /// path can only withhold them.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        if text.len() > MAX_URL {
            return Err(BaseUrlError::NotAnAddress);
        }
        let uri: Uri = text.parse().map_err(|_| BaseUrlError::NotAnAddress)?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(BaseUrlError::NotAnAddress);
        };
        let https = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(BaseUrlError::Scheme),
        };
        if authority.as_str().contains('@') || uri.query().is_some() || text.contains('#') {
            return Err(BaseUrlError::TooMuch);
        }
        let written_port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        if authority.host().is_empty() || (authority.port_u16().is_none() && !written_port.is_empty()) {
            return Err(BaseUrlError::NotAnAddress);
        }
        let path = uri.path().trim_end_matches('/');
        Ok(Self { https, text: format!("{scheme}://{authority}{path}") })
    }

    /// Whether it is reached over TLS.
    #[must_use]
    pub const fn is_https(&self) -> bool {
        self.https
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_slashes_do_not_matter() {
        for (text, https, base) in [
            ("https://api.example", true, "https://api.example"),
            ("https://api.example/", true, "https://api.example"),
            ("http://127.0.0.1:8080/path//", false, "http://127.0.0.1:8080/path"),
            ("http://[::1]:80", false, "http://[::1]:80"),
        ] {
            let url = BaseUrl::parse(text).unwrap();
            assert_eq!((url.is_https(), url.to_string().as_str()), (https, base), "{text}");
            assert!(format!("{url}/more").parse::<Uri>().is_ok());
        }
    }

    #[test]
    fn invalid_base_addresses_are_refused() {
        let long = format!("https://host.example/{}", "a".repeat(MAX_URL));
        for (text, why) in [
            ("", BaseUrlError::NotAnAddress),
            ("api.example", BaseUrlError::NotAnAddress),
            ("/path", BaseUrlError::NotAnAddress),
            ("https://", BaseUrlError::NotAnAddress),
            ("https://host.example:", BaseUrlError::NotAnAddress),
            ("https://host.example:99999", BaseUrlError::NotAnAddress),
            (long.as_str(), BaseUrlError::NotAnAddress),
            ("ftp://host.example", BaseUrlError::Scheme),
            ("https://me@host.example", BaseUrlError::TooMuch),
            ("https://host.example/?a=1", BaseUrlError::TooMuch),
            ("https://host.example/#a", BaseUrlError::TooMuch),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(why), "{text}");
        }
    }
}
