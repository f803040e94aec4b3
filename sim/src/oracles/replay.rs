//! G6 to G9: what an outsider can check about a game: commitment, beacon, rolls, hashes.

use super::ledger::Ledger;
use super::nature::{self, RolledMove};
use super::observation::Picture;
use super::texts::within;
use super::{Family, Violations};
use crate::direct::Observed;
use crate::reference::words;
use hall_core::rooms::{BeaconStatus, RoomChange, RoomFact, Started};
use hall_core::{Command, Fact, GovernanceFact, RoomCommand};
use hall_wire::text::decode_hex;
use hall_wire::{Digest, Notation, Span};
use serde_json::Value;
use std::collections::BTreeSet;

/// What was committed to and revealed.
#[derive(Clone, Default)]
pub(super) struct Replay {
    seeds: BTreeSet<String>,
    committed: u64,
    revealed: u64,
}

impl Family for Replay {
    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        let text = || {
            format!("{} commitments, {} reveals, {} live games", self.committed, self.revealed, picture.live)
        };
        let shown = picture.live + picture.ended == self.committed && picture.ended == self.revealed;
        let counted = ledger.begun == self.committed;
        violations.require(shown && counted, "G8", picture.at, text);
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        told(fact, ledger, violations);
        if let RoomChange::Started(terms) = &fact.change {
            self.committed += 1;
            let text = || format!("game {} has a seed that another game had", fact.game);
            violations.require(self.seeds.insert(terms.seed.reveal()), "G7", fact.at, text);
            return committed(fact, terms, ledger, violations);
        }
        let Some(game) = ledger.games.get(&fact.game) else { return };
        match &fact.change {
            RoomChange::MovePlayed(resolution) if !game.position.is_simultaneous() => {
                nature::rolled_move(game, &RolledMove::of(resolution), fact.at, violations);
            }
            RoomChange::MoveSealed { player, action, .. } => {
                nature::rolled_move(game, &RolledMove::sealed(*player, action), fact.at, violations);
            }
            RoomChange::NatureActed { .. } => nature::acted(game, fact, ledger, violations),
            RoomChange::Shown { turn_index, text } => {
                nature::shown(game, *turn_index, text, fact.at, violations);
            }
            RoomChange::BeaconSettled { status, randomness, signature } => {
                let bytes = signature.as_deref().and_then(decode_hex::<32>);
                let holds = match status {
                    BeaconStatus::Verified => {
                        let proven = bytes.map(|bytes| Digest::of(&bytes));
                        let round = match (&observed.what, game.terms.beacon) {
                            (
                                Command::Room(RoomCommand::ReceiveBeacon { chain_hash, round, .. }),
                                Some(terms),
                            ) => terms.chain_hash == *chain_hash && terms.round == *round,
                            _ => false,
                        };
                        round && randomness.is_some() && (proven.is_none() || *randomness == proven)
                    }
                    BeaconStatus::Missed => {
                        let since = game.deferred.map(|held| held.since).or(game.waits_since);
                        let waited = since.is_some_and(|since| since + Span::from_secs(10) <= fact.at);
                        waited && randomness.is_none()
                    }
                    BeaconStatus::Off | BeaconStatus::Waiting => false,
                };
                let text = || format!("the beacon of game {} becomes {status:?} wrongly", game.id);
                violations.require(holds && game.beacon == BeaconStatus::Waiting, "G6", fact.at, text);
            }
            RoomChange::Ended { .. } => {
                self.revealed += u64::from(game.is_live());
                let leaf = ledger.texts.read(fact.event.as_ref().map_or("", |event| event.leaf.as_str()));
                let seed = within(&leaf, &["event", "data", "seed"]).unwrap_or_default();
                let opens = commitment(game.id, seed) == game.terms.commitment;
                violations.require(opens, "G6", fact.at, || {
                    format!("the reveal of game {} opens nothing", game.id)
                });
            }
            _ => {}
        }
    }

    fn before(&mut self, observed: &Observed, _: &Ledger, violations: &mut Violations) {
        let adjudicated = matches!(observed.what, Command::Room(RoomCommand::Adjudicate { .. }))
            && observed.decision.answer.is_ok();
        let noted = observed
            .decision
            .facts
            .iter()
            .any(|fact| matches!(fact, Fact::Governance(GovernanceFact::DocketEntered { .. })));
        violations.require(!adjudicated || noted, "G8", observed.at, || {
            "a verdict is not in the docket".to_owned()
        });
    }

    fn entered(&mut self, fact: &Fact, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let told = match &fact.change {
            RoomChange::NatureActed { state_hash, .. } => Some(state_hash),
            change => change.resolution().map(|resolution| &resolution.state_hash),
        };
        let (Some(told), Some(game)) = (told, ledger.games.get(&fact.game)) else { return };
        // A shared turn has one state after it, however many moves tell of it.
        if game.is_live() && !game.sealed.is_empty() {
            return;
        }
        let next = game.turn;
        let expected = format!("svc.state.v1:{}:{next}:{}", game.id, game.position.state_string());
        let text = || format!("the hash before turn {next} of game {} is not of {expected}", game.id);
        violations.require(Digest::of(expected.as_bytes()) == *told, "G9", fact.at, text);
    }
}

