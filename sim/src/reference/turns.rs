//! What each kind of turn does to a game of the reference.

use super::expectation::{Expectation, hash, player as player_json, time};
use super::rolls::Rolls;
use super::room::{DeferredPenalty, Room, TurnContext, body_of};
use super::text;
use super::words;
use hall_core::SignedBody;
use hall_core::TurnBrief;
use hall_core::rooms::{
    Attempt, BeaconStatus, ChallengeText, ForcedCause, OpenTurn, Resolution, ResolvedTurn, RoomChange,
    SealedAction,
};
use hall_games::{Chance, GameResult, Played, PlayerSet, Reason, Refused};
use hall_wire::roll::RollHash;
use hall_wire::{Digest, Notation, Player, Span, Timestamp};
use serde_json::{Value, json};

/// The move of a turn.
#[derive(Debug, Default)]
struct Moved {
    notation: Option<Notation>,
    san: Option<Notation>,
    is_random: bool,
    rolls: Vec<RollHash>,
}

impl Room {
    /// Counts an illegal move.
    pub(super) fn count_illegal(
        &mut self,
        step: &mut Expectation<'_>,
        player: Player,
        signed: &SignedBody,
    ) -> u8 {
        let turn_index = self.turn_index;
        let Some(side) = self.seats.get_mut(player.index()) else { return 0 };
        side.illegal += 1;
        let count = side.illegal;
        let attempt = Attempt {
            at: step.stamp,
            body: body_of(signed),
            challenge: ChallengeText(text::hex(signed.challenge.as_bytes())),
            auth_signature: signed.auth_signature,
            request_sha256: signed.request_sha256,
        };
        let data = json!({ "turn_index": turn_index, "player": player_json(player), "count": count });
        let change = RoomChange::IllegalAttempted { turn_index, player, count, attempt };
        step.tell(self, change, Some(("illegal_attempt", data)), None);
        count
    }

