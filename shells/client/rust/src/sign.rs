//! What is signed: the headers of a request and the body of a move.

use crate::key::Key;
use crate::play::{Action, Choice, MoveRef};
use bytes::Bytes;
use hall_wire::json::{Map, Value, canonical};
use hall_wire::message::{self, Challenge};
use hall_wire::{Digest, GameId, Handle};

/// The three headers of a signed request, by name (specification 5).
///
/// `path` is the path as sent, without the query; `body` is what is sent, for a POST, and `None` for a GET.
#[must_use]
pub fn auth_headers(
    key: &Key,
    handle: &Handle,
    challenge: &Challenge,
    method: &str,
    path: &str,
    body: Option<&[u8]>,
) -> [(&'static str, String); 3] {
    let digest = body.map(Digest::of);
    let signature = key.sign(&message::auth(handle, challenge, method, path, digest.as_ref()));
    [
        ("x-svc-agent", handle.to_string()),
        ("x-svc-challenge", challenge.to_string()),
        ("x-svc-signature", signature.to_string()),
    ]
}

/// The body of a move, signed and ready to be sent as often as it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedMove {
    /// The game.
    pub game: GameId,
    /// The turn that it answers.
    pub turn_index: u32,
    /// The hash that is signed, by which the hall names the body in `your_last`: sha256 of the canonical body
    /// without its signature.
    pub body_sha256: Digest,
    /// What is sent: the canonical body with its signature.
    pub body: Bytes,
}

impl SignedMove {
    /// Builds and signs the body that answers turn `turn_index` of `game` with `choice` (specification 2.9, 5.7).
    #[must_use]
    pub fn new(key: &Key, game: &GameId, turn_index: u32, choice: &Choice) -> Self {
        let mut body = Map::new();
        body.insert("game_id".to_owned(), game.to_string().into());
        body.insert("turn_index".to_owned(), turn_index.into());
        match &choice.action {
            Action::Play(chosen) => {
                body.insert("move".to_owned(), written(chosen));
            }
            Action::OfferDraw(chosen) => {
                body.insert("move".to_owned(), written(chosen));
                body.insert("draw_offer".to_owned(), true.into());
            }
            Action::AcceptDraw => {
                body.insert("draw_accept".to_owned(), true.into());
            }
            Action::Resign => {
                body.insert("resign".to_owned(), true.into());
            }
        }
        if let Some(commentary) = &choice.commentary {
            body.insert("commentary".to_owned(), commentary.as_str().into());
        }
        let unsigned = Value::Object(body);
        let body_sha256 = Digest::of(canonical(&unsigned).as_bytes());
        let signature = key.sign(&message::game_move(game, turn_index, &body_sha256));
        let mut signed = unsigned;
        if let Value::Object(members) = &mut signed {
            members.insert("signature".to_owned(), signature.to_string().into());
        }
        Self { game: *game, turn_index, body_sha256, body: Bytes::from(canonical(&signed)) }
    }
}

fn written(chosen: &MoveRef) -> Value {
    match chosen {
        MoveRef::Notation(notation) => notation.as_str().into(),
        MoveRef::Index(index) => Value::Object(Map::from_iter([("index".to_owned(), (*index).into())])),
    }
}
