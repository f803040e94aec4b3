//! Asking a hall for its log.

use crate::reading;
use hall_verify::tile::{FULL_WIDTH, Tile};
use hall_wire::Digest;
use serde_json::Value;
use std::time::Duration;

/// The largest answer that is read: a full bundle of the longest leaves.
const MOST_ANSWER_BYTES: usize = 32 * 1024 * 1024;
/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// Requests to one hall, for what its log says.
#[derive(Clone, Debug)]
pub(crate) struct LogClient {
    base: String,
}

/// Why a request failed, as text, because the only remedy is to ask again.
pub(crate) type Unreachable = String;

/// A bundle of leaves as it was served: as many leaves as its tile has, whatever they are.
#[derive(Debug)]
pub(crate) struct Bundle {
    tile: Tile,
    body: Vec<u8>,
}

impl Bundle {
    /// The index of its first leaf.
    pub(crate) fn first(&self) -> u64 {
        self.tile.index() * u64::from(FULL_WIDTH)
    }

    /// The index behind its last leaf.
    pub(crate) fn end(&self) -> u64 {
        self.first() + u64::from(self.tile.width())
    }

    /// Its leaves with their indexes.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.first()..).zip(self.tile.entries(&self.body).unwrap_or_default())
    }

    /// Byte for byte what was served.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }
}

impl LogClient {
    pub(crate) fn new(url: &str) -> Self {
        Self { base: url.trim_end_matches('/').to_owned() }
    }

    /// The log key that the hall names itself.
    pub(crate) async fn official_key(&self) -> Result<String, Unreachable> {
        let answer = self.json("/api/official").await?;
        let key = answer.pointer("/data/official/log/public_key").and_then(Value::as_str);
        key.map(str::to_owned).ok_or_else(|| "/api/official names no log key".to_owned())
    }

    /// The newest checkpoint as served, unverified.
    pub(crate) async fn note(&self) -> Result<String, Unreachable> {
        let (status, body) = self.get("/log/checkpoint").await?;
        if status != 200 {
            return Err(format!("/log/checkpoint answers {status}"));
        }
        String::from_utf8(body).map_err(|_| "/log/checkpoint answers no text".to_owned())
    }

    /// The consistency path between two sizes.
    pub(crate) async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Digest>, Unreachable> {
        let answer = self.json(&format!("/api/checkpoint/consistency?from={from}&to={to}")).await?;
        let path = answer.pointer("/data/path").and_then(Value::as_array);
        let hashes = path.map(|path| path.iter().map(|hash| Digest::parse(hash.as_str()?)).collect());
        hashes.flatten().ok_or_else(|| "the consistency proof is malformed".to_owned())
    }

    /// A bundle of leaves.
    pub(crate) async fn bundle(&self, tile: Tile) -> Result<Bundle, Unreachable> {
        let (status, body) = self.get(&format!("/log/{tile}")).await?;
        if status != 200 {
            return Err(format!("/log/{tile} answers {status}"));
        }
        tile.entries(&body).map_err(|problem| format!("/log/{tile}: {problem}"))?;
        Ok(Bundle { tile, body })
    }

    async fn json(&self, path: &str) -> Result<Value, Unreachable> {
        let (status, body) = self.get(path).await?;
        if status != 200 {
            return Err(format!("{path} answers {status}"));
        }
        serde_json::from_slice(&body).map_err(|_| format!("{path} answers no JSON"))
    }

    async fn get(&self, path: &str) -> Result<(u16, Vec<u8>), Unreachable> {
        let fetched = reading::read(&format!("{}{path}", self.base), MOST_ANSWER_BYTES, ANSWER_TIMEOUT).await;
        let fetched = fetched.map_err(|error| error.to_string())?;
        Ok((fetched.status, fetched.body.to_vec()))
    }
}
