//! The state of one game, and what can be read of it.

use crate::clock;
use crate::fact::{BeaconStatus, BeaconTerms, ForcedCause, SealedAction};
use crate::label::{Division, GameVariant, SeasonId, Word};
use crate::limits;
use crate::seat::SeatState;
use crate::status::{TurnBrief, TurnStatus};
use crate::timing::Timing;
use crate::turn_log::TurnLog;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_games::{Game, GameResult, LegalMove, PlayerSet, Position, Viewer};
use hall_wire::roll::Seed;
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp, words};
use serde::{Deserialize, Serialize};

/// One game, live or ended.
#[derive(Clone, Debug)]
pub struct Room {
    pub(crate) state: RoomState,
    pub(crate) position: Box<dyn Position>,
    /// The rules that the game began under; `None` if this release does not have them, or if they refuse a move that
    /// was recorded. Then a live game is aborted.
    pub(crate) rules: Option<&'static dyn Game>,
}

/// A room without the position, which its game saves in its own format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoomState {
    pub(crate) id: GameId,
    pub(crate) variant: GameVariant,
    pub(crate) division: Division,
    pub(crate) season: SeasonId,
    pub(crate) ruleset_version: Word,
    pub(crate) timing: Timing,
    pub(crate) seed: Seed,
    pub(crate) commitment: Digest,
    pub(crate) beacon: Beacon,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) turn_index: u32,
    pub(crate) seats: Vec<SeatState>,
    pub(crate) draw_offer: Option<Player>,
    pub(crate) deferred: Option<DeferredPenalty>,
    pub(crate) result: Option<GameResult>,
    pub(crate) last: Option<TurnBrief>,
    pub(crate) turns: TurnLog,
    /// Hashes taken for random numbers in the current turn.
    #[serde(default, rename = "drawn")]
    pub(crate) hashes_taken: u32,
    /// Since when the turn cannot begin because the hall must act first and waits for the beacon's round.
    #[serde(default)]
    pub(crate) hall_waits_since: Option<Timestamp>,
    /// The last times in which the hall was away, the oldest first: each with its first and its last instant.
    #[serde(default)]
    pub(crate) gaps: Vec<(Timestamp, Timestamp)>,
    /// Facts so far.
    pub(crate) facts: u32,
    /// Spectator events so far.
    pub(crate) events: u32,
}

/// The beacon as far as this game is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beacon {
    pub(crate) terms: Option<BeaconTerms>,
    pub(crate) status: BeaconStatus,
    pub(crate) randomness: Option<Digest>,
    pub(crate) signature: Option<String>,
}

/// A penalty that waits for the beacon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeferredPenalty {
    /// The player whose turn it is.
    pub player: Player,
    /// Why a move is forced.
    pub cause: ForcedCause,
    /// When the wait began.
    pub since: Timestamp,
    /// The instant up to which the side clock will be charged.
    pub charged_until: Timestamp,
    /// The deadline in force before the wait.
    pub deadline: Option<Timestamp>,
}

words!(
    /// The phase of a game.
    Phase {
        /// Somebody is to move.
        Playing = "playing",
        /// A turn waits for the beacon's round.
        AwaitingBeacon = "awaiting_beacon",
        /// It is over.
        Ended = "ended",
    }
);

impl Room {
    /// The game's identifier.
    #[must_use]
    pub const fn id(&self) -> GameId {
        self.state.id
    }

    /// What is played.
    #[must_use]
    pub const fn variant(&self) -> GameVariant {
        self.state.variant
    }

    /// The division that the game counts for.
    #[must_use]
    pub const fn division(&self) -> Division {
        self.state.division
    }

    /// The season that the game counts for.
    #[must_use]
    pub const fn season(&self) -> &SeasonId {
        &self.state.season
    }

    /// The version of the rules that the game is played by.
    #[must_use]
    pub fn ruleset_version(&self) -> &str {
        self.state.ruleset_version.as_str()
    }

