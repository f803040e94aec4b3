//! How facts change the state of a room.

use crate::chance::RecordedChance;
use crate::clock;
use crate::fact::{ForcedCause, OpenTurn, Resolution, RoomChange, RoomFact, SealedAction};
use crate::room::{DeferredPenalty, Room};
use crate::seat::{SeatState, Vacancy};
use crate::turn_log::ResolvedTurn;
use crate::unplayable::Unplayable;
use alloc::boxed::Box;
use hall_games::GameResult;
use hall_wire::roll::RollHash;
use hall_wire::{Player, Timestamp};

impl Room {
    /// Applies a fact of this game.
    pub(crate) fn apply(&mut self, fact: &RoomFact) {
        let allowed = if let RoomChange::MovePlayed(resolution) = &fact.change {
            self.play(resolution)
        } else if let RoomChange::NatureActed { rolls, .. } = &fact.change {
            self.position.act(&mut RecordedChance::of(rolls, false)).is_ok()
        } else {
            true
        };
        if !allowed {
            self.give_up_rules();
        }
        self.apply_to_state(fact);
    }

    /// Plays a recorded move; whether the rules allow it.
    fn play(&mut self, resolution: &Resolution) -> bool {
        let (Some(player), Some(notation)) = (resolution.player, &resolution.notation) else { return true };
        let mut chance = RecordedChance::of(&resolution.rolls, resolution.chosen_at_random);
        self.position.play(player, notation, &mut chance).is_ok()
    }

    /// The rules do not allow what was recorded.
    fn give_up_rules(&mut self) {
        self.position = Box::new(Unplayable::after(&*self.position));
        self.rules = None;
    }

    /// Applies everything of a fact except its effect on the position.
    pub(crate) fn apply_to_state(&mut self, fact: &RoomFact) {
        assert_eq!(fact.number, self.state.facts + 1, "the facts of a game are counted without a gap");
        self.state.facts = fact.number;
        if let Some(event) = &fact.event {
            self.state.events = event.seq;
        }
        match &fact.change {
            RoomChange::Started(_) | RoomChange::Shown { .. } => {}
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
                self.seal(*player, action);
                self.go_on(turns);
            }
            RoomChange::NatureActed { rolls, turns, .. } => {
                self.state.hashes_taken += taken(rolls);
                self.go_on(turns);
            }
            RoomChange::HallDeferred { .. } => self.state.hall_waits_since = Some(fact.at),
            RoomChange::SeatVacated { turn_index, player, reason, body, left_at, charged_until } => {
                let vacancy = Vacancy {
                    order: self.vacancies(),
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
                self.defer(*player, *cause, fact.at, *charged_until);
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
                self.end(result, fact.at);
            }
        }
    }

    fn seal(&mut self, player: Player, action: &SealedAction) {
        self.with_seat(player, |seat| {
            seat.open = None;
            seat.illegal_attempts = 0;
            seat.remaining = action.remaining;
            seat.sealed = Some(Box::new(action.clone()));
        });
    }

    /// How many seats are vacant.
    fn vacancies(&self) -> u8 {
        let vacant = self.state.seats.iter().filter(|seat| seat.vacancy.is_some()).count();
        u8::try_from(vacant).unwrap_or(u8::MAX)
    }

    /// A penalty that was deferred before keeps its deadline.
    fn defer(&mut self, player: Player, cause: ForcedCause, since: Timestamp, charged_until: Timestamp) {
        let before = self.state.deferred.map(|deferred| deferred.deadline);
        let deadline = before.unwrap_or_else(|| self.deadline_of(player));
        self.state.deferred = Some(DeferredPenalty { player, cause, since, charged_until, deadline });
    }

    fn end(&mut self, result: &GameResult, at: Timestamp) {
        self.state.result = Some(result.clone());
        self.state.ended_at = Some(at);
        self.state.draw_offer = None;
        self.state.deferred = None;
        self.state.hall_waits_since = None;
        self.state.seats.iter_mut().for_each(|seat| (seat.open, seat.sealed) = (None, None));
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
