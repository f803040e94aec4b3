//! A1 to A9: authentication, and that no caller acts in another's name.

use super::ledger::Ledger;
use super::observation::{Judged, Observation};
use super::{Family, Violations};
use crate::crypto::{Crypto, KnownKeys};
use crate::direct::{Observed, SignedRequest};
use crate::protocol::{AgentRequest, AnswerBrief};
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Caller, Command, DeskCommand, DeskFact, Fact, RoomCommand};
use hall_wire::message::Challenge;
use hall_wire::text::decode_hex;
use hall_wire::{AgentId, Digest, Handle, PublicKey, Span, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// How long a challenge is valid (specification 5.1).
const VALIDITY: Span = Span::from_secs(300);

/// How long after its stamp a request may be checked and still be judged by it: the hall remembers what was spent for
/// no longer.
const STRANDED: Span = Span::from_secs(10);

/// Bytes of most decisions.
const USUAL_BYTES: usize = 2_048;

/// The challenges that the gate has issued and the requests that it has accepted.
#[derive(Clone, Default)]
pub(super) struct Authentication {
    crypto: Option<Crypto>,
    /// Starts of the hall; a challenge is of one of them.
    run: u32,
    issued: BTreeMap<[u8; 32], (Handle, Timestamp, u32)>,
    accepted: BTreeSet<[u8; 32]>,
    /// Requests that were passed to the writer and are not decided yet: by agent, stamp and word.
    passed: BTreeMap<(AgentId, Timestamp, &'static str), u32>,
    keys: BTreeMap<PublicKey, Handle>,
    secrets: Vec<String>,
    prepared: KnownKeys,
}

impl Family for Authentication {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Began(terms) => self.crypto = Some(terms.crypto),
            Observation::Secret(secret) => self.secrets.push(secret.clone()),
            Observation::Issued { at, handle, challenge } => {
                self.issued.insert(*challenge.as_bytes(), (handle.clone(), *at, self.run));
            }
            Observation::Judged(judged) => self.judged(judged, ledger, violations),
            Observation::Answered { at, answer, .. } => self.tells(answer, *at, violations),
            Observation::Died(_) => {
                self.run += 1;
                self.passed.clear();
            }
            Observation::Stepped(picture) => {
                for person in &picture.people {
                    let known = ledger.people.get(&person.agent);
                    let same = known.is_some_and(|it| it.handle == person.handle && it.key == person.key);
                    let text = || format!("{} is not the agent that registered", person.handle);
                    violations.require(same, "A6", picture.at, text);
                }
            }
            _ => {}
        }
    }

    fn before(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        self.was_let_through(observed, violations);
        for fact in &observed.decision.facts {
            self.keeps_to_its_own(fact, observed, ledger, violations);
        }
        self.writes(observed, violations);
    }

    fn fact(&mut self, fact: &Fact, _: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Desk(DeskFact::AgentRegistered { at, agent, handle, key, leaf, .. }) = fact else { return };
        let leaf = ledger.texts.read(leaf);
        let published = leaf.get("pubkey_ed25519").and_then(Value::as_str).and_then(decode_hex::<32>);
        let text = || format!("the key of {handle} is not canonical or of small order");
        let sound = published.is_some_and(|key| is_sound(&key)) && published == Some(*key.as_bytes());
        violations.require(sound && key.verifier().is_some(), "A8", *at, text);
        let free = !ledger.handles.contains_key(handle) && !ledger.people.contains_key(agent);
        let first = self.keys.insert(*key, handle.clone()).is_none();
        let derived = agent_of(key) == *agent.as_bytes();
        let text =
            || format!("{handle} with {agent}: the handle or the key is another's, or not of this name");
        violations.require(free && first && derived, "A6", *at, text);
    }
}

