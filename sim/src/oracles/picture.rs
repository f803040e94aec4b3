//! Pictures of the hall's state: the readable parts, as plain values.

use super::ledger::Ledger;
use super::observation::{Held, PersonPicture, Picture, RoomPicture, SeatPicture};
use hall_core::rooms::Room;
use hall_core::{DeskFact, Fact, GovernanceFact, Hall};
use hall_wire::{AgentId, Digest, GameId, Timestamp};
use std::collections::BTreeSet;

/// What is known about the process besides its state.
#[derive(Clone, Debug)]
pub struct Vitals {
    /// The hall's time.
    pub at: Timestamp,
    /// Whether it accepts writes.
    pub writable: bool,
    /// Bytes that spent challenges take.
    pub spent_bytes: usize,
    /// Commands that wait.
    pub queued: usize,
    /// Size and root of the newest checkpoint that anybody can have.
    pub checkpoint: Option<(u64, Digest)>,
    /// The log key that it is signed with.
    pub signed_by: Option<String>,
    /// What it holds, where the world knows what it should.
    pub held: Option<Held>,
}

impl Vitals {
    /// Those of a state by itself, without a process around it.
    #[must_use]
    pub const fn of_state(at: Timestamp) -> Self {
        Self { at, writable: true, spent_bytes: 0, queued: 0, checkpoint: None, signed_by: None, held: None }
    }
}

/// Records which agents and games a fact may change.
pub(super) fn touch(
    fact: &Fact,
    ledger: &Ledger,
    (agents, games): &mut (BTreeSet<AgentId>, BTreeSet<GameId>),
) {
    match fact {
        Fact::Desk(DeskFact::AgentRegistered { agent, .. })
        | Fact::Desk(DeskFact::HomologationFiled { agent, .. })
        | Fact::Desk(DeskFact::LobbyJoined { agent, .. })
        | Fact::Desk(DeskFact::LobbyLeft { agent, .. })
        | Fact::Desk(DeskFact::FeedbackPosted { agent, .. })
        | Fact::Governance(GovernanceFact::AgentSuspended { agent, .. })
        | Fact::Governance(GovernanceFact::AgentRestored { agent, .. }) => {
            agents.insert(*agent);
        }
        Fact::Doorbell(fact) => {
            agents.insert(fact.agent);
        }
        Fact::Room(fact) => {
            use hall_core::rooms::RoomChange;
            games.insert(fact.game);
            if let RoomChange::Started(terms) = &fact.change {
                agents.extend(terms.seats.iter().map(|seat| seat.agent));
            }
            if let (RoomChange::Ended { .. }, Some(game)) = (&fact.change, ledger.games.get(&fact.game)) {
                agents.extend(game.terms.seats.iter().map(|seat| seat.agent));
            }
        }
        Fact::Governance(GovernanceFact::OperatorSuspended { operator, .. }) => {
            let own = ledger.people.iter().filter(|(_, person)| person.operator == *operator);
            agents.extend(own.map(|(agent, _)| *agent));
        }
        Fact::Governance(GovernanceFact::SeasonClosed { .. }) => {
            agents.extend(ledger.lobbies.values().flatten())
        }
        Fact::Hall(_)
        | Fact::Governance(GovernanceFact::SeasonOpened { .. })
        | Fact::Desk(DeskFact::LobbiesSwept { .. })
        | Fact::Desk(DeskFact::GameRated { .. })
        | Fact::Governance(GovernanceFact::TextWithheld { .. })
        | Fact::Governance(GovernanceFact::DocketEntered { .. })
        | Fact::Governance(GovernanceFact::OperatorRestored { .. }) => {}
    }
}

/// A picture of these agents and games, or of everything.
pub(super) fn of(
    hall: &Hall,
    vitals: &Vitals,
    whole: bool,
    agents: &BTreeSet<AgentId>,
    games: &BTreeSet<GameId>,
) -> Picture {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let desk = hall.desk();
    Picture {
        at: vitals.at,
        whole,
        writable: vitals.writable,
        next_deadline: hall.next_deadline(),
        live: hall.rooms().live_count(),
        ended: hall.rooms().ended_count(),
        agents: count(desk.agent_count()),
        docket: desk.docket_len(),
        lobbies: desk.lobbies().collect(),
        rooms: if whole {
            hall.rooms().iter().map(|room| room_of(room, true)).collect()
        } else {
            games.iter().filter_map(|game| hall.rooms().find(game)).map(|room| room_of(room, false)).collect()
        },
        people: if whole {
            desk.agents().filter_map(|agent| person_of(hall, &agent.id)).collect()
        } else {
            agents.iter().filter_map(|agent| person_of(hall, agent)).collect()
        },
        spent_bytes: vitals.spent_bytes,
        queued: vitals.queued,
        checkpoint: vitals.checkpoint,
        signed_by: vitals.signed_by.clone(),
        held: vitals.held,
    }
}

fn room_of(room: &Room, with_moves: bool) -> RoomPicture {
    let seats = room.players().zip(room.seats()).map(|(player, seat)| SeatPicture {
        agent: seat.seat.agent,
        homologation: seat.seat.homologation,
        deadline: room.deadline_of(player),
        strikes: seat.strikes,
        illegal: seat.illegal_attempts,
        legal: with_moves.then(|| room.notations(player).len()),
    });
    RoomPicture {
        game: room.id(),
        turn_index: room.turn_index(),
        live: room.result().is_none(),
        to_move: room.to_move(),
        seats: seats.collect(),
        offer: room.draw_offer(),
    }
}

fn person_of(hall: &Hall, id: &AgentId) -> Option<PersonPicture> {
    let desk = hall.desk();
    let agent = desk.agent(id)?;
    let settings = hall.settings()?;
    Some(PersonPicture {
        agent: agent.id,
        handle: agent.handle.clone(),
        key: agent.key,
        joins_left: desk.joins_left(id, hall.clock(), settings),
        posts_left: desk.feedback_left(id, hall.clock(), settings),
        live: desk.live_games(id).collect(),
        lobbies: desk.lobbies_of(id).collect(),
        standing: desk.standing_entries(id).map(|entry| entry.id).collect(),
    })
}
