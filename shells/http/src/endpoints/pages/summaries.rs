//! Games as pages show them: who plays, under which entry, at which rating.

use crate::endpoints::in_background_with;
use crate::permits::Permits;
use crate::response::Failure;
use crate::shell::Shell;
use hall_core::desk::Rating;
use hall_core::rooms::{Room, SeatState};
use hall_core::{GameVariant, Hall, Withheld};
use hall_driver::RatedGame;
use hall_pages::view::{Contest, GameSummary, GameTitle, RatingView, Score, SeatView};
use hall_wire::{Player, Timestamp};
use std::sync::Arc;

/// What the desk knows of the entry that a seat is played under.
#[derive(Clone, Default)]
pub(super) struct Standing {
    model: Option<String>,
    access: Option<&'static str>,
    rating: Option<RatingView>,
    /// Whether the agent's words are withheld.
    is_withheld: bool,
}

/// What the desk knows of the entries of a game's seats.
type Standings = Vec<Standing>;

/// The summaries of `rooms`, in the same order, read under one of these permits.
pub(super) async fn summaries(
    shell: &Arc<Shell>,
    permits: &Permits,
    rooms: &[Arc<Room>],
) -> Result<Vec<GameSummary>, Failure> {
    let (standings, rooms) = (standings(shell, rooms).await?, rooms.to_vec());
    let read = move |shell: &Shell| {
        rooms.iter().zip(standings).map(|(room, standings)| summary_of(shell, room, standings)).collect()
    };
    in_background_with(shell, permits, read).await
}

/// What the desk knows of the seats of `rooms`, in the same order.
pub(super) async fn standings(shell: &Shell, rooms: &[Arc<Room>]) -> Result<Vec<Standings>, Failure> {
    let found = shell.engine.read(|hall| {
        rooms
            .iter()
            .map(|room| room.seats().iter().map(|seat| standing(hall, room, seat)).collect())
            .collect()
    });
    Ok(found.await?)
}

/// The same of one game.
pub(super) async fn standings_in(shell: &Shell, room: &Arc<Room>) -> Result<Standings, Failure> {
    Ok(standings(shell, std::slice::from_ref(room)).await?.pop().unwrap_or_default())
}

/// The name of a game in the catalog.
pub(super) fn title(hall: &Hall, id: &str) -> GameTitle {
    let known = hall.catalog().find(id).map(|game| game.describe().name);
    known
        .map_or_else(|| GameTitle::unknown(id), |name| GameTitle { id: id.to_owned(), name: name.to_owned() })
}

/// A rating as pages show it.
pub(super) fn rating_view(rating: &Rating) -> RatingView {
    RatingView {
        value: f64::from(rating.rating) / 100.0,
        deviation: f64::from(rating.rd) / 100.0,
        is_provisional: rating.is_provisional(),
    }
}

fn standing(hall: &Hall, room: &Room, seat: &SeatState) -> Standing {
    let desk = hall.desk();
    let is_withheld = desk.is_withheld(&Withheld::Agent(seat.seat.agent));
    let Some(entry) = desk.homologation(&seat.seat.homologation) else {
        return Standing { is_withheld, ..Standing::default() };
    };
    Standing {
        model: (!is_withheld).then(|| entry.model_id.to_string()),
        access: Some(entry.tool_access.as_str()),
        rating: entry.rating(room.variant()).map(rating_view),
        is_withheld,
    }
}

/// The summary of one game, which may have to be read from disk.
pub(super) fn summary_of(shell: &Shell, room: &Room, standings: Standings) -> Result<GameSummary, Failure> {
    let archive = shell.engine.archive();
    let rated = match room.result() {
        Some(_) => archive.rated_game(&room.id())?,
        None => None,
    };
    let mut seats = Vec::with_capacity(standings.len());
    for ((player, seat), mut standing) in room.players().zip(room.seats()).zip(standings) {
        // An entry that was voided long ago is on disk only.
        if standing.access.is_none()
            && let Some(filed) = archive.homologation(&seat.seat.agent, &seat.seat.homologation)?
        {
            standing.access = Some(filed.filing.tool_access.as_str());
            standing.model = Some(filed.filing.model_id).filter(|_| !standing.is_withheld);
        }
        seats.push(seat_view(shell, room, player, seat, standing, rated.as_ref()));
    }
    let GameVariant { game, variant } = room.variant();
    let title = shell.engine.peek(|hall| title(hall, game.as_str()));
    Ok(GameSummary {
        id: room.id(),
        contest: Contest {
            game: title,
            variant: variant.to_string(),
            division: room.division().as_str(),
            season: room.season().to_string(),
        },
        turn: room.turn_index(),
        last_seq: room.last_seq(),
        seats,
        result: room.result().cloned(),
        started_at: room.started_at(),
        ended_at: room.ended_at(),
    })
}

fn seat_view(
    shell: &Shell,
    room: &Room,
    player: Player,
    seat: &SeatState,
    standing: Standing,
    rated: Option<&RatedGame>,
) -> SeatView {
    let counted = rated.and_then(|rated| rated.seats.iter().find(|rated| rated.agent == seat.seat.agent));
    let roles = room.rules().map_or(&[][..], |rules| rules.describe().player_names);
    let is_live = room.result().is_none();
    SeatView {
        player,
        handle: seat.seat.handle.to_string(),
        role: roles.get(player.index()).copied(),
        is_house: shell.house_agents.contains(&seat.seat.agent),
        model: standing.model,
        access: standing.access,
        rating: counted.map(|counted| rating_view(&counted.before)).or(standing.rating),
        rating_after: counted.map(|counted| rating_view(&counted.after).value),
        strikes: seat.strikes,
        is_to_move: room.to_move().contains(player),
        deadline: room.deadline_of(player).filter(|_| is_live),
        clock: seat.remaining,
        clock_ends: seat
            .open
            .filter(|_| is_live)
            .and_then(|open| Some(open.started_at + open.credit + seat.remaining?)),
        vacated: seat.vacancy.as_ref().map(|vacancy| vacancy.reason.as_str().to_owned()),
        score: score(room, player),
        half_points: half_points(room, player),
    }
}

fn half_points(room: &Room, player: Player) -> Option<i64> {
    let counted = room.rules()?.describe().points?;
    let points = *room.result()?.points.as_ref()?.0.get(player.index())?;
    Some(if counted.are_halves { points } else { 2 * points })
}

fn score(room: &Room, player: Player) -> Option<Score> {
    let result = room.result()?;
    Some(if result.draw {
        Score::Drawn
    } else if result.winners.is_empty() {
        Score::Void
    } else if result.winners.contains(&player) {
        Score::Won
    } else {
        Score::Lost
    })
}

/// How attractive a live game is to watch: 2 if all players move, 1 if one that is to move has used half of its time, 0
/// after a strike.
pub(super) fn liveliness(room: &Room, now: Timestamp) -> u8 {
    if room.seats().iter().any(|seat| seat.strikes > 0) {
        return 0;
    }
    let half = room.timing().move_time.as_millis() / 2;
    let is_slow = room.deadline().is_some_and(|deadline| deadline.since(now).as_millis() < half);
    if is_slow { 1 } else { 2 }
}

/// The sum of the players' ratings, in hundredths; an agent without one counts as new.
pub(super) fn strength(hall: &Hall, room: &Room) -> i64 {
    const NEW: i64 = 150_000;
    let rating = |seat: &SeatState| {
        let entry = hall.desk().homologation(&seat.seat.homologation);
        entry.and_then(|entry| entry.rating(room.variant())).map_or(NEW, |rating| rating.rating.into())
    };
    room.seats().iter().map(rating).sum()
}
