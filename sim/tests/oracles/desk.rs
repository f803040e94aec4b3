//! Faults at the desk.

use crate::edit::{Plant, by_itself, decided, fact, facts_before, pictured, plant, started, when};
use hall_core::rooms::RoomChange;
use hall_core::{Command, DeskCommand, DeskFact, Fact, HallFact, LeaveCause, RoomCommand};
use hall_sim::oracles::Observation;
use hall_wire::AgentId;

pub(crate) fn plants() -> Vec<Plant> {
    [waiting(), pairing(), quotas()].concat()
}

/// The fact of the decision there, if it has exactly one.
fn only(seen: &[Observation], at: usize) -> Option<&Fact> {
    let Observation::Decided(observed) = &seen[at] else { return None };
    let [fact] = observed.decision.facts.as_slice() else { return None };
    Some(fact)
}

/// The agent that the join there leaves waiting for an opponent.
fn joins(seen: &[Observation], at: usize) -> Option<AgentId> {
    match only(seen, at)? {
        Fact::Desk(DeskFact::LobbyJoined { agent, .. }) => Some(*agent),
        _ => None,
    }
}

fn waiting() -> Vec<Plant> {
    vec![
        plant("L1", &["L5"], |seen, at| {
            joins(seen, at)?;
            decided(seen, at, |observed| {
                let again = observed.decision.facts.first()?.clone();
                observed.decision.facts.push(again);
                Some(())
            })
        }),
        plant("L6", &[], |seen, at| {
            decided(seen, at, |observed| {
                when(
                    observed.decision.answer.is_err()
                        && !matches!(observed.what, Command::Room(RoomCommand::Submit(_))),
                )?;
                when(!matches!(observed.who, hall_core::Caller::Agent(_)))?;
                observed.decision.facts.push(Fact::Hall(HallFact::Stopped { at: observed.at }));
                Some(())
            })
        }),
        plant("L7", &[], |seen, at| {
            joins(seen, at)?;
            let Fact::Desk(DeskFact::LobbyJoined { at: time, agent, lobby }) = only(seen, at)?.clone() else {
                return None;
            };
            let left = Fact::Desk(DeskFact::LobbyLeft { at: time, agent, lobby, cause: LeaveCause::Left });
            Some(vec![seen[at].clone(), by_itself(time, vec![left.clone(), left])])
        }),
        plant("L9", &[], |seen, at| {
            decided(seen, at, |observed| {
                when(
                    matches!(observed.what, Command::Desk(DeskCommand::JoinLobby(_)))
                        && observed.decision.facts.len() == 2,
                )?;
                observed.decision.facts.pop();
                observed.drawn.clear();
                observed.decision.effects.clear();
                Some(())
            })
        }),
        plant("L12", &[], |seen, at| {
            pictured(seen, at, |picture| {
                let seats = &mut picture.rooms.first_mut()?.seats;
                let other = seats.get(1)?.homologation;
                seats.first_mut()?.homologation = other;
                Some(())
            })
        }),
        plant("C1", &["L7"], |seen, at| {
            pictured(seen, at, |picture| {
                picture.lobbies.first_mut()?.1 += 1;
                Some(())
            })
        }),
    ]
}

