//! Faults at the desk.

use crate::edit::{Plant, by_itself, decided, fact, facts_before, pictured, plant, started, when};
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{
    Command, DeskCommand, DeskFact, Division, Fact, HallCommand, HallFact, HallSettings, LeaveCause,
    RoomCommand,
};
use hall_sim::oracles::Observation;
use hall_wire::AgentId;

pub(crate) fn plants() -> Vec<Plant> {
    [waiting(), other_waiting(), pairing(), other_pairing(), quotas(), other_quotas()].concat()
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
        plant("L1", "an agent joins a lobby in which it waits", |seen, at| {
            joins(seen, at)?;
            decided(seen, at, |observed| {
                let again = observed.decision.facts.first()?.clone();
                observed.decision.facts.push(again);
                Some(())
            })
        }),
        plant("L6", "a refused command of the operator has a fact", |seen, at| {
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
        plant("L7", "an agent leaves a lobby twice", |seen, at| {
            joins(seen, at)?;
            let Fact::Desk(DeskFact::LobbyJoined { at: time, agent, lobby }) = only(seen, at)?.clone() else {
                return None;
            };
            let left = Fact::Desk(DeskFact::LobbyLeft { at: time, agent, lobby, cause: LeaveCause::Left });
            Some(vec![seen[at].clone(), by_itself(time, vec![left.clone(), left])])
        }),
        plant("L9", "a join leaves two agents waiting who could be paired", |seen, at| {
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
        plant("L12", "a seat changes to the entry of its opponent", |seen, at| {
            pictured(seen, at, |picture| {
                let seats = &mut picture.rooms.first_mut()?.seats;
                let other = seats.get(1)?.homologation;
                seats.first_mut()?.homologation = other;
                Some(())
            })
        }),
        plant("C1", "a lobby shows one agent more than joined it", |seen, at| {
            pictured(seen, at, |picture| {
                picture.lobbies.first_mut()?.1 += 1;
                Some(())
            })
        }),
    ]
}

/// Where the lists of who waits are changed, or what ends a wait.
fn other_waiting() -> Vec<Plant> {
    vec![
        plant("L1", "an agent is shown twice in a lobby", |seen, at| {
            pictured(seen, at, |picture| {
                picture.people.iter_mut().find_map(|person| {
                    let again = *person.lobbies.first()?;
                    person.lobbies.insert(0, again);
                    Some(())
                })
            })
        }),
        plant("L6", "a refused join is entered", |seen, at| {
            decided(seen, at, |observed| {
                let Command::Desk(DeskCommand::JoinLobby(_)) = &observed.what else { return None };
                let hall_core::Caller::Agent(agent) = observed.who else { return None };
                when(observed.decision.answer.is_err())?;
                let lobby = facts_before(seen, at).find_map(|fact| match fact {
                    Fact::Desk(DeskFact::LobbyJoined { lobby, .. }) => Some(*lobby),
                    _ => None,
                })?;
                let joined = DeskFact::LobbyJoined { at: observed.at, agent, lobby };
                observed.decision.facts.push(Fact::Desk(joined));
                Some(())
            })
        }),
        plant("C1", "a leave is not entered", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Desk(DeskCommand::LeaveLobby(_))))?;
                when(!observed.decision.facts.is_empty())?;
                observed.decision.facts.clear();
                Some(())
            })
        }),
        plant("L9", "a sweep leaves two agents waiting who could be paired", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Hall(HallCommand::Sweep)))?;
                let begins = |fact: &Fact| {
                    fact.in_room().is_some_and(|fact| matches!(fact.change, RoomChange::Started(_)))
                };
                when(observed.decision.facts.iter().any(begins))?;
                observed.decision.facts.retain(|fact| !begins(fact));
                observed.drawn.clear();
                observed.decision.effects.clear();
                Some(())
            })
        }),
        plant("L12", "a new filing does not void the one that stood", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Desk(DeskFact::HomologationFiled { voids, .. }) => voids.take().map(|_| ()),
                _ => None,
            })
        }),
        plant("T7", "a sweep is not entered", |seen, at| {
            match only(seen, at)? {
                Fact::Desk(DeskFact::LobbiesSwept { .. }) => {}
                _ => return None,
            }
            decided(seen, at, |observed| observed.decision.facts.pop().map(|_| ()))
        }),
    ]
}

