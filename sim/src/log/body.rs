//! Signed bodies of moves: how a log writes them, and how they are put back from the facts of a journal.

use hall_core::rooms::{Attempt, BodyRecord, RoomChange};
use hall_core::{Fact, SignedBody};
use hall_wire::message::Challenge;
use hall_wire::{Digest, GameId, Signature};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A signed body as a log writes it. The last three fields prove that it came in a separate request. They are there only
/// where they were recorded, and a decision uses them only for an illegal move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedBody {
    text: String,
    signature: Signature,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    auth_signature: Option<Signature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_sha256: Option<Digest>,
}

impl RecordedBody {
    pub(super) fn of(signed: &SignedBody) -> Self {
        Self {
            text: signed.body.clone(),
            signature: signed.signature,
            challenge: Some(signed.challenge.to_string()),
            auth_signature: Some(signed.auth_signature),
            request_sha256: Some(signed.request_sha256),
        }
    }

    fn of_body(body: &BodyRecord) -> Self {
        let (text, signature) = (body.text.clone(), body.signature);
        Self { text, signature, challenge: None, auth_signature: None, request_sha256: None }
    }

    fn of_attempt(attempt: &Attempt) -> Self {
        Self {
            challenge: Some(attempt.challenge.0.clone()),
            auth_signature: Some(attempt.auth_signature),
            request_sha256: Some(attempt.request_sha256),
            ..Self::of_body(&attempt.body)
        }
    }

    /// What the facts of a decided move say of its body. That of the player who has asked comes first: the last to seal a
    /// move in a shared turn is followed by what all others have sealed.
    pub(super) fn in_facts(facts: &[Fact]) -> Option<Self> {
        facts.iter().filter_map(Fact::in_room).find_map(|fact| {
            if let RoomChange::IllegalAttempted { attempt, .. } = &fact.change {
                return Some(Self::of_attempt(attempt));
            }
            let body = if let RoomChange::MoveSealed { action, .. } = &fact.change {
                &action.body
            } else if let RoomChange::SeatVacated { body, .. } = &fact.change {
                body
            } else {
                &fact.change.resolution()?.body
            };
            body.as_ref().map(Self::of_body)
        })
    }

    /// Changes its game and turn. Its signature then no longer fits, which does not matter: nothing verifies the
    /// signatures of a log.
    pub(super) fn speak_of(&mut self, game: GameId, turn: u32) {
        let Ok(mut body) = serde_json::from_str::<BTreeMap<String, Value>>(&self.text) else { return };
        body.insert("game_id".to_owned(), Value::from(game.to_string()));
        body.insert("turn_index".to_owned(), Value::from(turn));
        self.text = serde_json::to_string(&body).unwrap_or_default();
    }

    /// The body for a command; `None` if its challenge cannot be read.
    pub(super) fn restore(&self) -> Option<SignedBody> {
        let challenge = match &self.challenge {
            Some(text) => Challenge::parse(text)?,
            None => Challenge::from_bytes([0; 32]),
        };
        Some(SignedBody {
            body: self.text.clone(),
            sha256: Digest::of(self.text.as_bytes()),
            signature: self.signature,
            challenge,
            auth_signature: self.auth_signature.unwrap_or_else(|| Signature::from_bytes([0; 64])),
            request_sha256: self.request_sha256.unwrap_or_else(|| Digest::of(b"")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::HallSettings;
    use hall_core::fixtures::{P0, P1, Table, World};
    use hall_wire::Player;

    /// The signature of the body that is put back for what a player seals in a shared turn.
    fn put_back(table: &mut Table, player: Player, bid: &str, signature: u8) -> Signature {
        let before = table.world.facts.len();
        let mut asked = table.request(bid);
        asked.signed.as_mut().unwrap().signature = Signature::from_bytes([signature; 64]);
        table.submit(player, asked).unwrap();
        RecordedBody::in_facts(&table.world.facts[before..]).unwrap().signature
    }

    #[test]
    fn the_body_of_a_sealed_move_is_that_of_the_player_who_seals_it() {
        let world = World::new(hall_games::CATALOG, hall_driver::docket_wording, HallSettings::default(), 1);
        let mut table = Table::start(world, "goofspiel");
        assert_eq!(put_back(&mut table, P0, "5", 5), Signature::from_bytes([5; 64]));
        // The last to act resolves the turn, and what the other has sealed is told before.
        assert_eq!(put_back(&mut table, P1, "7", 7), Signature::from_bytes([7; 64]));
    }
}
