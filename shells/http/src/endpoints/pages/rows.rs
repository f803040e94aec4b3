//! The list of moves of a game: its events as lines.

use crate::payload::EventElement;
use hall_core::rooms::{Resolution, ResolvedTurn, Room, RoomFact};
use hall_pages::{Note, Row, RowKind};
use hall_wire::json::Value;
use hall_wire::{Player, Span};
use std::collections::BTreeMap;

/// The lines of the events among `facts`.
pub(super) fn rows(room: &Room, facts: &[RoomFact]) -> Vec<Row> {
    let log = Log::of(room);
    facts.iter().filter_map(|fact| log.row(fact)).collect()
}

/// The last move that everybody may know, as people write it.
pub(super) fn last_move(room: &Room) -> Option<(Player, String)> {
    let last = room.turn_for(None, &room.turns().last()?);
    Some((last.player?, written(&last)?))
}

fn written(turn: &ResolvedTurn) -> Option<String> {
    turn.san.or(turn.notation).map(|text| text.to_string())
}

/// What is known of the turns of a game besides its events.
struct Log<'a> {
    room: &'a Room,
    /// Each player's turn: what was played, as everybody may know it now.
    turns: BTreeMap<(u32, Option<Player>), ResolvedTurn>,
}

impl<'a> Log<'a> {
    fn of(room: &'a Room) -> Self {
        let turns = room.turns().iter();
        let turns = turns.map(|turn| ((turn.turn_index, turn.player), room.turn_for(None, &turn))).collect();
        Self { room, turns }
    }

    fn row(&self, fact: &RoomFact) -> Option<Row> {
        let event = EventElement::of(fact)?;
        let data = &event.event.data.value;
        let text = |name: &str| data[name].as_str().map(str::to_owned);
        let player = || data["player"].as_str().and_then(Player::parse);
        let turn = data["turn_index"].as_u64().and_then(|turn| u32::try_from(turn).ok()).unwrap_or(0);
        let count = data["count"].as_u64().unwrap_or(0);
        let kind = match event.event.r#type.as_str() {
            "move" => self.moved(turn, player(), data, fact.change.resolution()),
            "strike" => RowKind::Note(Note::Strike { player: player()?, cause: text("cause")?, count }),
            "illegal_attempt" => RowKind::Note(Note::IllegalAttempt { player: player()?, count }),
            "draw_offered" => RowKind::Note(Note::DrawOffered(player()?)),
            "draw_declined" => RowKind::Note(Note::DrawDeclined(player()?)),
            "deadline_extended" => RowKind::Note(Note::DeadlineExtended { reason: text("reason")? }),
            "chance" => RowKind::Note(Note::Chance(text("outcome"))),
            "shown" => RowKind::Note(Note::Shown(text("text")?)),
            "seat_vacated" => RowKind::Note(Note::Vacated { player: player()?, reason: text("reason")? }),
            _ => return None,
        };
        Some(Row { seq: event.seq, turn, at: event.created_at, kind })
    }

    /// What is left on each clock, by seat; nothing in games without such clocks.
    fn clocks(&self, clocks: &Value) -> Vec<Span> {
        let players = (0..).map(Player::new).take(self.room.seats().len());
        players
            .map_while(|player| clocks[player.to_string().as_str()].as_u64().map(Span::from_millis))
            .collect()
    }

    fn moved(
        &self,
        turn: u32,
        player: Option<Player>,
        data: &Value,
        resolution: Option<&Resolution>,
    ) -> RowKind {
        let text = |name: &str| data[name].as_str().map(str::to_owned);
        let known = self.turns.get(&(turn, player));
        // After the end a move that was hidden in its event is open.
        let open = known.filter(|_| self.room.result().is_some()).and_then(written);
        RowKind::Move {
            player,
            text: open.or_else(|| text("san")).or_else(|| text("notation")),
            forced: text("forced"),
            commentary: text("commentary"),
            clocks: self.clocks(&data["clocks_ms"]),
            took: resolution.map(|turn| turn.at.since(turn.started_at)),
        }
    }
}
