//! Faults within a step, and in what the hall owes and holds.

use crate::edit::{Plant, decided, facts_before, pictured, plant, when};
use hall_core::rooms::{BeaconStatus, RoomChange};
use hall_core::{Caller, Command, DeskCommand, Effect, Fact, HallFact, Reply, RoomReply};
use hall_sim::oracles::{Glimpse, Moment, Observation, Seen};
use hall_sim::protocol::AnswerBrief;
use hall_wire::Span;

pub(crate) fn plants() -> Vec<Plant> {
    [ahead(), failed(), answers(), rings(), beacon(), given_back(), bounded()].concat()
}

/// Changes what readers see at a moment of a step.
fn glimpsed(
    seen: &[Observation],
    at: usize,
    moment: Moment,
    change: impl FnOnce(&mut Glimpse) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Glimpsed(glimpse) = &seen[at] else { return None };
    when(glimpse.moment == moment)?;
    let mut changed = glimpse.clone();
    change(&mut changed)?;
    Some(vec![Observation::Glimpsed(changed)])
}

/// Readers see one thing more.
fn sees(what: Seen, glimpse: &mut Glimpse) -> Option<()> {
    glimpse.seen.push(what);
    Some(())
}

/// Something is seen before it is durable.
fn ahead() -> Vec<Plant> {
    vec![
        plant("D3", "within a step, a read sees what is not durable", |seen, at| {
            glimpsed(seen, at, Moment::Ahead, |glimpse| sees(Seen::Read(glimpse.durable + 1), glimpse))
        }),
        plant("D3", "within a step, a stream sees a fact that is not durable", |seen, at| {
            glimpsed(seen, at, Moment::Ahead, |glimpse| {
                let game = *glimpse.followed.first()?;
                sees(Seen::Fact(game, 1_000), glimpse)
            })
        }),
        plant("D3", "within a step, an agent is woken for what is not durable", |seen, at| {
            glimpsed(seen, at, Moment::Ahead, |glimpse| {
                let agent = *glimpse.watched.first()?;
                when(glimpse.since == glimpse.durable)?;
                sees(Seen::Woken(agent), glimpse)
            })
        }),
        plant("D3", "within a step, the newest checkpoint names leaves that are not durable", |seen, at| {
            glimpsed(seen, at, Moment::Ahead, |glimpse| {
                let size = glimpse.seen.iter_mut().find_map(|seen| match seen {
                    Seen::Checkpoint(size) => Some(size),
                    _ => None,
                })?;
                *size += 1;
                Some(())
            })
        }),
        plant("D3", "within a step, the journal shows a record that is not durable", |seen, at| {
            glimpsed(seen, at, Moment::Ahead, |glimpse| sees(Seen::Record(glimpse.durable + 1), glimpse))
        }),
    ]
}

/// Something of a failed append is seen.
fn failed() -> Vec<Plant> {
    vec![
        plant("W6", "after a failed append, a read sees its batch", |seen, at| {
            glimpsed(seen, at, Moment::Failed, |glimpse| sees(Seen::Read(glimpse.durable + 1), glimpse))
        }),
        plant("W6", "after a failed append, a stream sees a fact of its batch", |seen, at| {
            glimpsed(seen, at, Moment::Failed, |glimpse| {
                let game = *glimpse.followed.first()?;
                sees(Seen::Fact(game, 1_000), glimpse)
            })
        }),
        plant("W6", "after a failed append, an agent is woken", |seen, at| {
            glimpsed(seen, at, Moment::Failed, |glimpse| {
                let agent = *glimpse.watched.first()?;
                when(glimpse.since == glimpse.durable)?;
                sees(Seen::Woken(agent), glimpse)
            })
        }),
        plant("W6", "after a failed append, an agent is rung", |seen, at| {
            glimpsed(seen, at, Moment::Failed, |glimpse| {
                let (agent, game) = (*glimpse.watched.first()?, *glimpse.followed.first()?);
                sees(Seen::Ring(agent, game, 1_000), glimpse)
            })
        }),
        plant("W6", "after a failed append, a caller is told that nothing was done", |seen, at| {
            glimpsed(seen, at, Moment::Failed, |glimpse| sees(Seen::GivenUp(1), glimpse))
        }),
    ]
}

