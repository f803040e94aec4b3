//! One game of the reference: its clocks, and what each kind of turn does to it.

use super::draws::RandomDraws;
use super::expectation::{Expectation, hash, player as player_json, time};
use super::game::{GameModel, Offered};
use super::text;
use super::words;
use hall_core::rooms::{
    Attempt, BeaconStatus, BodyRecord, ChallengeText, ForcedCause, OpenTurn, Phase, Resolution, ResolvedTurn,
    RoomChange, Started,
};
use hall_core::{Effect, GameVariant, Rejection, RoomRejection, SignedBody, TurnBrief, TurnStatus};
use hall_games::{Chance, GameResult, LegalMove, PlayerSet, Reason, Refused};
use hall_wire::draw::RandomDraw;
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};
use serde_json::{Value, json};

/// A game, live or ended.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) id: GameId,
    pub(super) terms: Started,
    pub(super) started_at: Timestamp,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) position: Box<dyn GameModel>,
    pub(super) turn_index: u32,
    /// When the hall was away in an open turn: the first and the last instants.
    pub(super) away: Vec<(Timestamp, Timestamp)>,
    /// A penalty that waits for the beacon.
    pub(super) deferred: Option<DeferredPenalty>,
    pub(super) seats: Vec<SeatRecord>,
    /// Who stands offering a draw.
    pub(super) offer: Option<Player>,
    pub(super) result: Option<GameResult>,
    pub(super) turns: Vec<ResolvedTurn>,
    pub(super) last: Option<TurnBrief>,
    pub(super) beacon: BeaconStatus,
    pub(super) round: Option<(Digest, String)>,
    pub(super) facts: u32,
    pub(super) events: u32,
}

/// What changes about a seat.
#[derive(Clone, Debug, Default)]
pub(super) struct SeatRecord {
    /// The turn that the player has to make; none where it need not move, and after the end.
    pub(super) open: Option<OpenTurn>,
    pub(super) remaining: Option<Span>,
    pub(super) strikes: u8,
    pub(super) illegal: u8,
    pub(super) last: Option<TurnBrief>,
}

/// A penalty that waits for the beacon.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeferredPenalty {
    pub(super) player: Player,
    pub(super) cause: ForcedCause,
    pub(super) since: Timestamp,
    pub(super) charged_until: Timestamp,
    pub(super) deadline: Option<Timestamp>,
}

/// How a turn is resolved.
#[derive(Debug, Default)]
pub(super) struct TurnContext {
    /// Whose turn it was; none for the operator's verdicts.
    pub(super) player: Option<Player>,
    /// The move that was applied, if one was, with how people write it.
    pub(super) played: Option<(Notation, Option<Notation>)>,
    /// Whether the move was chosen at random.
    pub(super) is_random: bool,
    pub(super) forced: Option<ForcedCause>,
    /// When it counts as resolved.
    pub(super) at: Timestamp,
    /// What the side clock is charged to, if it is charged.
    pub(super) charged_until: Option<Timestamp>,
    pub(super) body: Option<BodyRecord>,
    pub(super) draws: Vec<RandomDraw>,
    /// The result, where the room and not the position ends the game.
    pub(super) result: Option<GameResult>,
}

impl Room {
    pub(super) fn new(games: Offered, id: GameId, at: Timestamp, terms: Started) -> Self {
        let open = |player| terms.turns.iter().find(|open| open.player == player).copied();
        let seat = |place| SeatRecord {
            open: open(Player::new(place)),
            remaining: terms.timing.side_time,
            ..SeatRecord::default()
        };
        let seats = (0..).zip(&terms.seats).map(|(place, _)| seat(place)).collect();
        Self {
            id,
            started_at: at,
            ended_at: None,
            position: open_position(games, &terms),
            turn_index: 0,
            away: Vec::new(),
            deferred: None,
            seats,
            offer: None,
            result: None,
            turns: Vec::new(),
            last: None,
            beacon: if terms.beacon.is_some() { BeaconStatus::Waiting } else { BeaconStatus::Off },
            round: None,
            facts: 0,
            events: 0,
            terms,
        }
    }

