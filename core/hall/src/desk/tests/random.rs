//! Random histories: every invariant holds after every fact, a snapshot is the state, the journal makes the same
//! state again, and nobody who could be paired is left waiting after a join or a sweep.

use super::*;
use alloc::collections::BTreeSet;
use alloc::vec;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Act {
    File { agent: usize, division: Division, model: u8 },
    Join { agent: usize, division: Division },
    Leave { agent: usize, division: Division },
    End { which: usize, outcome: usize },
    SuspendAgent { agent: usize },
    RestoreAgent { agent: usize },
    SuspendOperator { operator: u8 },
    RestoreOperator { operator: u8 },
    TurnSeason,
    Sweep,
    Pass { minutes: u64 },
}

const AGENTS: usize = 9;
const OPERATORS: u8 = 4;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_histories_keep_every_invariant(acts in prop::collection::vec(act(), 1..120)) {
        let mut world = World::new();
        world.settings.concurrent_games = 3;
        world.settings.joins_per_day = 12;
        let agents: Vec<AgentId> = (0..AGENTS)
            .map(|number| world.player(&format!("agent{number}"), u8::try_from(number).unwrap() % OPERATORS))
            .collect();
        for act in acts {
            let joins = matches!(act, Act::Join { .. });
            let swept = perform(&mut world, &agents, act);
            if swept {
                assert_nobody_pairable_is_left(&world, None);
            } else if joins {
                assert_nobody_pairable_is_left(&world, world.facts.last());
            }
            for agent in &agents {
                prop_assert!(world.desk.live_games(agent).count() <= 3);
                let today = |fact: &&Fact| matches!(fact, Fact::Desk(DeskFact::LobbyJoined { agent: who, at, .. })
                    if who == agent && at.utc_day() == world.at.utc_day());
                let recount = world.facts.iter().filter(today).count();
                let left = world.desk.joins_left(agent, world.at, &world.settings).unwrap();
                prop_assert_eq!(recount + usize::try_from(left).unwrap(), 12, "the quota is what the journal says");
            }
        }
        let mut again = Desk::default();
        world.facts.iter().for_each(|fact| again.apply(fact));
        prop_assert!(again == world.desk, "the journal makes the same state again");
        let bytes = postcard::to_allocvec(&world.desk).unwrap();
        let restored: Desk = postcard::from_bytes(&bytes).unwrap();
        restored.check();
        prop_assert!(restored == world.desk, "a snapshot is the state");
        prop_assert_eq!(postcard::to_allocvec(&restored).unwrap(), bytes);
    }
}