    /// The rules that it is played by; `None` if this release does not have them, or if they refuse a move that was
    /// recorded.
    #[must_use]
    pub const fn rules(&self) -> Option<&'static dyn Game> {
        self.rules
    }

    /// The clocks of the game.
    #[must_use]
    pub const fn timing(&self) -> Timing {
        self.state.timing
    }

    /// The public commitment to the seed.
    #[must_use]
    pub const fn commitment(&self) -> &Digest {
        &self.state.commitment
    }

    /// The seed once the game has ended, `None` before.
    #[must_use]
    pub fn revealed_seed(&self) -> Option<String> {
        self.state.result.as_ref().map(|_| self.state.seed.reveal())
    }

    /// Chain and round of the beacon, unless it is off.
    #[must_use]
    pub const fn beacon_terms(&self) -> Option<&BeaconTerms> {
        self.state.beacon.terms.as_ref()
    }

    /// The status of the game's beacon round.
    #[must_use]
    pub const fn beacon_status(&self) -> BeaconStatus {
        self.state.beacon.status
    }

    /// Randomness and signature of the verified round.
    #[must_use]
    pub fn beacon_round(&self) -> Option<(&Digest, &str)> {
        self.state.beacon.randomness.as_ref().zip(self.state.beacon.signature.as_deref())
    }

    /// When the game was formed.
    #[must_use]
    pub const fn started_at(&self) -> Timestamp {
        self.state.started_at
    }

    /// When it ended.
    #[must_use]
    pub const fn ended_at(&self) -> Option<Timestamp> {
        self.state.ended_at
    }

    /// The current turn: how many have been resolved.
    #[must_use]
    pub const fn turn_index(&self) -> u32 {
        self.state.turn_index
    }

    /// The seats in seat order.
    #[must_use]
    pub fn seats(&self) -> &[SeatState] {
        &self.state.seats
    }

    /// The state of the seat of `player`.
    #[must_use]
    pub fn seat(&self, player: Player) -> Option<&SeatState> {
        self.state.seats.get(player.index())
    }

    /// The player that `agent` is.
    #[must_use]
    pub fn player_of(&self, agent: &AgentId) -> Option<Player> {
        self.players().find(|player| self.seat(*player).is_some_and(|seat| seat.seat.agent == *agent))
    }

    /// The players in seat order.
    pub fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..u8::try_from(self.state.seats.len()).unwrap_or(u8::MAX)).map(Player::new)
    }

    /// The phase of the game, derived from its result and its waits.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        if self.state.result.is_some() {
            Phase::Ended
        } else if self.state.deferred.is_some() || self.state.hall_waits_since.is_some() {
            Phase::AwaitingBeacon
        } else {
            Phase::Playing
        }
    }

    /// Who must move now: nobody while the turn waits for the beacon and after the end.
    #[must_use]
    pub fn to_move(&self) -> PlayerSet {
        match self.phase() {
            Phase::Playing => {
                let has_acted = |player: &Player| self.sealed_by(*player).is_some();
                self.players().filter(has_acted).fold(self.position.to_move(), PlayerSet::without)
            }
            Phase::AwaitingBeacon | Phase::Ended => PlayerSet::EMPTY,
        }
    }

    /// What `player` did in the shared turn that is not resolved yet.
    #[must_use]
    pub fn sealed_by(&self, player: Player) -> Option<&SealedAction> {
        self.seat(player)?.sealed.as_deref()
    }

    /// Whether `player` has left the table: the hall acts in its place for the rest of the game.
    #[must_use]
    pub fn is_vacant(&self, player: Player) -> bool {
        self.seat(player).is_some_and(|seat| seat.vacancy.is_some())
    }

    /// The players who are still in the game: neither vacant nor out by the rules.
    #[must_use]
    pub fn seated(&self) -> PlayerSet {
        let present = self.players().filter(|player| !self.is_vacant(*player));
        let present = present.fold(PlayerSet::EMPTY, PlayerSet::with);
        self.position.eliminated().into_iter().fold(present, PlayerSet::without)
    }

    /// Whether several players to move share one turn, in which actions are sealed.
    #[must_use]
    pub fn is_simultaneous(&self) -> bool {
        self.rules.is_some_and(|rules| rules.describe().simultaneous)
    }

    /// Whether draws can be offered: at tables of two whose turns are not shared.
    #[must_use]
    pub fn has_draw_offers(&self) -> bool {
        self.seats().len() == 2 && !self.is_simultaneous()
    }

    /// The deadline of `player`, if it is to move.
    #[must_use]
    pub fn deadline_of(&self, player: Player) -> Option<Timestamp> {
        if self.phase() != Phase::Playing || !self.is_playable() {
            return None;
        }
        let seat = self.seat(player)?;
        seat.open.as_ref().map(|open| clock::deadline(open, seat.remaining))
    }

    /// Whether this release has rules for the game. A live game without is aborted as soon as the hall runs.
    #[must_use]
    pub const fn is_playable(&self) -> bool {
        self.rules.is_some()
    }

    /// The earliest deadline of those who are to move.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        self.players().filter_map(|player| self.deadline_of(player)).min()
    }

    /// The player whose draw offer stands, if there is one.
    #[must_use]
    pub const fn draw_offer(&self) -> Option<Player> {
        self.state.draw_offer
    }

    /// The result of an ended game.
    #[must_use]
    pub const fn result(&self) -> Option<&GameResult> {
        self.state.result.as_ref()
    }

    /// The last resolved turn, sealed parts included (to disclose it, see [`Room::brief_for`]).
    #[must_use]
    pub const fn last_turn(&self) -> Option<&TurnBrief> {
        self.state.last.as_ref()
    }

    /// Every resolved turn, sealed parts included (to disclose one, see [`Room::turn_for`]).
    #[must_use]
    pub const fn turns(&self) -> &TurnLog {
        &self.state.turns
    }

    /// How many facts the game has.
    #[must_use]
    pub const fn fact_count(&self) -> u32 {
        self.state.facts
    }

    /// The number of the last spectator event.
    #[must_use]
    pub const fn last_seq(&self) -> u32 {
        self.state.events
    }

    /// The position on the board.
    #[must_use]
    pub fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// The legal moves of `player`; non-empty exactly when it is to move.
    #[must_use]
    pub fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if self.to_move().contains(player) { self.position.legal_moves(player) } else { Vec::new() }
    }

    /// The notations of [`Room::legal_moves`] alone, in the same order.
    #[must_use]
    pub fn notations(&self, player: Player) -> Vec<Notation> {
        if self.to_move().contains(player) { self.position.notations(player) } else { Vec::new() }
    }

    /// Time left by seat if there are side clocks, the open turns not counted.
    #[must_use]
    pub fn clocks(&self) -> Option<Vec<Span>> {
        clock::remaining(&self.state.seats)
    }

    /// The board as text for `player`.
    #[must_use]
    pub fn board_text(&self, player: Player) -> String {
        let last = self.state.turns.last_move().map(|turn| self.turn_for(Some(player), &turn));
        let last_move = last.and_then(|turn| turn.player.zip(turn.notation));
        self.position.board_text(&Viewer {
            player,
            result: self.result(),
            to_move: self.to_move(),
            last_move,
        })
    }

    /// What a refusal tells `player`. `did_you_mean`, `legal_moves` and `applied` are the caller's to fill in.
    #[must_use]
    pub fn status(&self, player: Player) -> TurnStatus {
        let seat = self.seat(player);
        TurnStatus {
            game: self.id(),
            turn_index: self.turn_index(),
            to_move: self.to_move(),
            illegal_attempts: seat.map_or(0, |seat| seat.illegal_attempts),
            strikes: self.state.seats.iter().map(|seat| seat.strikes).collect(),
            last_move: self.state.last.map(|turn| self.brief_for(None, &turn)),
            your_last: self.last_of(player),
            result: self.state.result.clone(),
            did_you_mean: None,
            legal_moves: None,
            applied: None,
            deadline: self.deadline(),
        }
    }

    /// The last turn of `player`: what it did in the current shared turn, else the last one that is resolved.
    #[must_use]
    pub fn last_of(&self, player: Player) -> Option<TurnBrief> {
        let seat = self.seat(player)?;
        let sealed = seat.sealed.as_ref().map(|action| TurnBrief {
            turn_index: self.turn_index(),
            player: Some(player),
            notation: Some(action.notation),
            forced: action.forced,
            body_sha256: action.body.as_ref().map(|body| body.sha256),
        });
        sealed.or(seat.last)
    }

    /// When the hall must act in this room by itself: the first instant after the deadline, or the end of the wait for
    /// the beacon. If the wait is already over, that is immediately.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        if self.result().is_none() && !self.is_playable() {
            return Some(self.state.started_at);
        }
        match (self.phase(), &self.state.deferred) {
            (Phase::AwaitingBeacon, deferred) => {
                let since = deferred.map(|deferred| deferred.since).or(self.state.hall_waits_since)?;
                let waits = self.state.beacon.status == BeaconStatus::Waiting;
                Some(if waits { since + limits::BEACON_WAIT } else { since })
            }
            (Phase::Playing, _) => self.deadline().map(|deadline| deadline + Span::from_millis(1)),
            (Phase::Ended, _) => None,
        }
    }

    /// The beacon's randomness as rolls use it: empty unless a round was verified.
    pub(crate) fn randomness(&self) -> String {
        self.state.beacon.randomness.map_or_else(String::new, |randomness| randomness.to_string())
    }

    /// A copy on which to try out a decision. It has no past turns: no decision depends on them, and copying them
    /// would make a move cost more the longer the game is.
    pub(crate) fn to_try(&self) -> Self {
        let RoomState { season, beacon, seats, result, gaps, .. } = &self.state;
        let state = RoomState {
            season: season.clone(),
            beacon: beacon.clone(),
            seats: seats.clone(),
            result: result.clone(),
            turns: TurnLog::default(),
            gaps: gaps.clone(),
            ..self.state
        };
        Self { state, position: self.position.clone(), rules: self.rules }
    }

    /// Asserts what must always be true of a room.
    ///
    /// # Panics
    /// If it is not.
    pub fn check(&self) {
        let turns = self.state.turns.last().map_or(0, |turn| turn.turn_index + 1);
        assert_eq!(turns, self.state.turn_index, "history reaches up to the current turn");
        for player in self.players() {
            let Some(seat) = self.seat(player) else { continue };
            assert!(seat.illegal_attempts < limits::ILLEGAL_MOVES_TO_STRIKE || self.state.deferred.is_some());
            assert!(seat.strikes <= limits::STRIKES_TO_FORFEIT);
            if seat.strikes == limits::STRIKES_TO_FORFEIT {
                let forfeited = self.result().is_some_and(|result| !result.winners.contains(&player));
                assert!(forfeited || seat.vacancy.is_some(), "three strikes forfeit");
            }
            assert!(seat.sealed.is_none() || self.position.to_move().contains(player));
            assert!(seat.vacancy.is_none() || seat.open.is_none(), "nobody waits for a vacant seat");
            let to_move = self.to_move().contains(player);
            assert_eq!(to_move, !self.notations(player).is_empty(), "a player to move has a move");
            if self.phase() == Phase::Playing && self.is_playable() {
                assert_eq!(to_move, seat.open.is_some(), "a player has a clock exactly while it is to move");
            }
        }
        if self.result().is_none() {
            assert!(self.position.outcome().is_none(), "a decided position ends its game at once");
            assert!(self.due().is_some(), "a live game waits for somebody");
        }
        assert!(self.draw_offer().is_none_or(|player| self.seat(player).is_some()));
    }
}
