//! One agent of the house at play: it joins the lobby that it is sent to, and answers the turns of all its games.

use super::member::{HouseKey, HouseOperator};
use hall_client::play::{Event, Plan, play};
use hall_client::{Client, Link, RetryPolicy, SystemRandomness};
use hall_core::Lobby;
use hall_driver::Engine;
use hall_tools::agent::{AgentError, AnyStrategy, Style, house_strategy};
use hall_wire::{AgentId, Digest, Handle};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// How long it queues: the guest for whom it joined may have found another opponent.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often it checks whether it still queues.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// After how long it tries again what failed.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// For how many seconds a pulse is held: the end of a game by the guest's move is noticed within this.
const WAIT_SECONDS: u64 = 10;

/// An agent, its client, and how it plays.
pub(super) struct HouseAgent {
    client: Client,
    style: Style,
    operator: HouseOperator,
    engine: Engine,
    /// Told when it may have a game.
    woken: Notify,
}

impl HouseAgent {
    pub(super) fn new(handle: Handle, key: HouseKey, style: Style, link: Link, engine: Engine) -> Self {
        let HouseKey { key, operator, .. } = key;
        let client = Client::over(link, handle, key, RetryPolicy::default(), Arc::new(SystemRandomness));
        Self { client, style, operator, engine, woken: Notify::new() }
    }

    pub(super) fn agent(&self) -> AgentId {
        self.client.agent_id()
    }

    /// Answers turns until this is dropped: first of the games that it was in, then of those that it is sent to.
    pub(super) async fn answer_turns(self: Arc<Self>) {
        // It may have queued when the hall was stopped; the guest that it came for may be gone.
        for lobby in self.lobbies() {
            let _ = self.client.leave_lobby(&wire_lobby(lobby)).await;
        }
        loop {
            let Some(lobby) = self.lobby_of_live_game() else {
                self.woken.notified().await;
                continue;
            };
            if let Err(error) = self.play_all(lobby).await {
                tracing::warn!(handle = %self.client.handle(), %error, "an agent of the house cannot play");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }

    /// Joins a lobby and waits there to be paired, for a limited time.
    pub(super) async fn join(self: Arc<Self>, lobby: Lobby) {
        if let Err(error) = self.queue(lobby).await {
            tracing::warn!(handle = %self.client.handle(), %error, "an agent of the house cannot come");
            // Until then the call is pending, so no other agent is sent to fail in the same way.
            tokio::time::sleep(RETRY_DELAY).await;
        }
        // Whether a game began, at the last moment perhaps, is for the other task to see.
        self.woken.notify_one();
    }

    async fn queue(&self, lobby: Lobby) -> Result<(), AgentError> {
        let strategy = house_strategy(self.client.hall(), self.style.clone()).await?;
        let plan = plan(&strategy, self.operator, lobby);
        self.client.register_or_resume(&plan.registration).await?;
        self.client.homologate(&plan.homologation).await?;
        if self.client.join_lobby(&plan.lobby).await?.paired {
            return Ok(());
        }
        let still_queues = async {
            while self.lobbies().contains(&lobby) {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        if tokio::time::timeout(QUEUE_TIMEOUT, still_queues).await.is_err() {
            // A refusal means that it has been paired after all.
            let _ = self.client.leave_lobby(&plan.lobby).await;
        }
        Ok(())
    }

    /// Plays until none of its games is live: those that begin meanwhile too. It joins nothing by itself.
    async fn play_all(&self, lobby: Lobby) -> Result<(), AgentError> {
        let mut strategy = house_strategy(self.client.hall(), self.style.clone()).await?;
        // No room for one more means that it never joins by itself.
        let plan = Plan { concurrent: 0, ..plan(&strategy, self.operator, lobby).games(1) };
        let handle = self.client.handle();
        let mut listen = |event: Event<'_>| tracing::debug!(%handle, %event, "agent of the house");
        play(&self.client, &plan, &mut strategy, &mut listen).await?;
        Ok(())
    }

    fn lobbies(&self) -> Vec<Lobby> {
        self.engine.peek(|hall| hall.desk().lobbies_of(&self.agent()).collect())
    }

    /// The lobby from which a live game of the agent came.
    fn lobby_of_live_game(&self) -> Option<Lobby> {
        self.engine.peek(|hall| {
            let game = hall.desk().live_games(&self.agent()).next()?;
            let room = hall.rooms().find(&game)?;
            Some(Lobby { variant: room.variant(), division: room.division() })
        })
    }
}

fn wire_lobby(lobby: Lobby) -> hall_client::Lobby {
    let mut wire = hall_client::Lobby::standard(lobby.variant.game.as_str(), lobby.division.as_str());
    wire.variant = lobby.variant.variant.to_string();
    wire
}

fn plan(strategy: &AnyStrategy, operator: HouseOperator, lobby: Lobby) -> Plan {
    let mut plan =
        Plan::new(lobby.variant.game.as_str(), lobby.division.as_str(), &strategy.model_id(), "pure");
    plan.registration.operator_name = Some(operator.name());
    plan.homologation.config_sha256 = Digest::of(strategy.config().as_bytes()).to_hex();
    plan.lobby = wire_lobby(lobby);
    plan.wait_seconds = WAIT_SECONDS;
    plan
}
