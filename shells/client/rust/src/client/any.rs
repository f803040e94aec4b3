//! Any endpoint, for programs that pass on requests of others.

use super::Client;
use super::call::Call;
use crate::envelope::{self, Answer};
use crate::error::Error;
use hall_wire::json::Value;
use std::time::Duration;

impl Client {
    /// Reads any endpoint that needs no signature; `path` with its query.
    ///
    /// # Errors
    /// As every call.
    pub async fn get(&self, path: &str) -> Result<Answer, Error> {
        self.call(Call::get(path)).await
    }

    /// Reads any endpoint with a signature; `path` with its query.
    ///
    /// # Errors
    /// As every call.
    pub async fn get_signed(&self, path: &str) -> Result<Answer, Error> {
        self.get_held(path, 0).await
    }

    /// The same where the query asks the hall to hold its answer for up to `seconds`, and wait that long for it.
    ///
    /// # Errors
    /// As every call.
    pub async fn get_held(&self, path: &str, seconds: u64) -> Result<Answer, Error> {
        self.call(Call::get(path).signed().held(Duration::from_secs(seconds))).await
    }

    /// Posts the canonical text of `body` to any endpoint, signed. Not repeated once it may have been carried out.
    ///
    /// # Errors
    /// As every call; after one that [leaves doubt](Error::leaves_doubt) it may have been carried out.
    pub async fn post_signed(&self, path: &str, body: &Value) -> Result<Answer, Error> {
        self.post_held(path, body, 0).await
    }

    /// The same where the hall may hold its answer for up to `seconds`, and wait that long for it.
    ///
    /// # Errors
    /// As [`Client::post_signed`].
    pub async fn post_held(&self, path: &str, body: &Value, seconds: u64) -> Result<Answer, Error> {
        self.call(Call::post(path, body).once().held(Duration::from_secs(seconds))).await
    }

    /// Posts `body` without a signature, to an endpoint that answers in another format than the envelope.
    ///
    /// # Errors
    /// As every call; [`Error::Protocol`] if the answer is no JSON.
    pub async fn post_bare(&self, path: &str, body: &Value) -> Result<Value, Error> {
        self.patiently(&Call::post(path, body).unsigned(), |raw| {
            if raw.status != 200 {
                // Whatever refuses before that format begins does so in the envelope.
                envelope::open(raw.status, None, &raw.body)?;
            }
            serde_json::from_slice(&raw.body)
                .map_err(|_| envelope::protocol(raw.status, "it is not JSON".to_owned(), &raw.body))
        })
        .await
    }
}
