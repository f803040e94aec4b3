//! The same commands, times and entropy give the same facts and the same state; facts alone rebuild it.

use crate::world::{CATALOG, as_data, hall_with, settings};
use hall_core::fixtures::{World, submission};
use hall_core::{
    Caller, Choice, Command, DeskCommand, Fact, GapCause, GovernanceCommand, Hall, MoveSubmission,
    RoomCommand,
};
use hall_wire::Digest;
use proptest::prelude::*;

/// What a random agent of a random world does next.
#[derive(Clone, Debug)]
enum Action {
    Join(u8),
    Leave(u8),
    Move { agent: u8, pick: u16 },
    Illegal(u8),
    Resign(u8),
    Offer { agent: u8, pick: u16 },
    Accept(u8),
    Wait(u32),
    Gap(u32),
    Suspend(u8),
    Restore(u8),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let agent = 0..6_u8;
    let action = prop_oneof![
        4 => agent.clone().prop_map(Action::Join),
        1 => agent.clone().prop_map(Action::Leave),
        12 => (agent.clone(), any::<u16>()).prop_map(|(agent, pick)| Action::Move { agent, pick }),
        3 => agent.clone().prop_map(Action::Illegal),
        1 => agent.clone().prop_map(Action::Resign),
        2 => (agent.clone(), any::<u16>()).prop_map(|(agent, pick)| Action::Offer { agent, pick }),
        1 => agent.clone().prop_map(Action::Accept),
        3 => (0..70_000_u32).prop_map(Action::Wait),
        1 => (0..90_000_u32).prop_map(Action::Gap),
        1 => agent.clone().prop_map(Action::Suspend),
        1 => agent.prop_map(Action::Restore),
    ];
    prop::collection::vec(action, 1..120)
}

fn run(actions: &[Action]) -> World {
    let mut world = hall_with(settings(), 7);
    let names = ["ada", "bob", "cid", "dora", "emil", "fay"];
    let agents: Vec<_> =
        names.iter().zip([1, 1, 2, 3, 4, 5]).map(|(name, op)| world.register(name, op)).collect();
    for action in actions {
        world.advance(137);
        match action {
            Action::Join(agent) => {
                let lobby = hall_core::JoinLobby {
                    game: "chess".into(),
                    variant: "standard".into(),
                    division: hall_core::Division::Open,
                };
                let _ = world.ask(
                    Caller::Agent(agents[usize::from(*agent)]),
                    Command::Desk(DeskCommand::JoinLobby(lobby)),
                );
            }
            Action::Leave(agent) => {
                let lobby = hall_core::JoinLobby {
                    game: "chess".into(),
                    variant: "standard".into(),
                    division: hall_core::Division::Open,
                };
                let _ = world.ask(
                    Caller::Agent(agents[usize::from(*agent)]),
                    Command::Desk(DeskCommand::LeaveLobby(lobby)),
                );
            }
            Action::Move { agent, pick } => {
                act(&mut world, agents[usize::from(*agent)], *pick, |request| request)
            }
            Action::Illegal(agent) => act(&mut world, agents[usize::from(*agent)], 0, |request| {
                MoveSubmission { choice: Some(Choice::Unparsable), ..request }
            }),
            Action::Resign(agent) => act(&mut world, agents[usize::from(*agent)], 0, |request| {
                MoveSubmission { resign: true, ..request }
            }),
            Action::Offer { agent, pick } => {
                act(&mut world, agents[usize::from(*agent)], *pick, |request| MoveSubmission {
                    draw_offer: true,
                    ..request
                });
            }
            Action::Accept(agent) => act(&mut world, agents[usize::from(*agent)], 0, |request| {
                MoveSubmission { draw_accept: true, choice: None, ..request }
            }),
            Action::Wait(millis) => {
                world.advance(u64::from(*millis));
                world.sweep();
            }
            Action::Gap(millis) => {
                world.sweep();
                let from = world.now;
                world.advance(u64::from(*millis));
                let command = Command::Room(RoomCommand::ExtendForGap {
                    from,
                    until: world.now,
                    cause: GapCause::Pause,
                    after: None,
                });
                let mut entropy = hall_core::fixtures::Seeded::new(1);
                let decision = world.hall.decide(world.now, world.now, Caller::Hall, &command, &mut entropy);
                for fact in &decision.facts {
                    world.hall.apply(fact);
                }
                world.facts.extend(decision.facts);
                world.hall.check();
            }
            Action::Suspend(agent) => {
                let handle = hall_wire::Handle::parse(names[usize::from(*agent)]).unwrap();
                let command =
                    Command::Governance(GovernanceCommand::SuspendAgent { handle, reason: "test".into() });
                let _ = world.ask(Caller::Operator, command);
            }
            Action::Restore(agent) => {
                let handle = hall_wire::Handle::parse(names[usize::from(*agent)]).unwrap();
                let command =
                    Command::Governance(GovernanceCommand::RestoreAgent { handle, reason: "test".into() });
                let _ = world.ask(Caller::Operator, command);
            }
        }
    }
    world
}

