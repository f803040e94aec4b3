//! Worlds that were played and are not judged yet, for those who falsify them: a judge that reports nothing then is
//! blind.

use super::World;
use crate::oracles::ClientRecord;
use crate::report::WorldReport;
use crate::turmoil_world::NetworkPlan;
use crate::turmoil_world::auditor::Told;
use crate::turmoil_world::lists::ToldList;
use hall_client::wire::{Digest, GameId};
use hall_verify::replay::RoundCache;
use serde_json::Value;

/// What can be wrong with the machine of the hall on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineWeakness {
    /// A request stays in flight as long as the process lives.
    LeaksARequest,
    /// Each start uses the secret of the first one for its challenges.
    KeepsItsSecret,
    /// Its clock leaps when the system clock is set.
    Leaps,
}

/// A world that was played to its end, with the answers that the hall gave last.
pub struct PlayedWorld<'a> {
    world: World<'a>,
    told: Told,
}

impl<'a> PlayedWorld<'a> {
    /// The world of a plan.
    #[must_use]
    pub fn of(plan: &'a NetworkPlan) -> Self {
        let mut world = World::new(plan);
        let told = world.play();
        Self { world, told }
    }

    /// A world in which nothing happens, and whose hall hangs instead of shutting down. Nobody asks it anything
    /// afterwards: a hall that hangs answers nobody.
    #[must_use]
    pub fn of_dying(plan: &'a NetworkPlan) -> Self {
        let mut world = World::new(plan);
        world.chronicle.open().begin(world.machine.settings().clone(), &[]);
        world.machine.kill();
        world.stop();
        world.machine.process_died();
        Self { world, told: Told::default() }
    }

    /// The hall has stopped in another state.
    pub fn stop_in(&mut self, state: Digest) {
        self.world.chronicle.open().stopped_in = Some(state);
    }

    /// The hall lists a game less than it did.
    pub fn lose_a_game(&mut self) {
        self.told.games.pop_first();
    }

    /// The last page of each list names another one.
    pub fn go_on_behind_lists(&mut self) {
        self.told.lists.iter_mut().for_each(ToldList::go_on);
    }

    /// Agents have seen their turns so many milliseconds later.
    pub fn see_turns_later(&mut self, by: u64) {
        self.world.chronicle.open().woken.values_mut().for_each(|(_, at)| *at += by);
    }

    /// Games have ended so many milliseconds before anybody was told.
    pub fn hear_of_ends_later(&mut self, by: u64) {
        let mut chronicle = self.world.chronicle.open();
        chronicle.ends.values_mut().for_each(|end| end.when = end.when.saturating_sub(by));
    }

    /// No answer has called a game recently ended.
    pub fn hear_of_no_end(&mut self) {
        self.world.chronicle.open().polls.iter_mut().for_each(|poll| poll.ended.clear());
    }

    /// No ring has reached its endpoint.
    pub fn lose_rings(&mut self) {
        self.world.chronicle.open().rings.clear();
    }

    /// Rings have reached their endpoints so many milliseconds later.
    pub fn delay_rings(&mut self, by: u64) {
        self.world.chronicle.open().rings.iter_mut().for_each(|ring| ring.at += by);
    }

    /// Whether a stranger verifies the replay of an ended game after such a change; the world keeps what it was.
    ///
    /// # Panics
    /// No game has a replay.
    #[must_use]
    pub fn verifies_replay(&self, change: impl FnOnce(&mut Value)) -> bool {
        let mut with_replay = self.told.games.iter().filter(|(_, told)| told.replay.is_some());
        let (game, told): (&GameId, _) = with_replay.next().expect("a game has ended");
        let mut told = told.clone();
        if let Some(replay) = &mut told.replay {
            change(replay);
        }
        let (record, _) = told.record(*game, &self.world.trust, &mut RoundCache::default());
        matches!(record, ClientRecord::Game { failure: None, .. })
    }

    /// An agent of the plan that brings no strikes upon itself, by its place there.
    #[must_use]
    pub fn blameless(&self) -> Option<usize> {
        (0..self.world.plan.agents).find(|place| !self.world.hostile.contains(place))
    }

    /// Whether the hall had no reason to strike an agent for a turn that stood open for this time, in milliseconds
    /// since the world began.
    #[must_use]
    pub fn is_to_be_blamed(&self, agent: usize, opened: u64, struck: u64) -> bool {
        self.world.is_to_be_blamed(agent, opened, struck)
    }

    /// A connection of an agent is half-open from now on.
    pub fn break_a_connection_of(&self, agent: usize) {
        let site = self.world.sites.get(agent).copied().unwrap_or_default();
        if let Some(dialer) = self.world.schedule.dialer_of(site) {
            dialer.of_agent(agent).be_in_trouble();
        }
    }

    /// What the judges report.
    #[must_use]
    pub fn judged(self) -> WorldReport {
        self.world.judge(&self.told)
    }
}

/// Runs a world with something wrong in its machine.
#[must_use]
pub fn run_weakened(plan: &NetworkPlan, weakness: MachineWeakness) -> WorldReport {
    let world = World::new(plan);
    match weakness {
        MachineWeakness::LeaksARequest => world.machine.leaks_a_request.set(true),
        MachineWeakness::KeepsItsSecret => world.machine.draws_secrets.set(false),
        MachineWeakness::Leaps => world.machine.leaps.set(true),
    }
    world.run()
}