impl Authentication {
    fn judged(&mut self, judged: &Judged, ledger: &Ledger, violations: &mut Violations) {
        let Judged { at, stamp, request, answer, spent, .. } = judged;
        let Some(challenge) = request.challenge else { return };
        let key = key_of(request, ledger);
        let signed = key.is_some_and(|key| self.verifies(key, request, &challenge));
        let bytes = *challenge.as_bytes();
        let issue = self.issued.get(&bytes).filter(|(_, _, run)| *run == self.run);
        let own = issue.is_some_and(|(handle, ..)| *handle == request.handle);
        let fresh = issue.is_some_and(|(_, since, _)| *since <= *stamp && *stamp < *since + VALIDITY);
        let was_accepted = self.accepted.contains(&bytes);
        let handle = &request.handle;
        if *spent {
            violations.require(signed, "A1", *at, || {
                format!("a request of {handle} without its signature is let in")
            });
            violations
                .require(!was_accepted, "A2", *at, || format!("a challenge of {handle} is let in again"));
            violations.require(own && fresh, "A3", *at, || {
                format!("{handle} is let in by a challenge not its own or old")
            });
            self.accepted.insert(bytes);
        } else {
            let unavailable = matches!(answer, Some(AnswerBrief::Refused { code: "UNAVAILABLE", .. }));
            // The challenge of a request that was in flight for so long (the hall was suspended) may have expired by
            // now.
            let stranded = at.since(*stamp) > STRANDED;
            let wrongly = signed && own && fresh && !was_accepted && !unavailable && !stranded;
            let text =
                || format!("{handle} is refused {answer:?} with a fresh challenge and its own signature");
            violations.require(!wrongly, "A5", *at, text);
            let same = judged.applied.0 == judged.applied.1
                && judged.digests.is_none_or(|(before, after)| before == after);
            violations.require(same, "A4", *at, || {
                format!("the refusal of a request of {handle} changed the state")
            });
        }
        if *spent && answer.is_none() {
            let agent = match &*request.what {
                AgentRequest::Register(new) => Some(AgentId::of_key(&new.key)),
                _ => ledger.handles.get(handle).copied(),
            };
            if let Some(agent) = agent {
                *self.passed.entry((agent, *stamp, request.what.word())).or_default() += 1;
            }
        }
        if let Some(answer) = answer {
            self.tells(answer, *at, violations);
        }
    }

    fn verifies(&mut self, key: PublicKey, request: &SignedRequest, challenge: &Challenge) -> bool {
        let Some(crypto) = self.crypto else { return true };
        // Spelled out here, so that an error which hall and agents share is noticed.
        let SignedRequest { handle, path, .. } = request;
        let text = match request.body.as_deref().map(SignedRequest::raw_digest) {
            None => format!("svc.auth.v1:{handle}:{challenge}:GET:{path}"),
            Some(digest) => format!("svc.auth.v1:{handle}:{challenge}:POST:{path}:{digest}"),
        };
        self.prepared.verify(crypto, key, text.as_bytes(), &request.signature)
    }

    /// Checks that a decision for an agent was requested in its name at that time.
    fn was_let_through(&mut self, observed: &Observed, violations: &mut Violations) {
        let Some((agent, word)) = asker(observed) else { return };
        // Unknown in a world without a view of the gate.
        if self.issued.is_empty() {
            return;
        }
        let place = (agent, observed.stamp, word);
        match self.passed.get_mut(&place).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                if *count == 0 {
                    self.passed.remove(&place);
                }
            }
            // After a crash the accepted requests are forgotten, and their outcome comes later.
            None if self.run > 0 => {}
            None => {
                let text =
                    format!("{word} is decided for {agent}, which did not ask for it at {}", observed.stamp);
                violations.report("A1", observed.at, text);
            }
        }
    }

    fn keeps_to_its_own(
        &self,
        fact: &Fact,
        observed: &Observed,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let Caller::Agent(asker) = observed.who else { return };
        let own = match fact {
            Fact::Desk(DeskFact::HomologationFiled { agent, .. })
            | Fact::Desk(DeskFact::LobbyJoined { agent, .. })
            | Fact::Desk(DeskFact::LobbyLeft { agent, .. })
            | Fact::Desk(DeskFact::FeedbackPosted { agent, .. }) => *agent == asker,
            Fact::Doorbell(fact) => fact.agent == asker || ledger.sit_together(&fact.agent, &asker),
            Fact::Room(fact) => is_in_room(fact, observed, asker, ledger),
            Fact::Desk(DeskFact::GameRated { game, .. }) => {
                ledger.games.get(game).is_some_and(|game| game.player_of(&asker).is_some())
            }
            Fact::Hall(_)
            | Fact::Desk(DeskFact::AgentRegistered { .. })
            | Fact::Governance(_)
            | Fact::Desk(DeskFact::LobbiesSwept { .. }) => false,
        };
        violations.require(own, "A7", observed.at, || format!("{asker} brings about {fact:?}"));
    }

    /// Looks for secrets in a decision: in the bytes of its facts, of which there are many, and in the text of the rest.
    fn writes(&self, observed: &Observed, violations: &mut Violations) {
        if self.secrets.is_empty() {
            return;
        }
        let Observed { at, what, decision, .. } = observed;
        let bytes = postcard::to_extend(&(what, &decision.facts), Vec::with_capacity(USUAL_BYTES));
        let bytes = bytes.unwrap_or_else(|_| format!("{what:?} {:?}", decision.facts).into_bytes());
        self.holds_none(&String::from_utf8_lossy(&bytes), *at, violations);
        self.tells(&decision.answer, *at, violations);
        if !decision.effects.is_empty() {
            self.tells(&decision.effects, *at, violations);
        }
    }

    fn tells(&self, told: &impl Debug, at: Timestamp, violations: &mut Violations) {
        if !self.secrets.is_empty() {
            self.holds_none(&format!("{told:?}"), at, violations);
        }
    }

    fn holds_none(&self, text: &str, at: Timestamp, violations: &mut Violations) {
        let told = self.secrets.iter().any(|secret| text.contains(secret.as_str()));
        violations.require(!told, "A9", at, || "an operator token is written or told".to_owned());
    }
}