/// Does something in the agent's first live game in which it may be to move.
fn act(
    world: &mut World,
    agent: hall_wire::AgentId,
    pick: u16,
    change: impl FnOnce(MoveSubmission) -> MoveSubmission,
) {
    let games: Vec<_> = world.hall.desk().live_games(&agent).collect();
    let Some(&game) = games.first() else { return };
    let room = world.room(game);
    let Some(player) = room.player_of(&agent) else { return };
    let legal = room.legal_moves(player);
    let index = if legal.is_empty() { 0 } else { i64::from(pick) % i64::try_from(legal.len()).unwrap() };
    let request = change(submission(game, room.turn_index(), Some(Choice::Index(index))));
    let _ = world.ask(Caller::Agent(agent), Command::Room(RoomCommand::Submit(request)));
}

fn fold(facts: &[Fact]) -> Hall {
    let mut hall = Hall::new(CATALOG, as_data);
    for fact in facts {
        hall.apply(fact);
    }
    hall
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_same_commands_repeat_a_world_and_its_facts_alone_rebuild_it(actions in actions()) {
        let (first, second) = (run(&actions), run(&actions));
        prop_assert_eq!(&first.facts, &second.facts);
        prop_assert_eq!(first.hall.digest(), second.hall.digest());
        let written = serde_json::to_string(&first.facts).unwrap();
        let read: Vec<Fact> = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(&read, &first.facts);
        let rebuilt = fold(&read);
        rebuilt.check();
        prop_assert_eq!(rebuilt.digest(), first.hall.digest());
        let restored = Hall::restore(CATALOG, as_data, &first.hall.save()).unwrap();
        restored.check();
        prop_assert_eq!(restored.digest(), first.hall.digest());
    }
}

#[test]
fn a_fixed_world_has_a_fixed_digest_in_every_build() {
    let actions: Vec<Action> = (0..2_000_u32)
        .map(|step| {
            let agent = u8::try_from(step * 7 % 6).unwrap();
            match step % 23 {
                0 | 5 => Action::Join(agent),
                11 => Action::Illegal(agent),
                17 => Action::Wait(step * 31 % 70_000),
                19 => Action::Offer { agent, pick: u16::try_from(step).unwrap() },
                22 => Action::Gap(9_000),
                _ => Action::Move { agent, pick: u16::try_from(step * 13 % 65_536).unwrap() },
            }
        })
        .collect();
    let world = run(&actions);
    let facts = Digest::of(serde_json::to_string(&world.facts).unwrap().as_bytes());
    // If you change a rule, a fact or the state on purpose, write the new values here, and think of the journals that
    // exist.
    assert_eq!((facts.to_hex(), world.hall.digest().to_hex()), (FACTS.to_owned(), STATE.to_owned()));
}

const FACTS: &str = "abe16dc519c56dd81da1cd15e153cbe49c383881aa17064e3cece23dd2730f33";
const STATE: &str = "df428868eb98324d85a003449b771fe44b083117433052fdb957e53d172fa531";
