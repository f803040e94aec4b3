//! X1 to X4 and X7: what leaves the hall for the endpoints of agents.

use super::ledger::Ledger;
use super::observation::{Dialed, Observation, Rang};
use super::{Family, Violations};
use crate::crypto::{Crypto, KnownKeys};
use crate::direct::Observed;
use hall_core::{DoorbellChange, Fact};
use hall_wire::{AgentId, GameId, RingId, Span, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The most turns that are rung for at the same time, and the most attempts under way at one host.
const TURNS: usize = 4_096;
const PER_HOST: usize = 4;
/// Attempts for one turn.
const ATTEMPTS: u32 = 5;
/// A ringer that is behind has heard by then of what it was told: of eight turns, each within a second.
const HEARD_WITHIN: Span = Span::from_secs(9);

/// What is known of doorbells, recounted from the facts, and of the attempts under way.
#[derive(Clone, Default)]
pub(super) struct Rings {
    crypto: Option<Crypto>,
    prepared: KnownKeys,
    /// Address and challenge that wait, by agent.
    pending: BTreeMap<AgentId, (String, String)>,
    /// The address that rings, by agent.
    bells: BTreeMap<AgentId, String>,
    /// The ring of each turn, how many attempts were made for it, and how many fresh starts came before the first.
    turns: BTreeMap<(AgentId, GameId, u32), (RingId, u32, u32)>,
    /// The last attempt of each turn that was recorded as failed.
    failed: BTreeMap<(AgentId, GameId, u32), u8>,
    /// The longest wait that could be drawn before the last attempt of each turn.
    waits: BTreeMap<(AgentId, GameId, u32), Span>,
    owners: BTreeMap<RingId, (AgentId, GameId, u32)>,
    /// Attempts under way: the host of each address.
    under_way: BTreeMap<String, String>,
    /// How often the ringer began again with all turns that wait: after a death, and when it was too far behind.
    fresh_starts: u32,
    /// When it was last too far behind.
    lagged_at: Option<Timestamp>,
}

impl Family for Rings {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Began(terms) => self.crypto = Some(terms.crypto),
            Observation::Died(_) => {
                self.fresh_starts += 1;
                self.under_way.clear();
                self.waits.clear();
            }
            Observation::RingerLagged { at } => {
                self.fresh_starts += 1;
                self.lagged_at = Some(*at);
            }
            Observation::Dialed(Dialed { at, url, address, port }) => {
                let allowed = *port == 443 && is_public(*address);
                violations.require(allowed, "X3", *at, || format!("{url} leads to {address}, port {port}"));
            }
            Observation::RingEnded { url, .. } => {
                self.under_way.remove(url);
            }
            Observation::Rang(rang) => self.rang(rang, ledger, violations),
            _ => {}
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Doorbell(fact) = fact else { return };
        match &fact.change {
            DoorbellChange::Registered { url, challenge, .. } => {
                self.pending.insert(fact.agent, (url.clone(), challenge.0.clone()));
            }
            DoorbellChange::Verified { url, challenge, signature } => {
                let waits = self.pending.remove(&fact.agent);
                let same = waits.is_some_and(|waits| waits == (url.clone(), challenge.0.clone()));
                let person = ledger.people.get(&fact.agent);
                // A log does not record which kind of signatures its world used.
                let signed = self.crypto.is_none_or(|crypto| {
                    person.is_some_and(|person| {
                        let text =
                            format!("svc.doorbell-endpoint.v1:{}:{}:{url}", person.handle, challenge.0);
                        self.prepared.verify(crypto, person.key, text.as_bytes(), signature)
                    })
                });
                violations.require(same && signed, "X2", observed.at, || {
                    format!("{url} counts as verified for {} without proof", fact.agent)
                });
                self.bells.insert(fact.agent, url.clone());
                // Attempts are counted for one address.
                self.failed.retain(|(agent, ..), _| *agent != fact.agent);
                self.waits.retain(|(agent, ..), _| *agent != fact.agent);
            }
            DoorbellChange::Disabled => {
                self.pending.remove(&fact.agent);
                self.bells.remove(&fact.agent);
            }
            DoorbellChange::Suspended { .. } => {
                self.bells.remove(&fact.agent);
            }
            DoorbellChange::AttemptFailed { turn, attempt, .. } => {
                self.failed.insert((fact.agent, turn.game, turn.turn_index), *attempt);
            }
            DoorbellChange::VerificationBegun
            | DoorbellChange::Rung { .. }
            | DoorbellChange::TurnMissed { .. } => {}
        }
    }
}

