//! One game of the reference: its clocks, and what each kind of turn does to it.

use super::chess::Chess;
use super::step::{Step, hash, player as player_json, time};
use super::text;
use super::words;
use hall_core::rooms::{
    Attempt, BeaconStatus, BodyRecord, ChallengeText, ForcedCause, OpenTurn, Phase, Resolution, ResolvedTurn,
    RoomChange, Started,
};
use hall_core::{Effect, Rejection, RoomRejection, SignedBody, TurnBrief, TurnStatus};
use hall_games::{GameResult, PlayerSet, Reason};
use hall_wire::draw::Draw;
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};
use serde_json::{Value, json};

/// A game, live or ended.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) id: GameId,
    pub(super) terms: Started,
    pub(super) started_at: Timestamp,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) chess: Chess,
    pub(super) turn_index: u32,
    /// The clock of the player to move; none after the end.
    pub(super) open: Option<OpenTurn>,
    /// When the hall was away in that turn: the first and the last instants.
    pub(super) away: Vec<(Timestamp, Timestamp)>,
    /// A penalty that waits for the beacon.
    pub(super) held: Option<Wait>,
    pub(super) seats: Vec<Side>,
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
pub(super) struct Side {
    pub(super) remaining: Option<Span>,
    pub(super) strikes: u8,
    pub(super) illegal: u8,
    pub(super) last: Option<TurnBrief>,
}

/// A penalty that waits for the beacon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) cause: ForcedCause,
    pub(super) since: Timestamp,
    pub(super) charged_until: Timestamp,
    pub(super) deadline: Option<Timestamp>,
}

/// How a turn is resolved.
#[derive(Debug, Default)]
pub(super) struct Deed {
    /// Whose turn it was; none for the operator's verdicts.
    pub(super) player: Option<Player>,
    /// The place of the move in the legal list, if one is applied.
    pub(super) place: Option<usize>,
    pub(super) forced: Option<ForcedCause>,
    /// When it counts as resolved.
    pub(super) at: Timestamp,
    /// What the side clock is charged to, if it is charged.
    pub(super) charged_until: Option<Timestamp>,
    pub(super) body: Option<BodyRecord>,
    pub(super) draws: Vec<Draw>,
    /// The result, where the room and not the position ends the game.
    pub(super) result: Option<GameResult>,
}

impl Room {
    pub(super) fn new(id: GameId, at: Timestamp, terms: Started) -> Self {
        let side = Side { remaining: terms.timing.side_time, ..Side::default() };
        Self {
            id,
            started_at: at,
            ended_at: None,
            chess: Chess::opening(),
            turn_index: 0,
            open: terms.turns.first().copied(),
            away: Vec::new(),
            held: None,
            seats: vec![side; terms.seats.len()],
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
        match (&self.result, &self.held) {
            (Some(_), _) => Phase::Ended,
            (None, Some(_)) => Phase::AwaitingBeacon,
            (None, None) => Phase::Playing,
        }
    }

    /// Who is to move; nobody while a turn waits and after the end.
    pub(super) fn mover(&self) -> Option<Player> {
        (self.phase() == Phase::Playing).then(|| self.chess.mover())
    }

    pub(super) fn to_move(&self) -> PlayerSet {
        self.mover().map_or(PlayerSet::EMPTY, PlayerSet::only)
    }

    /// The earlier of the two clocks of the player to move, and whether it is the side clock (also on a tie).
    pub(super) fn clock(&self) -> Option<(Timestamp, bool)> {
        let open = self.open.as_ref()?;
        let remaining = self.seats.get(open.player.index()).and_then(|seat| seat.remaining);
        let side = remaining.map(|left| open.started_at + left + open.credit);
        Some(
            side.filter(|side| *side <= open.move_deadline)
                .map_or((open.move_deadline, false), |side| (side, true)),
        )
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        if self.phase() == Phase::Playing { self.clock().map(|(deadline, _)| deadline) } else { None }
    }

    /// When the hall must act in this game by itself: right after the deadline, and ten seconds into a wait or as
    /// soon as the beacon is settled.
    pub(super) fn due(&self) -> Option<Timestamp> {
        match (self.phase(), &self.held) {
            (Phase::Playing, _) => self.deadline().map(|deadline| deadline + Span::from_millis(1)),
            (Phase::AwaitingBeacon, Some(held)) if self.beacon == BeaconStatus::Waiting => {
                Some(held.since + Span::from_secs(10))
            }
            (Phase::AwaitingBeacon, Some(held)) => Some(held.since),
            (Phase::AwaitingBeacon, None) | (Phase::Ended, _) => None,
        }
    }

    /// What a refusal tells a player.
    pub(super) fn report(&self, player: Option<Player>) -> Box<TurnStatus> {
        let side = player.and_then(|player| self.seats.get(player.index()));
        Box::new(TurnStatus {
            game: self.id,
            turn_index: self.turn_index,
            to_move: self.to_move(),
            illegal_attempts: side.map_or(0, |side| side.illegal),
            strikes: self.seats.iter().map(|side| side.strikes).collect(),
            last_move: self.last,
            your_last: side.and_then(|side| side.last),
            result: self.result.clone(),
            did_you_mean: None,
            legal_moves: None,
            applied: None,
            deadline: self.deadline(),
        })
    }

    /// Counts an illegal move.
    pub(super) fn count_illegal(&mut self, step: &mut Step<'_>, player: Player, signed: &SignedBody) -> u8 {
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

    /// A missed deadline or a third illegal move, whose turn is charged to `charged_until`.
    pub(super) fn penalise(&mut self, step: &mut Step<'_>, cause: ForcedCause, charged_until: Timestamp) {
        let Some(OpenTurn { player, .. }) = self.open else { return };
        let strikes = self.seats.get(player.index()).map_or(0, |side| side.strikes);
        let turn_index = self.turn_index;
        if strikes < 2 && self.beacon == BeaconStatus::Waiting {
            let change = RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until };
            let deadline = self.deadline();
            step.tell(self, change, None, None);
            self.held = Some(Wait { cause, since: step.at, charged_until, deadline });
            step.effects.push(Effect::TurnsChanged { agent: self.agent(player) });
            return;
        }
        self.strike(step, player, cause);
        let mut deed = Deed {
            player: Some(player),
            forced: Some(cause),
            at: step.at,
            charged_until: Some(charged_until),
            ..Deed::default()
        };
        if strikes == 2 {
            deed.result = Some(won_by_other(player, Reason::STRIKES));
        } else {
            let (place, draws) = self.random_move();
            (deed.place, deed.draws) = (Some(place), draws);
        }
        self.resolve(step, deed, None, false);
    }

    /// Begins a wait for the beacon anew.
    pub(super) fn wait_again(&mut self, step: &mut Step<'_>) {
        let (Some(held), Some(OpenTurn { player, .. })) = (self.held, self.open) else { return };
        let (turn_index, cause, charged_until) = (self.turn_index, held.cause, held.charged_until);
        step.tell(self, RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until }, None, None);
        self.held = Some(Wait { since: step.at, ..held });
    }

