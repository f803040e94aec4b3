//! What the players signed: canonical text, of this game and turn, with a strictly valid signature.

use crate::replay::document::{Attempt, Body, Replay, Turn, Unresolved};
use crate::replay::report::{ClaimId, Ledger};
use hall_wire::key::Verifier;
use hall_wire::{Digest, Player, Signature, Timestamp, message};
use std::collections::{BTreeMap, BTreeSet};

/// What was signed, entry by entry of `moves`. A body that could not be read is `None`.
pub(super) struct Bodies {
    pub(super) of_turns: Vec<Option<Body>>,
    pub(super) of_attempts: Vec<Vec<Attempted>>,
    pub(super) of_unresolved: Vec<Option<Body>>,
}

/// A counted illegal move.
pub(super) struct Attempted {
    /// Who signed it, if that is known.
    pub(super) player: Option<Player>,
    /// When it arrived.
    pub(super) at: Timestamp,
    /// What was signed; `None` if it is withheld, or could not be read.
    pub(super) body: Option<Body>,
}

impl Bodies {
    pub(super) fn check(replay: &Replay<'_>, ledger: &mut Ledger) -> Self {
        let signers = Signers::of(replay);
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
                let attempts = turn.attempts.iter().map(&mut read).collect();
                sent_once(turn, ledger);
                attempts
            })
            .collect();
        let last = replay.moves.last().map_or(0, |turn| turn.turn_index);
        let sealed = replay.unresolved.iter().flatten();
        let of_unresolved = sealed.map(|action| signers.unresolved(last, action, ledger)).collect();
        withheld(replay, ledger);
        Self { of_turns, of_attempts, of_unresolved }
    }
}

/// Notes where a signed body was counted twice although no two equal requests with it are shown: a header signature
/// holds for a hash, and what else was in the request is not known.
fn sent_once(turn: &Turn<'_>, ledger: &mut Ledger) {
    let mut requests = BTreeMap::new();
    for attempt in &turn.attempts {
        let sha256 = attempt.request_sha256;
        if *requests.entry(attempt.signature.as_bytes()).or_insert(sha256) != sha256 {
            let reason = format!(
                "one signed body is counted twice in turn {}, for two different requests; that the player sent it in \
                 both cannot be seen",
                turn.turn_index
            );
            ledger.leave(ClaimId::Attempts, reason);
        }
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
    if replay.unresolved.iter().flatten().any(Unresolved::is_withheld) {
        let words =
            "the signed words of an action that was void are withheld; their signature cannot be checked";
        ledger.leave(ClaimId::Withheld, words);
        ledger.leave(ClaimId::BodySignatures, words);
    }
}

fn unknown(turns: &str) -> String {
    format!("what the withheld words of turn {turns} say cannot be compared with what was played")
}

/// The numbers of the turns that are so; `None` if none is.
fn turns(replay: &Replay<'_>, is_so: impl Fn(&Turn<'_>) -> bool) -> Option<String> {
    listed(replay.moves.iter().filter(|turn| is_so(turn)).map(|turn| turn.turn_index))
}

/// The numbers in order, each once: a turn that players share is there once for each of them.
fn listed(turns: impl Iterator<Item = u32>) -> Option<String> {
    let turns: BTreeSet<u32> = turns.collect();
    let texts: Vec<String> = turns.iter().map(u32::to_string).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
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

impl Unresolved<'_> {
    /// Whether a body was signed whose text is withheld.
    const fn is_withheld(&self) -> bool {
        self.body.is_none() && self.signature.is_some()
    }
}

/// The keys of the players, prepared.
struct Signers<'r, 'v> {
    replay: &'r Replay<'v>,
    keys: Vec<Option<Verifier>>,
    path: String,
}

