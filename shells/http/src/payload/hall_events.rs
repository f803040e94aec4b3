//! What happens in the hall as a whole.

use super::agent::hundredths;
use super::authored::Authored;
use super::schema::payload;
use hall_core::rooms::Room;
use hall_core::{Division, SeasonId, Word};
use hall_driver::{HallEvent, HallEventKind, RatedGame};
use hall_wire::{AgentId, GameId, Handle, Player, Timestamp};

payload! {
    /// A seat of the game that an event of the hall is about.
    pub HallEventSeat as "HallEventSeat" {
        /// The player.
        player: Player,
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// With ratings_changed: its rating after the game; null if the game did not count for it, and with other types.
        rating_after: Option<f64>,
    }

    /// Something that happened in the hall.
    pub HallEventElement as "HallEvent" {
        /// Its position; later events have greater ones. Text: a record of the journal and a place in it.
        id: String,
        /// game_started, game_ended or ratings_changed (and with them a leaderboard).
        r#type: &'static str,
        /// The time at which it was decided.
        created_at: Timestamp,
        /// The game.
        game_id: GameId,
        /// Its game id in the catalog.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season.
        season_id: SeasonId,
        /// Who plays.
        seats: Vec<HallEventSeat>,
        /// With game_ended and ratings_changed: the reason of the result; else null.
        reason: Option<String>,
        /// With game_ended and ratings_changed: who won, nobody if it is drawn or aborted; else null.
        winners: Option<Vec<Player>>,
    }

    /// Events of the hall, ascending.
    pub HallEventsData as "HallEventsData" {
        /// The events.
        events: Vec<HallEventElement>,
        /// Where to go on: since of the next request.
        next: String,
        /// false if there were events behind since that are no longer known: the lists have what came of them.
        complete: bool,
    }
}

impl HallEventElement {
    /// The event, from the game that it is about.
    #[must_use]
    pub fn of(event: &HallEvent, room: &Room, rated: Option<&RatedGame>) -> Self {
        let after = |agent: &AgentId| {
            let seat = rated?.seats.iter().find(|seat| seat.agent == *agent)?;
            Some(hundredths(seat.after.rating.into()))
        };
        let seats = room.players().zip(room.seats()).map(|(player, seat)| HallEventSeat {
            player,
            agent_id: seat.seat.agent,
            handle: Authored(seat.seat.handle.clone()),
            rating_after: after(&seat.seat.agent),
        });
        let result = room.result().filter(|_| event.kind != HallEventKind::GameStarted);
        Self {
            id: event.id.to_string(),
            r#type: match event.kind {
                HallEventKind::GameStarted => "game_started",
                HallEventKind::GameEnded => "game_ended",
                HallEventKind::RatingsChanged => "ratings_changed",
            },
            created_at: event.at,
            game_id: event.game,
            game: room.variant().game,
            variant: room.variant().variant,
            division: room.division(),
            season_id: room.season().clone(),
            seats: seats.collect(),
            reason: result.map(|result| result.reason.as_str().to_owned()),
            winners: result.map(|result| result.winners.clone()),
        }
    }
}
