//! One game: its page, what its page fetches while it is open, and the frame for other pages.

use super::rows::{last_move, rows};
use super::summaries::{standings_in, summary_of};
use super::{Framing, content, page, part, sent};
use crate::endpoint::{Access, Endpoint, Route, Sent, action};
use crate::endpoints::pictures::{image_seats, seen};
use crate::endpoints::{archived_room, find_room, game as counterpart, in_background, in_background_with};
use crate::errors::ApiCode;
use crate::payload::record_formats;
use crate::requests::Entries;
use crate::response::{Failure, Outcome, Response};
use crate::settings::limits;
use crate::shell::Shell;
use hall_core::rooms::{Phase, Room, picture};
use hall_games::{Counter, Pattern, Picture};
use hall_pages::svg::{Side, miniature};
use hall_pages::view::{GameSummary, TurnPicture};
use hall_pages::{Course, FramesView, GameView, Turns, turns as told_turns};
use hall_wire::{GameId, Player};
use std::ops::Range;
use std::sync::Arc;

pub(super) static GAME: Endpoint = page(
    Route::get("game_page", "/games/{id}", Access::Public, "A game, live or ended."),
    Some(&counterpart::GAME),
    |sent| {
        let id = sent.param();
        Ok(action(|call| async move {
            whole(&call.shell, &id, hall_pages::game, add_course, Framing::Nobody).await
        }))
    },
);

pub(super) static EMBED: Endpoint = page(
    Route::get("embed_page", "/embed/{id}", Access::Public, "A game as a frame in another page."),
    None,
    |sent| {
        let id = sent.param();
        Ok(action(|call| async move {
            whole(&call.shell, &id, hall_pages::embed, |_, _, _| Ok(()), Framing::Anybody).await
        }))
    },
);

pub(super) static NEWS: Endpoint = part(
    Route::get(
        "game_news",
        "/games/{id}/news",
        Access::Public,
        "What is new in a game that a page has open.",
    ),
    |sent| {
        let (id, side) = (sent.param(), side(sent));
        let mut query = sent.query();
        let since = query.number("since", 0, u64::from(u32::MAX)).and_then(|since| u32::try_from(since).ok());
        query.finish()?;
        Ok(action(move |call| async move { news(&call.shell, &id, since.unwrap_or(0), side).await }))
    },
);

pub(super) static FRAMES: Endpoint = part(
    Route::get(
        "game_frames",
        "/games/{id}/frames",
        Access::Public,
        "Positions of a game that a page has open.",
    ),
    |sent| {
        let (id, side) = (sent.param(), side(sent));
        let mut query = sent.query();
        let since = query.number("since", 0, u64::from(u32::MAX)).unwrap_or(0);
        let limit = query.limit_of(FRAMES_AT_ONCE);
        query.finish()?;
        let since = u32::try_from(since).unwrap_or(u32::MAX);
        let turns = since..since.saturating_add(u32::try_from(limit).unwrap_or(u32::MAX));
        Ok(action(move |call| async move { frames(&call.shell, &id, turns, side).await }))
    },
);

pub(super) static BOARD: Endpoint = part(
    Route::get(
        "game_board",
        "/games/{id}/board",
        Access::Public,
        "The newest position of a game as a small image.",
    ),
    |sent| {
        let id = sent.param();
        Ok(action(|call| async move { board(&call.shell, &id).await }))
    },
);

/// Positions that a page fetches at once: as many as its script asks for. One of a large board has tens of kilobytes.
const FRAMES_AT_ONCE: Entries = Entries { usual: 40, most: 40 };

/// Turns of a game that a plot shows at most.
const COURSE: u32 = 1_000;

/// From where the board is seen.
fn side(sent: Sent<'_>) -> Side {
    match sent.query().text("side").as_deref() {
        Some("turned") => Side::Turned,
        _ => Side::Usual,
    }
}

/// A page of a game; `also` adds to what all of them show.
async fn whole(
    shell: &Arc<Shell>,
    id: &str,
    write: fn(&GameView) -> String,
    also: fn(&Shell, &Room, &mut GameView) -> Result<(), Failure>,
    framing: Framing,
) -> Outcome {
    let room = find_room(shell, id).await?;
    let standings = standings_in(shell, &room).await?;
    in_background(shell, move |shell| {
        let mut view = view(shell, &room, summary_of(shell, &room, standings)?, 0)?;
        also(shell, &room, &mut view)?;
        Ok(sent(shell, write(&view), framing))
    })
    .await
}

async fn news(shell: &Arc<Shell>, id: &str, since: u32, side: Side) -> Outcome {
    let room = find_room(shell, id).await?;
    let standings = standings_in(shell, &room).await?;
    let read = move |shell: &Shell| {
        let view = view(shell, &room, summary_of(shell, &room, standings)?, since)?;
        Ok(sent(shell, hall_pages::news(&view, side), Framing::Nobody))
    };
    in_background_with(shell, &shell.page_reads, read).await
}

