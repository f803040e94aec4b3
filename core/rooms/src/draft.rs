//! A copy of a room on which a decision is tried out, fact by fact.

use crate::chance::SeededChance;
use crate::clock;
use crate::event;
use crate::fact::{
    BeaconStatus, BodyRecord, ForcedCause, OpenTurn, Resolution, RoomChange, RoomFact, SealedAction,
};
use crate::room::Room;
use crate::standing;
use crate::status::TurnBrief;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::{Chance as _, GameResult, NoChance, Played, PlayerSet, Position, Reason, Refused};
use hall_wire::roll::{Rolls, Seed};
use hall_wire::{Digest, Notation, Player, Span, Timestamp, message};

/// A room as it will be once the facts gathered so far are applied.
pub(crate) struct Draft {
    pub(crate) room: Room,
    at: Timestamp,
    pub(crate) facts: Vec<Arc<RoomFact>>,
}

/// Who resolves a turn, when and why.
#[derive(Clone)]
pub(crate) struct TurnContext {
    /// The player whose turn it is; `None` for a verdict of the operator.
    pub(crate) player: Option<Player>,
    /// Why the hall acts in the player's place.
    pub(crate) forced: Option<ForcedCause>,
    /// The request's stamp, or the current core time if the hall acts.
    pub(crate) at: Timestamp,
    /// The instant up to which the side clock is charged.
    pub(crate) charged_until: Timestamp,
    /// Others whose side clocks are charged up to it, because all are out at that instant.
    pub(crate) out_with: PlayerSet,
    /// What was signed.
    pub(crate) body: Option<BodyRecord>,
    /// Whether a draw is offered with the move.
    pub(crate) offers_draw: bool,
}

/// Which move resolves a turn.
pub(crate) enum MoveSource {
    /// This one.
    Move(Notation),
    /// A random one of the legal moves.
    Random,
}

/// The state after a turn, as its resolution tells it.
struct After {
    state_hash: Digest,
    to_move: PlayerSet,
    turns: Vec<OpenTurn>,
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

    /// Records a change whose effect on the position is `position` already.
    fn change_with_position(
        &mut self,
        change: RoomChange,
        position: Box<dyn Position>,
        commentary: Option<String>,
    ) {
        let fact = self.fact(change, commentary);
        self.room.position = position;
        self.room.apply_to_state(&fact);
        self.facts.push(fact);
    }

    /// Plays a move, and begins the next turn if that resolves this one. On `Err` the move is illegal or needs a random
    /// number that cannot be taken yet, and nothing has changed.
    pub(crate) fn play(
        &mut self,
        context: TurnContext,
        source: &MoveSource,
        commentary: Option<String>,
    ) -> Result<(), Refused> {
        let turn_index = self.room.turn_index();
        let offering = context.player.filter(|_| context.offers_draw);
        self.take(context, source, commentary)?;
        if let Some(player) = offering.filter(|_| self.room.position.outcome().is_none()) {
            self.change(RoomChange::DrawOffered { turn_index, player });
        }
        self.begin_turn();
        Ok(())
    }

    /// Plays a move: resolves the turn with it, or seals it in a turn that several players share.
    fn take(
        &mut self,
        context: TurnContext,
        source: &MoveSource,
        commentary: Option<String>,
    ) -> Result<(), Refused> {
        if self.room.is_simultaneous() {
            return self.seal(context, source, commentary);
        }
        let player = context.player.ok_or(Refused::Illegal)?;
        let randomness = self.room.randomness();
        let seed = self.room.state.seed;
        let mut chance = self.chance(&seed, &randomness);
        let notation = match source {
            MoveSource::Move(notation) => *notation,
            MoveSource::Random => random_move(&self.room, player, &mut chance)?,
        };
        let mut position = self.room.position.clone();
        let Played { san, shown } = position.play(player, &notation, &mut chance)?;
        let resolution = Resolution {
            notation: Some(notation),
            san,
            chosen_at_random: matches!(source, MoveSource::Random),
            rolls: chance.taken(),
            ..self.resolution(context, self.after(&*position, Some(player)))
        };
        self.change_with_position(RoomChange::MovePlayed(resolution), position, commentary);
        self.show(shown);
        self.decline(player, self.room.turn_index() - 1);
        Ok(())
    }