/// Does what `act` says; whether it was a sweep that ran.
fn perform(world: &mut World, agents: &[AgentId], act: Act) -> bool {
    let reason = || "r".to_string();
    let lobby = |division| JoinLobby { division, ..asked() };
    let name = |agent: usize| handle(&format!("agent{agent}"));
    match act {
        Act::File { agent, division, model } => {
            let model_id = format!("model-{model}");
            drop(world.file(
                agents[agent],
                Filing { division, model_id, tool_access: ToolAccess::Pure, ..filing() },
            ));
        }
        Act::Join { agent, division } => {
            drop(
                world.wish(
                    Caller::Agent(agents[agent]),
                    Command::Desk(DeskCommand::JoinLobby(lobby(division))),
                ),
            );
        }
        Act::Leave { agent, division } => {
            drop(
                world.wish(
                    Caller::Agent(agents[agent]),
                    Command::Desk(DeskCommand::LeaveLobby(lobby(division))),
                ),
            );
        }
        Act::End { which, outcome } => {
            let live: BTreeSet<GameId> =
                agents.iter().flat_map(|agent| world.desk.live_games(agent)).collect();
            if let Some(game) = live.iter().nth(which % live.len().max(1)).copied() {
                let seats = &world.terms(game).seats;
                let winner = seats.get(outcome).map(|seat| seat.agent);
                world.end(game, winner, 0);
            }
        }
        Act::SuspendAgent { agent } => {
            drop(world.wish(
                Caller::Operator,
                Command::Governance(GovernanceCommand::SuspendAgent {
                    handle: name(agent),
                    reason: reason(),
                }),
            ));
        }
        Act::RestoreAgent { agent } => {
            drop(world.wish(
                Caller::Operator,
                Command::Governance(GovernanceCommand::RestoreAgent {
                    handle: name(agent),
                    reason: reason(),
                }),
            ));
        }
        Act::SuspendOperator { operator } => {
            let operator = OperatorId::from_bytes([operator; 16]);
            drop(world.wish(
                Caller::Operator,
                Command::Governance(GovernanceCommand::SuspendOperator { operator, reason: reason() }),
            ));
        }
        Act::RestoreOperator { operator } => {
            let operator = OperatorId::from_bytes([operator; 16]);
            drop(world.wish(
                Caller::Operator,
                Command::Governance(GovernanceCommand::RestoreOperator { operator, reason: reason() }),
            ));
        }
        Act::TurnSeason => {
            let next = season(&format!("s{}", world.desk.seasons().count() + 1));
            if let Some(open) = world.desk.current_season().cloned() {
                world.govern(Command::Governance(GovernanceCommand::CloseSeason { season: open }));
            }
            world.govern(Command::Governance(GovernanceCommand::OpenSeason { season: next }));
        }
        Act::Sweep => return world.sweep() > 0,
        Act::Pass { minutes } => world.pass(Span::from_secs(60 * minutes)),
    }
    false
}

/// Looks at every pair of waiting agents. After a join that means the lobby joined: ended games may have made
/// others pairable that wait for the sweep.
fn assert_nobody_pairable_is_left(world: &World, last: Option<&Fact>) {
    let only = match last {
        None => None,
        Some(Fact::Desk(DeskFact::LobbyJoined { lobby, .. })) => Some(*lobby),
        Some(_) => return,
    };
    for (lobby, count) in world.desk.lobbies() {
        if only.is_some_and(|only| only != lobby) {
            continue;
        }
        let waiting: Vec<&Agent> = world
            .desk
            .agents()
            .filter(|agent| world.desk.lobbies_of(&agent.id).any(|known| known == lobby))
            .collect();
        assert_eq!(waiting.len(), count);
        let free: BTreeSet<OperatorId> = waiting
            .iter()
            .filter(|agent| world.desk.live_games(&agent.id).count() < 3)
            .map(|agent| agent.operator)
            .collect();
        assert!(free.len() < 2, "two operators could play in {lobby:?}");
    }
}

fn act() -> impl Strategy<Value = Act> {
    let agent = 0..AGENTS;
    let division = prop_oneof![3 => Just(Division::Open), 1 => Just(Division::Pure)];
    prop_oneof![
        3 => (agent.clone(), division.clone(), 0_u8..3)
            .prop_map(|(agent, division, model)| Act::File { agent, division, model }),
        12 => (agent.clone(), division.clone()).prop_map(|(agent, division)| Act::Join { agent, division }),
        2 => (agent.clone(), division).prop_map(|(agent, division)| Act::Leave { agent, division }),
        5 => (any::<usize>(), 0_usize..3).prop_map(|(which, outcome)| Act::End { which, outcome }),
        1 => agent.clone().prop_map(|agent| Act::SuspendAgent { agent }),
        2 => agent.prop_map(|agent| Act::RestoreAgent { agent }),
        1 => (0..OPERATORS).prop_map(|operator| Act::SuspendOperator { operator }),
        2 => (0..OPERATORS).prop_map(|operator| Act::RestoreOperator { operator }),
        1 => Just(Act::TurnSeason),
        2 => Just(Act::Sweep),
        4 => (1_u64..400).prop_map(|minutes| Act::Pass { minutes }),
    ]
}