/// Somebody is not answered, or not told.
fn answers() -> Vec<Plant> {
    vec![
        plant("W1", "a durable step leaves an answer undelivered", |seen, at| {
            glimpsed(seen, at, Moment::Durable, |glimpse| {
                glimpse.waiting = 1;
                Some(())
            })
        }),
        plant("W1", "a durable step does not wake an agent", |seen, at| {
            glimpsed(seen, at, Moment::Durable, |glimpse| {
                let before = glimpse.seen.len();
                glimpse.seen.retain(|seen| !matches!(seen, Seen::Woken(_)));
                when(glimpse.seen.len() < before)
            })
        }),
        plant("W1", "a durable step keeps a fact from a stream", |seen, at| {
            glimpsed(seen, at, Moment::Durable, |glimpse| {
                let place = glimpse.seen.iter().position(|seen| matches!(seen, Seen::Fact(..)))?;
                glimpse.seen.remove(place);
                Some(())
            })
        }),
        plant("W1", "an answer is lost in the hall", |seen, at| match &seen[at] {
            Observation::Answered { answer, .. } if !matches!(answer, AnswerBrief::Refused { .. }) => {
                Some(Vec::new())
            }
            _ => None,
        }),
        plant("W1", "a request is lost in the queue", |seen, at| {
            when(undecided(&seen[..at]) > 0)?;
            let lost = pictured(seen, at, |picture| {
                when(picture.queued > 0)?;
                (picture.queued, picture.held) = (0, None);
                Some(())
            })?;
            Some([lost.clone(), lost].concat())
        }),
        plant("W1", "an answer that waited for the beacon is forgotten", |seen, at| {
            decided(seen, at, |observed| {
                let before = observed.decision.effects.len();
                observed.decision.effects.retain(|effect| !matches!(effect, Effect::DeferredAnswer { .. }));
                when(observed.decision.effects.len() < before)
            })
        }),
    ]
}

/// How many requests of agents the gate of the last process has let through that are not decided.
fn undecided(seen: &[Observation]) -> i64 {
    let here =
        seen.iter().rev().take_while(|observation| !matches!(observation, Observation::Started { .. }));
    let change = |observation: &Observation| match observation {
        Observation::Judged(judged) => i64::from(judged.answer.is_none()),
        Observation::Decided(observed) => match (&observed.what, observed.who) {
            (Command::Doorbell(_), _) => 0,
            (Command::Desk(DeskCommand::RegisterAgent(_)), _) | (_, Caller::Agent(_)) => -1,
            _ => 0,
        },
        _ => 0,
    };
    here.map(change).sum()
}

fn rings() -> Vec<Plant> {
    vec![
        plant("W2", "a durable step does not hand over a ring", |seen, at| {
            glimpsed(seen, at, Moment::Durable, |glimpse| {
                let before = glimpse.seen.len();
                glimpse.seen.retain(|seen| !matches!(seen, Seen::Ring(..)));
                when(glimpse.seen.len() < before)
            })
        }),
        plant("W2", "a turn stays open and its agent is not rung", |seen, at| {
            let Observation::Rang(rang) = &seen[at] else { return None };
            let key = (rang.agent, rang.game, rang.turn_index);
            let again = |observation: &Observation| match observation {
                Observation::Rang(rang) => (rang.agent, rang.game, rang.turn_index) == key,
                _ => false,
            };
            when(!seen.iter().enumerate().any(|(place, it)| place != at && again(it)))?;
            let stays = seen[at..].iter().take_while(|observation| !is_over(observation, rang.game));
            let stays = stays.take_while(|observation| {
                !matches!(observation, Observation::Died(_) | Observation::Away { .. })
            });
            let last = stays.filter_map(time_of).last()?;
            when(last.since(rang.at) > Span::from_secs(45))?;
            Some(Vec::new())
        }),
    ]
}

fn is_over(observation: &Observation, game: hall_wire::GameId) -> bool {
    let Observation::Decided(observed) = observation else { return false };
    observed.decision.facts.iter().filter_map(Fact::in_room).any(|fact| fact.game == game)
}

fn time_of(observation: &Observation) -> Option<hall_wire::Timestamp> {
    if let Observation::Stepped(picture) = observation { Some(picture.at) } else { None }
}