    /// Seals a move in a turn that several players share; the last one resolves it.
    fn seal(
        &mut self,
        context: TurnContext,
        source: &MoveSource,
        commentary: Option<String>,
    ) -> Result<(), Refused> {
        let player = context.player.ok_or(Refused::Illegal)?;
        let (notation, rolls) = match source {
            MoveSource::Move(notation) => (*notation, Vec::new()),
            MoveSource::Random => {
                let randomness = self.room.randomness();
                let seed = self.room.state.seed;
                let mut chance = self.chance(&seed, &randomness);
                (random_move(&self.room, player, &mut chance)?, chance.taken())
            }
        };
        if !self.room.position.notations(player).contains(&notation) {
            return Err(Refused::Illegal);
        }
        let clocks = self.charged(&context);
        let action = SealedAction {
            notation,
            forced: context.forced,
            started_at: self.started_at(player),
            deadline: self.deadline_before(Some(player)),
            at: context.at,
            body: context.body,
            commentary,
            rolls,
            remaining: clocks.and_then(|clocks| clocks.get(player.index()).copied()),
        };
        let turn_index = self.room.turn_index();
        let turns = self.opened_behind(player);
        self.change(RoomChange::MoveSealed { turn_index, player, action, turns });
        if self.room.to_move().is_empty() {
            self.resolve_shared();
        }
        Ok(())
    }

    /// The clocks that run once `player` has acted, if it is the last vacant seat; else none are told. Those that run already
    /// keep their time; where the hall has waited for the beacon, they begin now.
    fn opened_behind(&self, player: Player) -> Vec<OpenTurn> {
        let others = self.room.position.to_move().without(player);
        let others: PlayerSet = others.iter().filter(|other| self.room.sealed_by(*other).is_none()).collect();
        let hall_acts_next = others.iter().any(|other| self.room.is_vacant(other));
        if !self.room.is_vacant(player) || hall_acts_next {
            return Vec::new();
        }
        clock::next_turns(self.room.seats(), self.room.timing().move_time, Some(player), others, self.at)
    }

    /// Resolves a shared turn: plays what was sealed, in seat order.
    fn resolve_shared(&mut self) {
        let sealed = |player| self.room.sealed_by(player).map(|action| (player, action.clone()));
        let actions: Vec<(Player, SealedAction)> = self.room.players().filter_map(sealed).collect();
        let mut position = self.room.position.clone();
        let mut played = Vec::with_capacity(actions.len());
        for (player, action) in &actions {
            let made = position.play(*player, &action.notation, &mut NoChance);
            played.push(made.expect("what was sealed is legal, and a shared turn takes no rolls"));
        }
        let turn_index = self.room.turn_index();
        let clocks = clock::remaining(self.room.seats());
        let After { state_hash, to_move, turns } = self.after(&*position, None);
        let mut shown = Vec::new();
        for ((player, action), made) in actions.into_iter().zip(played) {
            let SealedAction { notation, forced, started_at, deadline, at, body, commentary, rolls, .. } =
                action;
            let resolution = Resolution {
                turn_index,
                player: Some(player),
                notation: Some(notation),
                san: made.san,
                forced,
                started_at,
                deadline,
                at,
                body,
                chosen_at_random: !rolls.is_empty(),
                rolls,
                state_hash,
                clocks: clocks.clone(),
                to_move,
                turns: turns.clone(),
            };
            self.change_with_position(RoomChange::MovePlayed(resolution), position.clone(), commentary);
            shown.extend(made.shown);
        }
        shown.into_iter().for_each(|text| self.show(Some(text)));
    }

    /// Lets the hall do what comes before the next move of a player: ends a game that is decided, lets nature act, and
    /// acts for vacant seats. What must wait for the beacon waits.
    pub(crate) fn begin_turn(&mut self) {
        while self.room.result().is_none() {
            if let Some(result) = standing::decided(&self.room) {
                return self.change(RoomChange::Ended { result, resolution: None });
            }
            let acted = if self.room.position.awaits_nature() {
                self.let_nature_act()
            } else if let Some(player) = vacant_mover(&self.room, self.room.position.to_move()) {
                self.act_for(player)
            } else {
                return;
            };
            if acted == Err(Refused::NeedsChance) {
                if self.room.state.hall_waits_since.is_none() {
                    self.change(RoomChange::HallDeferred { turn_index: self.room.turn_index() });
                }
                return;
            }
            acted.expect("nature and the default action of a vacant seat are legal");
        }
    }

