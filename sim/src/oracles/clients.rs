//! Compares what clients received or did with what was decided. A world shows it when every decision is known.
//!
//! In a world with a network, answers and decisions reach the oracles by different ways, so an answer cannot be judged
//! when it arrives. A world that shows no [`ClientRecord`] pays nothing for this family.

use super::ledger::Ledger;
use super::observation::Observation;
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::rooms::{BeaconStatus, BeaconTerms, RoomChange, RoomFact};
use hall_core::{Command, DoorbellChange, Fact, MoveSubmission, RoomCommand};
use hall_wire::text::decode_hex;
use hall_wire::{AgentId, Digest, GameId, Player, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How long a move may take from the choice to its answer where nothing is broken, in milliseconds: a connection, a
/// challenge, the move, each there and back.
const PROMPT_MILLIS: u64 = 2_500;
/// How long it may take until an agent that waits for its turn has seen it: it is told, and asks for the game.
const WOKEN_MILLIS: u64 = 3_000;

/// The answer that a client received for a body that it had signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldOutcome {
    /// It resolved the turn, at the first attempt or at one whose answer was lost; with the hash of the state after
    /// it, where that was told.
    Applied(Option<Digest>),
    /// It did not resolve the turn.
    NotApplied,
    /// The move was not legal.
    Illegal,
}

/// A result in JSON: winners, whether drawn, reason.
pub type ToldResult = (Vec<Player>, bool, String);

/// The hashes of signed bodies in the order of the turns, in a shared one in that of the seats; none where nobody
/// signed.
pub type Bodies = Vec<Option<String>>;

/// Something that a client received or did.
#[derive(Clone, Debug)]
pub enum ClientRecord {
    /// Client records will come at the end: decisions must be remembered until then.
    Listening,
    /// The beacon's chain has signed this round, and no other signature counts.
    Round {
        /// The number of the round.
        round: u64,
        /// Its signature, hexadecimal.
        signature: String,
    },
    /// The answer to a move.
    Move {
        /// The game.
        game: GameId,
        /// The turn that was meant.
        turn_index: u32,
        /// The player that made it, if it is seated there.
        player: Option<Player>,
        /// The hash of what was signed.
        body: Digest,
        /// Its outcome.
        outcome: ToldOutcome,
        /// Milliseconds from the choice to the answer, if nothing was broken meanwhile.
        took_millis: Option<u64>,
    },
    /// An agent that waits for its turns has seen one for the first time.
    Woken {
        /// The game.
        game: GameId,
        /// The turn.
        turn_index: u32,
        /// Milliseconds from the beginning of the turn, if nothing was broken meanwhile.
        after_millis: Option<u64>,
    },
    /// An agent that waited was told of the end of its game.
    EndSeen {
        /// The game.
        game: GameId,
        /// Milliseconds from the end, when nothing was broken meanwhile.
        after_millis: u64,
    },
    /// A player was shown the deadline of its own turn.
    Due {
        /// The game.
        game: GameId,
        /// The turn.
        turn_index: u32,
        /// The player.
        player: Player,
        /// The deadline.
        deadline: Option<Timestamp>,
    },
    /// The result of a game.
    Result {
        /// The game.
        game: GameId,
        /// The result.
        result: ToldResult,
    },
    /// An agent's endpoint counts as verified.
    Doorbell {
        /// The agent.
        agent: AgentId,
        /// Its endpoint.
        url: String,
    },
    /// A body was sent that must never resolve a turn.
    Unapplied {
        /// What is wrong with it.
        name: &'static str,
        /// The check that fails if it does.
        invariant: &'static str,
        /// The game.
        game: GameId,
        /// Its hash.
        body: Digest,
    },
    /// As often as a move was sent under this challenge, the answer was that no writes are taken.
    Refused {
        /// The challenge.
        challenge: String,
    },
    /// Illegal moves were sent by one player in one turn.
    Illegal {
        /// The game.
        game: GameId,
        /// The turn.
        turn_index: u32,
        /// The player that sent them.
        player: Player,
        /// How many were sent.
        sent: u8,
        /// How many were answered as illegal.
        told: u8,
    },
    /// A player that brings no strike upon itself could reach the hall for long enough while a turn was open.
    Reachable {
        /// The game.
        game: GameId,
        /// The turn.
        turn_index: u32,
        /// The player.
        player: Player,
    },
    /// A game as the hall reports it at the end.
    Game {
        /// The game.
        game: GameId,
        /// Whether it is reported as ended.
        ended: bool,
        /// Its events with their numbers.
        events: Vec<(u64, Value)>,
        /// The hashes of the signed bodies in its replay, turn by turn; none if there is no replay.
        bodies: Option<Bodies>,
        /// The faults that the public verifier finds in its replay.
        failure: Option<String>,
    },
    /// A stream of events as one spectator read it, over as many connections as that took.
    Stream {
        /// The spectator.
        spectator: usize,
        /// The game.
        game: GameId,
        /// Events with their numbers.
        events: Vec<(u64, Value)>,
    },
}

