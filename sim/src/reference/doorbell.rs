//! What the reference expects of doorbells (decision 9).

use super::Reference;
use super::expectation::Expectation;
use hall_core::desk::{Bell, Doorbell, LastAttempt, PendingBell, Ringing};
use hall_core::rooms::{ChallengeText, RoomChange, RoomFact};
use hall_core::{
    AddressCheck, Answer, Caller, DoorbellChange, DoorbellFact, DueRing, Fact, Rejection, Reply, RingFailure,
    RingOutcome, RingReport, RingTurn, SuspensionCause,
};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, GameId, Player, RingId, Signature, Timestamp};
use std::collections::BTreeMap;

const HOUR: i64 = 3_600_000;
const QUARTER: u64 = 900;

/// The doorbell of an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Door {
    /// Address, challenge and its end.
    pending: Option<(String, ChallengeText, Timestamp)>,
    /// What was verified.
    bell: Option<Bell>,
    /// When verifications began, ever.
    begun: Vec<Timestamp>,
    /// Open turns in which an attempt failed: how many, and whether that is all.
    turns: BTreeMap<(GameId, u32), (u8, bool)>,
    /// When the last address stopped ringing.
    rang_until: Option<Timestamp>,
}

impl Door {
    fn rings(&self) -> Option<&Bell> {
        self.bell.as_ref().filter(|bell| !bell.suspended)
    }

    /// Stops the address that rings now.
    fn give_up_turns(&mut self, at: Timestamp) {
        if self.rings().is_some() {
            self.rang_until = Some(at);
        }
        self.turns.values_mut().for_each(|(_, over)| *over = true);
    }

    /// The same in the hall's own form.
    pub(super) fn as_the_hall_has_it(&self) -> Doorbell {
        let last = self.begun.last().copied();
        let counted =
            |begun: &&Timestamp| last.is_some_and(|last| last.as_millis() - begun.as_millis() < HOUR);
        Doorbell {
            pending: self.pending.clone().map(|(url, challenge, expires)| PendingBell {
                url: url.into_boxed_str(),
                challenge,
                expires,
            }),
            bell: self.bell.clone(),
            verifications: self.begun.iter().filter(counted).copied().collect(),
            ringing: self
                .turns
                .iter()
                .map(|((game, turn_index), (attempts, over))| Ringing {
                    game: *game,
                    turn_index: *turn_index,
                    attempts: *attempts,
                    over: *over,
                })
                .collect(),
            rang_until: self.rang_until,
        }
    }
}

impl Reference {
    /// What is to be rung for now: the open turns of everybody who is rung, but those that need no attempt more.
    pub(super) fn due_rings(&self, agent: &AgentId) -> Vec<DueRing> {
        let door = self.doors.get(agent);
        let Some((door, bell)) = door.and_then(|door| Some((door, door.rings()?))) else { return Vec::new() };
        let due = |game: GameId| {
            let room = self.rooms.get(&game)?;
            let deadline = room.deadline_of(room.player_of(agent)?)?;
            let (attempts, over) = door.turns.get(&(game, room.turn_index)).copied().unwrap_or_default();
            if over || attempts >= 5 {
                return None;
            }
            Some(DueRing {
                id: RingId::of_turn(agent, &game, room.turn_index),
                agent: *agent,
                url: bell.url.clone(),
                challenge: bell.challenge.clone(),
                game,
                turn_index: room.turn_index,
                deadline,
                attempts,
            })
        };
        self.games_of(agent).into_iter().filter_map(due).collect()
    }

    pub(super) fn register_doorbell(
        &mut self,
        step: &mut Expectation<'_>,
        who: Caller,
        url: &str,
        address: AddressCheck,
    ) -> Answer {
        let agent = self.writer(who)?;
        if address == AddressCheck::Refused {
            return Err(Rejection::DoorbellUrlRefused);
        }
        let found = step.next_found().and_then(|fact| {
            let Fact::Doorbell(fact) = fact else { return None };
            let DoorbellChange::Registered { challenge, .. } = &fact.change else { return None };
            Challenge::parse(&challenge.0)
        });
        let challenge = found.unwrap_or_else(|| Challenge::from_bytes([0; 32]));
        let text = ChallengeText(challenge.to_string());
        let is_new = self.doorbell_challenges.insert(text.0.clone());
        step.object(is_new, || format!("the challenge {challenge} of a doorbell was used before"));
        let expires = step.at + hall_wire::Span::from_secs(QUARTER);
        let door = self.doors.entry(agent).or_default();
        door.pending = Some((url.to_owned(), text.clone(), expires));
        step.door(agent, DoorbellChange::Registered { url: url.to_owned(), challenge: text, expires });
        Ok(Reply::DoorbellRegistered { challenge, expires })
    }

