//! What the players signed: canonical text, of this game and turn, with a strictly valid signature.

use crate::replay::document::{Attempt, Body, Replay, Turn};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::rules::Movers;
use hall_wire::key::Verifier;
use hall_wire::{Digest, Player, Signature, message};
use std::collections::BTreeSet;

/// What was signed, turn by turn. A body that could not be read is `None`.
pub(super) struct Bodies {
    pub(super) of_turns: Vec<Option<Body>>,
    pub(super) of_attempts: Vec<Vec<Option<Body>>>,
}

impl Bodies {
    pub(super) fn check(replay: &Replay<'_>, movers: Option<&Movers>, ledger: &mut Ledger) -> Self {
        let signers = Signers::of(replay, movers);
        let of_turns = replay.moves.iter().map(|turn| signers.turn(turn, ledger)).collect();
        let mut challenges = BTreeSet::new();
        let of_attempts = replay
            .moves
            .iter()
            .map(|turn| {
                let mut read = |attempt: &Attempt<'_>| {
                    if !challenges.insert(attempt.challenge) {
                        let reason = format!(
                            "two illegal moves name the challenge {}; the second is in turn {}",
                            attempt.challenge, turn.turn_index
                        );
                        ledger.fail(ClaimId::Attempts, reason);
                    }
                    signers.attempt(turn, attempt, ledger)
                };
                turn.attempts.iter().map(&mut read).collect()
            })
            .collect();
        withheld(replay, ledger);
        Self { of_turns, of_attempts }
    }
}

/// Notes what cannot be checked because signed words are withheld.
fn withheld(replay: &Replay<'_>, ledger: &mut Ledger) {
    if let Some(turns) = turns(replay, |turn| turn.is_withheld() || turn.withholds_attempts()) {
        let words =
            format!("the signed words of turn {turns} are withheld; their signature holds for their hash");
        ledger.leave(ClaimId::Withheld, words);
        ledger.leave(ClaimId::Legality, unknown(&turns));
    }
    if let Some(turns) = turns(replay, |turn| turn.is_withheld()) {
        ledger.leave(ClaimId::DrawOffers, unknown(&turns));
    }
}

fn unknown(turns: &str) -> String {
    format!("what the withheld words of turn {turns} say cannot be compared with what was played")
}

/// The numbers of the turns that are so; `None` if none is.
fn turns(replay: &Replay<'_>, is_so: impl Fn(&Turn<'_>) -> bool) -> Option<String> {
    let turns = replay.moves.iter().filter(|turn| is_so(turn)).map(|turn| turn.turn_index.to_string());
    Some(turns.collect::<Vec<_>>().join(", ")).filter(|turns| !turns.is_empty())
}

impl Turn<'_> {
    /// Whether a body was signed whose text is withheld (decision 8.1).
    pub(super) const fn is_withheld(&self) -> bool {
        self.body.is_none() && self.signature.is_some() && self.body_sha256.is_some()
    }

    /// Whether an illegal move was counted whose text is withheld.
    fn withholds_attempts(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.body.is_none())
    }
}

/// The keys of the players, prepared.
struct Signers<'r, 'v> {
    replay: &'r Replay<'v>,
    movers: Option<&'r Movers>,
    keys: Vec<Option<Verifier>>,
    path: String,
}

impl<'r, 'v> Signers<'r, 'v> {
    fn of(replay: &'r Replay<'v>, movers: Option<&'r Movers>) -> Self {
        let keys = replay.seats.iter().map(|seat| seat.key.and_then(|key| key.verifier())).collect();
        Self { replay, movers, keys, path: format!("/api/games/{}/moves", replay.game_id) }
    }

    /// The signed body of a turn, if there is one.
    fn turn(&self, turn: &Turn<'_>, ledger: &mut Ledger) -> Option<Body> {
        let place = format!("turn {}", turn.turn_index);
        let mut fail = |reason: String| ledger.fail(ClaimId::BodySignatures, format!("{place}: {reason}"));
        let (signature, sha256) = match (turn.body, turn.signature, turn.body_sha256) {
            (None, None, None) => return None,
            (Some(text), Some(signature), Some(sha256)) => {
                if Digest::of(text.as_bytes()) != sha256 {
                    fail("body_sha256 is not the hash of the body".to_owned());
                }
                (signature, sha256)
            }
            (None, Some(signature), Some(sha256)) => (signature, sha256),
            (Some(_), _, _) | (None, _, _) => {
                fail("body, signature and body_sha256 do not fit together".to_owned());
                return None;
            }
        };
        let Some(player) = turn.player else {
            fail("somebody signed, but it was nobody's turn".to_owned());
            return None;
        };
        if !self.signed(player, turn.turn_index, &sha256, &signature) {
            fail(format!("the signature is not that of {player}"));
        }
        let read = Body::read(turn.body?, self.replay.game_id, turn.turn_index);
        read.map_err(fail).ok()
    }

    /// The signed body of a counted illegal move; `None` if it is withheld, or could not be read.
    fn attempt(&self, turn: &Turn<'_>, attempt: &Attempt<'_>, ledger: &mut Ledger) -> Option<Body> {
        let mut fail =
            |reason: String| ledger.fail(ClaimId::Attempts, format!("turn {}: {reason}", turn.turn_index));
        let Some(player) = turn.player.or_else(|| self.to_move(turn)) else {
            fail("an illegal move in a turn that is nobody's".to_owned());
            return None;
        };
        let sha256 = match (attempt.body, attempt.body_sha256) {
            (Some(text), None) => Digest::of(text.as_bytes()),
            (None, Some(sha256)) => sha256,
            (Some(_), Some(_)) | (None, None) => {
                fail(
                    "an illegal move has either its body or, where that is withheld, body_sha256".to_owned(),
                );
                return None;
            }
        };
        if !self.signed(player, turn.turn_index, &sha256, &attempt.signature) {
            fail(format!("the body of an illegal move is not signed by {player}"));
        }
        let (key, handle) = (self.key(player), self.replay.seat(player).map(|seat| &seat.handle));
        let requested = handle.is_some_and(|handle| {
            let body = Some(&attempt.request_sha256);
            let request = message::auth(handle, &attempt.challenge, "POST", &self.path, body);
            key.is_some_and(|key| key.verifies(request.as_bytes(), &attempt.auth_signature))
        });
        if !requested {
            fail(format!("the request of an illegal move is not signed by {player}"));
        }
        Body::read(attempt.body?, self.replay.game_id, turn.turn_index).map_err(fail).ok()
    }

    fn signed(&self, player: Player, turn_index: u32, body: &Digest, signature: &Signature) -> bool {
        let message = message::game_move(&self.replay.game_id, turn_index, body);
        self.key(player).is_some_and(|key| key.verifies(message.as_bytes(), signature))
    }

    fn key(&self, player: Player) -> Option<&Verifier> {
        self.keys.get(player.index())?.as_ref()
    }

    /// Who was to move in a turn that the hall's operator ended; `None` if the rules are not known here.
    fn to_move(&self, turn: &Turn<'_>) -> Option<Player> {
        self.movers.map(|movers| movers.of_turn(usize::try_from(turn.turn_index).unwrap_or(usize::MAX)))
    }
}
