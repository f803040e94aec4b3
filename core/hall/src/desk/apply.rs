//! Applying facts to the desk.

use crate::desk::command::Withheld;
use crate::desk::entries::Entry;
use crate::desk::fact::{DeskFact, GovernanceFact};
use crate::desk::lobby::Lobby;
use crate::desk::registry::Agent;
use crate::desk::seated::Seated;
use crate::desk::shared::Shared;
use crate::desk::state::Desk;
use crate::fact::{Fact, HallFact};
use alloc::vec::Vec;
use hall_rooms::{RoomChange, RoomFact, Started};
use hall_wire::{AgentId, GameId, Player};

impl Desk {
    /// Applies a fact. Facts that do not concern the desk change nothing.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::Room(fact) => self.apply_room(fact),
            Fact::Desk(fact) => self.apply_own(fact),
            Fact::Doorbell(fact) => self.doorbells.apply(fact),
            Fact::Governance(fact) => self.apply_governance(fact),
            Fact::Hall(HallFact::GameArchived { game, .. }) => self.forget_game(game),
            Fact::Hall(_) => {}
        }
    }

    fn apply_own(&mut self, fact: &DeskFact) {
        match fact {
            DeskFact::AgentRegistered { .. } => self.apply_registered(fact),
            DeskFact::HomologationFiled { .. } => self.apply_filed(fact),
            DeskFact::LobbyJoined { at, agent, lobby } => {
                if let Some(operator) = self.registry.find(agent).map(|agent| agent.operator) {
                    self.lobbies.join(*agent, operator, *lobby);
                    self.activities.count_join(*agent, *at);
                }
            }
            DeskFact::LobbyLeft { agent, lobby, .. } => self.take_out(agent, *lobby),
            DeskFact::LobbiesSwept { at } => self.last_sweep = *at,
            DeskFact::GameRated { variant, seats, .. } => {
                for seat in seats {
                    self.entries.rate(&seat.homologation, *variant, seat.rating);
                }
            }
            DeskFact::FeedbackPosted { at, id, agent, .. } => {
                self.last_feedback = *id.as_bytes();
                self.activities.count_post(*agent, *at);
            }
        }
    }

    fn apply_governance(&mut self, fact: &GovernanceFact) {
        match fact {
            GovernanceFact::SeasonOpened { at, season } => self.seasons.add(season.clone(), *at),
            GovernanceFact::SeasonClosed { at, season } => {
                self.seasons.close(season, *at);
                self.lobbies.clear();
            }
            GovernanceFact::DocketEntered { entry, .. } => self.docket_len = entry.id,
            GovernanceFact::AgentSuspended { agent, .. } => self.registry.set_agent_suspended(*agent, true),
            GovernanceFact::AgentRestored { agent, .. } => self.registry.set_agent_suspended(*agent, false),
            GovernanceFact::OperatorSuspended { operator, .. } => {
                self.registry.set_operator_suspended(operator, true);
                let waiting: Vec<_> = self.lobbies.of_operator(operator).collect();
                for (lobby, agent) in waiting {
                    self.take_out(&agent, lobby);
                }
            }
            GovernanceFact::OperatorRestored { operator, .. } => {
                self.registry.set_operator_suspended(operator, false);
            }
            GovernanceFact::TextWithheld { what, .. } => {
                self.withheld.insert(*what);
                if let Withheld::Agent(agent) = what {
                    self.registry.forget_operator_name(agent);
                }
            }
        }
    }

    fn apply_registered(&mut self, fact: &DeskFact) {
        let DeskFact::AgentRegistered {
            at,
            agent,
            handle,
            key,
            operator,
            operator_name,
            model_id,
            adapter_kind,
            ..
        } = fact
        else {
            return;
        };
        let agent = Agent {
            id: *agent,
            handle: handle.clone(),
            key: *key,
            operator: *operator,
            model_id: model_id.as_str().into(),
            adapter_kind: *adapter_kind,
            created_at: *at,
        };
        self.registry.register(agent, operator_name.as_deref());
    }

    fn apply_filed(&mut self, fact: &DeskFact) {
        let DeskFact::HomologationFiled { at, id, agent, season, filing, hash, .. } = fact else { return };
        let Some(season) = self.seasons.find(season) else { return };
        self.entries.file(Entry::new(*id, *agent, season, filing, *hash, *at));
    }

    fn apply_room(&mut self, fact: &RoomFact) {
        match &fact.change {
            RoomChange::Started(started) => self.apply_started(fact.game, started),
            RoomChange::Ended { .. } => {
                self.close_rings(&fact.game, None);
                self.apply_ended(&fact.game);
            }
            RoomChange::MovePlayed(resolution) => self.close_rings(&fact.game, Some(resolution.turn_index)),
            RoomChange::MoveSealed { turn_index, player, .. } => {
                self.close_ring(&fact.game, *player, *turn_index);
            }
            RoomChange::IllegalAttempted { .. }
            | RoomChange::NatureActed { .. }
            | RoomChange::HallDeferred { .. }
            | RoomChange::Shown { .. }
            | RoomChange::SeatVacated { .. }
            | RoomChange::StrikeGiven { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
    }

    /// A game takes its agents out of the lobby that it was formed in.
    fn apply_started(&mut self, game: GameId, started: &Started) {
        let lobby = Lobby { variant: started.variant, division: started.division };
        for (seat, place) in started.seats.iter().zip(0_u8..) {
            self.take_out(&seat.agent, lobby);
            self.activities.begin_game(seat.agent, game);
            self.entries.begin_game(&seat.homologation);
            if place == 0 {
                self.activities.count_first_seat(seat.agent, started.variant.game);
            }
        }
        let seats = started.seats.iter().map(|seat| (seat.agent, seat.homologation)).collect();
        self.games.insert(game, Shared::new(Seated { ended: false, seats }));
    }

    fn apply_ended(&mut self, game: &GameId) {
        let Some(seated) = self.games.get_mut(game) else { return };
        seated.make_mut().ended = true;
        for (agent, _) in &seated.seats {
            self.activities.end_game(*agent, game);
        }
    }

    /// A turn is over, or the whole game.
    fn close_rings(&mut self, game: &GameId, turn_index: Option<u32>) {
        let Self { games, doorbells, .. } = self;
        for (agent, _) in games.get(game).into_iter().flat_map(|seated| &seated.seats) {
            doorbells.close(agent, game, turn_index);
        }
    }

    /// One player has acted in a turn that others share.
    fn close_ring(&mut self, game: &GameId, player: Player, turn_index: u32) {
        let Self { games, doorbells, .. } = self;
        if let Some((agent, _)) = games.get(game).and_then(|seated| seated.seats.get(player.index())) {
            doorbells.close(agent, game, Some(turn_index));
        }
    }

    fn forget_game(&mut self, game: &GameId) {
        let Some(seated) = self.games.remove(game) else { return };
        for (agent, homologation) in &seated.seats {
            self.activities.end_game(*agent, game);
            self.entries.forget_game(homologation);
        }
    }

    fn take_out(&mut self, agent: &AgentId, lobby: Lobby) {
        if let Some(operator) = self.registry.find(agent).map(|agent| agent.operator) {
            self.lobbies.leave(agent, &operator, lobby);
        }
    }
}