    fn let_nature_act(&mut self) -> Result<(), Refused> {
        let randomness = self.room.randomness();
        let seed = self.room.state.seed;
        let mut chance = self.chance(&seed, &randomness);
        let mut position = self.room.position.clone();
        let act = position.act(&mut chance)?;
        let rolls = chance.taken();
        let turn_index = self.room.turn_index();
        let After { to_move, turns, .. } = self.after(&*position, None);
        let change = RoomChange::NatureActed {
            turn_index,
            outcome: act.outcome,
            complete: act.complete,
            rolls,
            state_hash: message::state_hash(&self.room.id(), turn_index, &position.state_string()),
            clocks: clock::remaining(self.room.seats()),
            to_move,
            turns,
        };
        self.change_with_position(change, position, None);
        Ok(())
    }

    /// Plays the default action of a vacant seat.
    fn act_for(&mut self, player: Player) -> Result<(), Refused> {
        let default = self.room.position.default_action(player);
        let vacancy = self.room.seat(player).and_then(|seat| seat.vacancy.as_deref());
        // The turn in which the player left is resolved with what it signed, at the time at which it left.
        let own = vacancy.filter(|vacancy| vacancy.turn_index == self.room.turn_index());
        let context = TurnContext {
            player: Some(player),
            forced: Some(ForcedCause::Vacated),
            at: own.map_or(self.at, |vacancy| vacancy.left_at),
            charged_until: own.map_or(self.at, |vacancy| vacancy.charged_until),
            out_with: PlayerSet::EMPTY,
            body: own.and_then(|vacancy| vacancy.body.clone()),
            offers_draw: false,
        };
        self.take(context, &default.map_or(MoveSource::Random, MoveSource::Move), None)
    }

    /// A player leaves. The others play on if there are at least two; else the game is over.
    pub(crate) fn leave(&mut self, context: TurnContext, player: Player, reason: Reason) {
        let others = self.room.seated().without(player);
        if !standing::plays_on(&self.room) || others.iter().count() < 2 {
            return self.forfeit(context, player, reason);
        }
        let turn_index = self.room.turn_index();
        let TurnContext { at, charged_until, body, forced, .. } = context;
        // In a turn that players share a missed deadline dates what the hall does for it.
        let is_dated_back = self.room.is_simultaneous() && forced == Some(ForcedCause::Deadline);
        let left_at = if is_dated_back { charged_until } else { at };
        self.change(RoomChange::SeatVacated { turn_index, player, reason, left_at, charged_until, body });
        self.begin_turn();
    }

    /// Ends the game by a turn in which no move is applied.
    pub(crate) fn end(&mut self, context: TurnContext, result: GameResult) {
        let result = standing::counted(&self.room, result, None);
        self.end_with(context, result);
    }

    /// Ends the game by a turn that makes `loser` lose.
    fn forfeit(&mut self, context: TurnContext, loser: Player, reason: Reason) {
        let seated =
            if standing::plays_on(&self.room) { self.room.seated() } else { self.room.players().collect() };
        let winners = seated.without(loser).iter().collect();
        let result = standing::counted(&self.room, GameResult::new(winners, false, reason), Some(loser));
        self.decline(loser, self.room.turn_index());
        self.end_with(context, result);
    }

    fn end_with(&mut self, context: TurnContext, result: GameResult) {
        let state_string = self.room.position.state_string();
        let state_hash = message::state_hash(&self.room.id(), self.room.turn_index() + 1, &state_string);
        let after = After { state_hash, to_move: PlayerSet::EMPTY, turns: Vec::new() };
        let resolution = Some(self.resolution(context, after));
        self.change(RoomChange::Ended { result, resolution });
    }

    /// Records that a standing draw offer is declined because `player` has not accepted it in this turn.
    fn decline(&mut self, player: Player, turn_index: u32) {
        if self.room.draw_offer().is_some_and(|by| by != player) {
            self.change(RoomChange::DrawDeclined { turn_index, player });
        }
    }

    fn show(&mut self, text: Option<String>) {
        if let Some(text) = text {
            self.change(RoomChange::Shown { turn_index: self.room.turn_index() - 1, text });
        }
    }

    /// Rolls of the current turn, after those that were made in it.
    fn chance<'a>(&self, seed: &'a Seed, randomness: &'a str) -> SeededChance<'a> {
        let rolls = Rolls::new(self.room.id(), self.room.turn_index(), seed, randomness);
        let ready = self.room.beacon_status() != BeaconStatus::Waiting;
        SeededChance::new(rolls.after(self.room.state.hashes_taken), ready)
    }

