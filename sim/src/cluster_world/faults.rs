//! What goes wrong with the nodes, the links between them and the database.

use super::database::Database;
use super::world::World;
use crate::dice::Dice;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What may go wrong in a world of several nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process of the leader ends at once.
    KillLeader,
    /// The process of a node ends at once.
    KillNode,
    /// The process of the leader stands still.
    PauseLeader,
    /// The process of a node stands still.
    PauseNode,
    /// The leader is told to shut down.
    StopLeader,
    /// A node asks for the lead.
    HandOver,
    /// Two nodes ask for the lead at once.
    Race,
    /// Bytes from one node to another are lost.
    CutWay,
    /// Bytes between two nodes are lost.
    CutBothWays,
    /// Bytes from one node to another take longer.
    SlowWay,
    /// The link between two nodes is reset.
    ResetLink,
    /// A node does not reach the database.
    CutFromDatabase,
    /// No node reaches the database.
    DatabaseAway,
    /// The standby of the database is gone.
    StandbyLost,
    /// The standby takes the place of the database.
    Promotion,
    /// The clock of the database is set.
    DatabaseClockStep,
    /// The system clock of a machine is set.
    ClockStep,
    /// A node is gone for ever, if another one stays.
    LoseForEver,
    /// A follower is late again and again with what it does with the leader's batches.
    LateFollower,
}

impl Fault {
    /// Every fault there is.
    pub const ALL: [Self; 19] = [
        Self::KillLeader,
        Self::KillNode,
        Self::PauseLeader,
        Self::PauseNode,
        Self::StopLeader,
        Self::HandOver,
        Self::Race,
        Self::CutWay,
        Self::CutBothWays,
        Self::SlowWay,
        Self::ResetLink,
        Self::CutFromDatabase,
        Self::DatabaseAway,
        Self::StandbyLost,
        Self::Promotion,
        Self::DatabaseClockStep,
        Self::ClockStep,
        Self::LoseForEver,
        Self::LateFollower,
    ];

    /// The word by which reports call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::KillLeader => "leader killed",
            Self::KillNode => "node killed",
            Self::PauseLeader => "leader paused",
            Self::PauseNode => "node paused",
            Self::StopLeader => "leader stopped",
            Self::HandOver => "lead asked for",
            Self::Race => "lead asked for by two",
            Self::CutWay => "link cut in one direction",
            Self::CutBothWays => "link cut",
            Self::SlowWay => "link slow",
            Self::ResetLink => "link reset",
            Self::CutFromDatabase => "cut off from the database",
            Self::DatabaseAway => "database away",
            Self::StandbyLost => "standby lost",
            Self::Promotion => "standby promoted",
            Self::DatabaseClockStep => "database's clock set",
            Self::ClockStep => "system clock set",
            Self::LoseForEver => "node lost for ever",
            Self::LateFollower => "follower late",
        }
    }
}

/// Injects the faults of a world, one after the other, until it calms down.
pub(super) async fn inject_all(world: Rc<World>, faults: Vec<Fault>, mean: u64, mut dice: Dice) {
    loop {
        sleep(Duration::from_millis(dice.about(mean))).await;
        if world.is_calm.get() || world.is_over.get() {
            return;
        }
        let Some(fault) = dice.pick(&faults).copied() else { return };
        let span = Duration::from_millis(dice.between(200, 20_000));
        let took_place = Site::of(&world, span, &mut dice).inject(fault, &mut dice);
        if took_place {
            world.strikes(fault);
        }
    }
}

/// Where a fault is injected, and for how long.
struct Site<'w> {
    world: &'w Rc<World>,
    span: Duration,
    /// A machine, and another one.
    machines: (usize, usize),
    /// The machine of the leader, if there is one.
    led: Option<usize>,
    /// The link, in one direction.
    link: (usize, usize),
}

impl<'w> Site<'w> {
    fn of(world: &'w Rc<World>, span: Duration, dice: &mut Dice) -> Self {
        let count = world.machines.len();
        let any =
            |dice: &mut Dice| usize::try_from(dice.below(u64::try_from(count).unwrap_or(1))).unwrap_or(0);
        let (one, mut other) = (any(dice), any(dice));
        if one == other {
            other = (other + 1) % count;
        }
        let led = world.leader();
        let leader = led.unwrap_or(one);
        // Links go to the leader: those between two others carry nothing.
        let (from, to) = if dice.permille(700) && leader != one { (one, leader) } else { (one, other) };
        let link = if dice.permille(500) { (to, from) } else { (from, to) };
        Self { world, span, machines: (one, other), led, link }
    }

