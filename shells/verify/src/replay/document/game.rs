//! Turns and events (decisions 6.4 and 7).

use super::fields::{Node, Shaped};
use hall_wire::json::Value;
use hall_wire::message::Challenge;
use hall_wire::{Digest, Player, Signature, Timestamp};

/// One turn.
pub(in crate::replay) struct Turn<'v> {
    pub(in crate::replay) turn_index: u32,
    pub(in crate::replay) player: Option<Player>,
    pub(in crate::replay) started_at: Timestamp,
    pub(in crate::replay) deadline: Option<Timestamp>,
    pub(in crate::replay) at: Timestamp,
    pub(in crate::replay) notation: Option<&'v str>,
    pub(in crate::replay) forced: Option<ForcedBy>,
    pub(in crate::replay) body: Option<&'v str>,
    pub(in crate::replay) signature: Option<Signature>,
    pub(in crate::replay) body_sha256: Option<Digest>,
    pub(in crate::replay) state_hash: Digest,
    /// By seat.
    pub(in crate::replay) clocks: Option<Vec<u64>>,
    pub(in crate::replay) rolls: Vec<RollText<'v>>,
    pub(in crate::replay) attempts: Vec<Attempt<'v>>,
    /// The turn as it stands in the document, to compare events with.
    pub(in crate::replay) value: &'v Value,
}

/// Why the hall acted in a player's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) enum ForcedBy {
    Deadline,
    IllegalMoves,
    Vacated,
}

/// An act of nature.
pub(in crate::replay) struct Act<'v> {
    pub(in crate::replay) turn_index: u32,
    pub(in crate::replay) at: Timestamp,
    pub(in crate::replay) outcome: &'v str,
    pub(in crate::replay) rolls: Vec<RollText<'v>>,
}

/// An action that was sealed when the game ended, and is void.
pub(in crate::replay) struct Unresolved<'v> {
    pub(in crate::replay) player: Player,
    pub(in crate::replay) at: Timestamp,
    pub(in crate::replay) body: Option<&'v str>,
    pub(in crate::replay) signature: Option<Signature>,
}

/// One hash taken for a roll, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) struct RollText<'v> {
    pub(in crate::replay) counter: u64,
    pub(in crate::replay) n: u64,
    pub(in crate::replay) x: &'v str,
    pub(in crate::replay) value: Option<u64>,
}

/// A counted illegal move.
pub(in crate::replay) struct Attempt<'v> {
    pub(in crate::replay) at: Timestamp,
    pub(in crate::replay) body: Option<&'v str>,
    /// There only if the body is withheld.
    pub(in crate::replay) body_sha256: Option<Digest>,
    pub(in crate::replay) signature: Signature,
    pub(in crate::replay) challenge: Challenge,
    pub(in crate::replay) auth_signature: Signature,
    pub(in crate::replay) request_sha256: Digest,
}

/// A spectator event.
pub(in crate::replay) struct Event<'v> {
    pub(in crate::replay) seq: u64,
    pub(in crate::replay) created_at: Timestamp,
    pub(in crate::replay) kind: &'v str,
    pub(in crate::replay) data: &'v Value,
}

impl<'v> Turn<'v> {
    pub(super) fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let known = [
            "turn_index",
            "player",
            "started_at",
            "deadline_utc",
            "at",
            "notation",
            "forced",
            "body",
            "signature",
            "body_sha256",
            "state_hash",
            "clocks_ms",
            "draws",
            "attempts",
        ];
        let turn = node.object(&known, unknown)?;
        let forced = "must be null, deadline, illegal_moves or vacated";
        let attempts = turn.member("attempts")?;
        let rolls = turn.member("draws")?;
        Ok(Self {
            turn_index: turn.member("turn_index")?.small()?,
            player: turn.optional("player")?.map(|player| player.player()).transpose()?,
            started_at: turn.member("started_at")?.time()?,
            deadline: turn.optional("deadline_utc")?.map(|time| time.time()).transpose()?,
            at: turn.member("at")?.time()?,
            notation: turn.optional("notation")?.map(|text| text.text()).transpose()?,
            forced: turn.optional("forced")?.map(|word| word.parsed(forced, ForcedBy::parse)).transpose()?,
            body: turn.optional("body")?.map(|text| text.text()).transpose()?,
            signature: turn.optional("signature")?.map(|text| signature(&text)).transpose()?,
            body_sha256: turn.optional("body_sha256")?.map(|hash| hash.digest()).transpose()?,
            state_hash: turn.member("state_hash")?.digest()?,
            clocks: turn.optional("clocks_ms")?.map(|clocks| by_seat(&clocks)).transpose()?,
            rolls: rolls.list(|roll| RollText::read(roll, unknown))?,
            attempts: attempts.list(|attempt| Attempt::read(attempt, unknown))?,
            value: node.value(),
        })
    }
}

