//! T1: a move that has arrived by its deadline, at any node, is decided before the hall acts in its player's place.
//!
//! Late agents aim at the deadline: their moves arrive at a node while it passes, and are on their way to the leader then.

use super::plan::Weakness;
use crate::protocol::{AgentRequest, AnswerBrief};
use hall_core::Fact;
use hall_core::rooms::{ForcedCause, RoomChange};
use hall_driver::JournalEntry;
use hall_wire::{GameId, Handle, Player, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Within what time a move must be refused to be judged: a leader waits longer for the requests of others.
const ANSWERED_WITHIN: Duration = Duration::from_millis(500);
/// The longest time that an agent waits for a deadline.
const LONGEST_WAIT: Span = Span::from_secs(25);
/// How long before a deadline a move arrives at most, in milliseconds: about as long as it takes to the leader.
const BEFORE: u64 = 12;
/// By how much stamps are wrong where that is a weakness of the nodes.
const OLDER: Span = Span::from_millis(200);

/// What is known of deadlines by a client.
#[derive(Debug, Default)]
pub(super) struct Deadlines(BTreeMap<(GameId, u32), Timestamp>);

impl Deadlines {
    /// It was told this.
    pub(super) fn hear(&mut self, answer: &AnswerBrief) {
        match answer {
            AnswerBrief::View(view) if view.mine => self.tell(view.game, view.turn_index, view.deadline),
            AnswerBrief::Games(games) => games
                .iter()
                .filter(|brief| brief.mine)
                .for_each(|brief| self.tell(brief.game, brief.turn_index, brief.deadline)),
            _ => {}
        }
    }

    fn tell(&mut self, game: GameId, turn: u32, deadline: Option<Timestamp>) {
        self.0.extend(deadline.map(|deadline| ((game, turn), deadline)));
    }

    /// The deadline of what a request moves in.
    pub(super) fn of(&self, what: &AgentRequest) -> Option<Timestamp> {
        match what {
            AgentRequest::Move(what) => self.0.get(&(what.game, what.turn_index)).copied(),
            _ => None,
        }
    }
}

/// How long to wait before a move that is to arrive just before a deadline.
pub(super) fn aimed(now: Timestamp, deadline: Timestamp, before: impl FnOnce(u64) -> u64) -> Duration {
    let left = deadline.since(now);
    if left > LONGEST_WAIT {
        return Duration::ZERO;
    }
    Duration::from_millis(left.as_millis().saturating_sub(before(BEFORE)))
}

/// Moves that arrived in time and were refused because their turn was over.
#[derive(Debug, Default)]
pub(super) struct InTime(BTreeSet<(GameId, u32, Handle)>);

/// A move that was answered at a world in which nothing was wrong.
pub(super) struct Answered<'a> {
    pub(super) handle: &'a Handle,
    pub(super) what: &'a AgentRequest,
    pub(super) answer: &'a AnswerBrief,
    /// The deadline that the agent was told.
    pub(super) deadline: Timestamp,
    /// The node's time when it arrived.
    pub(super) stamp: Timestamp,
    pub(super) took: Duration,
}

impl InTime {
    /// Takes what was answered. Returns whether a move was taken in the last moment.
    pub(super) fn answered(&mut self, answered: &Answered<'_>, weakness: Option<Weakness>) -> bool {
        let AgentRequest::Move(what) = answered.what else { return false };
        let older = if weakness == Some(Weakness::OlderStamps) { OLDER } else { Span::ZERO };
        if answered.stamp > answered.deadline + older || answered.took > ANSWERED_WITHIN {
            return false;
        }
        if matches!(answered.answer, AnswerBrief::Refused { code: "WRONG_TURN" | "GAME_NOT_LIVE", .. }) {
            self.0.insert((what.game, what.turn_index, answered.handle.clone()));
        }
        let left = answered.deadline.since(answered.stamp).as_millis();
        left <= BEFORE && matches!(answered.answer, AnswerBrief::Moved { .. })
    }

    /// Of whom the deadline counts as missed in the end, by the journal.
    pub(super) fn struck<'a>(&self, entries: impl IntoIterator<Item = &'a JournalEntry>) -> Vec<String> {
        let mut players: BTreeMap<(GameId, Player), &Handle> = BTreeMap::new();
        let mut struck = Vec::new();
        for fact in entries.into_iter().flat_map(|entry| &entry.facts).filter_map(Fact::in_room) {
            match &fact.change {
                RoomChange::Started(terms) => {
                    let seated = (0..).map(Player::new).zip(&terms.seats);
                    players.extend(seated.map(|(player, seat)| ((fact.game, player), &seat.handle)));
                }
                RoomChange::StrikeGiven { turn_index, player, cause: ForcedCause::Deadline, .. } => {
                    let Some(handle) = players.get(&(fact.game, *player)) else { continue };
                    if self.0.contains(&(fact.game, *turn_index, (*handle).clone())) {
                        let game = fact.game;
                        struck.push(format!(
                            "{handle} is struck in turn {turn_index} of {game}, and its move was in time"
                        ));
                    }
                }
                _ => {}
            }
        }
        struck
    }
}