    pub(super) fn agent(&self, player: Player) -> AgentId {
        self.terms.seats.get(player.index()).map_or(AgentId::from_bytes([0; 16]), |seat| seat.agent)
    }

    pub(super) fn player_of(&self, agent: &AgentId) -> Option<Player> {
        let place = self.terms.seats.iter().position(|seat| seat.agent == *agent)?;
        u8::try_from(place).ok().map(Player::new)
    }

    pub(super) fn phase(&self) -> Phase {
        match (&self.result, &self.deferred) {
            (Some(_), _) => Phase::Ended,
            (None, Some(_)) => Phase::AwaitingBeacon,
            (None, None) => Phase::Playing,
        }
    }

    pub(super) fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..u8::try_from(self.seats.len()).unwrap_or(u8::MAX)).map(Player::new)
    }

    /// Who is to move; empty while a turn waits and after the end.
    pub(super) fn to_move(&self) -> PlayerSet {
        let is_due = |player: &Player| self.open_turn(*player).is_some();
        self.players().filter(is_due).fold(PlayerSet::EMPTY, PlayerSet::with)
    }

    /// The turn that a player has to make now.
    pub(super) fn open_turn(&self, player: Player) -> Option<OpenTurn> {
        if self.phase() == Phase::Playing { self.seats.get(player.index())?.open } else { None }
    }

    /// The earlier of a player's two clocks, and whether it is the side clock (also on a tie).
    fn clock(&self, player: Player) -> Option<(Timestamp, bool)> {
        let open = self.open_turn(player)?;
        let remaining = self.seats.get(player.index()).and_then(|seat| seat.remaining);
        let side = remaining.map(|left| open.started_at + left + open.credit);
        Some(
            side.filter(|side| *side <= open.move_deadline)
                .map_or((open.move_deadline, false), |side| (side, true)),
        )
    }

    pub(super) fn deadline_of(&self, player: Player) -> Option<Timestamp> {
        self.clock(player).map(|(deadline, _)| deadline)
    }

    /// The first deadline of those who are to move.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.players().filter_map(|player| self.deadline_of(player)).min()
    }

    /// Who misses a deadline first, when, and whether the side clock is used up then.
    pub(super) fn first_to_miss(&self) -> Option<(Timestamp, Player, bool)> {
        let clocks = self.players().filter_map(|player| Some((self.clock(player)?, player)));
        let ((deadline, is_side), player) =
            clocks.min_by_key(|((deadline, _), player)| (*deadline, *player))?;
        Some((deadline, player, is_side))
    }

    /// The legal moves of a player who is to move.
    pub(super) fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if self.to_move().contains(player) { self.position.legal_moves(player) } else { Vec::new() }
    }

    /// What `viewer` may know of a move while the game is live, and whether that is all of it.
    fn disclosed(
        &self,
        viewer: Option<Player>,
        player: Option<Player>,
        notation: Option<Notation>,
    ) -> (Option<Notation>, bool) {
        match (player, notation) {
            (Some(player), Some(notation)) if self.result.is_none() && viewer != Some(player) => {
                let told = self.position.told(player, &notation);
                (told, told == Some(notation))
            }
            _ => (notation, true),
        }
    }

    /// A turn in brief as `viewer` may know it.
    pub(super) fn brief_for(&self, viewer: Option<Player>, brief: &TurnBrief) -> TurnBrief {
        let (notation, is_open) = self.disclosed(viewer, brief.player, brief.notation);
        TurnBrief { notation, body_sha256: brief.body_sha256.filter(|_| is_open), ..*brief }
    }

    /// A turn as `viewer` may know it.
    pub(super) fn turn_for(&self, viewer: Option<Player>, turn: &ResolvedTurn) -> ResolvedTurn {
        let (notation, is_open) = self.disclosed(viewer, turn.player, turn.notation);
        ResolvedTurn { notation, san: turn.san.filter(|_| is_open), ..*turn }
    }

    /// When the hall must act in this game by itself: right after the deadline, and ten seconds into a wait or as
    /// soon as the beacon is settled.
    pub(super) fn due(&self) -> Option<Timestamp> {
        match (self.phase(), &self.deferred) {
            (Phase::Playing, _) => self.deadline().map(|deadline| deadline + Span::from_millis(1)),
            (Phase::AwaitingBeacon, Some(deferred)) if self.beacon == BeaconStatus::Waiting => {
                Some(deferred.since + Span::from_secs(10))
            }
            (Phase::AwaitingBeacon, Some(deferred)) => Some(deferred.since),
            (Phase::AwaitingBeacon, None) | (Phase::Ended, _) => None,
        }
    }

    /// The report in a refusal to a player.
    pub(super) fn report(&self, player: Option<Player>) -> Box<TurnStatus> {
        let side = player.and_then(|player| self.seats.get(player.index()));
        Box::new(TurnStatus {
            game: self.id,
            turn_index: self.turn_index,
            to_move: self.to_move(),
            illegal_attempts: side.map_or(0, |side| side.illegal),
            strikes: self.seats.iter().map(|side| side.strikes).collect(),
            last_move: self.last.map(|last| self.brief_for(None, &last)),
            your_last: side.and_then(|side| side.last),
            result: self.result.clone(),
            did_you_mean: None,
            legal_moves: None,
            applied: None,
            deadline: self.deadline(),
        })
    }

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
            let told = self.to_move();
            step.tell(self, change, None, None);
            self.deferred = Some(DeferredPenalty { player, cause, since: step.at, charged_until, deadline });
            step.effects.extend(told.iter().map(|player| Effect::TurnsChanged { agent: self.agent(player) }));
            return;
        }
        self.strike(step, player, cause);
        let mut context = TurnContext {
            player: Some(player),
            forced: Some(cause),
            at: step.at,
            charged_until: Some(charged_until),
            ..TurnContext::default()
        };
        if strikes == 2 {
            context.result = Some(self.lost_by(player, Reason::STRIKES));
        } else {
            let mut draws = self.draws();
            context.is_random = pass.is_none();
            let notation = pass.or_else(|| self.random_move(player, &mut draws));
            context.played = notation.and_then(|notation| {
                Some((notation, self.position.play(player, &notation, &mut draws).ok()?))
            });
            context.draws = draws.into_taken();
        }
        self.resolve(step, context, None, false);
    }

    /// Whether a penalty needs a number that cannot be drawn yet: for a random move, or for the consequences of a
    /// pass.
    fn needs_draw(&self, player: Player, pass: Option<Notation>) -> bool {
        let mut draws = self.draws();
        pass.is_none_or(|pass| {
            self.position.clone().play(player, &pass, &mut draws) == Err(Refused::NeedsChance)
        })
    }

    /// Restarts the wait for the beacon.
    pub(super) fn wait_again(&mut self, step: &mut Expectation<'_>) {
        let Some(deferred) = self.deferred else { return };
        let DeferredPenalty { player, cause, charged_until, .. } = deferred;
        let turn_index = self.turn_index;
        step.tell(self, RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until }, None, None);
        self.deferred = Some(DeferredPenalty { since: step.at, ..deferred });
    }

    fn strike(&mut self, step: &mut Expectation<'_>, player: Player, cause: ForcedCause) {
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

    /// The random numbers of the current turn.
    pub(super) fn draws(&self) -> RandomDraws {
        let randomness = self.round.as_ref().map(|(randomness, _)| randomness);
        let is_ready = self.beacon != BeaconStatus::Waiting;
        RandomDraws::new(&self.id, self.turn_index, &self.terms.seed, randomness, is_ready)
    }

    /// A random legal move as DECISIONS 6.2 draws it.
    fn random_move(&self, player: Player, draws: &mut RandomDraws) -> Option<Notation> {
        let legal = self.position.notations(player);
        let place = draws.below(u64::try_from(legal.len()).ok()?)?;
        usize::try_from(place).ok().and_then(|place| legal.get(place)).copied()
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

    /// Resolves the current turn, whose move has been played on the position, with all that follows from it.
    pub(super) fn resolve(
        &mut self,
        step: &mut Expectation<'_>,
        context: TurnContext,
        commentary: Option<String>,
        offers: bool,
    ) -> Resolution {
        let own = context.player.and_then(|player| self.seats.get(player.index())?.open);
        let first = self.seats.iter().filter_map(|side| side.open).map(|open| open.started_at).min();
        let deadline = match (self.deferred, context.player) {
            (Some(deferred), _) => deferred.deadline,
            (None, Some(player)) => self.deadline_of(player),
            (None, None) => self.deadline(),
        };
        if let (Some(open), Some(until)) = (own, context.charged_until) {
            let used = self.used(&open, until);
            if let Some(side) = self.seats.get_mut(open.player.index()) {
                side.remaining = side.remaining.map(|left| left.saturating_sub(used));
            }
        }
        let result = context.result.clone().or_else(|| self.position.outcome());
        let resolved = self.turn_index;
        self.turn_index += 1;
        self.deferred = None;
        self.open_turns(step.at, context.player, result.is_some());
        let (notation, san) = context.played.unzip();
        let state = format!(
            "svc.state.v1:{}:{}:{}",
            text::id('g', self.id.as_bytes()),
            self.turn_index,
            self.position.state_string()
        );
        let turns: Vec<OpenTurn> = self.seats.iter().filter_map(|side| side.open).collect();
        let resolution = Resolution {
            turn_index: resolved,
            player: context.player,
            notation,
            san: san.flatten(),
            forced: context.forced,
            started_at: own.map(|open| open.started_at).or(first).unwrap_or(step.at),
            deadline,
            at: context.at,
            body: context.body,
            chosen_at_random: context.is_random,
            draws: context.draws,
            state_hash: text::sha256(&state),
            clocks: self.seats.iter().map(|side| side.remaining).collect(),
            to_move: turns.iter().map(|open| open.player).fold(PlayerSet::EMPTY, PlayerSet::with),
            turns,
        };
        self.record(step, &resolution, commentary.is_some() && notation.is_some());
        if notation.is_some() {
            let data = self.move_data(&resolution);
            step.tell(self, RoomChange::MovePlayed(resolution.clone()), Some(("move", data)), commentary);
        }
        self.settle_offer(step, &resolution, offers, result.as_ref());
        if let Some(result) = result {
            self.end(step, &resolution, result);
        }
        step.turn_changed(self);
        resolution
    }

    /// The turns after one of `mover`: the clocks of the others who are to move keep running, new ones begin. None is
    /// left at the end.
    fn open_turns(&mut self, at: Timestamp, mover: Option<Player>, is_over: bool) {
        let to_move = if is_over { PlayerSet::EMPTY } else { self.position.to_move() };
        let move_deadline = at + self.terms.timing.move_time;
        for (player, side) in self.players().zip(&mut self.seats) {
            let running = side.open.filter(|_| mover != Some(player));
            let fresh = OpenTurn { player, started_at: at, move_deadline, credit: Span::ZERO };
            side.open = to_move.contains(player).then(|| running.unwrap_or(fresh));
        }
        let first = self.seats.iter().filter_map(|side| side.open).map(|open| open.started_at).min();
        self.away.retain(|(_, until)| first.is_some_and(|first| *until > first));
    }

    fn record(&mut self, step: &Expectation<'_>, resolution: &Resolution, has_commentary: bool) {
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
        for side in &mut self.seats {
            side.illegal = 0;
        }
        if let Some(side) = resolution.player.and_then(|player| self.seats.get_mut(player.index())) {
            side.last = Some(brief);
        }
        debug_assert!(step.at >= resolution.started_at);
    }

    /// A standing offer of the opponent is declined by whatever does not accept it; the mover's own begins to stand if the
    /// game continues.
    fn settle_offer(
        &mut self,
        step: &mut Expectation<'_>,
        resolution: &Resolution,
        offers: bool,
        result: Option<&GameResult>,
    ) {
        let Some(player) = resolution.player else { return };
        let turn_index = resolution.turn_index;
        let data = json!({ "turn_index": turn_index, "player": player_json(player) });
        let is_agreed = result.is_some_and(|result| result.reason == Reason::AGREEMENT);
        let is_declined = !is_agreed && self.offer.is_some_and(|by| by != player);
        if is_declined {
            self.offer = None;
            step.tell(
                self,
                RoomChange::DrawDeclined { turn_index, player },
                Some(("draw_declined", data.clone())),
                None,
            );
        }
        if offers && result.is_none() && self.seats.len() == 2 {
            self.offer = Some(player);
            step.tell(
                self,
                RoomChange::DrawOffered { turn_index, player },
                Some(("draw_offered", data)),
                None,
            );
        }
    }

    /// A forfeit: everybody wins but the loser.
    pub(super) fn lost_by(&self, loser: Player, reason: Reason) -> GameResult {
        let winners = self.players().filter(|player| *player != loser).collect();
        GameResult::new(winners, false, reason)
    }

    fn end(&mut self, step: &mut Expectation<'_>, resolution: &Resolution, result: GameResult) {
        self.offer = None;
        self.ended_at = Some(step.at);
        self.result = Some(result.clone());
        let data = json!({
            "turn_index": resolution.turn_index,
            "player": resolution.player.map(player_json),
            "result": result_json(&result),
            "body_sha256": hash(resolution.body.as_ref().map(|body| &body.sha256)),
            "seed": self.terms.seed.reveal(),
        });
        let resolution = resolution.notation.is_none().then(|| resolution.clone());
        step.tell(self, RoomChange::Ended { result, resolution }, Some(("game_ended", data)), None);
    }

    fn move_data(&self, resolution: &Resolution) -> Value {
        let (told, is_open) = self.disclosed(None, resolution.player, resolution.notation);
        let clocks = resolution.clocks.as_ref().map(|clocks| {
            let named = |(seat, left): (usize, &Span)| (format!("p{seat}"), Value::from(left.as_millis()));
            Value::Object(clocks.iter().enumerate().map(named).collect())
        });
        json!({
            "turn_index": resolution.turn_index,
            "player": resolution.player.map(player_json),
            "notation": told.as_ref().map(Notation::as_str),
            "san": resolution.san.as_ref().filter(|_| is_open).map(Notation::as_str),
            "forced": resolution.forced.map(words::forced),
            "at": text::time(resolution.at),
            "body_sha256": hash(resolution.body.as_ref().filter(|_| is_open).map(|body| &body.sha256)),
            "state_hash": text::digest(&resolution.state_hash),
            "clocks_ms": clocks,
            "to_move": resolution.to_move.iter().map(player_json).collect::<Vec<_>>(),
            "deadline_utc": time(self.deadline()),
        })
    }

    /// Why a request to move is refused whatever the move is, if it is.
    pub(super) fn refuses(&self, player: Player, turn_index: u32, stamp: Timestamp) -> Option<Rejection> {
        if self.result.is_some() {
            return Some(Rejection::Room(RoomRejection::GameNotLive(self.report(Some(player)))));
        }
        // Callers apply time first; a request after the deadline is refused even where that was left out.
        let in_time = self.deadline_of(player).is_some_and(|deadline| stamp <= deadline);
        let in_turn = self.turn_index == turn_index && in_time;
        (!in_turn).then(|| Rejection::Room(RoomRejection::WrongTurn(self.report(Some(player)))))
    }
}

/// The body as it is kept.
pub(super) fn body_of(signed: &SignedBody) -> BodyRecord {
    BodyRecord { text: signed.body.clone(), sha256: signed.sha256, signature: signed.signature }
}

/// The position with which a game on these terms begins.
pub(crate) fn open_position(games: Offered, terms: &Started) -> Box<dyn GameModel> {
    let seats = u8::try_from(terms.seats.len()).unwrap_or(u8::MAX);
    let GameVariant { game, variant } = &terms.variant;
    games.open(game.as_str(), terms.ruleset_version.as_str(), variant.as_str(), seats)
}

fn result_json(result: &GameResult) -> Value {
    json!({
        "winners": result.winners.iter().copied().map(player_json).collect::<Vec<_>>(),
        "draw": result.draw,
        "reason": result.reason.as_str(),
    })
}