fn commitment(game: hall_wire::GameId, seed: &str) -> Digest {
    Digest::of(format!("svc.seed.v1:{game}:{seed}").as_bytes())
}

fn committed(fact: &RoomFact, terms: &Started, ledger: &Ledger, violations: &mut Violations) {
    let opens = commitment(fact.game, &terms.seed.reveal()) == terms.commitment;
    violations
        .require(opens, "G6", fact.at, || format!("the commitment of game {} does not open", fact.game));
    let chain = ledger.settings.as_ref().and_then(|settings| settings.beacon.as_ref());
    let right = match (chain, terms.beacon) {
        (None, None) => true,
        (Some(chain), Some(bound)) => {
            let due = |round: u64| {
                chain.genesis + Span::from_millis(chain.period.as_millis() * round.saturating_sub(1))
            };
            let earliest = fact.at + Span::from_secs(3);
            let first = due(bound.round) >= earliest && (bound.round == 1 || due(bound.round - 1) < earliest);
            first && bound.chain_hash == chain.chain_hash
        }
        _ => false,
    };
    let text = || format!("game {} is bound to {:?}, not the first round 3 s ahead", fact.game, terms.beacon);
    violations.require(right, "G6", fact.at, text);
}

/// Checks that a leaf describes its fact.
fn told(fact: &RoomFact, ledger: &Ledger, violations: &mut Violations) {
    let Some(event) = &fact.event else { return };
    let leaf = ledger.texts.read(&event.leaf);
    let word = match &fact.change {
        RoomChange::Started(_) => "game_started",
        RoomChange::MovePlayed(_) => "move",
        RoomChange::IllegalAttempted { .. } => "illegal_attempt",
        RoomChange::StrikeGiven { .. } => "strike",
        RoomChange::DrawOffered { .. } => "draw_offered",
        RoomChange::DrawDeclined { .. } => "draw_declined",
        RoomChange::DeadlineExtended { .. } => "deadline_extended",
        RoomChange::PenaltyDeferred { .. } | RoomChange::HallDeferred { .. } => "",
        RoomChange::MoveSealed { .. } => "move_sealed",
        RoomChange::NatureActed { .. } => "chance",
        RoomChange::Shown { .. } => "shown",
        RoomChange::SeatVacated { .. } => "seat_vacated",
        RoomChange::BeaconSettled { .. } => "beacon",
        RoomChange::Ended { .. } => "game_ended",
    };
    let mut same = within(&leaf, &["kind"]) == Some("event")
        && within(&leaf, &["game_id"]) == Some(fact.game.to_string().as_str())
        && within(&leaf, &["created_at"]) == Some(fact.at.to_string().as_str())
        && leaf.get("seq").and_then(Value::as_u64) == Some(u64::from(event.seq))
        && within(&leaf, &["event", "type"]) == Some(word);
    if let RoomChange::MovePlayed(resolution) = &fact.change {
        let data = |name: &str| within(&leaf, &["event", "data", name]);
        let told = ledger.games.get(&fact.game).zip(resolution.player).zip(resolution.notation);
        let told = told.map(|((game, player), notation)| game.position.disclosed(player, &notation));
        let is_open = told == Some(resolution.notation);
        let body = resolution.body.as_ref().filter(|_| is_open).map(|body| body.sha256.to_hex());
        same &= data("notation") == told.flatten().as_ref().map(Notation::as_str)
            && data("state_hash") == Some(resolution.state_hash.to_hex().as_str())
            && data("body_sha256") == body.as_deref()
            && data("forced") == resolution.forced.map(words::forced);
    }
    violations.require(same, "G9", fact.at, || {
        format!("the leaf of {word} in game {} tells something else", fact.game)
    });
}
