//! Agents of the house: players of graded strength that join when a guest has waited too long for an opponent.
//!
//! They are agents like all others: with keys, registered under operators of the house, homologated, rated, and
//! bound by the same quotas: one that has used them up is replaced by another agent of its strength. They speak to the
//! hall by signed requests, over pipes in memory. Their keys follow from the secret of the operator ids, so there is
//! nothing more to keep, and after a restart they go on with their games. They play every game of the catalog. At a table of
//! two the house has one operator, so its agents are never paired with each other; at larger tables as many as needed come
//! at once, each of another operator. They queue for nobody but a guest who waits.
//!
//! | module | what it owns |
//! |---|---|
//! | `guest_waits` | when a guest has waited long enough |
//! | `dispatcher` | which agents are sent to a lobby |
//! | `member` | one place in the house, and the agents that hold it in turn |
//! | `house_agent` | one agent at play |
//! | `pipes` | connections inside the process |

mod dispatcher;
mod guest_waits;
mod house_agent;
mod member;
mod pipes;

use dispatcher::Dispatcher;
use guest_waits::GuestWaits;
use hall_client::{KeyError, Link, Origin};
use hall_driver::Engine;
use hall_http::payload::HouseAgents;
use hall_http::{RunningServer, ServeError, Shell, serve_inside};
use hall_tools::agent::{MOST_EXPLOITABLE, Style};
use hall_wire::Span;
use member::Member;
use pipes::pipe;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How often the lobbies are checked.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
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

/// The agents of the house before they play.
pub(crate) struct HousePlayers {
    members: Vec<Member>,
    after: Span,
}

/// The agents of the house at play, until this is dropped.
pub(crate) struct RunningHousePlayers {
    playing: JoinSet<()>,
    server: RunningServer,
}

impl HousePlayers {
    /// The agents that the settings ask for. `secret` never changes.
    ///
    /// # Errors
    /// Never in practice: keys made of a hash are keys.
    pub(crate) fn of(settings: HouseSettings, secret: &[u8; 32], hall: &Origin) -> Result<Self, KeyError> {
        let numbered = (1..=settings.agents).zip(GRADES.iter().cycle());
        let members = numbered.map(|(number, grade)| Member::new(number, grade.clone(), secret, hall));
        Ok(Self { members: members.collect::<Result<_, _>>()?, after: settings.after })
    }

    /// Their ids, by which answers mark them.
    pub(crate) fn agents(&self) -> HouseAgents {
        let agents = self.members.iter().flat_map(|member| &member.keys).map(|key| key.key.agent_id());
        HouseAgents::new(self.members.len(), agents, self.after).with_note(
            "leduc_poker",
            format!(
                "Agents named search play a computed equilibrium of one hand, in both variants: its exploitability, what \
                 the best answer to it wins, is below {MOST_EXPLOITABLE} chips a hand. Agents named greedy bet by the odds \
                 of their cards."
            ),
        )
    }

    /// Makes them play at the hall of `shell`; `None` if there are none.
    ///
    /// # Errors
    /// The hall cannot be served to them.
    pub(crate) fn start(
        &self,
        shell: &Arc<Shell>,
        engine: &Engine,
    ) -> Result<Option<RunningHousePlayers>, ServeError> {
        if self.members.is_empty() {
            return Ok(None);
        }
        let (listener, dialer) = pipe();
        let server = serve_inside(shell, listener)?;
        let (link, engine, members) = (Link::over(dialer), engine.clone(), self.members.clone());
        let after = self.after;
        let mut playing = JoinSet::new();
        playing.spawn(async move {
            serve_guests(Dispatcher::new(members, link, engine.clone()), engine, GuestWaits::new(after))
                .await;
        });
        Ok(Some(RunningHousePlayers { playing, server }))
    }
}

impl RunningHousePlayers {
    /// Stops them; their live games go on by default actions until they come back.
    pub(crate) async fn stop(mut self) {
        self.playing.shutdown().await;
        self.server.stop().await;
    }
}

/// Checks the lobbies, and sends agents to each in which a guest has waited long enough.
async fn serve_guests(mut dispatcher: Dispatcher, engine: Engine, mut waits: GuestWaits) {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut is_short = false;
    loop {
        ticks.tick().await;
        // Nobody would be let into a lobby.
        if engine.is_draining() {
            continue;
        }
        let now = engine.now();
        for lobby in waits.due(now, dispatcher.lobbies_with_guests()) {
            let was_short = std::mem::replace(&mut is_short, !dispatcher.send(lobby, now));
            if is_short && !was_short {
                tracing::warn!(
                    lobby = %format_args!("{}/{}/{}", lobby.variant.game, lobby.variant.variant, lobby.division.as_str()),
                    "a guest waits, and no agent of the house can come, or not enough of them for the table: all have used up their \
                     joins of the day, are in as many games as the limits allow, or are suspended"
                );
            }
        }
    }
}