fn pairing() -> Vec<Plant> {
    vec![
        plant("L2", &["L9", "L10"], |seen, at| {
            // The first agents to be paired have the same operator from the start.
            let pair: Vec<AgentId> =
                facts_before(seen, seen.len()).filter_map(Fact::in_room).find_map(|fact| {
                    match &fact.change {
                        RoomChange::Started(terms) => {
                            Some(terms.seats.iter().map(|seat| seat.agent).collect())
                        }
                        _ => None,
                    }
                })?;
            let known = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { agent, operator, .. }) if pair.contains(agent) => {
                    Some(*operator)
                }
                _ => None,
            })?;
            fact(seen, at, |fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { agent, operator, .. }) if pair.contains(agent) => {
                    *operator = known;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("L3", &["L10"], |seen, at| {
            started(seen, at, |terms| {
                let first = terms.seats.first()?.clone();
                *terms.seats.get_mut(1)? = first;
                Some(())
            })
        }),
        plant("L8", &[], |seen, at| {
            started(seen, at, |terms| {
                let other = terms.seats.get(1)?.homologation;
                terms.seats.first_mut()?.homologation = other;
                Some(())
            })
        }),
        plant("L10", &["L4", "L5", "L8"], |seen, at| {
            // Another agent is already waiting, and would have to be the opponent.
            let Observation::Decided(observed) = &seen[at] else { return None };
            when(matches!(observed.what, Command::Desk(DeskCommand::JoinLobby(_))))?;
            let [Fact::Desk(DeskFact::LobbyJoined { lobby, .. }), Fact::Room(game)] =
                observed.decision.facts.as_slice()
            else {
                return None;
            };
            let RoomChange::Started(terms) = &game.change else { return None };
            let seated = |agent: &AgentId| terms.seats.iter().any(|seat| seat.agent == *agent);
            let operators: Vec<_> = facts_before(seen, at)
                .filter_map(|fact| match fact {
                    Fact::Desk(DeskFact::AgentRegistered { agent, operator, .. }) => {
                        Some((*agent, *operator))
                    }
                    _ => None,
                })
                .collect();
            let own: Vec<_> =
                operators.iter().filter(|(agent, _)| seated(agent)).map(|(_, it)| *it).collect();
            let filed = |who: &AgentId| {
                facts_before(seen, at)
                    .any(|fact| matches!(fact, Fact::Desk(DeskFact::HomologationFiled { agent, .. }) if agent == who))
            };
            let waits = |who: &AgentId| {
                facts_before(seen, at).any(
                    |fact| matches!(fact, Fact::Desk(DeskFact::LobbyJoined { agent, .. }) if agent == who),
                )
            };
            let (agent, _) = operators
                .iter()
                .find(|(agent, operator)| !own.contains(operator) && filed(agent) && !waits(agent))?;
            let (at_time, lobby) = (observed.at, *lobby);
            let joined = Fact::Desk(DeskFact::LobbyJoined { at: at_time, agent: *agent, lobby });
            Some(vec![by_itself(at_time, vec![joined]), seen[at].clone()])
        }),
        plant("L11", &[], |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Desk(DeskCommand::JoinLobby(_))))?;
                *observed.drawn.first_mut()? ^= 1;
                Some(())
            })
        }),
        plant("L13", &["T8"], |seen, at| {
            started(seen, at, |terms| {
                terms.seats.reverse();
                Some(())
            })
        }),
    ]
}

fn quotas() -> Vec<Plant> {
    vec![
        plant("L4", &[], |seen, at| {
            let agent = joins(seen, at)?;
            let plays = |fact: &&hall_core::rooms::RoomFact| match &fact.change {
                RoomChange::Started(terms) => terms.seats.iter().any(|seat| seat.agent == agent),
                _ => false,
            };
            let begun = facts_before(seen, at).filter_map(Fact::in_room).filter(plays);
            let over = |game| {
                facts_before(seen, at)
                    .filter_map(Fact::in_room)
                    .any(|fact| fact.game == game && matches!(fact.change, RoomChange::Ended { .. }))
            };
            when(begun.filter(|fact| !over(fact.game)).count() > 0)?;
            let Observation::Decided(observed) = &seen[at] else { return None };
            let mut settings = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Hall(HallFact::SettingsSet { settings, .. }) => Some(settings.clone()),
                _ => None,
            })?;
            settings.concurrent_games = 1;
            Some(vec![
                by_itself(observed.at, vec![Fact::Hall(HallFact::SettingsSet { at: observed.at, settings })]),
                seen[at].clone(),
            ])
        }),
        plant("L5", &[], |seen, at| {
            pictured(seen, at, |picture| {
                let left = picture.people.first_mut()?.joins_left.as_mut()?;
                *left += 1;
                Some(())
            })
        }),
        plant("C2", &[], |seen, at| {
            pictured(seen, at, |picture| {
                let left = picture.people.first_mut()?.posts_left.as_mut()?;
                *left += 1;
                Some(())
            })
        }),
        plant("C3", &["T6"], |seen, at| {
            pictured(seen, at, |picture| {
                picture.rooms.first_mut()?.seats.first_mut()?.strikes += 1;
                Some(())
            })
        }),
    ]
}