/// A game as it was decided.
#[derive(Clone, Default)]
struct Game {
    /// How each turn was resolved, in a shared one for each player: the hash of the signed body, if somebody signed,
    /// and of the state after it.
    turns: BTreeMap<(u32, Option<Player>), (Option<Digest>, Digest)>,
    /// The hashes of signed bodies that were sealed in shared turns. Some are void at the end of the game.
    sealed: BTreeMap<(u32, Option<Player>), Digest>,
    /// The kinds of its events.
    events: Vec<String>,
    strikes: BTreeSet<(u32, Player)>,
    /// Counted illegal moves by turn and player.
    attempts: BTreeMap<(u32, Player), u8>,
    /// Every deadline that a player had in a turn: gaps move it.
    deadlines: BTreeSet<(u32, Player, Timestamp)>,
    beacon: Option<BeaconTerms>,
    result: Option<ToldResult>,
}

impl Game {
    /// Whether a player's body was applied in a turn, or sealed in it, with the hash of the state after the turn. The
    /// hash is none if the game ended before a shared turn could resolve.
    fn took(&self, turn: (u32, Option<Player>), body: Digest) -> Option<Option<Digest>> {
        let resolved = self.turns.get(&turn).filter(|(signed, _)| *signed == Some(body));
        let sealed = self.sealed.get(&turn).filter(|sealed| **sealed == body);
        resolved.map(|(_, state)| Some(*state)).or(sealed.map(|_| None))
    }

    /// Whether a body was applied or sealed in any turn.
    fn took_anywhere(&self, body: Digest) -> bool {
        self.turns.values().any(|(signed, _)| *signed == Some(body))
            || self.sealed.values().any(|sealed| *sealed == body)
    }
}

/// The decisions, as far as clients can see them.
#[derive(Clone, Default)]
pub(super) struct Clients {
    listening: bool,
    games: BTreeMap<GameId, Game>,
    /// Endpoints that were verified.
    verified: BTreeSet<(AgentId, String)>,
    /// Challenges of counted illegal moves.
    challenges: BTreeSet<String>,
    /// Challenges of moves that have changed something.
    taken: BTreeSet<String>,
    rounds: BTreeMap<u64, String>,
    /// Games that the hall still reports, with their events.
    told: BTreeMap<GameId, Vec<(u64, Value)>>,
    now: Timestamp,
}

