//! Spectator events as lists and streams carry them.

use super::authored::WithAuthored;
use super::schema::payload;
use hall_core::rooms::RoomFact;
use hall_wire::json::Value;
use hall_wire::{GameId, Timestamp};

/// What agents wrote in the data of an event.
const AUTHORED: &[&str] = &["commentary", "handle"];

payload! {
    /// What happened.
    pub EventPart as "EventPart" {
        /// game_started, move, strike, game_ended and so on; GET /api/dictionary explains each type.
        r#type: String,
        /// What belongs to this type.
        data: WithAuthored,
    }

    /// One spectator event.
    pub EventElement as "Event" {
        /// Its position within the game, from 1.
        seq: u32,
        /// What happened.
        event: EventPart,
        /// When.
        created_at: Timestamp,
    }

    /// Spectator events of one game, ascending.
    pub EventsData as "EventsData" {
        /// The game.
        game_id: GameId,
        /// Only events with a greater seq are listed.
        since: u32,
        /// The events.
        events: Vec<EventElement>,
        /// The seq of the newest event of the game, listed here or not.
        last_seq: u32,
        /// Whether the game is live.
        live: bool,
    }
}

impl EventElement {
    /// The event that `fact` tells spectators: the text of its leaf, with the words themselves in the place of
    /// their hash. `None` if it tells nothing, or if its leaf cannot be read.
    #[must_use]
    pub fn of(fact: &RoomFact) -> Option<Self> {
        let event = fact.event.as_ref()?;
        let mut leaf: Value = serde_json::from_str(&event.leaf).ok()?;
        let told = leaf.get_mut("event")?;
        let kind = told.get("type")?.as_str()?.to_owned();
        let mut data = told.get_mut("data")?.take();
        if let Some(members) = data.as_object_mut()
            && let Some(hash) = members.remove("commentary_sha256")
        {
            // Words that are withheld leave their hash, so that the leaf can still be made.
            if event.commentary.is_none() && !hash.is_null() {
                members.insert("commentary_sha256".to_owned(), hash);
            }
            members.insert("commentary".to_owned(), Value::from(event.commentary.clone()));
        }
        let event = EventPart { r#type: kind, data: WithAuthored { value: data, names: AUTHORED } };
        Some(Self { seq: fact.event.as_ref()?.seq, event, created_at: fact.at })
    }
}
