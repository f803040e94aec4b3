//! Which turns wait on the caller: pulse, own games, and answers that are held until that changes.

use super::data;
use super::listing::{self, Source};
use crate::answer::{Failure, Outcome};
use crate::payload::{MyGame, MyGamesData, PulseData, WaitingTurn};
use crate::requests::{MyGamesRequest, Status, Wait};
use crate::shell::Shell;
use hall_core::Hall;
use hall_wire::{AgentId, Digest};
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

pub(super) async fn pulse(shell: &Shell, agent: Option<AgentId>, wait: Option<Wait>) -> Outcome {
    if let (Some(agent), Some(wait)) = (agent, wait) {
        hold(shell, agent, &wait).await?;
    }
    let now = shell.engine.now();
    let pulse = shell.engine.read(|hall| {
        let mut pulse = PulseData::of(hall, now);
        if let Some(agent) = agent {
            pulse.waiting_on_you = waiting_on(hall, &agent);
            pulse.waiting_tag = Some(tag_of(&pulse.waiting_on_you));
        }
        pulse
    });
    data(&pulse.await?)
}

pub(super) async fn my_games(shell: &Shell, agent: AgentId, asked: MyGamesRequest) -> Outcome {
    let MyGamesRequest { status, page, wait } = asked;
    if let Some(wait) = wait {
        hold(shell, agent, &wait).await?;
    }
    // The tag is taken before the list: a turn that begins in between is then news to the next request.
    let waiting_tag = shell.engine.read(|hall| tag_of(&waiting_on(hall, &agent))).await?;
    let source = Source { agent: Some(agent), live: status == Status::Live, ended: status == Status::Ended };
    let found = listing::page(shell, source, page, |_| true).await?;
    let games =
        found.rooms.iter().filter_map(|room| Some(MyGame::of(room, room.player_of(&agent)?, &shell.house)));
    let games: Vec<MyGame> = games.collect();
    let next_cursor = found.next_cursor;
    data(&MyGamesData { agent_id: agent, status: status.as_str(), games, next_cursor, waiting_tag })
}

/// Returns when a turn waits on the agent (or the set of such turns is another than the one that the caller
/// knows), when the time is over, or when the hall stops.
async fn hold(shell: &Shell, agent: AgentId, wait: &Wait) -> Result<(), Failure> {
    // Watched before it is looked at, so that no change falls between.
    let mut watch = shell.engine.watch_turns(agent);
    let mut stopping = shell.engine.stopping();
    let until = Instant::now() + Duration::from_secs(wait.seconds);
    loop {
        let turns = shell.engine.read(|hall| waiting_on(hall, &agent)).await?;
        let is_news = match &wait.after {
            Some(known) => *known != tag_of(&turns),
            None => !turns.is_empty(),
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
    }
}

/// The turns that wait on an agent, oldest game first.
fn waiting_on(hall: &Hall, agent: &AgentId) -> Vec<WaitingTurn> {
    let rooms = hall.desk().live_games(agent).filter_map(|game| hall.rooms().find(&game));
    rooms.filter_map(|room| WaitingTurn::of(room, room.player_of(agent)?)).collect()
}

/// Names a set of waiting turns: equal sets have equal names, at every time and in every hall.
fn tag_of(turns: &[WaitingTurn]) -> String {
    let mut listed = String::new();
    for turn in turns {
        // Writing into a string cannot fail.
        let _ = write!(listed, "{}:{};", turn.game_id, turn.turn_index);
    }
    let hex = Digest::of(listed.as_bytes()).to_hex();
    hex.get(..16).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::{GameId, Timestamp};

    #[test]
    fn a_tag_names_games_and_turns_and_nothing_else() {
        let turn = |game: u8, turn_index, deadline| WaitingTurn {
            game_id: GameId::from_bytes([game; 16]),
            turn_index,
            deadline_utc: Timestamp::from_millis(deadline),
        };
        let tag = tag_of(&[turn(1, 2, 3)]);
        assert_eq!(tag.len(), 16);
        assert_eq!(tag, tag_of(&[turn(1, 2, 4)]), "a deadline that is put off is no new turn");
        for other in [vec![], vec![turn(1, 3, 3)], vec![turn(2, 2, 3)], vec![turn(1, 2, 3), turn(2, 0, 3)]] {
            assert_ne!(tag, tag_of(&other));
        }
    }
}
