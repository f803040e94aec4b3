//! A game, reconstructed from the observed facts.

use super::tally::Tally;
use crate::reference::{GameModel, Offered, open_position};
use hall_core::rooms::{
    BeaconStatus, ForcedCause, OpenTurn, Resolution, RoomChange, RoomFact, SealedAction, Started, TurnBrief,
};
use hall_core::{Choice, MoveSubmission};
use hall_games::{Chance, GameResult, PlayerSet, Reason, Refused};
use hall_wire::roll::RollHash;
use hall_wire::{AgentId, Digest, GameId, Player, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// A game, recounted.
#[derive(Clone, Debug)]
pub(in crate::oracles) struct Game {
    pub(in crate::oracles) id: GameId,
    pub(in crate::oracles) terms: Started,
    /// The position by the reference's model of the game.
    pub(in crate::oracles) position: Box<dyn GameModel>,
    /// Cards, dice and points, counted without the game's rules.
    pub(in crate::oracles) tally: Tally,
    pub(in crate::oracles) turn: u32,
    /// The turns of those who are to move, in the order of their seats.
    pub(in crate::oracles) open: Vec<OpenTurn>,
    /// Those that were open before the last move.
    pub(in crate::oracles) open_before: Vec<OpenTurn>,
    /// When the hall was away in an open turn: the first and the last instants.
    pub(in crate::oracles) gaps: Vec<(Timestamp, Timestamp)>,
    /// What is left on the clock of each side.
    pub(in crate::oracles) left: Vec<Option<Span>>,
    pub(in crate::oracles) strikes: Vec<u8>,
    pub(in crate::oracles) struck_in: BTreeSet<(u32, Player)>,
    pub(in crate::oracles) illegal: Vec<u8>,
    /// The stamp of the last illegal attempt.
    pub(in crate::oracles) attempted_at: Option<Timestamp>,
    /// Who offers a draw, with the move of which turn.
    pub(in crate::oracles) offer: Option<(Player, u32)>,
    pub(in crate::oracles) deferred: Option<DeferredPenalty>,
    /// Since when the hall waits for the beacon before it can act.
    pub(in crate::oracles) waits_since: Option<Timestamp>,
    /// Hashes taken for random numbers in the current turn.
    pub(in crate::oracles) hashes_taken: u32,
    /// What was done in the shared turn that is not resolved yet.
    pub(in crate::oracles) sealed: BTreeMap<Player, SealedAction>,
    /// The vacant seats, in the order in which they were vacated.
    pub(in crate::oracles) vacant: Vec<Vacated>,
    pub(in crate::oracles) beacon: BeaconStatus,
    pub(in crate::oracles) randomness: Option<Digest>,
    pub(in crate::oracles) result: Option<GameResult>,
    /// The last resolved turn of each player.
    pub(in crate::oracles) last_turns: Vec<TurnBrief>,
    pub(in crate::oracles) facts: u32,
    pub(in crate::oracles) events: u32,
}

/// A penalty that waits for the beacon.
#[derive(Clone, Copy, Debug)]
pub(in crate::oracles) struct DeferredPenalty {
    pub(in crate::oracles) since: Timestamp,
    pub(in crate::oracles) charged_until: Timestamp,
    pub(in crate::oracles) deadline: Option<Timestamp>,
}

/// A seat that a player has left.
#[derive(Clone, Debug)]
pub(in crate::oracles) struct Vacated {
    pub(in crate::oracles) player: Player,
    pub(in crate::oracles) turn: u32,
    pub(in crate::oracles) reason: Reason,
    pub(in crate::oracles) left_at: Timestamp,
    pub(in crate::oracles) charged_until: Timestamp,
    pub(in crate::oracles) is_signed: bool,
}

/// The numbers that a turn drew for the game, after those that chose the move.
#[derive(Clone, Default)]
pub(in crate::oracles) struct Recorded<'a>(std::slice::Iter<'a, RollHash>);

impl<'a> Recorded<'a> {
    pub(in crate::oracles) fn of(resolution: &'a Resolution) -> Self {
        let mut rolls = resolution.rolls.iter();
        if resolution.chosen_at_random {
            rolls.find(|roll| roll.value.is_some());
        }
        Self(rolls)
    }

    /// The numbers of an act of nature.
    pub(in crate::oracles) fn all(rolls: &'a [RollHash]) -> Self {
        Self(rolls.iter())
    }

    pub(in crate::oracles) fn is_used_up(&self) -> bool {
        self.0.len() == 0
    }
}

