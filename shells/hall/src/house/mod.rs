//! Agents of the house: players of graded strength that come when somebody waits for an opponent in vain.
//!
//! They are agents like all others: with keys, registered under an operator of their own, homologated, rated, and
//! bound by the same quotas. They speak to the hall by signed requests, over pipes in memory. Their keys follow from
//! the secret of the operator ids, so there is nothing more to keep, and after a restart they go on with their games.
//! As one operator they are never paired with each other, and they queue for nobody but a guest who waits.

mod line;
mod member;
mod patience;

use crate::agent::Style;
use hall_client::{Key, KeyError, Link, Origin};
use hall_core::Lobby;
use hall_driver::Engine;
use hall_http::payload::House;
use hall_http::{ServeError, Serving, Shell, serve_inside};
use hall_wire::{AgentId, Digest, Handle, Span};
use line::line;
use member::{Free, Member};
use patience::Patience;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How often the lobbies are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The grades, weakest first; the agents take them in turn.
const GRADES: [(&str, Style); 3] =
    [("random", Style::Random), ("greedy", Style::Greedy), ("search", Style::Search)];

/// How many agents the house has, and when they come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HouseSettings {
    /// How many; none for a hall of guests alone.
    pub(crate) agents: usize,
    /// How long a guest has waited when one comes.
    pub(crate) after: Span,
}

/// The agents of the house before they play: who they are.
pub(crate) struct HouseAgents {
    members: Vec<Member>,
    after: Span,
}

/// The agents of the house at play, until this is dropped.
pub(crate) struct HouseAtPlay {
    playing: JoinSet<()>,
    serving: Serving,
}

impl HouseAgents {
    /// The agents that the settings ask for. `secret` never changes; `engine` knows which names are free.
    ///
    /// # Errors
    /// Never in practice: keys made of a hash are keys.
    pub(crate) fn of(
        settings: HouseSettings,
        secret: &[u8; 32],
        hall: &Origin,
        engine: &Engine,
    ) -> Result<Self, KeyError> {
        let token = Digest::of_parts(&[b"svc.house.operator.v1", secret]).to_hex();
        let mut members = Vec::new();
        for (number, (grade, style)) in (1..=settings.agents).zip(GRADES.iter().cycle()) {
            let seed = Digest::of_parts(&[b"svc.house.agent.v1", secret, number.to_string().as_bytes()]);
            let key = Key::from_seed(hall, seed.as_bytes(), &token)?;
            let Some(handle) = free_handle(engine, number, grade, key.agent_id()) else {
                tracing::warn!(number, "all names for this agent of the house are taken: it stays away");
                continue;
            };
            members.push(Member { handle, key, style: style.clone() });
        }
        Ok(Self { members, after: settings.after })
    }

    /// By what answers mark them.
    pub(crate) fn mark(&self) -> House {
        House::new(self.members.iter().map(|member| member.key.agent_id()), self.after)
    }

    /// Lets them play at the hall of `shell`; `None` if there are none.
    ///
    /// # Errors
    /// The hall cannot be served to them.
    pub(crate) fn play(self, shell: &Arc<Shell>, engine: &Engine) -> Result<Option<HouseAtPlay>, ServeError> {
        if self.members.is_empty() {
            return Ok(None);
        }
        let (listener, dialer) = line();
        let serving = serve_inside(shell, listener)?;
        let link = Link::over(dialer);
        let mut playing = JoinSet::new();
        let own = self.members.iter().map(|member| member.key.agent_id()).collect();
        let (free, frees) = mpsc::unbounded_channel();
        for member in self.members {
            playing.spawn(member.play(link.clone(), engine.clone(), free.clone()));
        }
        playing.spawn(send_for(engine.clone(), Patience::new(self.after), own, frees));
        Ok(Some(HouseAtPlay { playing, serving }))
    }
}

impl HouseAtPlay {
    /// Sends them away; their live games go on by default actions until they come back.
    pub(crate) async fn stop(mut self) {
        self.playing.shutdown().await;
        self.serving.stop().await;
    }
}

/// The agent's name: `house-3-search`, or with a letter behind it if somebody else was quicker.
fn free_handle(engine: &Engine, number: usize, grade: &str, agent: AgentId) -> Option<Handle> {
    ["", "-b", "-c", "-d", "-e", "-f"].into_iter().find_map(|ending| {
        let handle = Handle::parse(&format!("house-{number}-{grade}{ending}"))?;
        let holder = engine.peek(|hall| hall.desk().agent_by_handle(&handle).map(|holder| holder.id));
        holder.is_none_or(|holder| holder == agent).then_some(handle)
    })
}

/// Looks at the lobbies, and sends an agent that is free to each in which a guest has waited long enough: the one that
/// has been free for longest, so that a guest meets every grade.
async fn send_for(
    engine: Engine,
    mut patience: Patience,
    own: Vec<AgentId>,
    mut frees: mpsc::UnboundedReceiver<Free>,
) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let lobbies = engine.peek(|hall| lobbies_with_guests(hall.desk(), &own));
        for lobby in patience.look(engine.now(), lobbies) {
            let Ok(free) = frees.try_recv() else { break };
            // An agent that is gone waits for no game.
            let _ = free.send(lobby);
        }
    }
}

/// The lobbies in which somebody waits who is not of the house.
fn lobbies_with_guests(desk: &hall_core::desk::Desk, own: &[AgentId]) -> Vec<Lobby> {
    let ours = |lobby: Lobby| {
        own.iter().filter(|agent| desk.lobbies_of(agent).any(|waits_in| waits_in == lobby)).count()
    };
    desk.lobbies().filter(|(lobby, waiting)| *waiting > ours(*lobby)).map(|(lobby, _)| lobby).collect()
}