    /// A missed deadline or a third illegal move of a player, whose turn is charged to `charged_until`.
    pub(super) fn penalise(
        &mut self,
        step: &mut Expectation<'_>,
        player: Player,
        cause: ForcedCause,
        charged_until: Timestamp,
    ) {
        let strikes = self.seats.get(player.index()).map_or(0, |side| side.strikes);
        let turn_index = self.turn_index;
        let pass = if cause == ForcedCause::Deadline { self.position.default_action(player) } else { None };
        if strikes < 2 && self.beacon == BeaconStatus::Waiting && self.needs_draw(player, pass) {
            let change = RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until };
            let deadline = self.deadline_of(player);
            step.tell(self, change, None, None);
            self.deferred = Some(DeferredPenalty { player, cause, since: step.at, charged_until, deadline });
            return;
        }
        self.strike(step, player, cause);
        // In a shared turn a default action has the time of the deadline (decision 13.4).
        let is_dated_back = self.position.is_simultaneous() && cause == ForcedCause::Deadline && strikes < 2;
        let context = TurnContext {
            player: Some(player),
            forced: Some(cause),
            at: if is_dated_back { charged_until } else { step.at },
            charged_until: Some(charged_until),
            ..TurnContext::default()
        };
        if strikes == 2 {
            return self.leave(step, context, Reason::STRIKES);
        }
        if self.take(step, context, pass).is_ok() {
            self.begin_turn(step);
        }
    }

    /// Whether a penalty needs a number that cannot be drawn yet: for a random move, or for the consequences of a
    /// pass.
    fn needs_draw(&self, player: Player, pass: Option<Notation>) -> bool {
        let mut rolls = self.rolls();
        pass.is_none_or(|pass| {
            !self.position.is_simultaneous()
                && self.position.clone().play(player, &pass, &mut rolls) == Err(Refused::NeedsChance)
        })
    }

    /// Restarts the wait for the beacon.
    pub(super) fn wait_again(&mut self, step: &mut Expectation<'_>) {
        let turn_index = self.turn_index;
        let Some(deferred) = self.deferred else {
            step.tell(self, RoomChange::HallDeferred { turn_index }, None, None);
            self.waits_since = Some(step.at);
            return;
        };
        let DeferredPenalty { player, cause, charged_until, .. } = deferred;
        step.tell(self, RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until }, None, None);
        self.deferred = Some(DeferredPenalty { since: step.at, ..deferred });
    }

    pub(super) fn strike(&mut self, step: &mut Expectation<'_>, player: Player, cause: ForcedCause) {
        let Some(side) = self.seats.get_mut(player.index()) else { return };
        side.strikes += 1;
        let (turn_index, count) = (self.turn_index, side.strikes);
        let data = json!({
            "turn_index": turn_index, "player": player_json(player), "cause": words::forced(cause), "count": count,
        });
        step.tell(
            self,
            RoomChange::StrikeGiven { turn_index, player, cause, count },
            Some(("strike", data)),
            None,
        );
    }

    /// A player, or the hall in its place, makes the named move or a random one. In a shared turn it is sealed.
    ///
    /// # Errors
    /// The move is not legal, or needs a draw that cannot be made yet. Nothing has changed.
    pub(super) fn take(
        &mut self,
        step: &mut Expectation<'_>,
        context: TurnContext,
        named: Option<Notation>,
    ) -> Result<(), Refused> {
        let player = context.player.ok_or(Refused::Illegal)?;
        let mut rolls = self.rolls();
        let notation = match named {
            Some(named) => named,
            None => self.random_move(player, &mut rolls)?,
        };
        if self.position.is_simultaneous() {
            return self.seal(step, context, notation, rolls.into_taken());
        }
        let Played { san, shown } = self.position.play(player, &notation, &mut rolls)?;
        let moved =
            Moved { notation: Some(notation), san, is_random: named.is_none(), rolls: rolls.into_taken() };
        let (commentary, offers) = (context.commentary.clone(), context.offers);
        let resolution = self.resolve(step, context, moved);
        self.tell_move(step, &resolution, commentary);
        self.show(step, shown);
        self.settle_offer(step, player, resolution.turn_index, offers);
        Ok(())
    }

    /// Seals a move in a turn that several players share; the last one resolves it.
    fn seal(
        &mut self,
        step: &mut Expectation<'_>,
        context: TurnContext,
        notation: Notation,
        rolls: Vec<RollHash>,
    ) -> Result<(), Refused> {
        let player = context.player.ok_or(Refused::Illegal)?;
        if !self.position.notations(player).contains(&notation) {
            return Err(Refused::Illegal);
        }
        let (started_at, deadline) = (self.began(Some(player), step.at), self.deadline_before(Some(player)));
        self.charge(&context);
        self.hashes_taken += u32::try_from(rolls.len()).unwrap_or(u32::MAX);
        (self.waits_since, self.deferred) = (None, None);
        let TurnContext { forced, at, body, commentary, .. } = context;
        let Some(side) = self.seats.get_mut(player.index()) else { return Err(Refused::Illegal) };
        let remaining = side.remaining;
        let action =
            SealedAction { notation, forced, started_at, deadline, at, body, commentary, rolls, remaining };
        (side.open, side.illegal, side.sealed) = (None, 0, Some(action.clone()));
        let waiting = self.unsealed();
        // The clocks of the others run when the last vacant seat has acted.
        let is_last_vacant = self.is_vacant(player) && !waiting.iter().any(|player| self.is_vacant(player));
        let turns = if is_last_vacant { self.open_clocks(step.at, waiting) } else { Vec::new() };
        let turn_index = self.turn_index;
        let data = json!({ "turn_index": turn_index, "player": player_json(player) });
        let change = RoomChange::MoveSealed { turn_index, player, action, turns };
        step.tell(self, change, Some(("move_sealed", data)), None);
        if waiting.is_empty() {
            self.resolve_shared(step);
        }
        Ok(())
    }

    /// Those who share the turn and have not acted yet.
    fn unsealed(&self) -> PlayerSet {
        let has_acted =
            |player: &Player| self.seats.get(player.index()).is_some_and(|side| side.sealed.is_some());
        self.position.to_move().iter().filter(|player| !has_acted(player)).collect()
    }

    /// Starts the clocks of these players, unless they run already.
    fn open_clocks(&mut self, at: Timestamp, waiting: PlayerSet) -> Vec<OpenTurn> {
        let move_deadline = at + self.terms.timing.move_time;
        for player in waiting.iter() {
            let fresh = OpenTurn { player, started_at: at, move_deadline, credit: Span::ZERO };
            if let Some(side) = self.seats.get_mut(player.index()) {
                side.open.get_or_insert(fresh);
            }
        }
        self.seats.iter().filter_map(|side| side.open).collect()
    }

    /// All have acted: what they did is played in seat order, and told.
    fn resolve_shared(&mut self, step: &mut Expectation<'_>) {
        let players: Vec<Player> = self.players().collect();
        let sealed = players.into_iter().zip(&mut self.seats);
        let sealed: Vec<(Player, SealedAction)> =
            sealed.filter_map(|(player, side)| Some((player, side.sealed.take()?))).collect();
        let mut played = Vec::new();
        for (player, action) in sealed {
            let mut no_rolls = self.rolls();
            if let Ok(made) = self.position.play(player, &action.notation, &mut no_rolls) {
                played.push((player, action, made));
            }
        }
        let turn_index = self.turn_index;
        self.next_turn();
        let (to_move, turns) = self.open_turns(step.at, None, false);
        let (state_hash, clocks) = (self.state_hash(self.turn_index), self.clocks());
        let mut shown = Vec::new();
        for (player, action, made) in played {
            let resolution = Resolution {
                turn_index,
                player: Some(player),
                notation: Some(action.notation),
                san: made.san,
                forced: action.forced,
                started_at: action.started_at,
                deadline: action.deadline,
                at: action.at,
                body: action.body,
                chosen_at_random: !action.rolls.is_empty(),
                rolls: action.rolls,
                state_hash,
                clocks: clocks.clone(),
                to_move,
                turns: turns.clone(),
            };
            self.record(&resolution, action.commentary.is_some());
            self.tell_move(step, &resolution, action.commentary);
            shown.push(made.shown);
        }
        shown.into_iter().for_each(|shown| self.show(step, shown));
    }

    /// A random legal move as decision 6.2 rolls for it.
    fn random_move(&self, player: Player, rolls: &mut Rolls) -> Result<Notation, Refused> {
        let legal = self.position.notations(player);
        let count = u64::try_from(legal.len()).unwrap_or(u64::MAX);
        let place = rolls.below(count).ok_or(Refused::NeedsChance)?;
        usize::try_from(place).ok().and_then(|place| legal.get(place)).copied().ok_or(Refused::Illegal)
    }

    /// What a turn costs its player: its time without what of it the hall was away, up to when it is charged.
    fn used(&self, open: &OpenTurn, until: Timestamp) -> Span {
        let mut used = until.since(open.started_at);
        for (from, back) in &self.away {
            let (from, back) = ((*from).max(open.started_at), (*back).min(until));
            used = used.saturating_sub(back.since(from));
        }
        used
    }

    /// Charges the turn to the side clock of its player.
    pub(super) fn charge(&mut self, context: &TurnContext) {
        let own = context.player.and_then(|player| self.seats.get(player.index())?.open);
        if let (Some(open), Some(until)) = (own, context.charged_until) {
            let used = self.used(&open, until);
            if let Some(side) = self.seats.get_mut(open.player.index()) {
                side.remaining = side.remaining.map(|left| left.saturating_sub(used));
            }
        }
    }

    pub(super) fn clocks(&self) -> Option<Vec<Span>> {
        self.seats.iter().map(|side| side.remaining).collect()
    }

    pub(super) fn state_hash(&self, turn_index: u32) -> Digest {
        let id = text::id('g', self.id.as_bytes());
        text::sha256(&format!("svc.state.v1:{id}:{turn_index}:{}", self.position.state_string()))
    }

    /// The current turn is over, and nothing of it is left.
    fn next_turn(&mut self) {
        self.turn_index += 1;
        (self.hashes_taken, self.deferred, self.waits_since) = (0, None, None);
        for side in &mut self.seats {
            (side.illegal, side.sealed) = (0, None);
        }
    }

    /// Resolves the current turn, whose move, if there is one, has been played.
    fn resolve(&mut self, step: &Expectation<'_>, context: TurnContext, moved: Moved) -> Resolution {
        let player = context.player;
        let (started_at, deadline) = (self.began(player, step.at), self.deadline_before(player));
        self.charge(&context);
        let TurnContext { forced, at, body, commentary, .. } = context;
        let Moved { notation, san, is_random, rolls } = moved;
        let turn_index = self.turn_index;
        self.next_turn();
        let (to_move, turns) = self.open_turns(step.at, player, notation.is_none());
        let resolution = Resolution {
            turn_index,
            player,
            notation,
            san,
            forced,
            started_at,
            deadline,
            at,
            body,
            chosen_at_random: is_random,
            rolls,
            state_hash: self.state_hash(self.turn_index),
            clocks: self.clocks(),
            to_move,
            turns,
        };
        self.record(&resolution, commentary.is_some() && notation.is_some());
        resolution
    }

    /// Who is to move next, and the clocks that run: those of the others who were to move keep running, new ones begin.
    /// None is left at the end, and none runs while the hall must act first and may have to wait for the beacon.
    pub(super) fn open_turns(
        &mut self,
        at: Timestamp,
        mover: Option<Player>,
        is_over: bool,
    ) -> (PlayerSet, Vec<OpenTurn>) {
        let is_over = is_over || self.position.outcome().is_some() || self.survivor().is_some();
        let to_move = if is_over { PlayerSet::EMPTY } else { self.position.to_move() };
        let waiting: PlayerSet = to_move.iter().filter(|player| !self.is_vacant(*player)).collect();
        let hall_acts = waiting != to_move;
        let waiting =
            if hall_acts && self.beacon == BeaconStatus::Waiting { PlayerSet::EMPTY } else { waiting };
        for (player, side) in self.players().zip(&mut self.seats) {
            side.open = side.open.filter(|_| mover != Some(player) && waiting.contains(player));
        }
        let turns = self.open_clocks(at, waiting);
        let first = turns.iter().map(|open| open.started_at).min();
        self.away.retain(|(_, until)| first.is_some_and(|first| *until > first));
        (to_move, turns)
    }

    /// Notes a resolved turn, which the next fact tells.
    fn record(&mut self, resolution: &Resolution, has_commentary: bool) {
        let brief = TurnBrief {
            turn_index: resolution.turn_index,
            player: resolution.player,
            notation: resolution.notation,
            forced: resolution.forced,
            body_sha256: resolution.body.as_ref().map(|body| body.sha256),
        };
        self.turns.push(ResolvedTurn {
            turn_index: resolution.turn_index,
            player: resolution.player,
            notation: resolution.notation,
            san: resolution.san,
            at: resolution.at,
            forced: resolution.forced,
            commentary_in: has_commentary.then_some(self.facts + 1),
        });
        self.last = Some(brief);
        if let Some(side) = resolution.player.and_then(|player| self.seats.get_mut(player.index())) {
            side.last = Some(brief);
        }
    }

    fn tell_move(&mut self, step: &mut Expectation<'_>, resolution: &Resolution, commentary: Option<String>) {
        let data = self.move_data(resolution);
        step.tell(self, RoomChange::MovePlayed(resolution.clone()), Some(("move", data)), commentary);
    }

    fn show(&mut self, step: &mut Expectation<'_>, shown: Option<String>) {
        let Some(text) = shown else { return };
        let turn_index = self.turn_index - 1;
        let data = json!({ "turn_index": turn_index, "text": text });
        step.tell(self, RoomChange::Shown { turn_index, text }, Some(("shown", data)), None);
    }

    /// A standing offer of the opponent is declined by a move; the mover's own begins to stand if the game continues.
    fn settle_offer(&mut self, step: &mut Expectation<'_>, player: Player, turn_index: u32, offers: bool) {
        self.decline(step, player, turn_index);
        if offers && self.position.outcome().is_none() && self.seats.len() == 2 {
            let data = json!({ "turn_index": turn_index, "player": player_json(player) });
            self.offer = Some(player);
            let change = RoomChange::DrawOffered { turn_index, player };
            step.tell(self, change, Some(("draw_offered", data)), None);
        }
    }

    fn decline(&mut self, step: &mut Expectation<'_>, player: Player, turn_index: u32) {
        if self.offer.is_some_and(|by| by != player) {
            let data = json!({ "turn_index": turn_index, "player": player_json(player) });
            self.offer = None;
            let change = RoomChange::DrawDeclined { turn_index, player };
            step.tell(self, change, Some(("draw_declined", data)), None);
        }
    }

    /// Ends the game by a turn in which no move is applied. Whatever does not accept a standing offer declines it.
    pub(super) fn end_by(&mut self, step: &mut Expectation<'_>, context: TurnContext, result: GameResult) {
        let accepts = result.reason == Reason::AGREEMENT;
        if let Some(player) = context.player.filter(|_| !accepts) {
            self.decline(step, player, self.turn_index);
        }
        let resolution = self.resolve(step, context, Moved::default());
        self.end(step, result, Some(resolution));
    }

    /// The game is over; `resolution` is the turn that this resolves, if it is one.
    pub(super) fn end(
        &mut self,
        step: &mut Expectation<'_>,
        result: GameResult,
        resolution: Option<Resolution>,
    ) {
        self.offer = None;
        self.ended_at = Some(step.at);
        self.result = Some(result.clone());
        (self.deferred, self.waits_since) = (None, None);
        for side in &mut self.seats {
            (side.open, side.sealed) = (None, None);
        }
        let last = self.last;
        let data = json!({
            "turn_index": last.map(|last| last.turn_index),
            "player": last.and_then(|last| last.player).map(player_json),
            "result": result_json(&result),
            "body_sha256": hash(last.and_then(|last| last.body_sha256).as_ref()),
            "seed": self.terms.seed.reveal(),
        });
        step.tell(self, RoomChange::Ended { result, resolution }, Some(("game_ended", data)), None);
    }

    fn move_data(&self, resolution: &Resolution) -> Value {
        let (told, is_open) = self.disclosed(None, resolution.player, resolution.notation);
        json!({
            "turn_index": resolution.turn_index,
            "player": resolution.player.map(player_json),
            "notation": told.as_ref().map(Notation::as_str),
            "san": resolution.san.as_ref().filter(|_| is_open).map(Notation::as_str),
            "forced": resolution.forced.map(words::forced),
            "at": text::time(resolution.at),
            "body_sha256": hash(resolution.body.as_ref().filter(|_| is_open).map(|body| &body.sha256)),
            "state_hash": text::digest(&resolution.state_hash),
            "clocks_ms": by_seat(resolution.clocks.as_deref(), |left| left.as_millis().into()),
            "to_move": resolution.to_move.iter().map(player_json).collect::<Vec<_>>(),
            "deadline_utc": time(self.deadline()),
        })
    }
}

/// A value for each seat as JSON; null where there are none.
pub(super) fn by_seat<T>(values: Option<&[T]>, value: impl Fn(&T) -> Value) -> Value {
    values.map_or(Value::Null, |values| {
        let named = (0..).zip(values).map(|(seat, one): (usize, &T)| (format!("p{seat}"), value(one)));
        Value::Object(named.collect())
    })
}

/// A result as decision 13.6 writes it: points and places only where the game has them, places null in an aborted one.
fn result_json(result: &GameResult) -> Value {
    let written = json!({
        "winners": result.winners.iter().copied().map(player_json).collect::<Vec<_>>(),
        "draw": result.draw,
        "reason": result.reason.as_str(),
    });
    let points = result.points.as_ref().map(|points| by_seat(Some(points), |points| Value::from(*points)));
    let places = result.places.as_ref().map(|places| {
        let told = Some(&**places).filter(|places| !places.is_empty());
        by_seat(told, |place| Value::from(*place))
    });
    let Value::Object(mut members) = written else { return written };
    members.extend(points.map(|points| ("points".to_owned(), points)));
    members.extend(places.map(|places| ("places".to_owned(), places)));
    Value::Object(members)
}
