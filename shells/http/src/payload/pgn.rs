//! An ended game as annotated PGN, for people and research.
//!
//! Decision: the replay's `pgn` stays the bare record, which verifiers compare word by word, so that a verifier of any age accepts replays of any age. Ratings,
//! models, clocks and commentary stand only in the annotated form, which nothing is derived from.

use hall_core::rooms::{ForcedCause, Room, RoomChange, RoomFact};
use hall_games::{GameRecord, GameResult};
use hall_wire::Span;

type Tag = (&'static str, String);

/// What the annotated form says of a seat besides the handle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnSeat {
    /// The rating that the game was counted from, in whole points; `None` if the game was not rated for the seat.
    pub rating: Option<i32>,
    /// The model identifier of the homologation entry; `None` if it is withheld.
    pub model: Option<String>,
}

/// An ended game as PGN with ratings, models, season and division as tags, and behind each move a comment:
/// `[%clk h:mm:ss]`, the time left on the mover's side clock; `[%forced deadline]` or `[%forced illegal_moves]` where the hall moved in the
/// player's place; and the player's commentary. `facts` are those of the game in order, `cursor` is a tag for readers
/// that export many games.
#[must_use]
pub fn annotated_pgn(
    room: &Room,
    facts: &[RoomFact],
    seats: &[PgnSeat],
    site: &str,
    cursor: Option<String>,
) -> Option<String> {
    let result = room.result()?;
    let mut tags = tags_of_start(room, site);
    let of_seat = |place: usize| seats.get(place).cloned().unwrap_or_default();
    let (white, black) = (of_seat(0), of_seat(1));
    let rating = |rating: Option<i32>| rating.map(|points| points.to_string());
    let known = [
        ("WhiteElo", rating(white.rating)),
        ("BlackElo", rating(black.rating)),
        ("WhiteModel", white.model),
        ("BlackModel", black.model),
        ("Season", Some(room.season().to_string())),
        ("Division", Some(room.division().to_string())),
    ];
    tags.extend(known.into_iter().filter_map(|(name, value)| Some((name, value?))));
    tags.extend(tags_of_end(room, result));
    tags.extend(cursor.map(|cursor| ("ExportCursor", cursor)));
    let (mut moves, mut notes, mut chance) = (Vec::new(), Vec::new(), Vec::new());
    for fact in facts {
        if let RoomChange::NatureActed { complete, .. } = &fact.change {
            chance.push((moves.len(), complete.clone()));
        }
        let Some(resolution) = fact.change.resolution() else { continue };
        let said = fact.event.as_ref().and_then(|event| event.commentary.as_deref());
        // A turn without a move, such as a resignation, has no commentary either.
        let Some(played) = resolution.player.zip(resolution.notation) else { continue };
        let clocks = resolution.clocks.as_ref();
        let left = resolution.player.and_then(|player| clocks?.get(player.index()).copied());
        moves.push(played);
        notes.push(note(left, resolution.forced, said));
    }
    let record = GameRecord { tags: &tags, chance: &chance, notes: &notes, ..GameRecord::of(&moves, result) };
    room.rules()?.record("pgn", &record)
}

pub(super) fn tags_of_start(room: &Room, site: &str) -> Vec<Tag> {
    let (year, month, day) = room.started_at().utc_date();
    let date = format!("{year:04}.{month:02}.{day:02}");
    let time = room.started_at().to_string().get(11..19).unwrap_or_default().to_owned();
    let handle =
        |seat: usize| room.seats().get(seat).map_or_else(String::new, |seat| seat.seat.handle.to_string());
    vec![
        ("Event", format!("Season {}, {} division", room.season(), room.division())),
        ("Site", site.to_owned()),
        ("Date", date.clone()),
        ("Round", "-".to_owned()),
        ("White", handle(0)),
        ("Black", handle(1)),
        ("UTCDate", date),
        ("UTCTime", time),
    ]
}

pub(super) fn tags_of_end(room: &Room, result: &GameResult) -> [Tag; 2] {
    [("Termination", result.reason.as_str().to_owned()), ("GameId", room.id().to_string())]
}

/// What is said of a move. Commentary cannot pass for a command of ours: `[%` in it gets a space.
fn note(left: Option<Span>, forced: Option<ForcedCause>, said: Option<&str>) -> String {
    let clock = left.map(|left| {
        let seconds = left.as_millis() / 1_000;
        format!("[%clk {}:{:02}:{:02}]", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    });
    let forced = forced.map(|why| format!("[%forced {}]", why.as_str()));
    let said = said.map(|said| said.replace("[%", "[ %"));
    [clock, forced, said].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_the_clock_the_cause_and_the_words_and_words_cannot_imitate_a_clock() {
        let left = |millis| Some(Span::from_millis(millis));
        assert_eq!(note(left(2_399_999), None, None), "[%clk 0:39:59]");
        assert_eq!(
            note(left(36_061_000), Some(ForcedCause::Deadline), None),
            "[%clk 10:01:01] [%forced deadline]"
        );
        assert_eq!(note(None, None, Some("so [%clk 9:00:00]")), "so [ %clk 9:00:00]");
        assert_eq!(note(None, None, None), "");
    }
}
