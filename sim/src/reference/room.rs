//! One game of the reference: its seats and clocks, and what can be read of it.

use super::game::{GameModel, Offered};
use super::rolls::Rolls;
use hall_core::rooms::{
    BeaconStatus, BodyRecord, ForcedCause, OpenTurn, Phase, ResolvedTurn, SealedAction, Started, Vacancy,
};
use hall_core::{GameVariant, Rejection, RoomRejection, SignedBody, TurnBrief, TurnStatus};
use hall_games::{GameResult, LegalMove, PlayerSet};
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};

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
    /// Since when the turn cannot begin, because the hall must act first and waits for the beacon.
    pub(super) waits_since: Option<Timestamp>,
    /// Hashes taken for random numbers in the current turn.
    pub(super) hashes_taken: u32,
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
    /// What the player did in the shared turn that is not resolved yet.
    pub(super) sealed: Option<SealedAction>,
    /// When and why the seat became vacant.
    pub(super) vacancy: Option<Vacancy>,
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

/// Who resolves a turn, when and why.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnContext {
    /// Whose turn it was; none for the operator's verdicts.
    pub(super) player: Option<Player>,
    pub(super) forced: Option<ForcedCause>,
    /// When it counts as resolved.
    pub(super) at: Timestamp,
    /// What the side clock is charged to, if it is charged.
    pub(super) charged_until: Option<Timestamp>,
    pub(super) body: Option<BodyRecord>,
    pub(super) commentary: Option<String>,
    /// Whether a draw is offered with the move.
    pub(super) offers: bool,
}

/// Which turn waits for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) turn_index: u32,
    pub(super) players: PlayerSet,
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
            waits_since: None,
            hashes_taken: 0,
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
        let waits = self.deferred.is_some() || self.waits_since.is_some();
        match (&self.result, waits) {
            (Some(_), _) => Phase::Ended,
            (None, true) => Phase::AwaitingBeacon,
            (None, false) => Phase::Playing,
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

    /// Which turn waits for whom.
    pub(super) fn waiting(&self) -> Waiting {
        Waiting { turn_index: self.turn_index, players: self.to_move() }
    }

    /// The turn that a player has to make now.
    pub(super) fn open_turn(&self, player: Player) -> Option<OpenTurn> {
        if self.phase() == Phase::Playing { self.seats.get(player.index())?.open } else { None }
    }

    /// The earlier of a player's two clocks, and whether it is the side clock (also on a tie).
    fn clock(&self, player: Player) -> Option<(Timestamp, bool)> {
        let seat = self.seats.get(player.index())?;
        let open = seat.open?;
        let side = seat.remaining.map(|left| open.started_at + left + open.credit);
        Some(
            side.filter(|side| *side <= open.move_deadline)
                .map_or((open.move_deadline, false), |side| (side, true)),
        )
    }

    pub(super) fn deadline_of(&self, player: Player) -> Option<Timestamp> {
        self.open_turn(player).and_then(|_| self.clock(player)).map(|(deadline, _)| deadline)
    }

    /// The deadline that stood for a player before any wait for the beacon; without a player the first of all.
    pub(super) fn deadline_before(&self, player: Option<Player>) -> Option<Timestamp> {
        match (self.deferred, player) {
            (Some(deferred), _) => deferred.deadline,
            // Also while the hall waits for the beacon to act for the seat.
            (None, Some(player)) => self.clock(player).map(|(deadline, _)| deadline),
            (None, None) => self.deadline(),
        }
    }

    /// When the turn of a player began, or the first of those that are open. A turn that nobody has waited for begins as
    /// it is resolved, or when the hall began to wait for the beacon.
    pub(super) fn began(&self, player: Option<Player>, now: Timestamp) -> Timestamp {
        let own = player.and_then(|player| self.seats.get(player.index())?.open);
        let first = self.seats.iter().filter_map(|side| side.open).map(|open| open.started_at).min();
        own.map(|open| open.started_at).or(first).or(self.waits_since).unwrap_or(now)
    }

    /// The first deadline of those who are to move.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.players().filter_map(|player| self.deadline_of(player)).min()
    }

    /// The first deadline and those who miss it: one, or all who share a turn and this deadline.
    pub(super) fn first_to_miss(&self) -> Option<(Timestamp, Vec<Player>)> {
        let deadline = self.deadline()?;
        let late = self.players().filter(|player| self.deadline_of(*player) == Some(deadline));
        let most = if self.position.is_simultaneous() { self.seats.len() } else { 1 };
        Some((deadline, late.take(most).collect()))
    }

    /// Whether the side clock is what a player would miss its deadline by.
    pub(super) fn is_flagging(&self, player: Player) -> bool {
        self.clock(player).is_some_and(|(_, is_side)| is_side)
    }

    /// The random numbers of the current turn, after those that were taken in it.
    pub(super) fn rolls(&self) -> Rolls {
        let randomness = self.round.as_ref().map(|(randomness, _)| randomness);
        let is_ready = self.beacon != BeaconStatus::Waiting;
        Rolls::new(&self.id, self.turn_index, &self.terms.seed, randomness, is_ready).after(self.hashes_taken)
    }

    /// The legal moves of a player who is to move.
    pub(super) fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if self.to_move().contains(player) { self.position.legal_moves(player) } else { Vec::new() }
    }

    /// What `viewer` may know of a move while the game is live, and whether that is all of it.
    pub(super) fn disclosed(
        &self,
        viewer: Option<Player>,
        player: Option<Player>,
        notation: Option<Notation>,
    ) -> (Option<Notation>, bool) {
        match (player, notation) {
            (Some(player), Some(notation)) if self.result.is_none() && viewer != Some(player) => {
                let told = self.position.disclosed(player, &notation);
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
        match self.phase() {
            Phase::Playing => self.deadline().map(|deadline| deadline + Span::from_millis(1)),
            Phase::AwaitingBeacon => {
                let since = self.deferred.map(|deferred| deferred.since).or(self.waits_since)?;
                let waits = self.beacon == BeaconStatus::Waiting;
                Some(if waits { since + Span::from_secs(10) } else { since })
            }
            Phase::Ended => None,
        }
    }

    /// What a player did last: in the current shared turn, else in the last turn that it resolved.
    pub(super) fn last_of(&self, player: Player) -> Option<TurnBrief> {
        let side = self.seats.get(player.index())?;
        let sealed = side.sealed.as_ref().map(|action| TurnBrief {
            turn_index: self.turn_index,
            player: Some(player),
            notation: Some(action.notation),
            forced: action.forced,
            body_sha256: action.body.as_ref().map(|body| body.sha256),
        });
        sealed.or(side.last)
    }

    /// What a player did in this turn, if it has done anything.
    pub(super) fn done_in(&self, turn_index: u32, player: Player) -> Option<TurnBrief> {
        let own = |turn: &&ResolvedTurn| turn.turn_index == turn_index && turn.player == Some(player);
        let resolved = self.turns.iter().rev().find(own).map(|turn| TurnBrief {
            turn_index,
            player: turn.player,
            notation: turn.notation,
            forced: turn.forced,
            body_sha256: None,
        });
        self.last_of(player).filter(|last| last.turn_index == turn_index).or(resolved)
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
            your_last: player.and_then(|player| self.last_of(player)),
            result: self.result.clone(),
            did_you_mean: None,
            legal_moves: None,
            applied: None,
            deadline: self.deadline(),
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