impl Family for Clients {
    fn observation(&mut self, observation: &Observation, _: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Client(record) => {
                for (invariant, text) in self.heard(record) {
                    violations.report(invariant, self.now, text);
                }
            }
            Observation::Ended(ending) if self.listening => {
                for game in self.games.keys().filter(|game| !self.told.contains_key(game)) {
                    violations.report("D1", ending.at, format!("{game} is not told any more"));
                }
            }
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, _: &Ledger, _: &mut Violations) {
        if let Command::Room(RoomCommand::Submit(MoveSubmission { signed: Some(signed), .. })) =
            &observed.what
            && !observed.decision.facts.is_empty()
        {
            self.taken.insert(signed.challenge.to_string());
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, _: &Ledger, violations: &mut Violations) {
        self.now = observed.at;
        if !self.listening {
            return;
        }
        match fact {
            Fact::Room(fact) => self.happened(fact, violations),
            Fact::Doorbell(fact) => {
                if let DoorbellChange::Verified { url, .. } = &fact.change {
                    self.verified.insert((fact.agent, url.clone()));
                }
            }
            _ => {}
        }
    }

    fn entered(&mut self, fact: &Fact, ledger: &Ledger, _: &mut Violations) {
        let Some(fact) = fact.in_room().filter(|_| self.listening) else { return };
        let (Some(game), Some(known)) = (self.games.get_mut(&fact.game), ledger.games.get(&fact.game)) else {
            return;
        };
        game.deadlines.extend(known.deadlines().map(|(player, deadline)| (known.turn, player, deadline)));
    }
}

impl Clients {
    fn happened(&mut self, fact: &RoomFact, violations: &mut Violations) {
        let game = self.games.entry(fact.game).or_default();
        if let Some(event) = &fact.event {
            let leaf: Value = serde_json::from_str(&event.leaf).unwrap_or_default();
            let kind = leaf.pointer("/event/type").and_then(Value::as_str).unwrap_or_default();
            game.events.push(kind.to_owned());
        }
        if let Some(resolution) = fact.change.resolution() {
            let body = resolution.body.as_ref().map(|body| body.sha256);
            game.turns.insert((resolution.turn_index, resolution.player), (body, resolution.state_hash));
        }
        match &fact.change {
            RoomChange::Started(terms) => game.beacon = terms.beacon,
            RoomChange::StrikeGiven { turn_index, player, .. } => {
                game.strikes.insert((*turn_index, *player));
            }
            RoomChange::MoveSealed { turn_index, player, action, .. } => {
                let body = action.body.as_ref().map(|body| body.sha256);
                game.sealed.extend(body.map(|body| ((*turn_index, Some(*player)), body)));
            }
            RoomChange::IllegalAttempted { turn_index, player, attempt, .. } => {
                *game.attempts.entry((*turn_index, *player)).or_default() += 1;
                let challenge = &attempt.challenge.0;
                let first = self.challenges.insert(challenge.clone());
                let text = || format!("two illegal moves came under the challenge {challenge}");
                violations.require(first, "A2", fact.at, text);
            }
            RoomChange::BeaconSettled { status: BeaconStatus::Verified, randomness, signature } => {
                let signed = game.beacon.and_then(|terms| self.rounds.get(&terms.round));
                let drawn = signed.and_then(|text| decode_hex::<48>(text)).map(|bytes| Digest::of(&bytes));
                let genuine = signed.is_some() && signed == signature.as_ref() && *randomness == drawn;
                let text = || format!("{:?} of {} was never signed as {signature:?}", game.beacon, fact.game);
                violations.require(genuine, "G6", fact.at, text);
            }
            RoomChange::Ended { result, .. } => {
                let reason = result.reason.as_str().to_owned();
                game.result = Some((result.winners.clone(), result.draw, reason));
            }
            _ => {}
        }
    }

    fn heard(&mut self, record: &ClientRecord) -> Vec<(&'static str, String)> {
        match record {
            ClientRecord::Listening => self.listening = true,
            ClientRecord::Round { round, signature } => {
                self.rounds.insert(*round, signature.clone());
            }
            ClientRecord::Move { game, turn_index, player, body, outcome, took_millis } => {
                return self.moved(*game, (*turn_index, *player), *body, *outcome, *took_millis);
            }
            ClientRecord::Woken { game, turn_index, after_millis } => {
                if let Some(late) = after_millis.filter(|millis| *millis > WOKEN_MILLIS) {
                    return one("X9", format!("turn {turn_index} of {game} was seen after {late} ms"));
                }
            }
            ClientRecord::EndSeen { game, after_millis } => {
                if *after_millis > WOKEN_MILLIS {
                    return one("X9", format!("the end of {game} was seen after {after_millis} ms"));
                }
            }
            ClientRecord::Due { game, turn_index, player, deadline } => {
                let is_decided = self.games.get(game).zip(*deadline).is_some_and(|(game, deadline)| {
                    game.deadlines.contains(&(*turn_index, *player, deadline))
                });
                if !is_decided {
                    let text = format!(
                        "{game}: {player} is shown {deadline:?} as its deadline of turn {turn_index}"
                    );
                    return one("T8", text);
                }
            }
            ClientRecord::Result { game, result } => {
                let decided = self.games.get(game).and_then(|game| game.result.as_ref());
                if decided != Some(result) {
                    return one("D1", format!("{game}: told is {result:?}, decided is {decided:?}"));
                }
            }
            ClientRecord::Doorbell { agent, url } => {
                if !self.verified.contains(&(*agent, url.clone())) {
                    return one("D1", format!("{agent} was told that {url} rings, and it does not"));
                }
            }
            ClientRecord::Unapplied { name, invariant, game, body } => {
                if self.games.get(game).is_some_and(|game| game.took_anywhere(*body)) {
                    return one(invariant, format!("{game}: a body was applied that is {name}"));
                }
            }
            ClientRecord::Refused { challenge } => {
                if self.taken.contains(challenge) {
                    let text =
                        format!("the move under challenge {challenge} counts, told was that none are taken");
                    return one("M1", text);
                }
            }
            ClientRecord::Illegal { game, turn_index, player, sent, told } => {
                let counted =
                    self.games.get(game).and_then(|game| game.attempts.get(&(*turn_index, *player)));
                let counted = counted.copied().unwrap_or_default();
                let text = format!(
                    "{game}, turn {turn_index}: of {sent} illegal moves of {player} {told} were told, {counted} count"
                );
                let invariants = [(counted < *told).then_some("D1"), (counted > *sent).then_some("M6")];
                return invariants.into_iter().flatten().map(|name| (name, text.clone())).collect();
            }
            ClientRecord::Reachable { game, turn_index, player } => {
                let struck =
                    self.games.get(game).is_some_and(|it| it.strikes.contains(&(*turn_index, *player)));
                if struck {
                    return one(
                        "T9",
                        format!("{game}: {player} was struck in turn {turn_index} without a cause"),
                    );
                }
            }
            ClientRecord::Game { game, ended, events, bodies, failure } => {
                self.told.insert(*game, events.clone());
                return self.told_game(*game, *ended, (events, bodies.as_ref()), failure.as_ref());
            }
            ClientRecord::Stream { spectator, game, events } => {
                let told = self.told.get(game).map(Vec::as_slice).unwrap_or_default();
                if !told.starts_with(events) {
                    return one("X5", format!("{game}: spectator {spectator} read {events:?} of {told:?}"));
                }
            }
        }
        Vec::new()
    }

