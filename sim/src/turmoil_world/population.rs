//! Who lives where: agents and readers on their sites, the visitor, and the hosts of endpoints.

use super::agent::{Agent, Site};
use super::bells::{BELLS, EndpointRegistry, HOLE, INSIDE, SLOW, watch_for_connections};
use super::chronicle::Shared;
use super::dialer::SiteDialer;
use super::hall_reader::HallReader;
use super::host::HALL;
use super::hostile::{VISITOR, Visitor};
use super::last_call::LastCall;
use super::plan::NetworkPlan;
use super::researcher::Researcher;
use super::spectator::Spectator;
use std::net::Ipv4Addr;
use std::time::Duration;
use turmoil::Sim;

/// Those who live on one site.
pub(super) struct Population {
    pub(super) agents: Vec<Agent>,
    pub(super) spectators: Vec<Spectator>,
    pub(super) researchers: Vec<Researcher>,
    pub(super) hall_reader: Option<HallReader>,
    pub(super) chronicle: Shared,
}

impl Population {
    /// Lives until all of them have finished.
    ///
    /// # Errors
    /// Never: what fails is reported.
    pub(super) async fn live(self) -> turmoil::Result {
        let agents = self.agents.into_iter().map(|agent| tokio::spawn(agent.live()));
        let spectators = self.spectators.into_iter().map(|spectator| tokio::spawn(spectator.watch()));
        let researchers = self.researchers.into_iter().map(|researcher| tokio::spawn(researcher.read()));
        let hall_reader = self.hall_reader.map(|reader| tokio::spawn(reader.read()));
        let tasks: Vec<_> = agents.chain(spectators).chain(researchers).chain(hall_reader).collect();
        for task in tasks {
            if let Err(error) = task.await {
                self.chronicle.violation("V2", format!("a client's program failed: {error}"));
            }
        }
        Ok(())
    }
}

/// The visitor comes, on a machine of its own.
pub(super) fn invite(sim: &mut Sim<'_>, plan: &NetworkPlan, chronicle: &Shared, last_call: &LastCall) {
    let dialer = SiteDialer::new(plan.seed, plan.sites + 2, chronicle.clone());
    let (chronicle, last_call) = (chronicle.clone(), last_call.clone());
    let (notice, kill) = Default::default();
    let visitor = Visitor::new(plan, Site { dialer, chronicle, last_call, notice, kill });
    sim.client(VISITOR, async move {
        visitor.visit().await;
        Ok(())
    });
    sim.set_link_latency(VISITOR, HALL, Duration::from_millis(plan.tick.as_millis()));
}

/// Makes the hosts of endpoints, and that of a victim.
pub(super) fn settle(sim: &mut Sim<'_>, registry: &EndpointRegistry, chronicle: &Shared) {
    for address in [BELLS, SLOW, HOLE] {
        let host = registry.clone();
        sim.host(address, move || host.clone().serve());
    }
    let canary = chronicle.clone();
    sim.host(INSIDE, move || {
        let canary = canary.clone();
        async move { Ok(watch_for_connections(Ipv4Addr::UNSPECIFIED.into(), canary).await?) }
    });
    sim.partition(HOLE, HALL);
}