    /// What is true once the current turn has led to `position`.
    fn after(&self, position: &dyn Position, mover: Option<Player>) -> After {
        let next = self.room.turn_index() + 1;
        let state_hash = message::state_hash(&self.room.id(), next, &position.state_string());
        let decided = position.outcome().is_some() || standing::survivor(&self.room, position).is_some();
        let to_move = if decided { PlayerSet::EMPTY } else { position.to_move() };
        // The hall acts for vacant seats first, at this moment. Where that may wait for the beacon, the others wait too.
        let running: PlayerSet = to_move.iter().filter(|player| !self.room.is_vacant(*player)).collect();
        let waits = running != to_move && self.room.beacon_status() == BeaconStatus::Waiting;
        let running = if waits { PlayerSet::EMPTY } else { running };
        let move_time = self.room.timing().move_time;
        let turns = clock::next_turns(self.room.seats(), move_time, mover, running, self.at);
        After { state_hash, to_move, turns }
    }

    /// The time left on each side clock once the player has used its turn.
    fn charged(&self, context: &TurnContext) -> Option<Vec<Span>> {
        let charge =
            |player| clock::charge(self.room.seats(), &self.room.state.gaps, player, context.charged_until);
        let mut clocks = charge(context.player)?;
        for other in context.out_with.iter() {
            let own = charge(Some(other))?.get(other.index()).copied();
            if let (Some(left), Some(own)) = (clocks.get_mut(other.index()), own) {
                *left = own;
            }
        }
        Some(clocks)
    }

    fn resolution(&self, context: TurnContext, after: After) -> Resolution {
        Resolution {
            turn_index: self.room.turn_index(),
            player: context.player,
            notation: None,
            san: None,
            forced: context.forced,
            started_at: context.player.map_or_else(|| self.turn_began(), |player| self.started_at(player)),
            deadline: self.deadline_before(context.player),
            at: context.at,
            clocks: self.charged(&context),
            body: context.body,
            chosen_at_random: false,
            rolls: Vec::new(),
            state_hash: after.state_hash,
            to_move: after.to_move,
            turns: after.turns,
        }
    }

    /// When the current turn began for `player`.
    fn started_at(&self, player: Player) -> Timestamp {
        let open = self.room.seat(player).and_then(|seat| seat.open);
        open.map_or_else(|| self.turn_began(), |open| open.started_at)
    }

    /// The deadline that stood before any wait for the beacon.
    fn deadline_before(&self, player: Option<Player>) -> Option<Timestamp> {
        match self.room.state.deferred {
            Some(deferred) => deferred.deadline,
            None => match player.and_then(|player| self.room.seat(player)) {
                // Also while the hall waits for the beacon to act for a seat.
                Some(seat) => seat.open.as_ref().map(|open| clock::deadline(open, seat.remaining)),
                None => self.room.deadline(),
            },
        }
    }

    /// When the current turn began; used where the turn belongs to no player, and where no clock runs because the hall
    /// acts.
    fn turn_began(&self) -> Timestamp {
        let open = self.room.seats().iter().filter_map(|seat| seat.open).map(|open| open.started_at).min();
        open.or(self.room.state.hall_waits_since).unwrap_or(self.at)
    }

    /// What `player` has done in a turn, in brief. A vacant seat may have done more since.
    pub(crate) fn done_in(&self, turn_index: u32, player: Player) -> Option<TurnBrief> {
        let resolved = self.facts.iter().filter_map(|fact| fact.change.resolution());
        let mut own = resolved
            .filter(|it| it.turn_index == turn_index && it.player == Some(player))
            .map(Resolution::brief);
        own.next().or_else(|| self.room.last_of(player).filter(|last| last.turn_index == turn_index))
    }

    /// The hash of the state after a turn, if that turn is resolved here.
    pub(crate) fn state_hash(&self, turn_index: u32) -> Option<Digest> {
        let resolved = self.facts.iter().filter_map(|fact| fact.change.resolution());
        resolved.filter(|resolution| resolution.turn_index == turn_index).map(|it| it.state_hash).next_back()
    }

    /// The facts alone.
    pub(crate) fn into_facts(self) -> Vec<Arc<RoomFact>> {
        self.facts
    }
}

/// The first vacant seat that is to act, if one is.
fn vacant_mover(room: &Room, to_move: PlayerSet) -> Option<Player> {
    to_move.iter().find(|player| room.is_vacant(*player) && room.sealed_by(*player).is_none())
}

/// One of the legal moves, at random.
fn random_move(room: &Room, player: Player, chance: &mut SeededChance<'_>) -> Result<Notation, Refused> {
    let legal = room.position.notations(player);
    let count = u64::try_from(legal.len()).unwrap_or(u64::MAX);
    let place = chance.below(count).ok_or(Refused::NeedsChance)?;
    let chosen = usize::try_from(place).ok().and_then(|place| legal.get(place));
    chosen.copied().ok_or(Refused::Illegal)
}
