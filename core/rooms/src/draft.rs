//! A copy of a room on which a decision is tried out, fact by fact.

use crate::chance::DrawnChance;
use crate::clock;
use crate::event;
use crate::fact::{BeaconStatus, BodyRecord, ForcedCause, Resolution, RoomChange, RoomFact};
use crate::room::Room;
use crate::status::TurnBrief;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::{GameResult, PlayerSet, Reason, Refused};
use hall_wire::draw::RandomDraws;
use hall_wire::{Digest, Notation, Player, Timestamp, message};

/// A room as it will be once the facts gathered so far are applied.
pub(crate) struct Draft {
    pub(crate) room: Room,
    at: Timestamp,
    pub(crate) facts: Vec<Arc<RoomFact>>,
}

/// Who resolves a turn, when and why.
pub(crate) struct TurnContext {
    /// The player whose turn it is; `None` for a verdict of the operator.
    pub(crate) player: Option<Player>,
    /// Why the hall acts in the player's place.
    pub(crate) forced: Option<ForcedCause>,
    /// The request's stamp, or the current core time if the hall acts.
    pub(crate) at: Timestamp,
    /// The instant up to which the side clock is charged.
    pub(crate) charged_until: Timestamp,
    /// What was signed.
    pub(crate) body: Option<BodyRecord>,
}

/// Which move resolves a turn.
pub(crate) enum MoveSource {
    /// This one.
    Move(Notation),
    /// A random one of the legal moves.
    Random,
}

impl Draft {
    pub(crate) fn of(room: &Room, at: Timestamp) -> Self {
        Self { room: room.to_try(), at, facts: Vec::new() }
    }

    pub(crate) const fn at(&self) -> Timestamp {
        self.at
    }

    /// Records a change with its event, and applies it to the draft.
    pub(crate) fn change(&mut self, change: RoomChange) {
        let fact = self.fact(change, None);
        self.room.apply(&fact);
        self.facts.push(fact);
    }

    fn fact(&self, change: RoomChange, commentary: Option<String>) -> Arc<RoomFact> {
        let number = self.room.fact_count() + 1;
        let event = event::of(&self.room, self.at, &change, commentary);
        Arc::new(RoomFact { game: self.room.id(), number, at: self.at, change, event })
    }

    /// Plays a move on the board and opens the next turn. On `Err` the move is illegal or needs a random draw that
    /// cannot be made yet, and nothing has changed.
    pub(crate) fn play(
        &mut self,
        context: TurnContext,
        source: &MoveSource,
        commentary: Option<String>,
    ) -> Result<(), Refused> {
        let player = context.player.ok_or(Refused::Illegal)?;
        let randomness = self.room.randomness();
        let seed = self.room.state.seed;
        let draws = RandomDraws::new(self.room.id(), self.room.turn_index(), &seed, &randomness);
        let ready = self.room.beacon_status() != BeaconStatus::Waiting;
        let mut chance = DrawnChance::new(draws, ready);
        let notation = match source {
            MoveSource::Move(notation) => *notation,
            MoveSource::Random => random_move(&self.room, player, &mut chance)?,
        };
        let mut position = self.room.position.clone();
        let played = position.play(player, &notation, &mut chance)?;
        let to_move = if position.outcome().is_some() { PlayerSet::EMPTY } else { position.to_move() };
        let resolution = Resolution {
            notation: Some(notation),
            san: played.san,
            chosen_at_random: matches!(source, MoveSource::Random),
            draws: chance.taken(),
            ..self.resolution(context, &position.state_string(), to_move)
        };
        let fact = self.fact(RoomChange::MovePlayed(resolution), commentary);
        // The move is made on this position already; applying the fact elsewhere makes it again.
        self.room.position = position;
        self.room.note(&fact);
        self.facts.push(fact);
        self.decline(player);
        if let Some(outcome) = self.room.position.outcome() {
            self.change(RoomChange::Ended { result: outcome.into(), resolution: None });
        }
        Ok(())
    }

    /// Ends the game by a turn in which no move is applied.
    pub(crate) fn end(&mut self, context: TurnContext, result: GameResult) {
        let state_string = self.room.position.state_string();
        let resolution = Some(self.resolution(context, &state_string, PlayerSet::EMPTY));
        self.change(RoomChange::Ended { result, resolution });
    }

    /// Ends the game by a turn that makes `loser` lose.
    pub(crate) fn forfeit(&mut self, context: TurnContext, loser: Player, reason: Reason) {
        let winners = self.room.players().filter(|player| *player != loser).collect();
        self.end(context, GameResult::new(winners, false, reason));
    }

    /// Records that a standing draw offer is declined because it was not accepted.
    fn decline(&mut self, player: Player) {
        if self.room.draw_offer().is_some_and(|by| by != player) {
            let turn_index = self.room.turn_index() - 1;
            self.change(RoomChange::DrawDeclined { turn_index, player });
        }
    }

    fn resolution(&self, context: TurnContext, state_string: &str, to_move: PlayerSet) -> Resolution {
        let open = context.player.and_then(|player| self.room.seat(player)?.open);
        let deadline = match self.room.state.deferred {
            Some(deferred) => deferred.deadline,
            None => {
                context.player.map_or_else(|| self.room.deadline(), |player| self.room.deadline_of(player))
            }
        };
        let turn_index = self.room.turn_index();
        let seats = self.room.seats();
        Resolution {
            turn_index,
            player: context.player,
            notation: None,
            san: None,
            forced: context.forced,
            started_at: open.map_or_else(|| self.turn_began(), |open| open.started_at),
            deadline,
            at: context.at,
            body: context.body,
            chosen_at_random: false,
            draws: Vec::new(),
            state_hash: message::state_hash(&self.room.id(), turn_index + 1, state_string),
            clocks: clock::charge(seats, &self.room.state.gaps, context.player, context.charged_until),
            to_move,
            turns: clock::next_turns(seats, self.room.timing().move_time, context.player, to_move, self.at),
        }
    }

    /// When the current turn began; used where the turn belongs to no player.
    fn turn_began(&self) -> Timestamp {
        let open = self.room.seats().iter().filter_map(|seat| seat.open).map(|open| open.started_at).min();
        open.unwrap_or_else(|| self.room.started_at())
    }

    /// The hash of the state after the turn that was resolved here last, if one was.
    pub(crate) fn state_hash(&self) -> Option<Digest> {
        let resolved = self.facts.iter().rev().find_map(|fact| fact.change.resolution());
        resolved.map(|resolution| resolution.state_hash)
    }

    pub(crate) fn last_turn(&self) -> Option<TurnBrief> {
        self.room.last_turn().copied()
    }

    /// The facts alone.
    pub(crate) fn into_facts(self) -> Vec<Arc<RoomFact>> {
        self.facts
    }
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