fn is_in_room(fact: &RoomFact, observed: &Observed, asker: AgentId, ledger: &Ledger) -> bool {
    // With a join games begin, and nature may act in them at once.
    let mut facts = observed.decision.facts.iter().filter_map(Fact::in_room);
    if facts.any(|it| it.game == fact.game && matches!(it.change, RoomChange::Started(_))) {
        return matches!(observed.what, Command::Desk(DeskCommand::JoinLobby(_)));
    }
    ledger.games.get(&fact.game).is_some_and(|game| game.player_of(&asker).is_some())
}

/// Who asked for a decision, and by which word.
pub(super) fn asker(observed: &Observed) -> Option<(AgentId, &'static str)> {
    let word = word_of(&observed.what)?;
    match (observed.who, &observed.what) {
        (Caller::Agent(agent), _) => Some((agent, word)),
        (_, Command::Desk(DeskCommand::RegisterAgent(new))) => Some((AgentId::of_key(&new.key), word)),
        (Caller::Operator | Caller::Hall, _) => None,
    }
}

/// The handle of who asked for a decision.
pub(super) fn asking_handle(observed: &Observed, ledger: &Ledger) -> Option<Handle> {
    let (agent, _) = asker(observed)?;
    match &observed.what {
        Command::Desk(DeskCommand::RegisterAgent(new)) => Some(new.handle.clone()),
        _ => ledger.people.get(&agent).map(|person| person.handle.clone()),
    }
}

/// The word of the request that becomes a command.
pub(super) const fn word_of(what: &Command) -> Option<&'static str> {
    match what {
        Command::Desk(DeskCommand::RegisterAgent(_)) => Some("register"),
        Command::Desk(DeskCommand::FileHomologation { .. }) => Some("file"),
        Command::Desk(DeskCommand::JoinLobby(_)) => Some("join"),
        Command::Desk(DeskCommand::LeaveLobby(_)) => Some("leave"),
        Command::Room(RoomCommand::Submit(_)) => Some("move"),
        Command::Desk(DeskCommand::PostFeedback(_)) => Some("post"),
        // In the direct world requests about doorbells do not pass the gate.
        Command::Doorbell(_)
        | Command::Governance(_)
        | Command::Room(RoomCommand::Adjudicate { .. })
        | Command::Room(RoomCommand::Vacate { .. })
        | Command::Hall(_)
        | Command::Room(RoomCommand::ExtendForGap { .. })
        | Command::Room(RoomCommand::ReceiveBeacon { .. }) => None,
    }
}

fn key_of(request: &SignedRequest, ledger: &Ledger) -> Option<PublicKey> {
    if let AgentRequest::Register(new) = &*request.what {
        return (new.handle == request.handle).then_some(new.key);
    }
    let agent = ledger.handles.get(&request.handle)?;
    ledger.people.get(agent).map(|person| person.key)
}

fn agent_of(key: &PublicKey) -> [u8; 16] {
    let digest = Digest::of(format!("svc.agent.v1:{key}").as_bytes());
    digest.as_bytes().first_chunk::<16>().copied().unwrap_or_default()
}

/// Whether the encoded y is below p, and neither of the points of small order, whose y are 0, 1, p - 1 and the two
/// of order eight.
fn is_sound(key: &[u8; 32]) -> bool {
    const ORDER_EIGHT: [[u8; 32]; 2] = [
        *b"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05",
        *b"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a",
    ];
    let mut y = *key;
    if let Some(top) = y.last_mut() {
        *top &= 0x7f;
    }
    let mut high: Vec<u8> = y.to_vec();
    high.reverse();
    let mut p = [0xff; 32];
    (p[0], p[31]) = (0x7f, 0xed);
    let mut below = p;
    below[31] = 0xec;
    let mut one = [0; 32];
    one[31] = 1;
    let small = high == [0; 32] || high == one || high == below || ORDER_EIGHT.contains(&y);
    high.as_slice() < p.as_slice() && !small
}
