//! Which games there are, and getting into more of them.

use super::event::Event;
use super::session::{Seated, Session, is_of_joining};
use super::strategy::Strategy;
use crate::answer::{GameStatus, MyGames};
use crate::client::Wait;
use crate::error::Error;
use std::time::Duration;
use tokio::time::Instant;

/// After how long in the queue to make sure that the agent still is in it: the closing of a season or a changed
/// homologation empties lobbies silently.
const QUEUE_CHECK: Duration = Duration::from_secs(300);

/// How long to wait between two seasons, and after a refusal that no rule here knows, before the next attempt to join.
const LONGER_JOIN_PAUSE: Duration = Duration::from_secs(60);

/// The longest pause between two attempts to join that the hall may ask for.
const LONGEST_JOIN_PAUSE: Duration = Duration::from_secs(3_600);

impl<S: Strategy> Session<'_, S> {
    /// Files the homologation. Where it is refused, as between two seasons, the games that are live go on, and it is
    /// filed before the next join.
    pub(super) async fn begin(&mut self) -> Result<(), Error> {
        let error = match self.homologate().await {
            Err(error) if is_of_joining(&error) => error,
            other => return other,
        };
        self.catch_up().await?;
        if self.live.is_empty() {
            return Err(error);
        }
        self.put_off_joining(&error, LONGER_JOIN_PAUSE);
        Ok(())
    }

    /// Files the plan's homologation.
    async fn homologate(&mut self) -> Result<(), Error> {
        let filed = self.client.homologate(&self.plan.homologation).await?;
        self.filed = true;
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
        if !self.filed
            && let Err(error) = self.homologate().await
        {
            return self.join_refused(error, now).await;
        }
        self.joining = true;
        let joined = self.client.join_lobby(&self.plan.lobby).await;
        self.joining = joined.as_ref().is_err_and(Error::leaves_doubt);
        match joined {
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
        if error.is_code("ALREADY_IN_LOBBY") {
            self.note_queued(now);
            return Ok(());
        }
        let error = if error.is_code("NOT_HOMOLOGATED") {
            match self.homologate().await {
                Ok(()) => return Ok(()),
                Err(another) => another,
            }
        } else {
            error
        };
        let Some(pause) = self.join_pause(&error) else { return Err(error) };
        self.put_off_joining(&error, pause);
        Ok(())
    }

    /// How long to wait before the next join; `None` if the refusal of this one concerns more than joining.
    fn join_pause(&self, error: &Error) -> Option<Duration> {
        let refusal = error.refusal()?;
        let asked = |usual| refusal.retry_after.unwrap_or(usual).min(LONGEST_JOIN_PAUSE);
        match refusal.code.as_str() {
            "SEASON_NOT_FOUND" => Some(LONGER_JOIN_PAUSE),
            "QUOTA_CONCURRENT" => Some(Duration::from_secs(30)),
            "QUOTA_JOINS" => Some(asked(Duration::from_secs(600))),
            // A hall that begins no new games now: those that are live go on.
            "UNAVAILABLE" if !error.leaves_doubt() => Some(asked(LONGER_JOIN_PAUSE)),
            _ => (is_of_joining(error) && !self.live.is_empty()).then_some(LONGER_JOIN_PAUSE),
        }
    }

    fn put_off_joining(&mut self, error: &Error, pause: Duration) {
        self.queued = None;
        self.join_not_before = Instant::now() + pause;
        self.tell(Event::Trouble { error, again_in: pause });
    }
}