impl Chance for Recorded<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        let found = self.0.find(|roll| roll.value.is_some())?;
        found.value.filter(|_| found.n == n)
    }
}

/// The earlier of the two clocks of a turn.
pub(in crate::oracles) fn earlier(open: &OpenTurn, left: Option<Span>) -> Timestamp {
    let side = left.map(|left| open.started_at + open.credit + left);
    side.map_or(open.move_deadline, |side| side.min(open.move_deadline))
}

impl Game {
    pub(in crate::oracles) fn begin(fact: &RoomFact, terms: &Started, offered: Offered) -> Self {
        let (waiting, seats) = (terms.beacon.is_some(), terms.seats.len());
        Self {
            id: fact.game,
            terms: terms.clone(),
            position: open_position(offered, terms),
            tally: Tally::begin(terms),
            turn: 0,
            open: terms.turns.clone(),
            open_before: Vec::new(),
            gaps: Vec::new(),
            left: vec![terms.timing.side_time; seats],
            strikes: vec![0; seats],
            struck_in: BTreeSet::new(),
            illegal: vec![0; seats],
            attempted_at: None,
            offer: None,
            deferred: None,
            waits_since: None,
            hashes_taken: 0,
            sealed: BTreeMap::new(),
            vacant: Vec::new(),
            beacon: if waiting { BeaconStatus::Waiting } else { BeaconStatus::Off },
            randomness: None,
            result: None,
            last_turns: Vec::new(),
            facts: fact.number,
            events: fact.event.as_ref().map_or(0, |event| event.seq),
        }
    }

    pub(in crate::oracles) const fn is_live(&self) -> bool {
        self.result.is_none()
    }

    /// Whether the turn waits for the beacon: a penalty, or what the hall must do before it can begin.
    pub(in crate::oracles) const fn is_waiting(&self) -> bool {
        self.deferred.is_some() || self.waits_since.is_some()
    }

    /// Whether a player is to move; nobody is if the game is over or the turn waits for the beacon.
    pub(in crate::oracles) fn is_to_move(&self, player: Player) -> bool {
        self.is_live() && !self.is_waiting() && self.unsealed().contains(player)
    }

    /// Those whose move the turn needs and who have not made it.
    pub(in crate::oracles) fn unsealed(&self) -> PlayerSet {
        self.position.to_move().iter().filter(|player| !self.sealed.contains_key(player)).collect()
    }