    /// Checks that a client received the true outcome of a move, and received it promptly.
    fn moved(
        &self,
        game: GameId,
        (turn_index, player): (u32, Option<Player>),
        body: Digest,
        outcome: ToldOutcome,
        took_millis: Option<u64>,
    ) -> Vec<(&'static str, String)> {
        let taken = self.games.get(&game).and_then(|game| game.took((turn_index, player), body));
        let wrong = match outcome {
            ToldOutcome::Applied(told) => {
                let same = taken.is_some_and(|state| told.is_none() || told == state);
                (!same).then_some("D1")
            }
            ToldOutcome::NotApplied => taken.is_some().then_some("M1"),
            ToldOutcome::Illegal => Some("M8"),
        };
        let slow = took_millis.filter(|millis| *millis > PROMPT_MILLIS);
        let what = format!("a move of turn {turn_index} in {game}");
        let wrong = wrong.map(|name| (name, format!("{what} was told as {outcome:?}, decided is {taken:?}")));
        let slow = slow.map(|millis| ("X6", format!("{what} took {millis} ms")));
        wrong.into_iter().chain(slow).collect()
    }

    /// Checks that a game as the hall reports it is the game that was decided.
    fn told_game(
        &self,
        id: GameId,
        ended: bool,
        (events, bodies): (&[(u64, Value)], Option<&Bodies>),
        failure: Option<&String>,
    ) -> Vec<(&'static str, String)> {
        let Some(game) = self.games.get(&id) else {
            return one("D1", format!("{id} is told and never began"));
        };
        let mut found = Vec::new();
        if ended != game.result.is_some() {
            found.push(("D1", format!("{id} is told as ended: {ended}, decided is {:?}", game.result)));
        }
        let kinds = events.iter().filter_map(|(_, event)| event.get("type")?.as_str());
        let numbered = (1..).zip(events).all(|(number, (seq, _))| *seq == number);
        if !numbered || !kinds.eq(game.events.iter().map(String::as_str)) {
            found.push(("X5", format!("{id}: told are {events:?}, decided are {:?}", game.events)));
        }
        let decided = game.turns.values().map(|turn| turn.0.map(|body| body.to_string()));
        if bodies.is_some_and(|bodies| !decided.eq(bodies.iter().cloned())) {
            found.push(("G9", format!("{id}: the replay has other bodies than were decided")));
        }
        found.extend(failure.map(|text| ("G9", text.clone())));
        found
    }
}

fn one(invariant: &'static str, text: String) -> Vec<(&'static str, String)> {
    vec![(invariant, text)]
}
