//! An honest agent that is woken by its doorbell: it asks nobody whose turn it is until it is rung, or until it has heard
//! nothing for a while, as an agent whose endpoint may be anything must.

use super::agent::{Agent, Player};
use super::bells::{EndpointKind, Own};
use super::clock::network_millis;
use hall_client::answer::{GameStatus, WaitingTurn};
use hall_client::wire::GameId;
use hall_client::{Client, Error, Wait};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long it sleeps at most.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);
/// Time between two looks after its doorbell.
const TEND: Duration = Duration::from_secs(45);

/// One run of its program.
pub(super) struct RungAgent<'a> {
    agent: &'a Agent,
    own: &'a Own,
    client: &'a Client,
    player: &'a mut Player,
    live: BTreeSet<GameId>,
    is_queued: bool,
    tended: Option<Instant>,
}

impl<'a> RungAgent<'a> {
    /// A program that knows nothing yet.
    pub(super) fn new(agent: &'a Agent, own: &'a Own, client: &'a Client, player: &'a mut Player) -> Self {
        Self { agent, own, client, player, live: BTreeSet::new(), is_queued: false, tended: None }
    }

    /// Plays until nothing is left to be played; `played` counts the games.
    ///
    /// # Errors
    /// What makes playing on impossible.
    pub(super) async fn play(mut self, played: &mut u64) -> Result<(), Error> {
        let plan = self.agent.plan();
        self.client.register_or_resume(&plan.registration).await?;
        self.client.homologate(&plan.homologation).await?;
        loop {
            match self.round(played).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if error.is_passing() || error.leaves_doubt() => {
                    self.agent.chronicle().mark("trouble", "of a woken agent");
                    sleep(Duration::from_secs(2)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Sleeps, and then does what is due. Returns whether that was all.
    async fn round(&mut self, played: &mut u64) -> Result<bool, Error> {
        self.count_games(played).await?;
        let is_over = self.agent.is_over(*played);
        if is_over && self.live.is_empty() && Agent::is_free(self.client, &self.agent.lobby()).await? {
            return Ok(true);
        }
        if self.tended.is_none_or(|at| at.elapsed() > TEND) {
            self.tended = Some(Instant::now());
            self.tend().await?;
        }
        if !is_over && self.live.is_empty() && !self.is_queued {
            self.join().await?;
        }
        let chronicle = self.agent.chronicle();
        tokio::select! {
            biased;
            () = self.own.rung.notified() => chronicle.mark("bell", "woke its agent"),
            () = sleep(LONGEST_SLEEP) => chronicle.mark("bell", "was not waited for"),
        }
        let pulse = self.client.pulse(Wait::default()).await?;
        for turn in pulse.waiting_on_you {
            self.answer(&turn).await?;
        }
        Ok(false)
    }

    async fn join(&mut self) -> Result<(), Error> {
        match self.client.join_lobby(&self.agent.lobby()).await {
            Ok(_) => self.is_queued = true,
            Err(error) if error.is_code("ALREADY_IN_LOBBY") => self.is_queued = true,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Reads which games are live, and how the others ended.
    async fn count_games(&mut self, played: &mut u64) -> Result<(), Error> {
        let live = self.client.my_games(GameStatus::Live, Wait::default()).await?;
        let live: BTreeSet<GameId> = live.games.iter().map(|game| game.id).collect();
        for id in self.live.difference(&live) {
            let game = self.client.game(id).await?;
            if game.status == GameStatus::Ended {
                *played += 1;
                self.agent.ended(&game);
            }
        }
        self.is_queued &= live.is_subset(&self.live);
        self.live = live;
        Ok(())
    }

    async fn answer(&mut self, turn: &WaitingTurn) -> Result<(), Error> {
        let view = self.client.view(&turn.game_id).await?;
        if !view.is_your_turn() {
            return Ok(());
        }
        let choice = self.player.think(&view).await;
        let outcome = self.client.make_move(&view.game_id, view.turn_index, &choice).await?;
        self.agent.answered(view.game_id, view.turn_index, &choice, &outcome);
        Ok(())
    }

    /// Registers and verifies its doorbell unless that is done, as far as the hall lets it.
    async fn tend(&mut self) -> Result<(), Error> {
        let chronicle = self.agent.chronicle();
        let state = self.client.get_signed("/api/doorbell").await?.data;
        let state = state.get("state").and_then(|state| state.as_str()).unwrap_or_default().to_owned();
        chronicle.mark("bell state", &state);
        if state == "verified" {
            return self.noted();
        }
        let registered = if state == "pending" {
            Ok(())
        } else {
            let body = serde_json::json!({ "url": self.own.url });
            self.client.post_signed("/api/doorbell", &body).await.map(|_| ())
        };
        let verified = match registered {
            Ok(()) => {
                let nothing = serde_json::json!({});
                self.client.post_signed("/api/doorbell/verify", &nothing).await.map(|_| ())
            }
            Err(error) => Err(error),
        };
        let Err(error) = verified else { return self.noted() };
        let Some(refusal) = error.refusal() else { return Err(error) };
        let reason = refusal.data.get("reason").and_then(|reason| reason.as_str());
        let said = reason.unwrap_or(refusal.code.as_str());
        chronicle.mark("bell refused", &format!("{} {said}", self.own.kind.word()));
        match refusal.code.as_str() {
            "DOORBELL_UNVERIFIED" | "DOORBELL_URL_REFUSED" | "DOORBELL_NOT_REGISTERED" | "RATE_LIMITED" => {
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Notes that its doorbell rings, from whenever it knew first.
    fn noted(&self) -> Result<(), Error> {
        let mut chronicle = self.agent.chronicle().open();
        chronicle.told_verified.entry((self.agent.id(), self.own.url.clone())).or_insert_with(network_millis);
        if self.own.kind == EndpointKind::Good {
            chronicle.good.entry(self.agent.id()).or_insert_with(network_millis);
        }
        Ok(())
    }
}
