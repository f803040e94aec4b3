//! The operator of the hall, who gives a command now and then at the node that leads.

use super::node::Running;
use super::world::World;
use crate::dice::Dice;
use hall_core::{Caller, Command, DocketKind, GameVerdict, GovernanceCommand, RoomCommand};
use hall_wire::{Handle, Player};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long the operator waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Lets the operator act, on average every so many milliseconds, until the world calms down.
pub(super) async fn act(world: Rc<World>, mean: u64, mut dice: Dice) {
    for number in 0_u64.. {
        sleep(Duration::from_millis(dice.about(mean))).await;
        if world.is_calm.get() || world.is_over.get() {
            return;
        }
        let Some(node) = world.leader().and_then(|machine| world.node(machine)) else { continue };
        let command = drawn(&node, number, &mut dice);
        world.judge().report.fault("operator acts");
        let (engine, what) = (node.engine.clone(), command.clone());
        let asking =
            node.process.hold(async move { engine.submit(engine.arrive(), Caller::Operator, what).await });
        // A process that has ended tells nobody anything.
        if let Ok(Some(Ok(answer))) = timeout(ANSWER_TIMEOUT, asking).await {
            world.judge().operator_hears(&command, &answer);
        }
    }
}

/// A command, for what there is.
fn drawn(node: &Running, number: u64, dice: &mut Dice) -> Command {
    let reason = "an act of the simulator".to_owned();
    let (handles, suspended, live): (Vec<Handle>, Vec<Handle>, Vec<_>) = node.engine.peek(|hall| {
        let desk = hall.desk();
        let (suspended, handles): (Vec<_>, Vec<_>) =
            desk.agents().partition(|agent| desk.is_suspended(&agent.id));
        let names = |agents: Vec<&hall_core::desk::Agent>| {
            agents.into_iter().map(|agent| agent.handle.clone()).collect::<Vec<_>>()
        };
        let live = hall.rooms().iter().filter(|room| room.result().is_none());
        let live = live.map(|room| (room.id(), room.seats().len()));
        (names(handles), names(suspended), live.collect())
    });
    let (handle, back) = (dice.pick(&handles).cloned(), dice.pick(&suspended).cloned());
    let game = dice.pick(&live).copied();
    let seat = Player::new(u8::try_from(dice.below(4)).unwrap_or(0));
    match (dice.below(8), handle, back, game) {
        (0, Some(handle), ..) => Command::Governance(GovernanceCommand::SuspendAgent { handle, reason }),
        (1 | 2, _, Some(handle), _) => {
            Command::Governance(GovernanceCommand::RestoreAgent { handle, reason })
        }
        (3, _, _, Some((game, _))) => {
            let verdicts = [GameVerdict::Winner(Player::new(0)), GameVerdict::Draw, GameVerdict::Abort];
            let verdict = dice.pick(&verdicts).copied().unwrap_or(GameVerdict::Abort);
            Command::Room(RoomCommand::Adjudicate { game, verdict, reason })
        }
        // Of two players nobody leaves a seat: that is refused.
        (4 | 5, _, _, Some((game, seats))) if seats > 2 || dice.permille(200) => {
            Command::Room(RoomCommand::Vacate { game, player: seat, reason })
        }
        _ => Command::Governance(GovernanceCommand::AddDocketEntry {
            kind: DocketKind::Note,
            subject: format!("note {number}"),
            reason,
            disposition: None,
        }),
    }
}