fn pairing() -> Vec<Plant> {
    vec![
        plant("L2", "two agents of one operator are paired", |seen, at| {
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
        plant("L3", "a game seats one agent twice", |seen, at| {
            started(seen, at, |terms| {
                let first = terms.seats.first()?.clone();
                *terms.seats.get_mut(1)? = first;
                Some(())
            })
        }),
        plant("L8", "a game begins with a seat under the entry of its opponent", |seen, at| {
            started(seen, at, |terms| {
                let other = terms.seats.get(1)?.homologation;
                terms.seats.first_mut()?.homologation = other;
                Some(())
            })
        }),
        plant("L10", "an agent that waits is passed over", |seen, at| {
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
        plant("L11", "the recorded randomness is not what a game is made of", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Desk(DeskCommand::JoinLobby(_))))?;
                *observed.drawn.first_mut()? ^= 1;
                Some(())
            })
        }),
        plant("L13", "who sat first more often sits first", |seen, at| seats_exchanged(seen, at, false)),
    ]
}

/// Exchanges the seats of a game whose agents have sat first equally often, or not.
fn seats_exchanged(seen: &[Observation], at: usize, tie: bool) -> Option<Vec<Observation>> {
    let firsts = |who: AgentId| {
        let begun = facts_before(seen, at).filter_map(Fact::in_room);
        let first = begun.filter_map(|fact| match &fact.change {
            RoomChange::Started(terms) => terms.seats.first(),
            _ => None,
        });
        first.filter(|seat| seat.agent == who).count()
    };
    started(seen, at, |terms| {
        let [one, other] = terms.seats.as_slice() else { return None };
        when((firsts(one.agent) == firsts(other.agent)) == tie)?;
        terms.seats.reverse();
        Some(())
    })
}

/// Where somebody else is paired, or in another way.
fn other_pairing() -> Vec<Plant> {
    vec![
        plant("L2", "a seat goes to another agent of the opponent's operator", |seen, at| {
            let operators = || {
                facts_before(seen, at).filter_map(|fact| match fact {
                    Fact::Desk(DeskFact::AgentRegistered { agent, operator, .. }) => {
                        Some((*agent, *operator))
                    }
                    _ => None,
                })
            };
            started(seen, at, |terms| {
                let first = terms.seats.first()?.agent;
                let (_, operator) = operators().find(|(agent, _)| *agent == first)?;
                let (other, _) = operators().find(|(agent, own)| *own == operator && *agent != first)?;
                terms.seats.get_mut(1)?.agent = other;
                Some(())
            })
        }),
        plant("L3", "a game has one seat", |seen, at| {
            started(seen, at, |terms| {
                terms.seats.pop();
                Some(())
            })
        }),
        plant("L8", "an agent joins the lobby of a division in which it has no entry", |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::LobbyJoined { agent, lobby, .. }) = fact else { return None };
                let filed = facts_before(seen, at).filter_map(|fact| match fact {
                    Fact::Desk(DeskFact::HomologationFiled { agent: who, filing, .. }) if who == agent => {
                        Some(filing.division)
                    }
                    _ => None,
                });
                let filed: Vec<Division> = filed.collect();
                lobby.division = [Division::Pure, Division::Open]
                    .into_iter()
                    .find(|division| !filed.contains(division))?;
                Some(())
            })
        }),
        plant("L13", "a tie for the first seat goes to the higher hash", |seen, at| {
            seats_exchanged(seen, at, true)
        }),
    ]
}