    pub(super) fn begin_doorbell(&mut self, step: &mut Expectation<'_>, who: Caller) -> Answer {
        let agent = self.writer(who)?;
        let at = step.at;
        let door = self.doors.entry(agent).or_default();
        let waits = door.pending.clone().filter(|(_, _, expires)| at < *expires);
        let (url, challenge, _) = waits.ok_or(Rejection::DoorbellNotRegistered)?;
        let ago = |begun: &Timestamp| at.as_millis() - begun.as_millis();
        let recent: Vec<i64> = door.begun.iter().map(ago).filter(|ago| *ago < HOUR).collect();
        if let (Some(longest), 5..) = (recent.first(), recent.len()) {
            let millis = u64::try_from(HOUR - longest).unwrap_or(0);
            return Err(Rejection::DoorbellVerifications {
                retry_after: hall_wire::Span::from_millis(millis),
            });
        }
        door.begun.push(at);
        step.door(agent, DoorbellChange::VerificationBegun);
        let challenge = Challenge::parse(&challenge.0).ok_or(Rejection::DoorbellNotRegistered)?;
        Ok(Reply::DoorbellVerifying { url: url.into_boxed_str(), challenge })
    }

    pub(super) fn confirm_doorbell(
        &mut self,
        step: &mut Expectation<'_>,
        agent: AgentId,
        challenge: &ChallengeText,
        signature: Signature,
    ) -> Answer {
        let door = self.doors.get_mut(&agent).ok_or(Rejection::DoorbellNotRegistered)?;
        let Some((url, _, _)) = door.pending.take_if(|(_, known, _)| known == challenge) else {
            return Err(Rejection::DoorbellNotRegistered);
        };
        door.give_up_turns(step.at);
        let rang_until = door.rang_until;
        door.bell = Some(Bell {
            url: url.clone().into_boxed_str(),
            challenge: challenge.clone(),
            verified_at: step.at,
            suspended: false,
            failures_in_row: 0,
            last: None,
        });
        step.door(agent, DoorbellChange::Verified { url, challenge: challenge.clone(), signature });
        for game in self.games_of(&agent) {
            let Some(room) = self.rooms.get(&game) else { continue };
            let Some(player) = room.player_of(&agent) else { continue };
            // A turn has its rings at one address: the one that rang while it was open.
            let began = room.open_turn(player).map(|open| open.started_at);
            if began.is_some() && (rang_until.is_none() || began > rang_until) {
                step.ring(room, player);
            }
        }
        Ok(Reply::DoorbellVerified { at: step.at })
    }

    pub(super) fn disable_doorbell(&mut self, step: &mut Expectation<'_>, who: Caller) -> Answer {
        let agent = self.writer(who)?;
        if let Some(door) = self.doors.get_mut(&agent)
            && (door.pending.is_some() || door.bell.is_some())
        {
            door.give_up_turns(step.at);
            (door.pending, door.bell) = (None, None);
            step.door(agent, DoorbellChange::Disabled);
        }
        Ok(Reply::Done)
    }

    pub(super) fn ring_reported(&mut self, step: &mut Expectation<'_>, report: &RingReport) -> Answer {
        let RingReport { agent, challenge, game, turn_index, attempt, outcome } = report;
        let (attempt, at) = (*attempt, step.at);
        // A shared turn is over for a player who has acted in it.
        let open = self.rooms.get(game).is_some_and(|room| {
            let own = room.player_of(agent).and_then(|player| room.seats.get(player.index()));
            let has_acted = own.is_some_and(|side| side.sealed.is_some());
            room.result.is_none() && room.turn_index == *turn_index && !has_acted
        });
        let door = self.doors.get_mut(agent).ok_or(Rejection::NothingToChange)?;
        let bell = door.rings().filter(|bell| bell.challenge == *challenge);
        let bell = bell.cloned().ok_or(Rejection::NothingToChange)?;
        let known = door.turns.get(&(*game, *turn_index)).copied();
        let plausible = match known {
            Some((attempts, over)) => !over && attempt > attempts,
            None => true,
        };
        if !plausible || !(1..=5).contains(&attempt) {
            return Err(Rejection::NothingToChange);
        }
        let turn = RingTurn { game: *game, turn_index: *turn_index, open };
        let failure = match outcome {
            RingOutcome::Failed(reason) => Some(*reason),
            RingOutcome::Answered => None,
        };
        // An answer at the first attempt, with no failure before it, is not recorded.
        let is_routine = failure.is_none()
            && attempt == 1
            && known.is_none()
            && bell.failures_in_row == 0
            && bell.last.is_none_or(|last| last.failure.is_none());
        if is_routine {
            return Ok(Reply::Done);
        }
        if let Some(bell) = &mut door.bell {
            bell.last = Some(LastAttempt { at, game: *game, turn_index: *turn_index, failure });
        }
        let ends = match failure {
            None | Some(RingFailure::Gone) => true,
            Some(_) => attempt == 5,
        };
        if open {
            door.turns.insert((*game, *turn_index), (attempt, ends));
        }
        match failure {
            None => {
                if let Some(bell) = &mut door.bell {
                    bell.failures_in_row = 0;
                }
                step.door(*agent, DoorbellChange::Rung { turn, attempt });
            }
            Some(reason) => {
                step.door(*agent, DoorbellChange::AttemptFailed { turn, attempt, reason });
                if reason == RingFailure::Gone {
                    self.suspend_doorbell(step, *agent, SuspensionCause::Gone);
                } else if open && attempt == 5 || !open && attempt == 1 {
                    self.miss_turn(step, *agent, turn);
                }
            }
        }
        Ok(Reply::Done)
    }

