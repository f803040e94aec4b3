//! Signed requests of an agent whose key is made for this run.

use super::site::{Reply, Site, text_at};
use hall_client::wire::Handle;
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::message::Challenge;
use hall_client::{Homologation, Key, SystemRandomness, auth_headers};
use serde_json::json;

/// An agent.
pub(super) struct Agent {
    pub(super) handle: Handle,
    pub(super) key: Key,
    pub(super) token: String,
}

/// The three headers of a signed request, as pairs.
pub(super) type Headers = [(&'static str, String); 3];

impl Agent {
    /// A new agent, whose operator is `token`'s.
    pub(super) fn new(site: &Site, name: &str, token: &str) -> Result<Self, String> {
        let key = Key::generate(site.origin(), &SystemRandomness).map_err(|error| error.to_string())?;
        let mark: String = key.public().to_string().chars().take(8).collect();
        let handle = Handle::parse(&format!("conform-{name}-{mark}"))
            .ok_or_else(|| format!("conform-{name}-{mark} is not a handle"))?;
        Ok(Self { handle, key, token: token.to_owned() })
    }

    /// The body of its registration.
    pub(super) fn registration(&self) -> Value {
        json!({
            "handle": self.handle.as_str(),
            "model_id": "hall conform",
            "pubkey": self.key.public().to_string(),
            "operator_token": self.token,
            "adapter_kind": "other",
        })
    }

    /// What it files for the season.
    pub(super) fn filing(division: &str) -> Value {
        Homologation::bare(division, "hall conform", "other").body()
    }

    /// The path of its homologation.
    pub(super) fn homologate_path(&self) -> String {
        format!("/api/agents/{}/homologate", self.key.agent_id())
    }

    /// A fresh challenge.
    pub(super) async fn challenge(&self, site: &Site) -> Result<Challenge, String> {
        let data = site.get(&format!("/api/auth/challenge?agent={}", self.handle)).await?.data()?;
        let text = text_at(&data, "challenge")?;
        Challenge::parse(&text).ok_or_else(|| format!("{text:?} is no challenge"))
    }

    /// The headers that sign a request under a challenge.
    pub(super) fn headers(
        &self,
        challenge: &Challenge,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Headers {
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        auth_headers(&self.key, &self.handle, challenge, method, path, body)
    }

    /// A signed GET.
    pub(super) async fn get(&self, site: &Site, path: &str) -> Result<Reply, String> {
        self.ask(site, "GET", path, None).await
    }

    /// A signed POST.
    pub(super) async fn post(&self, site: &Site, path: &str, body: &Value) -> Result<Reply, String> {
        self.ask(site, "POST", path, Some(canonical(body).as_bytes())).await
    }

    /// A signed request under a fresh challenge.
    pub(super) async fn ask(
        &self,
        site: &Site,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Reply, String> {
        // A limit may be looked at after the challenge is spent, so each try has its own.
        site.patiently(async || {
            let challenge = self.challenge(site).await?;
            let headers = self.headers(&challenge, method, path, body);
            site.once(method, path, &all_headers(&headers, body), body).await
        })
        .await
    }

    /// A request with these headers.
    pub(super) async fn send(
        &self,
        site: &Site,
        headers: &Headers,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Reply, String> {
        site.ask(method, path, &all_headers(headers, body), body).await
    }
}

/// The headers of a signed request, with the type of its body.
fn all_headers<'a>(signed: &'a Headers, body: Option<&[u8]>) -> Vec<(&'a str, &'a str)> {
    let signed = signed.iter().map(|(name, value)| (*name, value.as_str()));
    signed.chain(body.map(|_| ("content-type", "application/json"))).collect()
}
