//! The turns that wait on the caller and its games that have just ended: pulse, own games, and long polls.

use super::listing::{self, Source};
use super::{data, in_background_with};
use crate::authentication::Caller;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action, parameters};
use crate::errors::ApiCode;
use crate::payload::{MyGame, MyGamesData, PulseData, RecentlyEnded, WaitingTurn};
use crate::requests::{PageRequest, Query, Status, single_problem};
use crate::response::{Failure, Outcome};
use crate::settings::limits;
use crate::shell::Shell;
use hall_core::Hall;
use hall_wire::{AgentId, Digest, GameId, Timestamp};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

pub(super) static PULSE: Endpoint = Endpoint {
    route: Route::get(
        "pulse",
        "/api/pulse",
        Access::OptionallySigned,
        "The state of the hall, and which turns wait on the caller.",
    ),
    details: |_| {
        Details::answering::<PulseData>("play")
            .about(
                "waiting_on_you and recently_ended are filled for signed callers; bad headers are an error, never empty lists.",
            )
            .query(parameters::wait())
    },
    handling: Handling::Request(|sent| {
        let mut query = sent.query();
        let wait = read_wait(&mut query);
        query.finish()?;
        Ok(action(|call| async move {
            if call.caller.is_none() && wait.is_some() {
                let rule = "needs the three headers of a signed request";
                return Err(single_problem(ApiCode::InvalidQuery, "wait", rule));
            }
            pulse(&call.shell, call.caller.map(Poller::from), wait).await
        }))
    }),
    tools: &[Tool {
        note: "For the turns that wait on you, my_games is the usual tool.",
        signed_query: &["wait", "after"],
        ..Tool::public(5, "pulse")
    }],
};

pub(super) static MY_GAMES: Endpoint = Endpoint {
    route: Route::get(
        "my_games",
        "/api/my/games",
        Access::Signed,
        "The games in which the caller is seated.",
    ),
    details: |_| {
        let status = parameters::status("Which games; live if not given.");
        Details::answering::<MyGamesData>("play")
            .query([status].into_iter().chain(parameters::page()).chain(parameters::wait()).collect())
    },
    handling: Handling::Request(|sent| {
        let asked = read_my_games(sent.query())?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            my_games(&shell, caller.into(), asked).await
        }))
    }),
    tools: &[Tool {
        note: "With wait it answers as soon as a turn waits on you or a game of yours ends (recently_ended).",
        ..Tool::signed(4, "my_games")
    }],
};

/// How long, and until which change, an answer is held back.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wait {
    seconds: u64,
    /// The tag of the set of waiting turns that the caller knows.
    after: Option<String>,
}

/// Which own games are listed.
#[derive(Clone, Debug)]
struct MyGamesRequest {
    status: Status,
    page: PageRequest<GameId>,
    wait: Option<Wait>,
}

fn read_my_games(mut query: Query) -> Result<MyGamesRequest, Failure> {
    let status = query.parsed("status", "must be live or ended", Status::parse).unwrap_or(Status::Live);
    let page = PageRequest { limit: query.limit(), cursor: query.cursor(GameId::parse) };
    let wait = read_wait(&mut query);
    query.finish()?;
    Ok(MyGamesRequest { status, page, wait })
}

/// A long poll: `wait` in seconds, and `after`, which has no effect without `wait`.
fn read_wait(query: &mut Query) -> Option<Wait> {
    let seconds = query.number("wait", 0, limits::LONGEST_WAIT_SECONDS);
    let after = query.text("after");
    seconds.map(|seconds| Wait { seconds, after })
}

/// The caller, and when its request arrived. The arrival itself is dropped, because only commands are waited for.
#[derive(Clone, Copy)]
struct Poller {
    agent: AgentId,
    since: Timestamp,
}

impl From<Caller> for Poller {
    fn from(caller: Caller) -> Self {
        Self { agent: caller.agent, since: caller.arrival.stamp() }
    }
}

async fn pulse(shell: &Arc<Shell>, poller: Option<Poller>, wait: Option<Wait>) -> Outcome {
    if let (Some(poller), Some(wait)) = (poller, wait) {
        hold(shell, poller, &wait).await?;
    }
    let agent = poller.map(|poller| poller.agent);
    if let Some(agent) = agent {
        read_ends(shell, agent).await?;
    }
    let now = shell.engine.now();
    let pulse = shell.engine.read(|hall| {
        let mut pulse = PulseData::of(hall, now);
        if let Some(agent) = agent {
            pulse.waiting_on_you = waiting_on(hall, &agent);
        }
        pulse
    });
    let mut pulse = pulse.await?;
    if let Some(agent) = agent {
        let ends = shell.engine.recent_ends(&agent)?;
        pulse.waiting_tag = Some(tag_of(&pulse.waiting_on_you, ends.latest.map(|end| end.game)));
        pulse.recently_ended = ends.recent.into_iter().map(RecentlyEnded::from).collect();
    }
    data(&pulse)
}

