//! The access log: a line for every request at `info` of this crate, and, where that is not shown, a line for every
//! refusal at `info` of the target `refusals`, so that the default settings show it.
//!
//! A flood cannot fill the log: of each error code at most [`LINES`] refusals in [`WINDOW`] are shown, and then how
//! many were left out. Refusals are caused by agents, so none is a warning.

use crate::lock::lock;
use crate::network::Origin;
use crate::settings::ClientAddresses;
use hall_wire::Digest;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tracing::Level;

/// Refusals of one code shown in a window.
const LINES: u32 = 10;
/// How long a window is.
const WINDOW: Duration = Duration::from_secs(60);
/// Characters of a path that are shown.
const PATH_CHARACTERS: usize = 200;

/// The contents of a line about a request or a tool call.
pub(crate) struct Entry<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) origin: Origin,
    /// The handle of a caller whose signature verified.
    pub(crate) agent: Option<&'a str>,
    /// The error code, if it was refused.
    pub(crate) code: Option<&'static str>,
}

/// The access log of one hall.
pub(crate) struct AccessLog {
    addresses: ClientAddresses,
    /// Random for each process, so that hashes of two runs cannot be compared.
    key: Digest,
    refusals: Arc<Refusals>,
}

impl AccessLog {
    pub(crate) fn new(addresses: ClientAddresses, run_secret: &[u8; 32]) -> Self {
        let key = Digest::of_parts(&[b"client addresses", run_secret]);
        Self { addresses, key, refusals: Arc::default() }
    }

    /// A client's address as the log may show it. Computed only when a line is written, because it costs a hash.
    fn shown(&self, origin: Origin) -> Option<String> {
        let address = match origin {
            Origin::Address(address) => address.to_canonical(),
            // No address, so nothing to hide.
            Origin::Inside => return Some("house".to_owned()),
        };
        match self.addresses {
            ClientAddresses::Full => Some(address.to_string()),
            ClientAddresses::Hashed => {
                let bytes = match address {
                    IpAddr::V4(address) => address.octets().to_vec(),
                    IpAddr::V6(address) => address.octets().to_vec(),
                };
                let hash = Digest::of_parts(&[self.key.as_bytes(), &bytes]).to_hex();
                hash.get(..16).map(str::to_owned)
            }
            ClientAddresses::None => None,
        }
    }

    /// Logs a request that was answered.
    pub(crate) fn request(
        &self,
        entry: &Entry<'_>,
        (method, path): (&str, &str),
        operation: Option<&'static str>,
        (status, took): (u16, Duration),
    ) {
        let Entry { request_id, origin, agent, code } = *entry;
        if tracing::event_enabled!(Level::INFO) {
            let client = self.shown(origin);
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            tracing::info!(
                request_id, client, method, path, operation, agent, status, code, micros, "request"
            );
        } else if let Some(code) = code.filter(|code| self.refusals.shows(code)) {
            let client = self.shown(origin);
            let path: String = path.chars().take(PATH_CHARACTERS).collect();
            tracing::info!(target: "refusals", request_id, client, method, path, agent, status, code, "refused");
        }
    }

    /// Logs a tool call that was answered; the HTTP request around it has a line as well.
    pub(crate) fn tool_call(&self, entry: &Entry<'_>, tool: &str) {
        let Entry { request_id, origin, agent, code } = *entry;
        if tracing::event_enabled!(Level::INFO) {
            let client = self.shown(origin);
            tracing::info!(request_id, client, tool, agent, code, "tool call");
        } else if let Some(code) = code.filter(|code| self.refusals.shows(code)) {
            let client = self.shown(origin);
            tracing::info!(target: "refusals", request_id, client, tool, agent, code, "refused");
        }
    }
}

/// How many refusals of each code were shown lately.
#[derive(Default)]
struct Refusals(Mutex<BTreeMap<&'static str, Window>>);

struct Window {
    began: Instant,
    shown: u32,
    left_out: u64,
}

impl Refusals {
    /// Whether a refusal is shown. If it is the first one that is not, the end of the window will log how many were
    /// left out.
    fn shows(self: &Arc<Self>, code: &'static str) -> bool {
        let now = Instant::now();
        let mut windows = lock(&self.0);
        let window = windows.entry(code).or_insert(Window { began: now, shown: 0, left_out: 0 });
        if now.duration_since(window.began) >= WINDOW {
            (window.began, window.shown) = (now, 0);
        }
        if window.shown < LINES {
            window.shown += 1;
            return true;
        }
        window.left_out += 1;
        if window.left_out == 1 {
            let (refusals, until) = (Arc::clone(self), window.began + WINDOW);
            tokio::spawn(async move {
                tokio::time::sleep_until(until).await;
                let left_out = refusals.take_left_out(code);
                tracing::info!(target: "refusals", code, left_out, seconds = WINDOW.as_secs(), "more were refused");
            });
        }
        false
    }

    fn take_left_out(&self, code: &'static str) -> u64 {
        lock(&self.0).get_mut(code).map_or(0, |window| std::mem::take(&mut window.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_one_code_is_logged_in_part_and_counted_and_hides_no_other_code() {
        let refusals = Arc::new(Refusals::default());
        let shown = (0..1_000).filter(|_| refusals.shows("RATE_LIMITED")).count();
        assert_eq!(shown, 10);
        assert!(refusals.shows("SIG_INVALID"));
        assert_eq!(lock(&refusals.0)["RATE_LIMITED"].left_out, 990);
        tokio::time::sleep(WINDOW + Duration::from_millis(1)).await;
        assert_eq!(lock(&refusals.0)["RATE_LIMITED"].left_out, 0, "told by the end of the window");
        assert!(refusals.shows("RATE_LIMITED"));
    }

    #[test]
    fn addresses_are_shown_hashed_or_left_out() {
        let shown = |addresses, secret: u8, text: &str| {
            let address = Origin::Address(text.parse().unwrap());
            AccessLog::new(addresses, &[secret; 32]).shown(address)
        };
        assert_eq!(shown(ClientAddresses::Full, 1, "::ffff:192.0.2.7").as_deref(), Some("192.0.2.7"));
        assert_eq!(shown(ClientAddresses::None, 1, "192.0.2.7"), None);
        let hashed = shown(ClientAddresses::Hashed, 1, "192.0.2.7").unwrap();
        assert_eq!(hashed.len(), 16);
        assert_eq!(shown(ClientAddresses::Hashed, 1, "192.0.2.7").as_ref(), Some(&hashed));
        assert_ne!(shown(ClientAddresses::Hashed, 1, "192.0.2.8").as_ref(), Some(&hashed));
        assert_ne!(shown(ClientAddresses::Hashed, 2, "192.0.2.7").as_ref(), Some(&hashed), "another run");
    }
}