impl<'r, 'v> Signers<'r, 'v> {
    fn of(replay: &'r Replay<'v>) -> Self {
        let keys = replay.seats.iter().map(|seat| seat.key.and_then(|key| key.verifier())).collect();
        Self { replay, keys, path: format!("/api/games/{}/moves", replay.game_id) }
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

    /// The signed body of an action that was void, if there is one.
    fn unresolved(&self, turn_index: u32, action: &Unresolved<'_>, ledger: &mut Ledger) -> Option<Body> {
        let Unresolved { player, body, signature, .. } = action;
        let place = format!("the void action of {player}");
        let mut fail = |reason: String| ledger.fail(ClaimId::BodySignatures, format!("{place}: {reason}"));
        let (text, signature) = match (body, signature) {
            (Some(text), Some(signature)) => (text, signature),
            (None, _) => return None,
            (Some(_), None) => {
                fail("it has a body without a signature".to_owned());
                return None;
            }
        };
        if !self.signed(*player, turn_index, &Digest::of(text.as_bytes()), signature) {
            fail(format!("the signature is not that of {player}"));
        }
        Body::read(text, self.replay.game_id, turn_index).map_err(fail).ok()
    }

    /// A counted illegal move.
    fn attempt(&self, turn: &Turn<'_>, attempt: &Attempt<'_>, ledger: &mut Ledger) -> Attempted {
        let mut fail =
            |reason: String| ledger.fail(ClaimId::Attempts, format!("turn {}: {reason}", turn.turn_index));
        let sha256 = match (attempt.body, attempt.body_sha256) {
            (Some(text), None) => Digest::of(text.as_bytes()),
            (None, Some(sha256)) => sha256,
            (Some(_), Some(_)) | (None, None) => {
                fail(
                    "an illegal move has either its body or, where that is withheld, body_sha256".to_owned(),
                );
                return Attempted { player: turn.player, at: attempt.at, body: None };
            }
        };
        let player = self.attempted_by(turn, &sha256, &attempt.signature);
        let named = player.map_or_else(|| "a player".to_owned(), |player| player.to_string());
        if player.is_none_or(|player| !self.signed(player, turn.turn_index, &sha256, &attempt.signature)) {
            fail(format!("the body of an illegal move is not signed by {named}"));
        }
        let requested = player.is_some_and(|player| {
            let (key, handle) = (self.key(player), self.replay.seat(player).map(|seat| &seat.handle));
            let body = Some(&attempt.request_sha256);
            handle.is_some_and(|handle| {
                let request = message::auth(handle, &attempt.challenge, "POST", &self.path, body);
                key.is_some_and(|key| key.verifies(request.as_bytes(), &attempt.auth_signature))
            })
        });
        if !requested {
            fail(format!("the request of an illegal move is not signed by {named}"));
        }
        let read = attempt.body.map(|text| Body::read(text, self.replay.game_id, turn.turn_index));
        Attempted { player, at: attempt.at, body: read.transpose().map_err(fail).ok().flatten() }
    }

    /// Who made an illegal move: the player of the turn, and in a turn that ended the game without a move the player who
    /// signed it.
    fn attempted_by(&self, turn: &Turn<'_>, body: &Digest, signature: &Signature) -> Option<Player> {
        if turn.notation.is_some() && turn.player.is_some() {
            return turn.player;
        }
        let others = (0..u8::MAX).zip(&self.keys).map(|(seat, _)| Player::new(seat));
        turn.player
            .into_iter()
            .chain(others.filter(|other| turn.player != Some(*other)))
            .find(|player| self.signed(*player, turn.turn_index, body, signature))
            .or(turn.player)
    }

    fn signed(&self, player: Player, turn_index: u32, body: &Digest, signature: &Signature) -> bool {
        let message = message::game_move(&self.replay.game_id, turn_index, body);
        self.key(player).is_some_and(|key| key.verifies(message.as_bytes(), signature))
    }

    fn key(&self, player: Player) -> Option<&Verifier> {
        self.keys.get(player.index())?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_turn_that_players_share_is_named_once() {
        for (turns, expected) in [
            (vec![], None),
            (vec![3], Some("3")),
            (vec![3, 3, 5], Some("3, 5")),
            (vec![10, 9, 10], Some("9, 10")),
        ] {
            assert_eq!(listed(turns.into_iter()).as_deref(), expected);
        }
    }
}