    fn strike(&mut self, step: &mut Step<'_>, player: Player, cause: ForcedCause) {
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

    /// A random legal move as DECISIONS 6.2 draws it.
    fn random_move(&self) -> (usize, Vec<Draw>) {
        let n = u64::try_from(self.chess.count()).unwrap_or(0);
        let randomness = self.round.as_ref().map(|(randomness, _)| text::hex(randomness.as_bytes()));
        let (game, seed) = (text::id('g', self.id.as_bytes()), self.terms.seed.reveal());
        let mut draws = Vec::new();
        for counter in 0.. {
            let hash = text::sha256(&format!(
                "svc.random.v1:{game}:{}:{counter}:{seed}:{}",
                self.turn_index,
                randomness.as_deref().unwrap_or_default()
            ));
            let x = u64::from_be_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default());
            let whole = (1_u128 << 64) / u128::from(n) * u128::from(n);
            let value = (u128::from(x) < whole).then(|| x % n);
            draws.push(Draw { counter, n, x, value });
            if let Some(value) = value {
                return (usize::try_from(value).unwrap_or(usize::MAX), draws);
            }
        }
        (0, draws)
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

    /// Resolves the current turn in whatever way, with all that follows from it.
    pub(super) fn resolve(
        &mut self,
        step: &mut Step<'_>,
        deed: Deed,
        commentary: Option<String>,
        offers: bool,
    ) -> Resolution {
        let open = self.open;
        let deadline = self.held.map_or(self.deadline(), |held| held.deadline);
        if let (Some(open), Some(until)) = (open, deed.charged_until) {
            let used = self.used(&open, until);
            if let Some(side) = self.seats.get_mut(open.player.index()) {
                side.remaining = side.remaining.map(|left| left.saturating_sub(used));
            }
        }
        let played = deed.place.and_then(|place| self.chess.play(place));
        let result = deed.result.clone().or_else(|| self.chess.outcome());
        let resolved = self.turn_index;
        self.turn_index += 1;
        self.held = None;
        self.away.clear();
        self.open = result.is_none().then(|| OpenTurn {
            player: self.chess.mover(),
            started_at: step.at,
            move_deadline: step.at + self.terms.timing.move_time,
            credit: Span::ZERO,
        });
        let (notation, san) = (played.map(|(notation, _)| notation), played.and_then(|(_, san)| san));
        let state = format!(
            "svc.state.v1:{}:{}:{}",
            text::id('g', self.id.as_bytes()),
            self.turn_index,
            self.chess.fen()
        );
        let resolution = Resolution {
            turn_index: resolved,
            player: deed.player,
            notation,
            san,
            forced: deed.forced,
            started_at: open.map_or(step.at, |open| open.started_at),
            deadline,
            at: deed.at,
            body: deed.body,
            chosen_by_draw: !deed.draws.is_empty(),
            draws: deed.draws,
            state_hash: text::sha256(&state),
            clocks: self.seats.iter().map(|side| side.remaining).collect(),
            to_move: self.open.map_or(PlayerSet::EMPTY, |open| PlayerSet::only(open.player)),
            turns: self.open.into_iter().collect(),
        };
        self.record(step, &resolution, commentary.is_some() && notation.is_some());
        if notation.is_some() {
            let data = self.move_data(&resolution);
            step.tell(self, RoomChange::MovePlayed(resolution.clone()), Some(("move", data)), commentary);
        }
        self.settle_offer(step, &resolution, offers, result.is_some());
        if let Some(result) = result {
            self.end(step, &resolution, result);
        }
        step.turn_changed(self);
        resolution
    }

    fn record(&mut self, step: &Step<'_>, resolution: &Resolution, has_commentary: bool) {
        let brief = TurnBrief {
            turn_index: resolution.turn_index,
            player: resolution.player,
            notation: resolution.notation,
            forced: resolution.forced,
            body_sha256: resolution.body.as_ref().map(|body| body.sha256),
        };
        self.turns.push(ResolvedTurn {
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

    /// A standing offer of the opponent is declined by any move; one's own begins to stand if the game goes on.
    fn settle_offer(&mut self, step: &mut Step<'_>, resolution: &Resolution, offers: bool, over: bool) {
        let Some(player) = resolution.player else { return };
        let turn_index = resolution.turn_index;
        let data = json!({ "turn_index": turn_index, "player": player_json(player) });
        if resolution.notation.is_some() && self.offer.take().is_some() {
            step.tell(
                self,
                RoomChange::DrawDeclined { turn_index, player },
                Some(("draw_declined", data.clone())),
                None,
            );
        }
        if offers && !over {
            self.offer = Some(player);
            step.tell(
                self,
                RoomChange::DrawOffered { turn_index, player },
                Some(("draw_offered", data)),
                None,
            );
        }
    }

    fn end(&mut self, step: &mut Step<'_>, resolution: &Resolution, result: GameResult) {
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
        let mover = self.open.map(|open| open.player);
        let clocks = resolution.clocks.as_ref().map(|clocks| {
            let named = |(seat, left): (usize, &Span)| (format!("p{seat}"), Value::from(left.as_millis()));
            Value::Object(clocks.iter().enumerate().map(named).collect())
        });
        json!({
            "turn_index": resolution.turn_index,
            "player": resolution.player.map(player_json),
            "notation": resolution.notation.as_ref().map(Notation::as_str),
            "san": resolution.san.as_ref().map(Notation::as_str),
            "forced": resolution.forced.map(words::forced),
            "at": text::time(resolution.at),
            "body_sha256": hash(resolution.body.as_ref().map(|body| &body.sha256)),
            "state_hash": text::digest(&resolution.state_hash),
            "clocks_ms": clocks,
            "to_move": mover.into_iter().map(player_json).collect::<Vec<_>>(),
            "deadline_utc": time(self.clock().map(|(deadline, _)| deadline)),
        })
    }

    /// Why a request to move is refused whatever the move is, if it is.
    pub(super) fn refuses(&self, player: Player, turn_index: u32, stamp: Timestamp) -> Option<Rejection> {
        if self.result.is_some() {
            return Some(Rejection::Room(RoomRejection::GameNotLive(self.report(Some(player)))));
        }
        // Whoever asks applies time first; a request after the deadline is not accepted even where that was left out.
        let in_time = self.deadline().is_some_and(|deadline| stamp <= deadline);
        let in_turn = self.turn_index == turn_index && self.mover() == Some(player) && in_time;
        (!in_turn).then(|| Rejection::Room(RoomRejection::WrongTurn(self.report(Some(player)))))
    }
}

/// The body as it is kept.
pub(super) fn body_of(signed: &SignedBody) -> BodyRecord {
    BodyRecord { text: signed.body.clone(), sha256: signed.sha256, signature: signed.signature }
}

/// A forfeit: the loser's opponent wins.
pub(super) fn won_by_other(loser: Player, reason: Reason) -> GameResult {
    GameResult { winners: vec![Player::new(1 - loser.seat().min(1))], draw: false, reason }
}

fn result_json(result: &GameResult) -> Value {
    json!({
        "winners": result.winners.iter().copied().map(player_json).collect::<Vec<_>>(),
        "draw": result.draw,
        "reason": result.reason.as_str(),
    })
}
