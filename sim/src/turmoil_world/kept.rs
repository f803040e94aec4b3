//! What the hall has kept: its journal, read again from the beginning after all crashes.

use hall_core::rooms::{BeaconStatus, BeaconTerms, Resolution, RoomChange, RoomFact};
use hall_core::{DeskFact, DoorbellChange, Fact};
use hall_driver::JournalEntry;
use hall_games::GameResult;
use hall_journal::{JournalError, JournalReader};
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId, Player, PublicKey, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Records read at a time.
const PAGE: usize = 512;

/// The journal in short.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// Records.
    pub(super) records: u64,
    /// Agents with their keys and operators.
    pub(super) agents: BTreeMap<AgentId, (PublicKey, OperatorId)>,
    /// Games.
    pub(super) games: BTreeMap<GameId, KeptGame>,
    /// Where agents have proven to be.
    pub(super) verified: BTreeSet<(AgentId, String)>,
    handles: BTreeMap<AgentId, Handle>,
    /// The challenges of counted illegal moves.
    challenges: BTreeSet<String>,
    /// What is wrong with the journal by itself: an invariant's name, a time, a text.
    pub(super) faults: Vec<(&'static str, Timestamp, String)>,
    /// The latest time in it.
    last: Option<Timestamp>,
}

/// A game in short.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptGame {
    /// Who sits where.
    pub(super) seats: Vec<AgentId>,
    /// How each turn was resolved, from turn 0 on.
    pub(super) turns: Vec<KeptTurn>,
    /// Spectator events: their kind.
    pub(super) events: Vec<String>,
    /// Strikes: the turn and who.
    pub(super) strikes: Vec<(u32, Player)>,
    /// How many illegal moves were counted, by turn.
    pub(super) attempts: BTreeMap<u32, u8>,
    /// How it ended.
    pub(super) result: Option<GameResult>,
    /// Its beacon.
    pub(super) beacon: KeptBeacon,
    facts: u32,
}

/// The beacon of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptBeacon {
    /// When the game began.
    pub(super) begun: Timestamp,
    /// The round that it is bound to.
    pub(super) terms: Option<BeaconTerms>,
    /// What became of the round.
    pub(super) settled: Option<(BeaconStatus, Option<Digest>, Option<String>)>,
}

/// A resolved turn in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeptTurn {
    /// The hash of the signed body, if somebody signed.
    pub(super) body: Option<Digest>,
    /// The hash of the state after it.
    pub(super) state: Digest,
}

