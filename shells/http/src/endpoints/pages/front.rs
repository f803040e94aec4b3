//! The front page: which games it features, and that it is made once for all who look at it.

use super::summaries::{liveliness, strength, summaries, title};
use super::{Framing, sent};
use crate::endpoints::{archived_outline, in_background_with};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use bytes::Bytes;
use hall_core::rooms::Room;
use hall_core::{Hall, Word};
use hall_driver::{EndOrder, EndRange};
use hall_pages::view::Contest;
use hall_pages::{HomeView, LobbyView};
use hall_wire::{Span, Timestamp};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// For so long a page that was made is sent again.
const MOST_AGE: Span = Span::from_millis(1_000);
/// The newest live games among which the best are chosen: reading the state blocks the writer.
const LOOKED_AT: usize = 2_000;
/// Live games that are shown besides the featured ones.
const SMALL: usize = 24;
/// Ended games that are shown while none is live.
const LAST: usize = 4;
/// Results that are listed.
const RESULTS: usize = 10;
/// For so long a featured game that has ended is shown with its result.
const RESULT_STAYS: Span = Span::from_secs(6);

/// The front page as it is sent.
pub(in crate::endpoints) async fn front_page(shell: &Arc<Shell>) -> Outcome {
    let now = shell.engine.now();
    let mut kept = shell.front_page.lock().await;
    let html = match &*kept {
        Some((made_at, html)) if *made_at <= now && now.since(*made_at) < MOST_AGE => html.clone(),
        _ => {
            let html = Bytes::from(hall_pages::home(&view(shell, now).await?));
            *kept = Some((now, html.clone()));
            html
        }
    };
    drop(kept);
    Ok(sent(shell, html, Framing::Nobody))
}

/// A live game, and how good it is to watch: all players move, then their ratings.
type Ranked = (Reverse<u8>, Reverse<i64>, Arc<Room>);

struct State {
    live: Vec<Ranked>,
    lobbies: Vec<LobbyView>,
    live_count: u64,
    ended_count: u64,
    season: Option<String>,
}

impl State {
    fn of(hall: &Hall, now: Timestamp) -> Self {
        let desk = hall.desk();
        let live = hall.rooms().before(None).filter(|room| room.result().is_none()).take(LOOKED_AT);
        let ranked = |room: &Arc<Room>| {
            (Reverse(liveliness(room, now)), Reverse(strength(hall, room)), Arc::clone(room))
        };
        let season = desk.current_season().map(ToString::to_string);
        let lobbies = desk.lobbies().map(|(lobby, waiting)| LobbyView {
            contest: Contest {
                game: title(hall, lobby.variant.game.as_str()),
                variant: lobby.variant.variant.to_string(),
                division: lobby.division.as_str(),
                season: season.clone().unwrap_or_default(),
            },
            waiting: u64::try_from(waiting).unwrap_or(u64::MAX),
        });
        Self {
            live: live.map(ranked).collect(),
            lobbies: lobbies.collect(),
            live_count: hall.rooms().live_count(),
            ended_count: hall.rooms().ended_count(),
            season,
        }
    }
}

async fn view(shell: &Arc<Shell>, now: Timestamp) -> Result<HomeView, Failure> {
    let ended = in_background_with(shell, &shell.front_page_reads, newest_results).await?;
    let mut state = shell.engine.read(|hall| State::of(hall, now)).await?;
    // Of equal games the younger one comes first.
    state.live.sort_by_key(|(lively, strong, room)| (*lively, *strong, Reverse(room.id())));
    let (mut featured, mut others): (Vec<Arc<Room>>, Vec<Arc<Room>>) = (Vec::new(), Vec::new());
    let is_just_over = |room: &&Arc<Room>| room.ended_at().is_some_and(|at| now.since(at) < RESULT_STAYS);
    let just_over: BTreeMap<Word, Arc<Room>> =
        ended.iter().rev().filter(is_just_over).map(|room| (room.variant().game, Arc::clone(room))).collect();
    for (_, _, room) in state.live {
        let game = room.variant().game;
        if featured.iter().any(|known| known.variant().game == game) {
            others.push(room);
        } else if let Some(over) = just_over.get(&game) {
            featured.push(Arc::clone(over));
            others.push(room);
        } else {
            featured.push(room);
        }
    }
    for (game, over) in &just_over {
        if !featured.iter().any(|known| known.variant().game == *game) {
            featured.push(Arc::clone(over));
        }
    }
    others.truncate(SMALL);
    if featured.is_empty() {
        featured.extend(ended.iter().take(LAST).cloned());
    }
    let shown = [featured.as_slice(), &others, &ended].concat();
    let mut games = summaries(shell, &shell.front_page_reads, &shown).await?.into_iter();
    Ok(HomeView {
        featured: games.by_ref().take(featured.len()).collect(),
        live: games.by_ref().take(others.len()).collect(),
        ended: games.collect(),
        lobbies: state.lobbies,
        live_count: state.live_count,
        ended_count: state.ended_count,
        season: state.season,
        base_url: shell.settings.base_url.clone(),
        now,
    })
}

/// The games that ended last, the latest first.
fn newest_results(shell: &Shell) -> Result<Vec<Arc<Room>>, Failure> {
    let ends = shell.engine.archive().ends(EndRange::default(), EndOrder::NewestFirst, RESULTS)?;
    ends.iter().map(|end| archived_outline(shell, &end.game)).collect()
}
