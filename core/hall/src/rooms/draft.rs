//! A copy of a room on which a decision is tried out, fact by fact.

use super::chance::DrawnChance;
use super::clock;
use super::event;
use super::fact::{BeaconStatus, BodyRecord, Forced, Resolution, RoomChange, RoomFact};
use super::room::Room;
use crate::decision::Effect;
use crate::fact::Fact;
use crate::rejection::TurnBrief;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::{GameResult, PlayerSet, Reason, Refused};
use hall_wire::draw::Draws;
use hall_wire::{Digest, Notation, Player, Timestamp, message};

/// A room as it will be once the facts gathered so far are applied.
pub(super) struct Draft {
    pub(super) room: Room,
    at: Timestamp,
    facts: Vec<Arc<RoomFact>>,
}

/// What is known of a turn that is being resolved.
pub(super) struct Turning {
    /// Whose turn it is; nobody's in a verdict of the operator.
    pub(super) player: Option<Player>,
    /// Why the hall acts in the player's place.
    pub(super) forced: Option<Forced>,
    /// The stamp of the request, or now.
    pub(super) at: Timestamp,
    /// What the side clock is charged to.
    pub(super) charged_until: Timestamp,
    /// What was signed.
    pub(super) body: Option<BodyRecord>,
}

/// Which move resolves a turn.
pub(super) enum Resolving {
    /// This one.
    Move(Notation),
    /// A random one of the legal moves.
    Random,
}

impl Draft {
    pub(super) fn of(room: &Room, at: Timestamp) -> Self {
        Self { room: room.to_try(), at, facts: Vec::new() }
    }

    pub(super) const fn at(&self) -> Timestamp {
        self.at
    }

    /// Makes a change, with its event, and goes on from there.
    pub(super) fn change(&mut self, change: RoomChange) {
        let fact = self.fact(change, None);
        self.room.apply(&fact);
        self.facts.push(fact);
    }

    fn fact(&self, change: RoomChange, commentary: Option<String>) -> Arc<RoomFact> {
        let number = self.room.fact_count() + 1;
        let event = event::of(&self.room, self.at, &change, commentary);
        Arc::new(RoomFact { game: self.room.id(), number, at: self.at, change, event })
    }

    /// Plays a move on the board and opens the next turn. `Err` if it is illegal or needs a draw that cannot be
    /// made yet; nothing has changed then.
    pub(super) fn play(
        &mut self,
        turning: Turning,
        resolving: &Resolving,
        commentary: Option<String>,
    ) -> Result<(), Refused> {
        let player = turning.player.ok_or(Refused::Illegal)?;
        let randomness = self.room.randomness();
        let seed = self.room.state.seed;
        let draws = Draws::new(self.room.id(), self.room.turn_index(), &seed, &randomness);
        let ready = self.room.beacon_status() != BeaconStatus::Waiting;
        let mut chance = DrawnChance::new(draws, ready);
        let notation = match resolving {
            Resolving::Move(notation) => *notation,
            Resolving::Random => random_move(&self.room, player, &mut chance)?,
        };
        let mut position = self.room.position.clone();
        let played = position.play(player, &notation, &mut chance)?;
        let to_move = if position.outcome().is_some() { PlayerSet::EMPTY } else { position.to_move() };
        let resolution = Resolution {
            notation: Some(notation),
            san: played.san,
            chosen_by_draw: matches!(resolving, Resolving::Random),
            draws: chance.taken(),
            ..self.resolution(turning, &position.state_string(), to_move)
        };
        let fact = self.fact(RoomChange::MovePlayed(resolution), commentary);
        // The move is made on this position already; whoever applies the fact makes it again.
        self.room.position = position;
        self.room.note(&fact);
        self.facts.push(fact);
        self.decline(player);
        if let Some(outcome) = self.room.position.outcome() {
            self.change(RoomChange::Ended { result: outcome.into(), resolution: None });
        }
        Ok(())
    }

    /// Ends the game with a turn in which no move is applied.
    pub(super) fn end(&mut self, turning: Turning, result: GameResult) {
        let state_string = self.room.position.state_string();
        let resolution = Some(self.resolution(turning, &state_string, PlayerSet::EMPTY));
        self.change(RoomChange::Ended { result, resolution });
    }