impl Kept {
    /// Reads a journal.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(reader: &dyn JournalReader) -> Result<Self, JournalError> {
        let mut kept = Self::default();
        loop {
            let page = reader.records(kept.records + 1, PAGE)?;
            if page.is_empty() {
                return Ok(kept);
            }
            for record in page {
                kept.records += 1;
                match JournalEntry::decode(&record.bytes) {
                    Ok(entry) => kept.take(&entry),
                    Err(error) => {
                        let text = format!("record {} cannot be read: {error}", record.seq);
                        kept.faults.push(("D4", Timestamp::from_millis(0), text));
                    }
                }
            }
        }
    }

    /// Turns resolved in all games.
    pub(super) fn turns(&self) -> u64 {
        self.games.values().map(|game| u64::try_from(game.turns.len()).unwrap_or(0)).sum()
    }

    /// Takes one record in.
    pub(super) fn take(&mut self, entry: &JournalEntry) {
        if self.last.replace(entry.at).is_some_and(|last| last > entry.at) {
            self.faults.push(("T4", entry.at, "core time went back".to_owned()));
        }
        for fact in &entry.facts {
            match fact {
                Fact::Desk(DeskFact::AgentRegistered { agent, handle, key, operator, .. }) => {
                    self.handles.insert(*agent, handle.clone());
                    if self.agents.insert(*agent, (*key, *operator)).is_some() {
                        self.faults.push(("A6", entry.at, format!("{agent} was registered twice")));
                    }
                }
                Fact::Room(fact) => self.happened(fact),
                Fact::Doorbell(fact) => self.doorbell(entry.at, fact.agent, &fact.change),
                Fact::Hall(_)
                | Fact::Desk(DeskFact::HomologationFiled { .. })
                | Fact::Governance(_)
                | Fact::Desk(DeskFact::LobbyJoined { .. })
                | Fact::Desk(DeskFact::LobbyLeft { .. })
                | Fact::Desk(DeskFact::LobbiesSwept { .. })
                | Fact::Desk(DeskFact::GameRated { .. })
                | Fact::Desk(DeskFact::FeedbackPosted { .. }) => {}
            }
        }
    }

    /// A doorbell counts as verified only by its agent's own signature.
    fn doorbell(&mut self, at: Timestamp, agent: AgentId, change: &DoorbellChange) {
        let DoorbellChange::Verified { url, challenge, signature } = change else { return };
        let signed =
            self.agents.get(&agent).zip(self.handles.get(&agent)).is_some_and(|((key, _), handle)| {
                let text = format!("svc.doorbell-endpoint.v1:{handle}:{}:{url}", challenge.0);
                key.verifies(text.as_bytes(), signature)
            });
        if !signed {
            self.faults.push(("X2", at, format!("{url} counts as verified for {agent} without proof")));
        }
        self.verified.insert((agent, url.clone()));
    }

    fn happened(&mut self, fact: &RoomFact) {
        let id = fact.game;
        let game = self.games.entry(id).or_default();
        let mut wrong =
            |invariant, text: String| self.faults.push((invariant, fact.at, format!("{id}: {text}")));
        game.facts += 1;
        if game.facts != fact.number {
            wrong("D5", format!("fact {} is numbered {}", game.facts, fact.number));
        }
        if game.result.is_some() {
            wrong("M10", format!("changed after its end: {:?}", fact.change));
        }
        if let Some(event) = &fact.event {
            let leaf: serde_json::Value = serde_json::from_str(&event.leaf).unwrap_or_default();
            let kind = leaf.pointer("/event/type").and_then(serde_json::Value::as_str).unwrap_or_default();
            game.events.push(kind.to_owned());
            if usize::try_from(event.seq).ok() != Some(game.events.len()) {
                wrong("X5", format!("event {} is numbered {}", game.events.len(), event.seq));
            }
        }
        let mut resolve = |game: &mut KeptGame, resolution: &Resolution| {
            if usize::try_from(resolution.turn_index).ok() != Some(game.turns.len()) {
                wrong(
                    "M2",
                    format!("turn {} is resolved as turn {}", game.turns.len(), resolution.turn_index),
                );
            }
            let body = resolution.body.as_ref().map(|body| body.sha256);
            game.turns.push(KeptTurn { body, state: resolution.state_hash });
        };
        match &fact.change {
            RoomChange::Started(started) => {
                game.seats = started.seats.iter().map(|seat| seat.agent).collect();
                game.beacon = KeptBeacon { begun: fact.at, terms: started.beacon, settled: None };
            }
            RoomChange::MovePlayed(resolution) => resolve(game, resolution),
            RoomChange::StrikeGiven { turn_index, player, count, .. } => {
                game.strikes.push((*turn_index, *player));
                let own = game.strikes.iter().filter(|(_, struck)| struck == player).count();
                if own != usize::from(*count) || *count > 3 {
                    wrong("T5", format!("strike {own} of {player} counts as {count}"));
                }
            }
            RoomChange::Ended { result, resolution } => {
                if let Some(resolution) = resolution {
                    resolve(game, resolution);
                }
                game.result = Some(result.clone());
            }
            RoomChange::BeaconSettled { status, randomness, signature } => {
                if game.beacon.settled.is_some() {
                    wrong("G6", "its beacon is settled twice".to_owned());
                }
                game.beacon.settled = Some((*status, *randomness, signature.clone()));
            }
            RoomChange::IllegalAttempted { turn_index, count, attempt, .. } => {
                let attempts = game.attempts.entry(*turn_index).or_default();
                *attempts += 1;
                if attempts != count || *count > 3 {
                    wrong("M6", format!("illegal move {attempts} of turn {turn_index} counts as {count}"));
                }
                if !self.challenges.insert(attempt.challenge.0.clone()) {
                    wrong(
                        "A2",
                        format!("two illegal moves came under the challenge {}", attempt.challenge.0),
                    );
                }
            }
            RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. } => {}
        }
    }
}