async fn my_games(shell: &Arc<Shell>, poller: Poller, asked: MyGamesRequest) -> Outcome {
    let MyGamesRequest { status, page, wait } = asked;
    if let Some(wait) = wait {
        hold(shell, poller, &wait).await?;
    }
    let agent = poller.agent;
    read_ends(shell, agent).await?;
    // The tag is taken before the list: what changes in between is then news to the next request.
    let turns = shell.engine.read(|hall| waiting_on(hall, &agent)).await?;
    let ends = shell.engine.recent_ends(&agent)?;
    let waiting_tag = tag_of(&turns, ends.latest.map(|end| end.game));
    let permits = (status == Status::Ended).then_some(&shell.own_reads);
    let source = Source { agent: Some(agent), live: status == Status::Live, ended: status == Status::Ended };
    let found = listing::page(shell, permits, source, page, |_, _| Ok(true)).await?;
    let games = found
        .items
        .iter()
        .filter_map(|room| Some(MyGame::of(room, room.player_of(&agent)?, &shell.house_agents)));
    let games: Vec<MyGame> = games.collect();
    data(&MyGamesData {
        agent_id: agent,
        status: status.as_str(),
        games,
        next_cursor: found.next_cursor,
        recently_ended: ends.recent.into_iter().map(RecentlyEnded::from).collect(),
        waiting_tag,
    })
}

/// Returns when there is news for the agent, when the time is up, or when the hall stops.
///
/// With a tag, any other state is news. Without one, a waiting turn is news, and so is an end after the request
/// arrived: earlier ends may have been reported already.
async fn hold(shell: &Arc<Shell>, poller: Poller, wait: &Wait) -> Result<(), Failure> {
    let Poller { agent, since } = poller;
    // The usual case does not read from disk. The answer is read again later, and is durable then.
    if wait.after.is_none() && shell.engine.peek(|hall| !waiting_on(hall, &agent).is_empty()) {
        return Ok(());
    }
    read_ends(shell, agent).await?;
    // Watched before the state is read, so that no change is missed in between.
    let mut watch = shell.engine.watch_turns(agent);
    let mut stopping = shell.engine.stopping();
    let until = Instant::now() + Duration::from_secs(wait.seconds);
    let latest_end = || shell.engine.latest_end(&agent);
    // Read before the turns, which wait until what was decided is durable: an end that comes in between is news.
    let known_end = match &wait.after {
        Some(_) => None,
        None => latest_end()?.filter(|end| end.key.ended_at() < since),
    };
    loop {
        let turns = shell.engine.read(|hall| waiting_on(hall, &agent)).await?;
        // The end is read after the turns, so that it is at least as new: it is durable before it wakes anybody.
        let is_news = match &wait.after {
            Some(known) => *known != tag_of(&turns, latest_end()?.map(|end| end.game)),
            None => !turns.is_empty() || latest_end()? != known_end,
        };
        if is_news {
            return Ok(());
        }
        tokio::select! {
            biased;
            () = stopping.wait() => return Ok(()),
            () = sleep_until(until) => return Ok(()),
            () = watch.changed() => {}
        }
        read_ends(shell, agent).await?;
    }
}

/// Reads in the background what is not known yet of the ends of an agent's games.
async fn read_ends(shell: &Arc<Shell>, agent: AgentId) -> Result<(), Failure> {
    if shell.engine.has_ends(&agent) {
        return Ok(());
    }
    let read = move |shell: &Shell| {
        shell.engine.latest_end(&agent)?;
        Ok(())
    };
    in_background_with(shell, &shell.play_reads, read).await
}

/// The turns that wait on an agent, oldest game first.
fn waiting_on(hall: &Hall, agent: &AgentId) -> Vec<WaitingTurn> {
    let rooms = hall.desk().live_games(agent).filter_map(|game| hall.rooms().find(&game));
    rooms.filter_map(|room| WaitingTurn::of(room, room.player_of(agent)?)).collect()
}

/// The tag of a set of waiting turns and the latest end of a game. Equal inputs give equal tags, at any time and in
/// any hall.
fn tag_of(turns: &[WaitingTurn], latest_end: Option<GameId>) -> String {
    let mut listed = String::new();
    // Writing into a string cannot fail.
    for turn in turns {
        let _ = write!(listed, "{}:{};", turn.game_id, turn.turn_index);
    }
    if let Some(game) = latest_end {
        let _ = write!(listed, "ended:{game};");
    }
    let hex = Digest::of(listed.as_bytes()).to_hex();
    hex.get(..16).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_games_turns_and_the_latest_end_and_nothing_else() {
        let turn = |game: u8, turn_index, deadline| WaitingTurn {
            game_id: GameId::from_bytes([game; 16]),
            turn_index,
            deadline_utc: Timestamp::from_millis(deadline),
        };
        let end = |game: u8| Some(GameId::from_bytes([game; 16]));
        let tag = tag_of(&[turn(1, 2, 3)], end(9));
        assert_eq!(tag.len(), 16);
        assert_eq!(tag, tag_of(&[turn(1, 2, 4)], end(9)), "a deadline that is put off is no new turn");
        for other in [vec![], vec![turn(1, 3, 3)], vec![turn(2, 2, 3)], vec![turn(1, 2, 3), turn(2, 0, 3)]] {
            assert_ne!(tag, tag_of(&other, end(9)));
        }
        for other in [None, end(8)] {
            assert_ne!(tag, tag_of(&[turn(1, 2, 3)], other));
        }
    }
}