    /// Ends the game with a turn that `loser` loses.
    pub(super) fn forfeit(&mut self, turning: Turning, loser: Player, reason: Reason) {
        let winners = self.room.players().filter(|player| *player != loser).collect();
        self.end(turning, GameResult { winners, draw: false, reason });
    }

    /// An offer that is not accepted is declined.
    fn decline(&mut self, player: Player) {
        if self.room.draw_offer().is_some_and(|by| by != player) {
            let turn_index = self.room.turn_index() - 1;
            self.change(RoomChange::DrawDeclined { turn_index, player });
        }
    }

    fn resolution(&self, turning: Turning, state_string: &str, to_move: PlayerSet) -> Resolution {
        let open = turning.player.and_then(|player| self.room.seat(player)?.open);
        let held = self.room.state.held;
        let deadline = match held {
            Some(held) => held.deadline,
            None => {
                turning.player.map_or_else(|| self.room.deadline(), |player| self.room.deadline_of(player))
            }
        };
        let turn_index = self.room.turn_index();
        Resolution {
            turn_index,
            player: turning.player,
            notation: None,
            san: None,
            forced: turning.forced,
            started_at: open.map_or_else(|| self.turn_began(), |open| open.started_at),
            deadline,
            at: turning.at,
            body: turning.body,
            chosen_by_draw: false,
            draws: Vec::new(),
            state_hash: message::state_hash(&self.room.id(), turn_index + 1, state_string),
            clocks: clock::charge(&self.room, turning.player, turning.charged_until),
            to_move,
            turns: clock::next_turns(&self.room, turning.player, to_move, self.at),
        }
    }

    /// When the current turn began, for a turn that is nobody's.
    fn turn_began(&self) -> Timestamp {
        let open = self.room.seats().iter().filter_map(|seat| seat.open).map(|open| open.started_at).min();
        open.unwrap_or_else(|| self.room.started_at())
    }

    /// The hash of the state after the turn that was resolved here last, if one was.
    pub(super) fn state_hash(&self) -> Option<Digest> {
        let resolved = self.facts.iter().rev().find_map(|fact| fact.change.resolution());
        resolved.map(|resolution| resolution.state_hash)
    }

    pub(super) fn last_turn(&self) -> Option<TurnBrief> {
        self.room.last_turn().copied()
    }

    pub(super) fn into_facts(self) -> Vec<Fact> {
        self.facts.into_iter().map(Fact::Room).collect()
    }

    /// The facts, and the effects that follow from comparing the room with what it was.
    pub(super) fn finish(self, before: &Room) -> (Vec<Fact>, Vec<Effect>) {
        let mut effects = Vec::new();
        if !self.facts.is_empty() {
            effects = turn_effects(Some(before), &self.room);
        }
        (self.into_facts(), effects)
    }
}

/// Tells the agents whose turns changed, and rings those whose turn began.
pub(super) fn turn_effects(before: Option<&Room>, after: &Room) -> Vec<Effect> {
    let mut effects = Vec::new();
    for player in after.players() {
        let Some(seat) = after.seat(player) else { continue };
        let agent = seat.seat.agent;
        let had = before.and_then(|room| room.deadline_of(player)).is_some();
        let began = |deadline| Effect::RingDoorbell {
            agent,
            game: after.id(),
            turn_index: after.turn_index(),
            deadline,
        };
        let turned = before.is_none_or(|room| room.turn_index() != after.turn_index());
        let has = after.deadline_of(player);
        if turned || had != has.is_some() {
            effects.push(Effect::TurnsChanged { agent });
            effects.extend(has.map(began));
        }
    }
    effects
}

/// One of the legal moves, drawn at random.
fn random_move(room: &Room, player: Player, chance: &mut DrawnChance<'_>) -> Result<Notation, Refused> {
    use hall_games::Chance as _;
    let legal = room.position.notations(player);
    let count = u64::try_from(legal.len()).unwrap_or(u64::MAX);
    let place = chance.below(count).ok_or(Refused::NeedsChance)?;
    let chosen = usize::try_from(place).ok().and_then(|place| legal.get(place));
    chosen.copied().ok_or(Refused::Illegal)
}
