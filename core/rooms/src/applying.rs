//! How facts change the state of a room.

use crate::chance::RecordedChance;
use crate::clock;
use crate::fact::{OpenTurn, Resolution, RoomChange, RoomFact};
use crate::room::{DeferredPenalty, Room};
use crate::seat::{SeatState, Vacancy};
use crate::turn_log::ResolvedTurn;
use crate::unplayable::Unplayable;
use alloc::boxed::Box;
use hall_wire::Player;
use hall_wire::roll::RollHash;

impl Room {
    /// Applies a fact of this game.
    pub(crate) fn apply(&mut self, fact: &RoomFact) {
        if let RoomChange::MovePlayed(resolution) = &fact.change {
            self.play(resolution);
        } else if let RoomChange::NatureActed { rolls, .. } = &fact.change {
            let acted = self.position.act(&mut RecordedChance::of(rolls, false)).is_ok();
            self.require(acted);
        }
        self.note(fact);
    }

    /// Applies everything of a fact except its effect on the position.
    pub(crate) fn note(&mut self, fact: &RoomFact) {
        assert_eq!(fact.number, self.state.facts + 1, "the facts of a game are counted without a gap");
        self.state.facts = fact.number;
        if let Some(event) = &fact.event {
            self.state.events = event.seq;
        }
        match &fact.change {
            RoomChange::Started(_) => {}
            RoomChange::MovePlayed(resolution) => {
                let has_commentary = fact.event.as_ref().is_some_and(|event| event.commentary.is_some());
                self.resolve(resolution, has_commentary.then_some(fact.number));
            }
            RoomChange::IllegalAttempted { player, count, .. } => {
                self.with_seat(*player, |seat| seat.illegal_attempts = *count);
            }
            RoomChange::StrikeGiven { player, count, .. } => {
                self.with_seat(*player, |seat| seat.strikes = *count);
            }
            RoomChange::MoveSealed { player, action, turns, .. } => {
                self.state.hashes_taken += taken(&action.rolls);
                self.with_seat(*player, |seat| {
                    seat.open = None;
                    seat.illegal_attempts = 0;
                    seat.remaining = action.remaining;
                    seat.sealed = Some(Box::new(action.clone()));
                });
                self.go_on(turns);
            }
            RoomChange::NatureActed { rolls, turns, .. } => {
                self.state.hashes_taken += taken(rolls);
                self.go_on(turns);
            }
            RoomChange::HallDeferred { .. } => self.state.hall_waits_since = Some(fact.at),
            RoomChange::Shown { .. } => {}
            RoomChange::SeatVacated { turn_index, player, reason, body, left_at, charged_until } => {
                let order = self.state.seats.iter().filter(|seat| seat.vacancy.is_some()).count();
                let vacancy = Vacancy {
                    order: u8::try_from(order).unwrap_or(u8::MAX),
                    reason: reason.clone(),
                    turn_index: *turn_index,
                    left_at: *left_at,
                    charged_until: *charged_until,
                    body: body.clone(),
                };
                self.with_seat(*player, |seat| seat.vacancy = Some(Box::new(vacancy)));
            }
            RoomChange::DrawOffered { player, .. } => self.state.draw_offer = Some(*player),
            RoomChange::DrawDeclined { .. } => self.state.draw_offer = None,
            RoomChange::DeadlineExtended { turns, gap, .. } => {
                self.open(turns);
                clock::remember(&mut self.state.gaps, *gap);
            }
            RoomChange::PenaltyDeferred { player, cause, charged_until, .. } => {
                self.state.deferred = Some(DeferredPenalty {
                    player: *player,
                    cause: *cause,
                    since: fact.at,
                    charged_until: *charged_until,
                    deadline: self
                        .state
                        .deferred
                        .map_or_else(|| self.deadline_of(*player), |deferred| deferred.deadline),
                });
            }
            RoomChange::BeaconSettled { status, randomness, signature } => {
                self.state.beacon.status = *status;
                self.state.beacon.randomness = *randomness;
                self.state.beacon.signature.clone_from(signature);
            }
            RoomChange::Ended { result, resolution } => {
                if let Some(resolution) = resolution {
                    self.resolve(resolution, None);
                }
                self.state.result = Some(result.clone());
                self.state.ended_at = Some(fact.at);
                self.state.draw_offer = None;
                self.state.deferred = None;
                self.state.hall_waits_since = None;
                self.state.seats.iter_mut().for_each(|seat| (seat.open, seat.sealed) = (None, None));
            }
        }
    }

    fn play(&mut self, resolution: &Resolution) {
        if let (Some(player), Some(notation)) = (resolution.player, &resolution.notation) {
            let mut chance = RecordedChance::of(&resolution.rolls, resolution.chosen_at_random);
            let played = self.position.play(player, notation, &mut chance).is_ok();
            self.require(played);
        }
    }

    /// Gives up the rules if they do not allow what was recorded.
    fn require(&mut self, allowed: bool) {
        if !allowed {
            self.position = Box::new(Unplayable::after(&*self.position));
            self.rules = None;
        }
    }

    fn resolve(&mut self, resolution: &Resolution, commentary_in: Option<u32>) {
        let brief = resolution.brief();
        self.state.turns.push(&ResolvedTurn {
            turn_index: resolution.turn_index,
            player: resolution.player,
            notation: resolution.notation,
            san: resolution.san,
            at: resolution.at,
            forced: resolution.forced,
            commentary_in,
        });
        if self.state.turn_index == resolution.turn_index {
            self.state.hashes_taken = 0;
        }
        self.state.turn_index = resolution.turn_index + 1;
        self.state.last = Some(brief);
        self.state.deferred = None;
        self.state.hall_waits_since = None;
        for (seat, player) in self.state.seats.iter_mut().zip(0..).map(|(seat, n)| (seat, Player::new(n))) {
            seat.illegal_attempts = 0;
            seat.open = None;
            seat.sealed = None;
            if let Some(clocks) = &resolution.clocks {
                seat.remaining = clocks.get(player.index()).copied();
            }
            if resolution.player == Some(player) {
                seat.last = Some(brief);
            }
        }
        self.open(&resolution.turns);
    }

    /// Ends a wait of the hall, and starts clocks.
    fn go_on(&mut self, turns: &[OpenTurn]) {
        self.state.hall_waits_since = None;
        self.state.deferred = None;
        self.open(turns);
    }

    pub(crate) fn open(&mut self, turns: &[OpenTurn]) {
        for turn in turns {
            self.with_seat(turn.player, |seat| seat.open = Some(*turn));
        }
    }

    fn with_seat(&mut self, player: Player, change: impl FnOnce(&mut SeatState)) {
        if let Some(seat) = self.state.seats.get_mut(player.index()) {
            change(seat);
        }
    }
}

/// How many hashes rolls have taken.
fn taken(rolls: &[RollHash]) -> u32 {
    u32::try_from(rolls.len()).unwrap_or(u32::MAX)
}