async fn frames(shell: &Arc<Shell>, id: &str, turns: Range<u32>, side: Side) -> Outcome {
    let room = find_room(shell, id).await?;
    let standings = standings_in(shell, &room).await?;
    in_background(shell, move |shell| {
        let game = summary_of(shell, &room, standings)?;
        let pictures = seen(shell, &room, turns)?.into_iter();
        let pictures = pictures.map(|(turn, picture)| TurnPicture { turn, picture }).collect();
        Ok(sent(
            shell,
            hall_pages::frames(&FramesView { game, pictures, beginning: beginning(shell, &room)? }, side),
            Framing::Nobody,
        ))
    })
    .await
}

async fn board(shell: &Arc<Shell>, id: &str) -> Outcome {
    let game = GameId::parse(id).ok_or_else(|| Failure::from(ApiCode::GameNotFound))?;
    match shell.engine.read(|hall| hall.rooms().find(&game).cloned()).await? {
        Some(room) => Ok(small_image(shell, &room)),
        None => {
            let read = move |shell: &Shell| Ok(small_image(shell, &*archived_room(shell, &game)?));
            in_background_with(shell, &shell.images, read).await
        }
    }
}

fn small_image(shell: &Shell, room: &Room) -> Response {
    let title = format!("{} after {}", room.variant().game, told_turns(room.turn_index()));
    let image = miniature(&picture(room), &image_seats(room), &title);
    content(shell, "image/svg+xml", image.into())
}

/// How the game looked when its pieces stood for the first time: on a board that nature sets up, after that.
fn beginning(shell: &Shell, room: &Room) -> Result<Option<Picture>, Failure> {
    let opened = || {
        let seats = u8::try_from(room.seats().len()).ok()?;
        let position = room.rules()?.open(room.variant().variant.as_str(), seats).ok()?;
        Some(position.picture(false))
    };
    let stands = |picture: &Picture| !picture.pieces.is_empty() || picture.pattern != Pattern::Checkered;
    match opened() {
        Some(picture) if !stands(&picture) => {
            Ok(seen(shell, room, 0..1)?.into_iter().map(|(_, picture)| picture).find(stands))
        }
        opened => Ok(opened),
    }
}

fn add_course(shell: &Shell, room: &Room, view: &mut GameView) -> Result<(), Failure> {
    view.course = course(shell, room)?;
    Ok(())
}

/// What an ended game that counts points has counted, turn by turn: the first of its counters that every player has.
fn course(shell: &Shell, room: &Room) -> Result<Option<Course>, Failure> {
    let counts = room.rules().is_some_and(|rules| rules.describe().points.is_some());
    if !counts || room.result().is_none() {
        return Ok(None);
    }
    let pictures = seen(shell, room, 0..COURSE)?;
    let players = || (0..).map(Player::new).take(room.seats().len());
    let title = pictures.last().and_then(|(_, last)| {
        let has = |player, title: &str| {
            last.counters.iter().any(|counter| counter.player == Some(player) && counter.title == title)
        };
        let mut titles = last.counters.iter().map(|counter| counter.title.as_str());
        titles.find(|title| players().all(|player| has(player, title))).map(str::to_owned)
    });
    let Some(title) = title else { return Ok(None) };
    let of = |player: Player| {
        let value = |(turn, picture): &(u32, Picture)| {
            let own = |counter: &&Counter| counter.player == Some(player) && counter.title == title;
            Some((*turn, picture.counters.iter().find(own)?.value.parse().ok()?))
        };
        pictures.iter().filter_map(value).collect()
    };
    let seats = players().map(of).collect();
    Ok(Some(Course { seats, title }))
}

/// How the turns of a game follow each other. People count moves in pairs in chess and its variants.
fn turns(room: &Room) -> Turns {
    if room.is_simultaneous() {
        Turns::Shared
    } else if record_formats(room).contains(&"pgn") {
        Turns::Paired
    } else {
        Turns::Separate
    }
}

/// A game with the events behind `since`.
fn view(shell: &Shell, room: &Room, game: GameSummary, since: u32) -> Result<GameView, Failure> {
    let mut lines = Vec::new();
    // The number of an event's fact is never below its own.
    let mut next = since.saturating_add(1);
    while next <= room.fact_count() {
        let mut facts = shell.engine.archive().room_facts(&room.id(), next, limits::FACTS_AT_ONCE)?;
        facts.retain(|fact| fact.number <= room.fact_count());
        let Some(last) = facts.last() else { break };
        next = last.number + 1;
        lines.extend(rows(room, &facts).into_iter().filter(|row| row.seq > since));
    }
    Ok(GameView {
        game,
        picture: TurnPicture { turn: room.turn_index(), picture: picture(room) },
        beginning: beginning(shell, room)?,
        course: None,
        rows: lines,
        last_move: last_move(room),
        draw_offer: room.draw_offer(),
        waits_for_beacon: room.phase() == Phase::AwaitingBeacon,
        turns: turns(room),
        rules_version: room.ruleset_version().to_owned(),
        records: record_formats(room),
        base_url: shell.settings.base_url.clone(),
        now: shell.engine.now(),
    })
}