impl Rings {
    fn rang(&mut self, rang: &Rang, ledger: &Ledger, violations: &mut Violations) {
        let Rang { at, agent, game, turn_index, id, url, host, body, turns, .. } = rang;
        let key = (*agent, *game, *turn_index);
        let starts = self.fresh_starts;
        // It begins again with turns as they are in memory. Of one that is not durable by then it is told afterwards, and
        // hears of it within the time that it may be behind.
        let is_heard_again = self.lagged_at.is_some_and(|lagged| at.since(lagged) <= HEARD_WITHIN);
        let fresh = (*id, 0, starts.saturating_sub(u32::from(is_heard_again)));
        let (known, attempts, before) = self.turns.entry(key).or_insert(fresh);
        *attempts += 1;
        // It does not know then of what was answered at the first attempt, nor of what was under way.
        let allowed = ATTEMPTS + (starts - *before);
        let owner = self.owners.entry(*id).or_insert(key);
        let one_event = known == id && *owner == key && *attempts <= allowed;
        let open = ledger.games.get(game).is_some_and(|known| {
            let player = known.player_of(agent);
            known.turn == *turn_index && player.is_some_and(|player| known.is_to_move(player))
        });
        let times = *attempts;
        violations.require(one_event && open, "X1", *at, || {
            format!("{agent} is rung {times} times with {id} for turn {turn_index} of {game}, open: {open}")
        });
        let (attempt, failed) = (rang.attempt, self.failed.get(&key).copied().unwrap_or(0));
        violations.require(attempt > failed, "X1", *at, || {
            format!("{agent} is rung by attempt {attempt} for turn {turn_index} of {game}, {failed} failed already")
        });
        let before = rang.longest_wait.and_then(|longest| self.waits.insert(key, longest));
        let grows = before.is_none_or(|before| rang.longest_wait > Some(before));
        violations.require(grows, "X1", *at, || {
            let longest = rang.longest_wait;
            format!("attempt {attempt} for turn {turn_index} of {game} waits for at most {longest:?}, after {before:?}")
        });
        let verified = self.bells.get(agent).is_some_and(|known| known == url);
        violations
            .require(verified, "X2", *at, || format!("{agent} is rung at {url}, which does not ring for it"));
        let idle = self.under_way.insert(url.clone(), host.clone()).is_none();
        let beside = self.under_way.values().filter(|known| *known == host).count();
        violations.require(idle && beside <= PER_HOST && *turns <= TURNS, "X4", *at, || {
            format!("{beside} attempts are under way at {host}, {turns} turns wait, {url} was idle: {idle}")
        });
        let deadline = ledger.games.get(game).and_then(|game| game.deadline_of(game.player_of(agent)?));
        let expected = json!({
            "event_id": id.to_string(),
            "game_id": game.to_string(),
            "turn_index": turn_index,
            "deadline_utc": deadline.map(|deadline| deadline.to_string()),
        });
        let exact = serde_json::from_str::<Value>(body).is_ok_and(|body| body == expected);
        violations.require(exact, "X7", *at, || format!("the ring {id} says {body}, not {expected}"));
    }
}

/// Whether an address is one of the public internet, as the standard library knows the special ones.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let shared = address.octets().first() == Some(&100);
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_multicast()
                || shared)
        }
        IpAddr::V6(address) => {
            address.segments().first().is_some_and(|first| first & 0xe000 == 0x2000)
                && address.to_ipv4().is_none()
        }
    }
}
