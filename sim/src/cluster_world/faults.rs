//! What goes wrong with the nodes, the links between them and the database.

use super::world::World;
use crate::dice::Dice;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

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
    /// The system clock of a machine is set.
    ClockStep,
    /// A node is gone for ever, if another one stays.
    LoseForEver,
}

impl Fault {
    /// Every fault there is.
    pub const ALL: [Self; 17] = [
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
        Self::ClockStep,
        Self::LoseForEver,
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
            Self::ClockStep => "system clock set",
            Self::LoseForEver => "node lost for ever",
        }
    }
}

/// Lets the faults of a world happen, one after the other, until it calms down.
pub(super) async fn happen(world: Rc<World>, faults: Vec<Fault>, mean: u64, mut dice: Dice) {
    loop {
        sleep(Duration::from_millis(dice.about(mean))).await;
        if world.is_calm.get() || world.is_over.get() {
            return;
        }
        let Some(fault) = dice.pick(&faults).copied() else { return };
        let span = Duration::from_millis(dice.between(200, 20_000));
        happens(&world, fault, span, &mut dice);
    }
}

fn happens(world: &Rc<World>, fault: Fault, span: Duration, dice: &mut Dice) {
    let count = world.machines.len();
    let any = |dice: &mut Dice| usize::try_from(dice.below(u64::try_from(count).unwrap_or(1))).unwrap_or(0);
    let (one, mut other) = (any(dice), any(dice));
    if one == other {
        other = (other + 1) % count;
    }
    let led = world.leader();
    let leader = led.unwrap_or(one);
    // Links go to the leader: those between two others carry nothing.
    let (from, to) = if dice.permille(700) && leader != one { (one, leader) } else { (one, other) };
    let (from, to) = if dice.permille(500) { (to, from) } else { (from, to) };
    let (database, network) = (world.hall.database.clone(), world.hall.network.clone());
    let later = |work: Box<dyn FnOnce()>| {
        drop(tokio::task::spawn_local(async move {
            sleep(span).await;
            work();
        }));
    };
    let took_place = match fault {
        Fault::KillLeader => led.is_some_and(|leader| world.kill(leader)),
        Fault::KillNode => world.kill(one),
        Fault::PauseLeader | Fault::PauseNode => {
            let machine = if fault == Fault::PauseLeader { led } else { Some(one) };
            let node =
                machine.and_then(|machine| world.node(machine)).filter(|node| !node.process.is_paused());
            node.is_some_and(|node| {
                node.process.pause();
                let world = Rc::clone(world);
                later(Box::new(move || {
                    node.process.resume();
                    world.disturb();
                }));
                true
            })
        }
        Fault::StopLeader => led.and_then(|leader| world.node(leader)).map(|node| node.stop()).is_some(),
        Fault::HandOver => world.node(one).map(|node| node.ask_for_lead()).is_some(),
        Fault::Race => {
            let racers = world.node(one).zip(world.node(other));
            racers.map(|(one, other)| (one.ask_for_lead(), other.ask_for_lead())).is_some()
        }
        Fault::CutWay | Fault::CutBothWays => {
            network.cut(from, to);
            if fault == Fault::CutBothWays {
                network.cut(to, from);
            }
            later(Box::new(move || {
                network.heal(from, to);
                network.heal(to, from);
            }));
            true
        }
        Fault::SlowWay => {
            network.slow(from, to, dice.between(50, 1_500));
            later(Box::new(move || network.heal(from, to)));
            true
        }
        Fault::ResetLink => network.reset(from, to),
        Fault::CutFromDatabase => {
            let machine = if dice.permille(500) { leader } else { one };
            if dice.permille(500) {
                database.cut(machine)
            } else {
                database.fall_silent(machine)
            }
            let world = Rc::clone(world);
            later(Box::new(move || {
                database.heal(machine);
                world.disturb();
            }));
            true
        }
        Fault::DatabaseAway => {
            database.go_away() && {
                let world = Rc::clone(world);
                later(Box::new(move || {
                    database.come_back();
                    world.disturb();
                }));
                true
            }
        }
        Fault::StandbyLost => {
            database.lose_standby() && {
                let world = Rc::clone(world);
                later(Box::new(move || {
                    database.regain_standby();
                    world.disturb();
                }));
                true
            }
        }
        Fault::Promotion => {
            database.promote();
            true
        }
        Fault::ClockStep => {
            let (most, back) = (dice.between(1, 3_600_000), dice.permille(500));
            let millis = i64::try_from(most).unwrap_or(0);
            let machine = world.machines.get(one);
            machine.map(|machine| machine.clocks.step_wall(if back { -millis } else { millis })).is_some()
        }
        Fault::LoseForEver => world.lose_for_ever(one),
    };
    if took_place {
        world.strikes(fault);
    }
}