fn beacon() -> Vec<Plant> {
    vec![
        plant("W3", "a game goes on without a round that came in time", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let missed = observed.decision.facts.iter().filter_map(Fact::in_room).find(|fact| {
                matches!(fact.change, RoomChange::BeaconSettled { status: BeaconStatus::Missed, .. })
            })?;
            let terms = crate::edit::terms(seen, at, missed.game)?.beacon?;
            let (chain_hash, round) = (terms.chain_hash, terms.round);
            let given = observed.stamp - Span::from_secs(1);
            Some(vec![Observation::BeaconGiven { at: given, chain_hash, round }, seen[at].clone()])
        }),
        plant("W3", "a game waits for a round that it has", |seen, at| {
            decided(seen, at, |observed| {
                let settled = observed.decision.facts.iter().filter_map(Fact::in_room).find(|fact| {
                    matches!(fact.change, RoomChange::BeaconSettled { status: BeaconStatus::Verified, .. })
                });
                let mut waits = settled?.clone();
                (waits.number, waits.event) = (waits.number + 1, None);
                waits.change = RoomChange::HallDeferred { turn_index: 0 };
                observed.decision.facts.push(Fact::Room(waits.into()));
                Some(())
            })
        }),
        plant("W3", "a game that waits for its round is not given it", |seen, at| {
            let started =
                facts_before(seen, at).filter_map(Fact::in_room).filter_map(|fact| match &fact.change {
                    RoomChange::Started(terms) => Some((fact.game, terms.beacon?)),
                    _ => None,
                });
            let (game, terms) = started.last()?;
            let settles = |fact: &Fact| {
                fact.in_room().is_some_and(|fact| {
                    fact.game == game
                        && matches!(fact.change, RoomChange::BeaconSettled { .. } | RoomChange::Ended { .. })
                })
            };
            when(!facts_before(seen, at).any(settles))?;
            let (chain_hash, round) = (terms.chain_hash, terms.round);
            let Observation::Stepped(picture) = &seen[at] else { return None };
            let given = Observation::BeaconGiven { at: picture.at - Span::from_secs(10), chain_hash, round };
            Some(vec![given, seen[at].clone()])
        }),
    ]
}

/// Something is not given back.
fn given_back() -> Vec<Plant> {
    vec![
        plant("W4", "a request keeps its place after its answer", |seen, at| {
            pictured(seen, at, |picture| {
                let held = picture.held.as_mut().filter(|held| held.lingering == 0)?;
                when(picture.queued == 0)?;
                held.occupancy.in_flight += 1;
                Some(())
            })
        }),
        plant("W4", "a stream keeps its feed after its end", |seen, at| {
            pictured(seen, at, |picture| {
                picture.held.as_mut()?.occupancy.followed += 1;
                Some(())
            })
        }),
        plant("W4", "a waiting poll keeps its place after its end", |seen, at| {
            pictured(seen, at, |picture| {
                picture.held.as_mut()?.occupancy.watched += 1;
                Some(())
            })
        }),
        plant("W4", "spent challenges are kept beyond their time", |seen, at| {
            pictured(seen, at, |picture| {
                picture.spent_bytes += 100_000;
                Some(())
            })
        }),
    ]
}

/// Something grows.
fn bounded() -> Vec<Plant> {
    vec![
        plant("W5", "an ended game stays in memory", |seen, at| {
            decided(seen, at, |observed| {
                let facts = &mut observed.decision.facts;
                let before = facts.len();
                facts.retain(|fact| !matches!(fact, Fact::Hall(HallFact::GameArchived { .. })));
                when(facts.len() < before)
            })
        }),
        plant("W5", "deferred answers pile up", |seen, at| {
            pictured(seen, at, |picture| {
                picture.held.as_mut()?.occupancy.deferred += 1_000;
                Some(())
            })
        }),
        plant("W5", "requests in flight pile up", |seen, at| {
            pictured(seen, at, |picture| {
                when(picture.queued > 0)?;
                picture.held.as_mut()?.occupancy.in_flight += 1_000;
                Some(())
            })
        }),
        plant("W5", "the ringer keeps hosts that it does not ring", |seen, at| match &seen[at] {
            Observation::Rang(rang) => {
                let mut rang = rang.clone();
                rang.hosts = rang.turns + 1;
                Some(vec![Observation::Rang(rang)])
            }
            _ => None,
        }),
        plant("M16", "a deferred request is answered at once, and its answer stays held", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.decision.answer, Ok(Reply::Room(RoomReply::Deferred { .. }))))?;
                observed.decision.answer = Ok(Reply::Done);
                Some(())
            })
        }),
    ]
}
