//! Pages of games, newest first, from memory and from disk together.

use super::in_background_holding;
use crate::permits::Permits;
use crate::requests::PageRequest;
use crate::response::Failure;
use crate::shell::Shell;
use hall_core::rooms::Room;
use hall_driver::{EndKey, EndOrder, EndRange, Ended};
use hall_wire::{AgentId, GameId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most rows examined for one page. If few games match, the page ends early and its cursor says where to continue.
const LOOKED_AT: usize = 2_000;

/// The games to choose from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Only games in which this agent is seated.
    pub(super) agent: Option<AgentId>,
    pub(super) live: bool,
    pub(super) ended: bool,
}

/// A part of a list, and the cursor of the next part if there is more.
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    pub(super) next_cursor: Option<String>,
}

/// The games of `source` that `fits` accepts, starting behind the page's cursor; of ended ones only the outline. What is
/// read from disk, ended games and what `fits` looks up, is read in the background under `permits`; without them nothing
/// may be.
pub(super) async fn page(
    shell: &Arc<Shell>,
    permits: Option<&Permits>,
    source: Source,
    page: PageRequest<GameId>,
    fits: impl FnMut(&Shell, &Room) -> Result<bool, Failure> + Send + 'static,
) -> Result<Page<Arc<Room>>, Failure> {
    // Before the state is looked at: a request that is refused has disturbed nobody.
    let permit = match permits {
        Some(permits) => Some(permits.permit().await?),
        None => None,
    };
    let live = if source.live { live_games(shell, source, page).await? } else { BTreeMap::new() };
    let walk = move |shell: &Shell| walk_starts(shell, source, page, live, fits);
    match permit {
        Some(permit) => in_background_holding(shell, permit, walk).await,
        None => walk(shell),
    }
}

fn walk_starts(
    shell: &Shell,
    source: Source,
    page: PageRequest<GameId>,
    mut live: BTreeMap<GameId, Arc<Room>>,
    mut fits: impl FnMut(&Shell, &Room) -> Result<bool, Failure>,
) -> Result<Page<Arc<Room>>, Failure> {
    let mut items = Vec::new();
    let mut before = page.cursor;
    let mut looked_at = 0;
    loop {
        let ids = if source.ended { past_games(shell, source, before, page.limit + 1)? } else { Vec::new() };
        let exhausted = ids.len() <= page.limit;
        // The games of this stretch: the rows just read, and the live games that belong among them.
        let mut stretch: BTreeMap<GameId, Option<Arc<Room>>> = ids.iter().map(|id| (*id, None)).collect();
        let oldest = if exhausted { None } else { ids.last().copied() };
        let newer = match oldest {
            Some(oldest) => live.split_off(&oldest),
            None => std::mem::take(&mut live),
        };
        stretch.extend(newer.into_iter().map(|(id, room)| (id, Some(room))));
        for (id, room) in stretch.into_iter().rev() {
            if items.len() == page.limit || looked_at == LOOKED_AT {
                return Ok(Page { items, next_cursor: before.map(|id| id.to_string()) });
            }
            looked_at += 1;
            before = Some(id);
            // A game that is live, or has begun since those were looked up, has no outline.
            let room =
                room.map_or_else(|| shell.engine.archive().ended_outline(&id), |room| Ok(Some(room)))?;
            if let Some(room) = room
                && fits(shell, &room)?
            {
                items.push(room);
            }
        }
        if exhausted {
            return Ok(Page { items, next_cursor: None });
        }
    }
}

/// The results of `take` for the ends of games in `range`, restricted to one agent if given: latest end first,
/// starting behind the page's cursor. Reads rows of ended games: long.
pub(super) fn walk_ends<T>(
    shell: &Shell,
    agent: Option<AgentId>,
    mut range: EndRange,
    page: PageRequest<EndKey>,
    mut take: impl FnMut(&Ended) -> Result<Option<T>, Failure>,
) -> Result<Page<T>, Failure> {
    let archive = shell.engine.archive();
    let (mut items, mut looked_at) = (Vec::new(), 0);
    range.before = page.cursor;
    loop {
        let ends = match &agent {
            Some(agent) => archive.ends_of(agent, range, EndOrder::NewestFirst, page.limit + 1)?,
            None => archive.ends(range, EndOrder::NewestFirst, page.limit + 1)?,
        };
        for end in &ends {
            if items.len() == page.limit || looked_at == LOOKED_AT {
                return Ok(Page { items, next_cursor: range.before.map(|key| key.to_string()) });
            }
            looked_at += 1;
            range.before = Some(end.key);
            items.extend(take(end)?);
        }
        if ends.len() <= page.limit {
            return Ok(Page { items, next_cursor: None });
        }
    }
}

/// The live games older than the cursor, as many as a page may need.
async fn live_games(
    shell: &Shell,
    source: Source,
    page: PageRequest<GameId>,
) -> Result<BTreeMap<GameId, Arc<Room>>, Failure> {
    let is_older = move |room: &&Arc<Room>| page.cursor.is_none_or(|cursor| room.id() < cursor);
    let found = shell.engine.read(move |hall| {
        let rooms = hall.rooms();
        let live = |room: &&Arc<Room>| room.result().is_none();
        let keyed = |room: &Arc<Room>| (room.id(), Arc::clone(room));
        match source.agent {
            Some(agent) => {
                let games = hall.desk().live_games(&agent).filter_map(|game| rooms.find(&game));
                games.filter(is_older).filter(live).map(keyed).collect::<BTreeMap<_, _>>()
            }
            None => rooms.before(page.cursor.as_ref()).filter(live).take(LOOKED_AT + 1).map(keyed).collect(),
        }
    });
    Ok(found.await?)
}

/// Ended games on disk, newest first; those of one agent include its live ones.
fn past_games(
    shell: &Shell,
    source: Source,
    before: Option<GameId>,
    limit: usize,
) -> Result<Vec<GameId>, Failure> {
    let archive = shell.engine.archive();
    Ok(match source.agent {
        Some(agent) => archive.games_of(&agent, before, limit)?,
        None => archive.ended_games(before, limit)?,
    })
}