impl<'v> Act<'v> {
    pub(super) fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let act = node.object(&["turn_index", "at", "outcome", "draws"], unknown)?;
        let rolls = act.member("draws")?;
        Ok(Self {
            turn_index: act.member("turn_index")?.small()?,
            at: act.member("at")?.time()?,
            outcome: act.member("outcome")?.text()?,
            rolls: rolls.list(|roll| RollText::read(roll, unknown))?,
        })
    }
}

impl<'v> Unresolved<'v> {
    pub(super) fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let action = node.object(&["player", "at", "body", "signature"], unknown)?;
        Ok(Self {
            player: action.member("player")?.player()?,
            at: action.member("at")?.time()?,
            body: action.optional("body")?.map(|text| text.text()).transpose()?,
            signature: action.optional("signature")?.map(|text| signature(&text)).transpose()?,
        })
    }
}

impl ForcedBy {
    fn parse(text: &str) -> Option<Self> {
        [Self::Deadline, Self::IllegalMoves, Self::Vacated].into_iter().find(|forced| forced.as_str() == text)
    }

    pub(in crate::replay) const fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::IllegalMoves => "illegal_moves",
            Self::Vacated => "vacated",
        }
    }
}

impl<'v> RollText<'v> {
    fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let roll = node.object(&["counter", "n", "x", "value"], unknown)?;
        Ok(Self {
            counter: roll.member("counter")?.number()?,
            n: roll.member("n")?.number()?,
            x: roll.member("x")?.text()?,
            value: roll.optional("value")?.map(|value| value.number()).transpose()?,
        })
    }
}

impl<'v> Attempt<'v> {
    fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let known =
            ["at", "body", "body_sha256", "signature", "challenge", "auth_signature", "request_sha256"];
        let attempt = node.object(&known, unknown)?;
        let challenge = "must be 64 lowercase hexadecimal digits";
        Ok(Self {
            at: attempt.member("at")?.time()?,
            body: attempt.optional("body")?.map(|text| text.text()).transpose()?,
            body_sha256: attempt.if_there("body_sha256").map(|hash| hash.digest()).transpose()?,
            signature: signature(&attempt.member("signature")?)?,
            challenge: attempt.member("challenge")?.parsed(challenge, Challenge::parse)?,
            auth_signature: signature(&attempt.member("auth_signature")?)?,
            request_sha256: attempt.member("request_sha256")?.digest()?,
        })
    }
}

impl<'v> Event<'v> {
    pub(super) fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let element = node.object(&["seq", "event", "created_at"], unknown)?;
        let event = element.member("event")?;
        let inner = event.object(&["type", "data"], unknown)?;
        let data = inner.member("data")?;
        data.object(&[], &mut Vec::new())?;
        Ok(Self {
            seq: element.member("seq")?.number()?,
            created_at: element.member("created_at")?.time()?,
            kind: inner.member("type")?.text()?,
            data: data.value(),
        })
    }

    /// The player whom the event names.
    pub(in crate::replay) fn player(&self) -> Option<Player> {
        self.data.get("player").and_then(Value::as_str).and_then(Player::parse)
    }

    /// The turn that the event names.
    pub(in crate::replay) fn turn_index(&self) -> Option<u64> {
        self.data.get("turn_index").and_then(Value::as_u64)
    }

    /// The time that stands under `name`.
    pub(in crate::replay) fn time(&self, name: &str) -> Option<Timestamp> {
        self.data.get(name).and_then(Value::as_str).and_then(Timestamp::parse)
    }
}

fn signature(node: &Node<'_, '_>) -> Shaped<Signature> {
    node.parsed("must be 128 lowercase hexadecimal digits", Signature::parse)
}

/// A map by player, as a list in seat order.
fn by_seat(node: &Node<'_, '_>) -> Shaped<Vec<u64>> {
    let rule = "must be a map from every player, p0 first, to whole numbers";
    let members = node.value().as_object().ok_or_else(|| node.problem(rule))?;
    let seats = (0..members.len()).map(|seat| {
        let player = u8::try_from(seat).ok().map(Player::new)?;
        members.get(&player.to_string())?.as_u64()
    });
    seats.collect::<Option<_>>().ok_or_else(|| node.problem(rule))
}
