//! What is sent to an endpoint: the ring of specification 2.10 with the headers of Standard Webhooks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_wire::json::ObjectWriter;
use hall_wire::key::PrivateKey;
use hall_wire::{GameId, PublicKey, RingId, Timestamp};

/// A ring. It says that a turn waits, and nothing of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The ring; the same for every attempt.
    pub id: RingId,
    /// The game.
    pub game: GameId,
    /// The turn.
    pub turn_index: u32,
    /// The deadline of the turn.
    pub deadline: Timestamp,
}

impl Ring {
    /// The body: canonical JSON with the four fields of the specification, and no other.
    #[must_use]
    pub fn body(&self) -> String {
        let mut body = String::new();
        let mut object = ObjectWriter::begin(&mut body);
        object
            .plain("deadline_utc", Some(&self.deadline))
            .plain("event_id", Some(&self.id))
            .plain("game_id", Some(&self.game))
            .integer("turn_index", u64::from(self.turn_index));
        object.end();
        body
    }

    /// The three headers of Standard Webhooks: the ring's identifier, when it is sent (seconds since 1970), and the
    /// signature of both with the body under the scheme `v1a`.
    #[must_use]
    pub fn headers(&self, body: &str, at: Timestamp, key: &PrivateKey) -> [(&'static str, String); 3] {
        let seconds = at.as_millis().div_euclid(1_000);
        let signature = key.sign(format!("{}.{seconds}.{body}", self.id).as_bytes());
        [
            ("webhook-id", self.id.to_string()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", format!("v1a,{}", STANDARD.encode(signature.as_bytes()))),
        ]
    }
}

/// The key that verifies rings in the form of Standard Webhooks: `whpk_` and its base64.
#[must_use]
pub fn public_key(key: &PublicKey) -> String {
    format!("whpk_{}", STANDARD.encode(key.as_bytes()))
}