fn quotas() -> Vec<Plant> {
    vec![
        plant("L4", "an agent joins above its cap of games", |seen, at| {
            let agent = joins(seen, at)?;
            one_game_each(seen, at, &[agent])
        }),
        plant("L5", "an agent is shown one join too many", |seen, at| {
            pictured(seen, at, |picture| {
                let left = picture.people.first_mut()?.joins_left.as_mut()?;
                *left += 1;
                Some(())
            })
        }),
        plant("C2", "an agent is shown one post too many", |seen, at| {
            pictured(seen, at, |picture| {
                let left = picture.people.first_mut()?.posts_left.as_mut()?;
                *left += 1;
                Some(())
            })
        }),
        plant("C3", "a seat shows a strike that was not given", |seen, at| {
            pictured(seen, at, |picture| {
                picture.rooms.first_mut()?.seats.first_mut()?.strikes += 1;
                Some(())
            })
        }),
    ]
}

/// Where the settings allow less, and the counts are as they were.
fn other_quotas() -> Vec<Plant> {
    vec![
        plant("L4", "a sweep begins a game above the cap of an agent", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            when(matches!(observed.what, Command::Hall(HallCommand::Sweep)))?;
            let begun = observed.decision.facts.iter().filter_map(Fact::in_room);
            let seated = begun.filter_map(|fact| match &fact.change {
                RoomChange::Started(terms) => Some(terms.seats.iter().map(|seat| seat.agent)),
                _ => None,
            });
            one_game_each(seen, at, &seated.flatten().collect::<Vec<_>>())
        }),
        plant("L5", "a second join of a day is entered where one is allowed", |seen, at| {
            settings(seen, at, |settings| settings.joins_per_day = 1)
        }),
        plant("C2", "the state shows one agent more than registered", |seen, at| {
            pictured(seen, at, |picture| {
                picture.agents += 1;
                Some(())
            })
        }),
        plant("C2", "a game is missing among the live ones of an agent", |seen, at| {
            pictured(seen, at, |picture| {
                picture.people.iter_mut().find_map(|person| person.live.pop().map(|_| ()))
            })
        }),
        plant("C3", "the state forgets a strike", |seen, at| {
            pictured(seen, at, |picture| {
                let mut seats = picture.rooms.iter_mut().flat_map(|room| &mut room.seats);
                seats.find(|seat| seat.strikes > 0)?.strikes = 0;
                Some(())
            })
        }),
    ]
}

/// Changes the first settings of a world.
fn settings(seen: &[Observation], at: usize, change: impl Fn(&mut HallSettings)) -> Option<Vec<Observation>> {
    fact(seen, at, |fact| match fact {
        Fact::Hall(HallFact::SettingsSet { settings, .. }) => {
            change(settings);
            Some(())
        }
        _ => None,
    })
}

/// Allows each agent one game before that place, if one of these has a game there.
fn one_game_each(seen: &[Observation], at: usize, agents: &[AgentId]) -> Option<Vec<Observation>> {
    let Observation::Decided(observed) = &seen[at] else { return None };
    let facts = || facts_before(seen, at).filter_map(Fact::in_room);
    let over =
        |game| facts().any(|fact| fact.game == game && matches!(fact.change, RoomChange::Ended { .. }));
    let plays = |fact: &RoomFact| match &fact.change {
        RoomChange::Started(terms) => terms.seats.iter().any(|seat| agents.contains(&seat.agent)),
        _ => false,
    };
    when(facts().any(|fact| plays(fact) && !over(fact.game)))?;
    let mut settings = facts_before(seen, at).find_map(|fact| match fact {
        Fact::Hall(HallFact::SettingsSet { settings, .. }) => Some(settings.clone()),
        _ => None,
    })?;
    settings.concurrent_games = 1;
    let set = Fact::Hall(HallFact::SettingsSet { at: observed.at, settings });
    Some(vec![by_itself(observed.at, vec![set]), seen[at].clone()])
}
