//! What facts do to the desk.

use super::Desk;
use super::entries::Entry;
use super::results::Seated;
use super::roll::Agent;
use super::shared::Shared;
use crate::fact::Fact;
use crate::names::Lobby;
use crate::rooms::{RoomChange, RoomFact, Started};
use alloc::vec::Vec;
use hall_wire::{AgentId, GameId};

impl Desk {
    /// Applies a fact. Facts that are no business of the desk change nothing.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::AgentRegistered { .. } => self.apply_registered(fact),
            Fact::HomologationFiled { .. } => self.apply_filed(fact),
            Fact::SeasonOpened { at, season } => self.seasons.add(season.clone(), *at),
            Fact::SeasonClosed { at, season } => {
                self.seasons.close(season, *at);
                self.lobbies.clear();
            }
            Fact::LobbyJoined { at, agent, lobby } => {
                if let Some(operator) = self.roll.find(agent).map(|agent| agent.operator) {
                    self.lobbies.join(*agent, operator, *lobby);
                    self.activities.count_join(*agent, *at);
                }
            }
            Fact::LobbyLeft { agent, lobby, .. } => self.take_out(agent, *lobby),
            Fact::LobbiesSwept { at } => self.last_sweep = *at,
            Fact::Room(fact) => self.apply_room(fact),
            Fact::GameRated { board, seats, .. } => {
                for seat in seats {
                    self.entries.rate(&seat.homologation, *board, seat.rating);
                }
            }
            Fact::GameArchived { game, .. } => self.forget_game(game),
            Fact::FeedbackPosted { at, id, agent, .. } => {
                self.last_feedback = *id.as_bytes();
                self.activities.count_post(*agent, *at);
            }
            Fact::DocketEntered { entry, .. } => self.docket_len = entry.id,
            Fact::Doorbell(fact) => self.doorbells.apply(fact),
            Fact::AgentSuspended { agent, .. } => self.roll.set_agent_suspended(*agent, true),
            Fact::AgentRestored { agent, .. } => self.roll.set_agent_suspended(*agent, false),
            Fact::OperatorSuspended { operator, .. } => {
                self.roll.set_operator_suspended(operator, true);
                let waiting: Vec<_> = self.lobbies.of_operator(operator).collect();
                for (lobby, agent) in waiting {
                    self.take_out(&agent, lobby);
                }
            }
            Fact::OperatorRestored { operator, .. } => self.roll.set_operator_suspended(operator, false),
            Fact::TextWithheld { what, .. } => {
                self.withheld.insert(*what);
            }
            Fact::RulesSet { .. }
            | Fact::KeyPublished { .. }
            | Fact::CheckpointCut { .. }
            | Fact::HallStopped { .. } => {}
        }
    }

    fn apply_registered(&mut self, fact: &Fact) {
        let Fact::AgentRegistered {
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
        self.roll.register(agent, operator_name.as_deref());
    }

    fn apply_filed(&mut self, fact: &Fact) {
        let Fact::HomologationFiled { at, id, agent, season, filing, hash, .. } = fact else { return };
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
            RoomChange::IllegalAttempted { .. }
            | RoomChange::StrikeGiven { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyHeld { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
    }

    /// A game takes its agents out of the lobby that it was formed in.
    fn apply_started(&mut self, game: GameId, started: &Started) {
        let lobby = Lobby { board: started.board, division: started.division };
        for (seat, place) in started.seats.iter().zip(0_u8..) {
            self.take_out(&seat.agent, lobby);
            self.activities.begin_game(seat.agent, game);
            self.entries.begin_game(&seat.homologation);
            if place == 0 {
                self.activities.count_first_seat(seat.agent, started.board.game);
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

    fn forget_game(&mut self, game: &GameId) {
        let Some(seated) = self.games.remove(game) else { return };
        for (agent, homologation) in &seated.seats {
            self.activities.end_game(*agent, game);
            self.entries.forget_game(homologation);
        }
    }

    fn take_out(&mut self, agent: &AgentId, lobby: Lobby) {
        if let Some(operator) = self.roll.find(agent).map(|agent| agent.operator) {
            self.lobbies.leave(agent, &operator, lobby);
        }
    }
}
