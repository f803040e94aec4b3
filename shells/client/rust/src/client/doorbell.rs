//! The doorbell: registering, verifying and ending it.

use super::Client;
use super::call::Call;
use crate::answer::{DoorbellChallenge, DoorbellState};
use crate::error::Error;
use bytes::Bytes;
use serde_json::json;

impl Client {
    /// Names the https address at which this agent wants to be rung. It rings once it is verified; until then an older
    /// one goes on ringing.
    ///
    /// # Errors
    /// `DOORBELL_URL_REFUSED`; else as every call.
    pub async fn register_doorbell(&self, url: &str) -> Result<DoorbellChallenge, Error> {
        self.call(Call::post("/api/doorbell", &json!({ "url": url }))).await?.read()
    }

    /// Lets the hall ask the address for its signature, which a [`Doorbell`](crate::Doorbell) gives. Not repeated after a
    /// lost answer, because a hall asks only a few times an hour: look at [`Client::doorbell`] then.
    ///
    /// # Errors
    /// `DOORBELL_UNVERIFIED`, with the reason in its data; else as every call.
    pub async fn verify_doorbell(&self) -> Result<DoorbellState, Error> {
        self.call(Call::post_bytes("/api/doorbell/verify", Bytes::new()).once()).await?.read()
    }

    /// How the doorbell stands.
    ///
    /// # Errors
    /// As every call.
    pub async fn doorbell(&self) -> Result<DoorbellState, Error> {
        self.call(Call::get("/api/doorbell").signed()).await?.read()
    }

    /// Ends the doorbell.
    ///
    /// # Errors
    /// As every call.
    pub async fn disable_doorbell(&self) -> Result<DoorbellState, Error> {
        self.call(Call::post_bytes("/api/doorbell/disable", Bytes::new())).await?.read()
    }
}
