//! One agent of the house: comes when it is called, plays a game, and is free again.

use crate::agent::{AgentError, AnyStrategy, Style, house_strategy};
use hall_client::play::{Event, Plan, play};
use hall_client::{Client, Key, Link, RetryPolicy, SystemRandomness};
use hall_core::Lobby;
use hall_driver::Engine;
use hall_wire::{AgentId, Digest, Handle};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// How long it queues: the guest for whom it came may have found another opponent.
const QUEUES_FOR: Duration = Duration::from_secs(10);
/// After how long it tries again what failed.
const AGAIN: Duration = Duration::from_secs(10);
/// For how many seconds a pulse is held: the end of a game by the guest's move is noticed within this.
const WAIT_SECONDS: u64 = 10;
/// How its operator is called.
const OPERATOR_NAME: &str = "The house";

/// Where to send an agent that is free.
pub(super) type Free = oneshot::Sender<Lobby>;

/// Who it is and how it plays.
pub(super) struct Member {
    pub(super) handle: Handle,
    pub(super) key: Key,
    pub(super) style: Style,
}

impl Member {
    /// Plays until nobody hears that it is free: first the games that it was in, then one game for each call.
    pub(super) async fn play(self, link: Link, engine: Engine, free: mpsc::UnboundedSender<Free>) {
        let agent = self.key.agent_id();
        let randomness = Arc::new(SystemRandomness);
        let client = Client::over(link, self.handle.clone(), self.key, RetryPolicy::default(), randomness);
        loop {
            let lobby = match lobby_of_live_game(&engine, &agent) {
                Some(lobby) => lobby,
                None => {
                    let (call, called) = oneshot::channel();
                    let (Ok(()), Ok(lobby)) = (free.send(call), called.await) else { return };
                    lobby
                }
            };
            if let Err(error) = one_game(&client, &self.style, lobby).await {
                tracing::warn!(handle = %self.handle, %error, "an agent of the house cannot play");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

/// The lobby from which a live game of the agent came.
fn lobby_of_live_game(engine: &Engine, agent: &AgentId) -> Option<Lobby> {
    engine.peek(|hall| {
        let game = hall.desk().live_games(agent).next()?;
        let room = hall.rooms().find(&game)?;
        Some(Lobby { board: room.board(), division: room.division() })
    })
}

/// Plays one game from `lobby`, or comes back when nobody is there any more.
async fn one_game(client: &Client, style: &Style, lobby: Lobby) -> Result<(), AgentError> {
    let mut strategy = house_strategy(client.hall(), style.clone()).await?;
    let plan = plan(&strategy, lobby);
    let (seated, mut heard) = watch::channel(false);
    let mut listen = |event: Event<'_>| {
        if matches!(event, Event::Seated { .. }) {
            seated.send_replace(true);
        }
        tracing::debug!(handle = %client.handle(), %event, "agent of the house");
    };
    let playing = play(client, &plan, &mut strategy, &mut listen);
    tokio::pin!(playing);
    tokio::select! {
        ended = &mut playing => ended.map(|_| ()).map_err(Into::into),
        () = in_vain(&mut heard) => {
            // Whether it queues at all, and whether a game began at the last moment, is seen at the next round.
            let _ = client.leave_lobby(&plan.lobby).await;
            Ok(())
        }
    }
}

/// Returns when no game has begun within the time; never once one has.
async fn in_vain(seated: &mut watch::Receiver<bool>) {
    if tokio::time::timeout(QUEUES_FOR, seated.wait_for(|seated| *seated)).await.is_ok() {
        std::future::pending::<()>().await;
    }
}

fn plan(strategy: &AnyStrategy, lobby: Lobby) -> Plan {
    let mut plan =
        Plan::new(lobby.board.game.as_str(), lobby.division.as_str(), &strategy.model_id(), "pure").games(1);
    plan.registration.operator_name = Some(OPERATOR_NAME.to_owned());
    plan.homologation.config_sha256 = Digest::of(strategy.config().as_bytes()).to_hex();
    plan.lobby.variant = lobby.board.variant.to_string();
    plan.wait_seconds = WAIT_SECONDS;
    plan
}