    pub(in crate::oracles) fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..u8::try_from(self.terms.seats.len()).unwrap_or(u8::MAX)).map(Player::new)
    }

    /// The seat of a player, if it has left it.
    pub(in crate::oracles) fn vacated(&self, player: Player) -> Option<&Vacated> {
        self.vacant.iter().find(|vacant| vacant.player == player)
    }

    /// The players whose seats are neither vacant nor out by the rules.
    pub(in crate::oracles) fn seated(&self) -> PlayerSet {
        let out = self.position.eliminated();
        self.players().filter(|player| self.vacated(*player).is_none() && !out.contains(player)).collect()
    }

    /// Whether the others play on when a player leaves.
    pub(in crate::oracles) fn plays_on(&self) -> bool {
        self.terms.seats.len() > 2 && self.position.plays_on()
    }

    /// Whether a move needs a number that cannot be taken yet.
    pub(in crate::oracles) fn needs_chance(&self, player: Player, asked: &MoveSubmission) -> bool {
        let named = match asked.choice {
            Some(Choice::Notation(notation)) => Some(notation),
            Some(Choice::Index(index)) => usize::try_from(index)
                .ok()
                .and_then(|place| self.position.notations(player).get(place).copied()),
            Some(Choice::Unparsable) | None => None,
        };
        let refused = |named| self.position.clone().play(player, &named, &mut Recorded::default());
        self.beacon == BeaconStatus::Waiting && named.map(refused) == Some(Err(Refused::NeedsChance))
    }

    /// Whether a result is that of a forfeit: everybody who is still in wins but the loser.
    pub(in crate::oracles) fn is_lost_by(&self, loser: Player, result: &GameResult) -> bool {
        let still_in = if self.plays_on() { self.seated() } else { self.players().collect() };
        still_in.without(loser).iter().eq(result.winners.iter().copied()) && !result.draw
    }

    pub(in crate::oracles) fn player_of(&self, agent: &AgentId) -> Option<Player> {
        (0..).zip(&self.terms.seats).find(|(_, seat)| seat.agent == *agent).map(|(seat, _)| Player::new(seat))
    }

    pub(in crate::oracles) fn agent(&self, player: Player) -> Option<AgentId> {
        self.terms.seats.get(player.index()).map(|seat| seat.agent)
    }

    pub(in crate::oracles) fn strikes_of(&self, player: Player) -> u8 {
        self.strikes.get(player.index()).copied().unwrap_or(0)
    }

    pub(in crate::oracles) fn illegal_of(&self, player: Player) -> u8 {
        self.illegal.get(player.index()).copied().unwrap_or(0)
    }

    pub(in crate::oracles) fn left_of(&self, player: Player) -> Option<Span> {
        self.left.get(player.index()).copied().flatten()
    }

    /// When the side clock of an open turn runs out.
    pub(in crate::oracles) fn side_deadline(&self, open: &OpenTurn) -> Option<Timestamp> {
        self.left_of(open.player).map(|left| open.started_at + open.credit + left)
    }

    /// The turn that a player has to make, also while a penalty waits.
    pub(in crate::oracles) fn open_turn(&self, player: Player) -> Option<OpenTurn> {
        self.open.iter().find(|open| open.player == player).copied()
    }

    /// The deadlines of the open turns, unless the turn waits for the beacon.
    pub(in crate::oracles) fn deadlines(&self) -> impl Iterator<Item = (Player, Timestamp)> {
        let open = self.open.iter().filter(|_| self.is_live() && !self.is_waiting());
        open.map(|open| (open.player, earlier(open, self.left_of(open.player))))
    }

    /// The deadline of a player who is to move.
    pub(in crate::oracles) fn deadline_of(&self, player: Player) -> Option<Timestamp> {
        self.deadlines().find(|(known, _)| *known == player).map(|(_, deadline)| deadline)
    }

    /// The first deadline.
    pub(in crate::oracles) fn deadline(&self) -> Option<Timestamp> {
        self.deadlines().map(|(_, deadline)| deadline).min()
    }

    /// When the hall must act here by itself.
    pub(in crate::oracles) fn due(&self) -> Option<Timestamp> {
        let since = self.deferred.map(|deferred| deferred.since).or(self.waits_since);
        match since.filter(|_| self.is_live()) {
            Some(since) if self.beacon == BeaconStatus::Waiting => Some(since + Span::from_secs(10)),
            Some(since) => Some(since),
            None => self.deadline().map(|deadline| deadline + Span::from_millis(1)),
        }
    }

    pub(in crate::oracles) fn apply(&mut self, fact: &RoomFact) {
        self.facts = fact.number;
        if let Some(event) = &fact.event {
            self.events = event.seq;
        }
        self.tally.apply(fact);
        match &fact.change {
            RoomChange::Started(_) => {}
            RoomChange::MovePlayed(resolution) => {
                if let (Some(player), Some(notation)) = (resolution.player, &resolution.notation) {
                    let _ = self.position.play(player, notation, &mut Recorded::of(resolution));
                }
                self.resolve(resolution);
            }
            RoomChange::IllegalAttempted { player, count, attempt, .. } => {
                self.attempted_at = Some(attempt.at);
                if let Some(known) = self.illegal.get_mut(player.index()) {
                    *known = *count;
                }
            }
            RoomChange::StrikeGiven { player, turn_index, .. } => {
                self.struck_in.insert((*turn_index, *player));
                if let Some(known) = self.strikes.get_mut(player.index()) {
                    *known = known.saturating_add(1);
                }
            }
            RoomChange::MoveSealed { player, action, turns, .. } => self.seal(*player, action, turns),
            RoomChange::NatureActed { rolls, turns, .. } => {
                let _ = self.position.act(&mut Recorded::all(rolls));
                self.hashes_taken = self.hashes_taken.saturating_add(taken(rolls));
                self.waits_since = None;
                self.open.clone_from(turns);
            }
            RoomChange::HallDeferred { .. } => self.waits_since = Some(fact.at),
            RoomChange::Shown { .. } => {}
            RoomChange::SeatVacated { turn_index, player, reason, body, left_at, charged_until } => {
                self.vacant.push(Vacated {
                    player: *player,
                    turn: *turn_index,
                    reason: reason.clone(),
                    left_at: *left_at,
                    charged_until: *charged_until,
                    is_signed: body.is_some(),
                });
            }
            RoomChange::DrawOffered { player, turn_index } => self.offer = Some((*player, *turn_index)),
            RoomChange::DrawDeclined { .. } => self.offer = None,
            RoomChange::DeadlineExtended { turns, gap, .. } => {
                self.open.clone_from(turns);
                self.gaps.extend(gap);
            }
            RoomChange::PenaltyDeferred { player, charged_until, .. } => {
                let deadline =
                    self.deferred.map_or_else(|| self.deadline_of(*player), |deferred| deferred.deadline);
                self.deferred =
                    Some(DeferredPenalty { since: fact.at, charged_until: *charged_until, deadline });
            }
            RoomChange::BeaconSettled { status, randomness, .. } => {
                (self.beacon, self.randomness) = (*status, *randomness);
            }
            RoomChange::Ended { result, resolution } => {
                if let Some(resolution) = resolution {
                    self.resolve(resolution);
                }
                self.result = Some(result.clone());
                (self.offer, self.open, self.deferred, self.waits_since) = (None, Vec::new(), None, None);
                self.sealed.clear();
            }
        }
    }

    /// What the resolving turn leaves on its player's clock.
    pub(in crate::oracles) fn charged(&self, player: Player, until: Timestamp) -> Vec<Option<Span>> {
        let mut left = self.left.clone();
        if let (Some(open), Some(Some(own))) = (self.open_turn(player), left.get_mut(player.index())) {
            let began = open.started_at;
            let away = |(from, back): &(Timestamp, Timestamp)| (*back).min(until).since((*from).max(began));
            let away = self.gaps.iter().map(|gap| away(gap).as_millis()).sum();
            *own = own.saturating_sub(until.since(began).saturating_sub(Span::from_millis(away)));
        }
        left
    }

    /// What a player did in a shared turn: its own clock stops.
    fn seal(&mut self, player: Player, action: &SealedAction, turns: &[OpenTurn]) {
        if let (Some(left), Some(remaining)) = (self.left.get_mut(player.index()), action.remaining) {
            *left = Some(remaining);
        }
        self.hashes_taken = self.hashes_taken.saturating_add(taken(&action.rolls));
        self.illegal.get_mut(player.index()).into_iter().for_each(|count| *count = 0);
        self.open.retain(|open| open.player != player);
        if !turns.is_empty() {
            self.open = turns.to_vec();
        }
        (self.waits_since, self.deferred) = (None, None);
        self.sealed.insert(player, action.clone());
    }

    fn resolve(&mut self, resolution: &Resolution) {
        if let Some(player) = resolution.player {
            let until = self.charged_until(resolution);
            self.left = self.charged(player, until);
        }
        self.last_turns.retain(|last| last.player != resolution.player);
        self.last_turns.push(TurnBrief {
            turn_index: resolution.turn_index,
            player: resolution.player,
            notation: resolution.notation,
            forced: resolution.forced,
            body_sha256: resolution.body.as_ref().map(|body| body.sha256),
        });
        // A shared turn is over when the last of what was sealed in it is told; it has an entry for each player.
        resolution.player.map(|player| self.sealed.remove(&player));
        if !self.sealed.is_empty() && resolution.notation.is_some() {
            return;
        }
        self.turn = self.turn.saturating_add(1);
        self.illegal.fill(0);
        (self.deferred, self.waits_since, self.hashes_taken) = (None, None, 0);
        self.open_before = std::mem::replace(&mut self.open, resolution.turns.clone());
        let first = self.open.iter().map(|open| open.started_at).min();
        self.gaps.retain(|(_, until)| first.is_some_and(|first| *until > first));
    }

    /// To what the turn is charged: the stamp of who moved, or the deadline that was missed.
    pub(in crate::oracles) fn charged_until(&self, resolution: &Resolution) -> Timestamp {
        match (self.deferred, resolution.forced) {
            (Some(deferred), Some(_)) => deferred.charged_until,
            (None, Some(ForcedCause::Deadline)) => {
                resolution.player.and_then(|player| self.deadline_of(player)).unwrap_or(resolution.at)
            }
            // The third illegal move is charged to its own stamp, which the attempt holds.
            (None, Some(ForcedCause::IllegalMoves)) => self.attempted_at.unwrap_or(resolution.at),
            // The turn in which a player left is charged up to when it left.
            (None, Some(ForcedCause::Vacated)) => {
                let vacated = resolution.player.and_then(|player| self.vacated(player));
                let own = vacated.filter(|vacated| vacated.turn == resolution.turn_index);
                own.map_or(resolution.at, |own| own.charged_until)
            }
            (_, None) => resolution.at,
        }
    }
}

/// How many hashes rolls have taken.
fn taken(rolls: &[RollHash]) -> u32 {
    u32::try_from(rolls.len()).unwrap_or(u32::MAX)
}
