//! Whose turn it is, views, games, events, replays.

use super::Client;
use super::call::{Call, add_query};
use crate::answer::{EventPage, Game, GameEvent, GameStatus, GamesPage, LegalMoves, MyGames, Pulse, View};
use crate::error::Error;
use hall_wire::GameId;
use serde_json::Value;
use std::time::Duration;

/// The longest time for which a hall holds an answer, in seconds.
const LONGEST_HOLD: u64 = 25;
/// The most events on one page.
const MOST_EVENTS: u32 = 1_000;

/// How long the hall shall hold an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait<'a> {
    /// Up to so many seconds, at most 25; 0 for an answer at once.
    pub seconds: u64,
    /// The `waiting_tag` of an earlier answer: hold until the set of waiting turns differs from that one, or another
    /// game of the caller has ended since. Without it, hold until any turn waits or a game of the caller ends.
    pub after: Option<&'a str>,
}

/// Which games to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct GamesQuery<'a> {
    /// Live or ended ones only.
    pub status: Option<GameStatus>,
    /// Of this game of the catalog only.
    pub game: Option<&'a str>,
    /// With this agent only, by handle.
    pub agent: Option<&'a str>,
    /// At most so many, 1 to 200.
    pub limit: Option<u32>,
    /// From where an earlier page ended.
    pub cursor: Option<&'a str>,
}

impl Client {
    /// The turns that wait on this agent, and how the hall stands.
    ///
    /// # Errors
    /// As every call.
    pub async fn pulse(&self, wait: Wait<'_>) -> Result<Pulse, Error> {
        let pulse: Pulse = self.call(waiting("/api/pulse".to_owned(), wait)).await?.read()?;
        if let Some(time) = pulse.time_utc {
            self.0.clock.heard(time);
        }
        Ok(pulse)
    }

    /// The games in which this agent is seated, the newest 200 of that status.
    ///
    /// # Errors
    /// As every call.
    pub async fn my_games(&self, status: GameStatus, wait: Wait<'_>) -> Result<MyGames, Error> {
        let mut target = "/api/my/games".to_owned();
        add_query(&mut target, "status", status.as_str());
        add_query(&mut target, "limit", "200");
        self.call(waiting(target, wait)).await?.read()
    }

    /// This agent's view of a game.
    ///
    /// # Errors
    /// As every call.
    pub async fn view(&self, game: &GameId) -> Result<View, Error> {
        self.call(Call::get(format!("/api/games/{game}/view")).signed()).await?.member("view")
    }

    /// The legal moves of this agent.
    ///
    /// # Errors
    /// As every call.
    pub async fn legal_moves(&self, game: &GameId) -> Result<LegalMoves, Error> {
        self.call(Call::get(format!("/api/games/{game}/legal_moves")).signed()).await?.read()
    }

    /// The public record of a game.
    ///
    /// # Errors
    /// As every call.
    pub async fn game(&self, game: &GameId) -> Result<Game, Error> {
        self.call(Call::get(format!("/api/games/{game}"))).await?.member("game")
    }

    /// One page of all games of the hall.
    ///
    /// # Errors
    /// As every call.
    pub async fn games(&self, query: GamesQuery<'_>) -> Result<GamesPage, Error> {
        let mut target = "/api/games".to_owned();
        let limit = query.limit.map(|limit| limit.to_string());
        let parameters = [
            ("status", query.status.map(GameStatus::as_str)),
            ("game", query.game),
            ("agent", query.agent),
            ("limit", limit.as_deref()),
            ("cursor", query.cursor),
        ];
        for (name, value) in parameters {
            if let Some(value) = value {
                add_query(&mut target, name, value);
            }
        }
        self.call(Call::get(target)).await?.read()
    }

    /// The verifiable replay of an ended game, as the hall sent it.
    ///
    /// # Errors
    /// `REPLAY_NOT_READY` while it is live; else as every call.
    pub async fn replay(&self, game: &GameId) -> Result<Value, Error> {
        self.call(Call::get(format!("/api/games/{game}/replay"))).await?.member("replay")
    }

    /// The PGN of an ended game.
    ///
    /// # Errors
    /// `REPLAY_NOT_READY` while it is live; else as every call.
    pub async fn pgn(&self, game: &GameId) -> Result<String, Error> {
        self.call_text(Call::get(format!("/api/games/{game}/pgn"))).await
    }

    /// One page of a game's spectator events, with numbers above `since`, at most `limit` (1 to 1000).
    ///
    /// # Errors
    /// As every call.
    pub async fn events(&self, game: &GameId, since: u64, limit: u32) -> Result<EventPage, Error> {
        let mut target = format!("/api/games/{game}/events");
        add_query(&mut target, "since", &since.to_string());
        add_query(&mut target, "limit", &limit.to_string());
        self.call(Call::get(target)).await?.read()
    }

    /// All spectator events that there are now with numbers above `since`, page by page.
    ///
    /// # Errors
    /// As every call; what was read before the error is lost.
    pub async fn events_since(&self, game: &GameId, since: u64) -> Result<Vec<GameEvent>, Error> {
        let mut all: Vec<GameEvent> = Vec::new();
        loop {
            let from = all.last().map_or(since, |event| event.seq);
            let page = self.events(game, from, MOST_EVENTS).await?;
            // Pages must ascend, or a faulty hall would keep the client in this loop.
            let ascends =
                page.events.iter().try_fold(from, |last, event| (event.seq > last).then_some(event.seq));
            let done = page.events.is_empty() || ascends.is_none_or(|last| last >= page.last_seq);
            all.extend(page.events);
            if done {
                return Ok(all);
            }
        }
    }
}

fn waiting(mut target: String, wait: Wait<'_>) -> Call {
    let seconds = wait.seconds.min(LONGEST_HOLD);
    if seconds > 0 {
        add_query(&mut target, "wait", &seconds.to_string());
        if let Some(tag) = wait.after {
            add_query(&mut target, "after", tag);
        }
    }
    Call::get(target).signed().held(Duration::from_secs(seconds))
}
