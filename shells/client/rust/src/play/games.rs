//! Which games there are, and getting into more of them.

use super::event::Event;
use super::session::{Seated, Session};
use super::strategy::Strategy;
use crate::answer::{GameStatus, MyGames};
use crate::client::Wait;
use crate::error::Error;
use std::time::Duration;
use tokio::time::Instant;

/// After how long in the queue to make sure that the agent still is in it: the closing of a season or a changed
/// homologation empties lobbies silently.
const QUEUE_CHECK: Duration = Duration::from_secs(300);

/// How long a season is waited for before the next attempt to join.
const BETWEEN_SEASONS: Duration = Duration::from_secs(60);

impl<S: Strategy> Session<'_, S> {
    /// Files the homologation. Between two seasons there is none to file, but the games that are live go on.
    pub(super) async fn begin(&mut self) -> Result<(), Error> {
        let error = match self.homologate().await {
            Err(error) if error.is_code("SEASON_NOT_FOUND") => error,
            other => return other,
        };
        self.catch_up().await?;
        if self.live.is_empty() {
            return Err(error);
        }
        self.put_off_joining(&error, BETWEEN_SEASONS);
        Ok(())
    }

    /// Files the plan's homologation.
    async fn homologate(&mut self) -> Result<(), Error> {
        let filed = self.client.homologate(&self.plan.homologation).await?;
        self.tell(Event::Homologated(&filed));
        Ok(())
    }

    /// Compares the games that are known with those that are live.
    pub(super) async fn catch_up(&mut self) -> Result<(), Error> {
        let MyGames { games, next_cursor, waiting_tag, recently_ended } =
            self.client.my_games(GameStatus::Live, Wait::default()).await?;
        self.note_ended(recently_ended.as_deref());
        if next_cursor.is_none() && games.iter().all(|game| game.your_turn == Some(false)) {
            self.note_quiet(waiting_tag);
        }
        for game in &games {
            if self.live.contains_key(&game.id) {
                continue;
            }
            let you = game.your_player.or_else(|| game.player_of(&self.client.agent_id()));
            self.live.insert(game.id, Seated { you, resolved: None });
            self.queued = None;
            self.tell(Event::Seated { game, you });
        }
        let gone: Vec<_> =
            self.live.keys().filter(|id| !games.iter().any(|game| game.id == **id)).copied().collect();
        for id in gone {
            let game = match self.client.game(&id).await {
                Err(error) if error.is_code("GAME_NOT_FOUND") => {
                    // The hall was restored from a backup that is older than the game.
                    self.live.remove(&id);
                    self.tell(Event::Trouble { error: &error, again_in: Duration::ZERO });
                    continue;
                }
                other => other?,
            };
            if game.status == GameStatus::Live {
                // Beyond the longest page of live games.
                continue;
            }
            let seated = self.live.remove(&id).unwrap_or_default();
            let you = seated.you.or_else(|| game.player_of(&self.client.agent_id()));
            self.tally.count(&game, you);
            self.tell(Event::Ended { game: &game, you });
        }
        self.games_changed = false;
        Ok(())
    }

    /// Queues for another game if the plan wants one.
    pub(super) async fn join_if_wanted(&mut self) -> Result<(), Error> {
        let running = u64::try_from(self.live.len()).unwrap_or(u64::MAX);
        let wanted = self.plan.games.is_none_or(|games| self.tally.ended().saturating_add(running) < games);
        let queued = self.queued.is_some_and(|since| since.elapsed() < QUEUE_CHECK);
        let now = Instant::now();
        if !wanted || queued || self.live.len() >= self.plan.concurrent || now < self.join_not_before {
            return Ok(());
        }
        match self.client.join_lobby(&self.plan.lobby).await {
            Ok(answer) if answer.paired => self.catch_up().await,
            Ok(_) => {
                self.note_queued(now);
                Ok(())
            }
            Err(error) => self.join_refused(error, now).await,
        }
    }

    fn note_queued(&mut self, now: Instant) {
        if self.queued.replace(now).is_none() {
            self.tell(Event::Queued);
        }
    }

    /// Deals with a join that was refused, or whose answer was lost.
    async fn join_refused(&mut self, error: Error, now: Instant) -> Result<(), Error> {
        if error.leaves_doubt() {
            // Perhaps it paired; the list of games will tell before the next attempt.
            self.games_changed = true;
            return Err(error);
        }
        let Some(refusal) = error.refusal() else { return Err(error) };
        let pause = match refusal.code.as_str() {
            "ALREADY_IN_LOBBY" => {
                self.note_queued(now);
                return Ok(());
            }
            "NOT_HOMOLOGATED" => match self.homologate().await {
                Ok(()) => return Ok(()),
                // Between two seasons.
                Err(between) if between.is_code("SEASON_NOT_FOUND") => BETWEEN_SEASONS,
                Err(other) => return Err(other),
            },
            "SEASON_NOT_FOUND" => BETWEEN_SEASONS,
            "QUOTA_CONCURRENT" => Duration::from_secs(30),
            "QUOTA_JOINS" => {
                refusal.retry_after.unwrap_or(Duration::from_secs(600)).min(Duration::from_secs(3_600))
            }
            // A hall that begins no new games now: those that are live go on.
            "UNAVAILABLE" => {
                refusal.retry_after.unwrap_or(Duration::from_secs(60)).min(Duration::from_secs(3_600))
            }
            _ => return Err(error),
        };
        self.put_off_joining(&error, pause);
        Ok(())
    }

    fn put_off_joining(&mut self, error: &Error, pause: Duration) {
        self.queued = None;
        self.join_not_before = Instant::now() + pause;
        self.tell(Event::Trouble { error, again_in: pause });
    }
}