    /// A turn was missed; the tenth in a row suspends the doorbell.
    fn miss_turn(&mut self, step: &mut Expectation<'_>, agent: AgentId, turn: RingTurn) {
        let Some(bell) = self.doors.get_mut(&agent).and_then(|door| door.bell.as_mut()) else { return };
        bell.failures_in_row += 1;
        let failures_in_row = bell.failures_in_row;
        step.door(agent, DoorbellChange::TurnMissed { turn, failures_in_row });
        if failures_in_row >= 10 {
            self.suspend_doorbell(step, agent, SuspensionCause::Failures);
        }
    }

    fn suspend_doorbell(&mut self, step: &mut Expectation<'_>, agent: AgentId, cause: SuspensionCause) {
        if let Some(door) = self.doors.get_mut(&agent) {
            door.give_up_turns(step.at);
            if let Some(bell) = &mut door.bell {
                bell.suspended = true;
            }
        }
        step.door(agent, DoorbellChange::Suspended { cause });
    }

    /// What the turns that a decision ends mean for the doorbells of those who sit at the table.
    pub(super) fn end_turns_of_doorbells(&mut self, step: &mut Expectation<'_>) {
        let ended: Vec<EndedTurn> =
            step.facts.iter().filter_map(Fact::in_room).filter_map(EndedTurn::by).collect();
        for EndedTurn { game, player, turn_index, whole } in ended {
            let Some(room) = self.rooms.get(&game) else { continue };
            let concerned = room.players().filter(|own| player.is_none_or(|player| player == *own));
            let agents: Vec<AgentId> = concerned.map(|own| room.agent(own)).collect();
            for agent in agents {
                let Some(door) = self.doors.get_mut(&agent) else { continue };
                let at_stake = turn_index.and_then(|turn_index| door.turns.get(&(game, turn_index)));
                let failing = at_stake.is_some_and(|(_, over)| !over) && door.rings().is_some();
                door.turns.retain(|(known, turn), _| {
                    *known != game || !whole && turn_index.is_some_and(|ended| *turn > ended)
                });
                if let Some(turn_index) = turn_index.filter(|_| failing) {
                    self.miss_turn(step, agent, RingTurn { game, turn_index, open: false });
                }
            }
        }
    }
}

/// A turn that is over, for one player or for all, or with its game.
struct EndedTurn {
    game: GameId,
    player: Option<Player>,
    turn_index: Option<u32>,
    whole: bool,
}

impl EndedTurn {
    fn by(fact: &RoomFact) -> Option<Self> {
        let (game, player, whole) = (fact.game, None, false);
        if let RoomChange::MovePlayed(resolution) = &fact.change {
            return Some(Self { game, player, turn_index: Some(resolution.turn_index), whole });
        }
        // A shared turn is over for a player who has acted in it.
        if let RoomChange::MoveSealed { turn_index, player, .. } = &fact.change {
            return Some(Self { game, player: Some(*player), turn_index: Some(*turn_index), whole });
        }
        let RoomChange::Ended { resolution, .. } = &fact.change else { return None };
        let turn_index = resolution.as_ref().map(|resolution| resolution.turn_index);
        Some(Self { game, player, turn_index, whole: true })
    }
}

impl Expectation<'_> {
    /// A fact of a doorbell.
    fn door(&mut self, agent: AgentId, change: DoorbellChange) {
        self.agents.insert(agent);
        let at = self.at;
        self.facts.push(Fact::Doorbell(Box::new(DoorbellFact { at, agent, change })));
    }
}
