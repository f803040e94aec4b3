//! A game as the observed facts tell it.

use crate::reference::{GameModel, Offered, open_position};
use hall_core::rooms::ForcedCause;
use hall_core::rooms::{BeaconStatus, OpenTurn, Resolution, RoomChange, RoomFact, Started};
use hall_games::{Chance, GameResult};
use hall_wire::draw::RandomDraw;
use hall_wire::{AgentId, Digest, GameId, Player, Span, Timestamp};
use std::collections::BTreeSet;

/// A game, recounted.
#[derive(Clone, Debug)]
pub(in crate::oracles) struct Game {
    pub(in crate::oracles) id: GameId,
    pub(in crate::oracles) terms: Started,
    /// The position by the reference's model of the game.
    pub(in crate::oracles) position: Box<dyn GameModel>,
    pub(in crate::oracles) turn: u32,
    pub(in crate::oracles) open: Option<OpenTurn>,
    /// When the hall was away in the open turn: the first and the last instants.
    pub(in crate::oracles) gaps: Vec<(Timestamp, Timestamp)>,
    pub(in crate::oracles) left: [Option<Span>; 2],
    pub(in crate::oracles) strikes: [u8; 2],
    pub(in crate::oracles) struck_in: BTreeSet<(u32, Player)>,
    pub(in crate::oracles) illegal: [u8; 2],
    /// The stamp of the last illegal attempt.
    pub(in crate::oracles) attempted_at: Option<Timestamp>,
    /// Who offers a draw, with the move of which turn.
    pub(in crate::oracles) offer: Option<(Player, u32)>,
    pub(in crate::oracles) deferred: Option<DeferredPenalty>,
    pub(in crate::oracles) beacon: BeaconStatus,
    pub(in crate::oracles) randomness: Option<Digest>,
    pub(in crate::oracles) result: Option<GameResult>,
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

/// The numbers that a turn drew.
struct Recorded<'a>(std::slice::Iter<'a, RandomDraw>);

impl Chance for Recorded<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        self.0.by_ref().filter(|draw| draw.n == n).find_map(|draw| draw.value)
    }
}

/// The other player of two.
pub(in crate::oracles) const fn other(player: Player) -> Player {
    Player::new(1 - if player.seat() > 1 { 1 } else { player.seat() })
}

impl Game {
    pub(in crate::oracles) fn begin(fact: &RoomFact, terms: &Started, offered: Offered) -> Self {
        let waiting = terms.beacon.is_some();
        Self {
            id: fact.game,
            terms: terms.clone(),
            position: open_position(offered, terms),
            turn: 0,
            open: terms.turns.first().copied(),
            gaps: Vec::new(),
            left: [terms.timing.side_time; 2],
            strikes: [0; 2],
            struck_in: BTreeSet::new(),
            illegal: [0; 2],
            attempted_at: None,
            offer: None,
            deferred: None,
            beacon: if waiting { BeaconStatus::Waiting } else { BeaconStatus::Off },
            randomness: None,
            result: None,
            facts: fact.number,
            events: fact.event.as_ref().map_or(0, |event| event.seq),
        }
    }

    pub(in crate::oracles) const fn is_live(&self) -> bool {
        self.result.is_none()
    }

    /// Who is to move, unless the game is over or a penalty waits.
    pub(in crate::oracles) fn mover(&self) -> Option<Player> {
        self.position.to_move().iter().next().filter(|_| self.is_live() && self.deferred.is_none())
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

    /// When the side clock of the player to move runs out.
    pub(in crate::oracles) fn side_deadline(&self, open: &OpenTurn) -> Option<Timestamp> {
        self.left_of(open.player).map(|left| open.started_at + open.credit + left)
    }

    /// The deadline of the open turn, unless a penalty waits.
    pub(in crate::oracles) fn deadline(&self) -> Option<Timestamp> {
        let open = self.open.filter(|_| self.is_live() && self.deferred.is_none())?;
        Some(self.side_deadline(&open).map_or(open.move_deadline, |side| side.min(open.move_deadline)))
    }

    /// When the hall must act here by itself.
    pub(in crate::oracles) fn due(&self) -> Option<Timestamp> {
        match self.deferred.filter(|_| self.is_live()) {
            Some(deferred) if self.beacon == BeaconStatus::Waiting => {
                Some(deferred.since + Span::from_secs(10))
            }
            Some(deferred) => Some(deferred.since),
            None => self.deadline().map(|deadline| deadline + Span::from_millis(1)),
        }
    }

    pub(in crate::oracles) fn apply(&mut self, fact: &RoomFact) {
        self.facts = fact.number;
        if let Some(event) = &fact.event {
            self.events = event.seq;
        }
        match &fact.change {
            RoomChange::Started(_) => {}
            RoomChange::MovePlayed(resolution) => {
                if let (Some(player), Some(notation)) = (resolution.player, &resolution.notation) {
                    let mut chance = Recorded(resolution.draws.iter());
                    let _ = self.position.play(player, notation, &mut chance);
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
            RoomChange::DrawOffered { player, turn_index } => self.offer = Some((*player, *turn_index)),
            RoomChange::DrawDeclined { .. } => self.offer = None,
            RoomChange::DeadlineExtended { turns, gap, .. } => {
                self.open = turns.first().copied();
                self.gaps.extend(gap);
            }
            RoomChange::PenaltyDeferred { charged_until, .. } => {
                let deadline = self.deferred.map_or_else(|| self.deadline(), |deferred| deferred.deadline);
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
                (self.offer, self.open, self.deferred) = (None, None, None);
            }
        }
    }

    /// What the resolving turn leaves on its player's clock.
    pub(in crate::oracles) fn charged(&self, player: Player, until: Timestamp) -> [Option<Span>; 2] {
        let mut left = self.left;
        if let (Some(open), Some(Some(own))) = (self.open, left.get_mut(player.index())) {
            let began = open.started_at;
            let away = |(from, back): &(Timestamp, Timestamp)| (*back).min(until).since((*from).max(began));
            let away = self.gaps.iter().map(|gap| away(gap).as_millis()).sum();
            *own = own.saturating_sub(until.since(began).saturating_sub(Span::from_millis(away)));
        }
        left
    }

    fn resolve(&mut self, resolution: &Resolution) {
        if let Some(player) = resolution.player {
            let until = self.charged_until(resolution);
            self.left = self.charged(player, until);
        }
        self.turn = self.turn.saturating_add(1);
        self.illegal = [0; 2];
        self.deferred = None;
        self.open = resolution.turns.first().copied();
        self.gaps.clear();
    }

    /// To what the turn is charged: the stamp of who moved, or the deadline that was missed.
    pub(in crate::oracles) fn charged_until(&self, resolution: &Resolution) -> Timestamp {
        match (self.deferred, resolution.forced) {
            (Some(deferred), Some(_)) => deferred.charged_until,
            (None, Some(ForcedCause::Deadline)) => self.deadline().unwrap_or(resolution.at),
            // The third illegal move is charged to its own stamp, which the attempt holds.
            (None, Some(ForcedCause::IllegalMoves)) => self.attempted_at.unwrap_or(resolution.at),
            (_, None) => resolution.at,
        }
    }
}