    /// Whether the fault took place.
    fn inject(&self, fault: Fault, dice: &mut Dice) -> bool {
        let (world, (one, other)) = (self.world, self.machines);
        let ((from, to), database) = (self.link, &world.hall.database);
        match fault {
            Fault::KillLeader => self.led.is_some_and(|leader| world.kill(leader)),
            Fault::KillNode => world.kill(one),
            Fault::LoseForEver => world.lose_for_ever(one),
            Fault::PauseLeader => self.led.is_some_and(|leader| self.pause(leader)),
            Fault::PauseNode => self.pause(one),
            Fault::LateFollower => self.delay_follower(dice),
            Fault::StopLeader => {
                self.led.and_then(|leader| world.node(leader)).map(|node| node.stop()).is_some()
            }
            Fault::HandOver => world.node(one).map(|node| node.ask_for_lead()).is_some(),
            Fault::Race => {
                let racers = world.node(one).zip(world.node(other));
                racers.map(|(one, other)| (one.ask_for_lead(), other.ask_for_lead())).is_some()
            }
            Fault::CutWay => self.cut(&[(from, to)]),
            Fault::CutBothWays => self.cut(&[(from, to), (to, from)]),
            Fault::SlowWay => self.slow(dice.between(50, 1_500)),
            Fault::ResetLink => world.hall.network.reset(from, to),
            Fault::CutFromDatabase => self.cut_from_database(dice),
            Fault::DatabaseAway => database.go_away() && self.mend(Database::come_back),
            Fault::StandbyLost => database.lose_standby() && self.mend(Database::regain_standby),
            Fault::Promotion => {
                database.promote();
                true
            }
            Fault::DatabaseClockStep => {
                let millis = i64::try_from(dice.between(200, 20_000)).unwrap_or(0);
                database.step_clock(if dice.permille(500) { -millis } else { millis });
                true
            }
            Fault::ClockStep => self.step_clock(dice),
        }
    }

    /// Does something at the end of the span.
    fn later(&self, work: impl FnOnce() + 'static) {
        let span = self.span;
        drop(tokio::task::spawn_local(async move {
            sleep(span).await;
            work();
        }));
    }

    /// Mends the database at the end of the span.
    fn mend(&self, work: impl FnOnce(&Database) + 'static) -> bool {
        let world = Rc::clone(self.world);
        self.later(move || {
            work(&world.hall.database);
            world.disturb();
        });
        true
    }

    fn pause(&self, machine: usize) -> bool {
        let node = self.world.node(machine).filter(|node| !node.process.is_paused());
        let Some(node) = node else { return false };
        node.process.pause();
        let world = Rc::clone(self.world);
        self.later(move || {
            node.process.resume();
            world.disturb();
        });
        true
    }

    /// What applies the batches of the leader at a follower stands still for moments until the end of the span, while its links
    /// and its service run.
    fn delay_follower(&self, dice: &mut Dice) -> bool {
        let (one, _) = self.machines;
        let node = self.world.node(one).filter(|_| self.led != Some(one));
        let Some(node) = node else { return false };
        let (world, until) = (Rc::clone(self.world), Instant::now() + self.span);
        let mut dice = Dice::of(dice.below(u64::MAX), "late follower", 0);
        drop(tokio::task::spawn_local(async move {
            while Instant::now() < until && !world.is_calm.get() && world.leader() != Some(one) {
                node.process.be_late();
                sleep(Duration::from_millis(dice.between(5, 400))).await;
                node.process.be_in_time();
                world.disturb();
                sleep(Duration::from_millis(dice.between(1, 200))).await;
            }
        }));
        true
    }

    fn cut(&self, ways: &[(usize, usize)]) -> bool {
        let (network, (from, to)) = (self.world.hall.network.clone(), self.link);
        ways.iter().for_each(|(from, to)| network.cut(*from, *to));
        self.later(move || {
            network.heal(from, to);
            network.heal(to, from);
        });
        true
    }

    fn slow(&self, millis: u64) -> bool {
        let (network, (from, to)) = (self.world.hall.network.clone(), self.link);
        network.slow(from, to, millis);
        self.later(move || network.heal(from, to));
        true
    }

    fn cut_from_database(&self, dice: &mut Dice) -> bool {
        let (one, _) = self.machines;
        let machine = if dice.permille(500) { self.led.unwrap_or(one) } else { one };
        let database = &self.world.hall.database;
        if dice.permille(500) {
            database.cut(machine)
        } else {
            database.fall_silent(machine)
        }
        self.mend(move |database| database.heal(machine))
    }

    fn step_clock(&self, dice: &mut Dice) -> bool {
        let (most, back) = (dice.between(1, 3_600_000), dice.permille(500));
        let millis = i64::try_from(most).unwrap_or(0);
        let machine = self.world.machines.get(self.machines.0);
        machine.map(|machine| machine.clocks.step_wall(if back { -millis } else { millis })).is_some()
    }
}
