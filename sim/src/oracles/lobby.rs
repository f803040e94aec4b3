//! L1 to L13: lobbies, quotas, pairing, homologation.

use super::ledger::Ledger;
use super::observation::Picture;
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::rooms::{RoomChange, RoomFact, Started};
use hall_core::{Command, DeskCommand, DeskFact, Fact, HallCommand, Lobby, RoomCommand};
use hall_wire::{AgentId, Digest, HomologationId};
use std::collections::BTreeSet;

/// Lobbies are checked against the ledger.
#[derive(Clone, Default)]
pub(super) struct Lobbies {
    /// Random bytes of the decision that its games have taken.
    drawn: usize,
}

impl Family for Lobbies {
    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        pictured(picture, ledger, violations);
    }

    fn before(&mut self, observed: &Observed, _: &Ledger, violations: &mut Violations) {
        self.drawn = 0;
        let at_desk = !matches!(observed.what, Command::Room(RoomCommand::Submit(_)));
        let unchanged = observed.decision.answer.is_ok() || observed.decision.facts.is_empty();
        let text = || format!("{:?} is refused and changes something", observed.what);
        violations.require(!at_desk || unchanged, "L6", observed.at, text);
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        match fact {
            Fact::Desk(DeskFact::LobbyJoined { at, agent, lobby }) => {
                let text = || format!("{agent} waits in {lobby:?} twice");
                violations.require(!ledger.waits(agent, lobby), "L1", *at, text);
                let quota = ledger.settings.as_ref().map_or(0, |settings| settings.joins_per_day);
                let spent = Ledger::of_day(&ledger.joins, agent, *at);
                let text = || format!("{agent} joins after {spent} of {quota} joins of the day");
                violations.require(quota == 0 || spent < quota, "L5", *at, text);
                let fits =
                    ledger.standing_now(agent, lobby.division).is_some() && !ledger.is_suspended(agent);
                violations
                    .require(fits, "L8", *at, || format!("{agent} joins {lobby:?} without a standing entry"));
                violations.require(ledger.is_under_cap(agent), "L4", *at, || {
                    format!("{agent} joins at its cap of games")
                });
            }
            Fact::Desk(DeskFact::LobbyLeft { at, agent, lobby, .. }) => {
                let text = || format!("{agent} leaves {lobby:?}, where it does not wait");
                violations.require(ledger.waits(agent, lobby), "L7", *at, text);
            }
            Fact::Desk(DeskFact::LobbiesSwept { at }) => {
                let left = ledger.lobbies.keys().find_map(|lobby| ledger.next_group(lobby));
                violations.require(left.is_none(), "L9", *at, || {
                    format!("after a sweep {left:?} are left waiting")
                });
            }
            Fact::Desk(DeskFact::HomologationFiled {
                at, id, agent, season, filing, hash, voids, ..
            }) => {
                let standing = ledger.standing.get(&(*agent, season.clone(), filing.division)).copied();
                let new = !ledger.entries.contains_key(id);
                let other =
                    standing.and_then(|old| ledger.entries.get(&old)).is_none_or(|old| old.hash != *hash);
                let text = || format!("entry {id} of {agent} voids {voids:?}, {standing:?} stood");
                let open = ledger.season.as_ref() == Some(season);
                violations.require(new && other && open && *voids == standing, "L12", *at, text);
                let waits = |lobby: &&Lobby| lobby.division == filing.division && ledger.waits(agent, lobby);
                let still = ledger.lobbies.keys().find(waits);
                let text = || format!("{agent} files anew and still waits in {still:?}");
                violations.require(still.is_none(), "L7", *at, text);
            }
            Fact::Desk(DeskFact::GameRated { at, seats, .. }) => {
                let voided = |id: &HomologationId| ledger.entries.get(id).is_none_or(|entry| entry.voided);
                let counted = seats.iter().find(|seat| voided(&seat.homologation));
                violations.require(counted.is_none(), "L12", *at, || {
                    format!("{counted:?} counts for a voided entry")
                });
            }
            Fact::Room(fact) => {
                if let RoomChange::Started(terms) = &fact.change {
                    self.paired(fact, terms, observed, ledger, violations);
                }
            }
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Observed { at, what, decision, drawn, .. } = observed;
        if let (Command::Desk(DeskCommand::JoinLobby(_)), Ok(_)) = (what, &decision.answer) {
            let lobby = decision.facts.iter().find_map(|fact| match fact {
                Fact::Desk(DeskFact::LobbyJoined { lobby, .. }) => Some(*lobby),
                _ => None,
            });
            let left = lobby.and_then(|lobby| ledger.next_group(&lobby));
            violations
                .require(left.is_none(), "L9", *at, || format!("after a join {left:?} are left waiting"));
        }
        let begun = decision.facts.iter().filter_map(Fact::in_room);
        let begun = begun.filter(|fact| matches!(fact.change, RoomChange::Started(_)));
        let mut capped = BTreeSet::new();
        for fact in begun {
            let RoomChange::Started(terms) = &fact.change else { continue };
            capped
                .extend(terms.seats.iter().map(|seat| seat.agent).filter(|agent| is_over_cap(agent, ledger)));
        }
        violations
            .require(capped.is_empty(), "L4", *at, || format!("{capped:?} have more games than they may"));
        let forms =
            matches!(what, Command::Desk(DeskCommand::JoinLobby(_)) | Command::Hall(HallCommand::Sweep));
        let text = || format!("{} random bytes are drawn, {} made games", drawn.len(), self.drawn);
        violations.require(!forms || drawn.len() == self.drawn, "L11", *at, text);
    }
}

impl Lobbies {
    fn paired(
        &mut self,
        fact: &RoomFact,
        terms: &Started,
        observed: &Observed,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let (at, game) = (fact.at, fact.game);
        let lobby = Lobby { variant: terms.variant, division: terms.division };
        let agents: Vec<AgentId> = terms.seats.iter().map(|seat| seat.agent).collect();
        let seated: BTreeSet<&AgentId> = agents.iter().collect();
        let seats = ledger.games_offered.seats(terms.variant);
        let once = seated.len() == agents.len() && agents.len() == seats;
        let text = || format!("game {game} of {seats} seats has {agents:?}");
        violations.require(once, "L3", at, text);
        let operators: BTreeSet<_> = agents.iter().map(|agent| ledger.operator(agent)).collect();
        let apart = operators.len() == agents.len();
        violations.require(apart || !once, "L2", at, || format!("game {game} seats one operator twice"));
        let waited = agents.iter().all(|agent| ledger.waits(agent, &lobby));
        violations.require(waited, "L7", at, || {
            format!("game {game} seats somebody who did not wait in {lobby:?}")
        });
        let expected = ledger.next_group(&lobby);
        let same = expected.as_ref().is_some_and(|group| group.iter().collect::<BTreeSet<_>>() == seated);
        violations.require(same, "L10", at, || format!("{agents:?} are paired, {expected:?} waited longer"));
        for seat in &terms.seats {
            let standing = ledger.standing.get(&(seat.agent, terms.season.clone(), terms.division));
            let known = ledger.people.get(&seat.agent);
            let right = standing == Some(&seat.homologation)
                && ledger.season.as_ref() == Some(&terms.season)
                && known.is_some_and(|person| person.key == seat.key && person.handle == seat.handle);
            let text = || format!("{} sits in game {game} under {}", seat.handle, seat.homologation);
            violations.require(right, "L8", at, text);
        }
        let rank = |agent: &AgentId| {
            let had = ledger.firsts.get(&(*agent, terms.variant.game)).copied().unwrap_or(0);
            let handle = ledger.people.get(agent).map_or("", |person| person.handle.as_str());
            (had, *Digest::of(format!("svc.seat.v1:{game}:{handle}").as_bytes()).as_bytes())
        };
        let text = || format!("{agents:?} sit in this order in game {game}");
        violations.require(!once || agents.is_sorted_by_key(rank), "L13", at, text);
        self.is_random(fact, terms, observed, violations);
    }

    /// The identifier is the time and ten random bytes, the seed the next 32.
    fn is_random(
        &mut self,
        fact: &RoomFact,
        terms: &Started,
        observed: &Observed,
        violations: &mut Violations,
    ) {
        let bytes = observed.drawn.get(self.drawn..self.drawn + 42).unwrap_or_default();
        self.drawn += 42;
        let mut id = Vec::from(fact.at.as_millis().to_be_bytes().get(2..).unwrap_or_default());
        id.extend_from_slice(bytes.get(..10).unwrap_or_default());
        let seed = bytes.get(10..).unwrap_or_default();
        let hex: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
        let same = fact.game.as_bytes().as_slice() == id.as_slice() && terms.seed.reveal() == hex;
        let text = || format!("game {} is not what the recorded randomness gives", fact.game);
        violations.require(same, "L11", fact.at, text);
    }
}

fn is_over_cap(agent: &AgentId, ledger: &Ledger) -> bool {
    let cap = ledger.settings.as_ref().map_or(0, |settings| settings.concurrent_games);
    cap > 0 && ledger.live_games(agent) > usize::try_from(cap).unwrap_or(usize::MAX)
}

fn pictured(picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
    let at = picture.at;
    let waiting: Vec<(Lobby, usize)> =
        ledger.lobbies.iter().map(|(lobby, waiting)| (*lobby, waiting.len())).collect();
    let text = || format!("the lobbies hold {:?}, by the journal {waiting:?}", picture.lobbies);
    violations.require(picture.lobbies == waiting, "L7", at, text);
    for person in &picture.people {
        let mut lobbies = person.lobbies.clone();
        lobbies.dedup();
        let text = || format!("{} waits in {:?}", person.handle, person.lobbies);
        violations.require(lobbies.len() == person.lobbies.len(), "L1", at, text);
        if let Some(settings) = ledger.settings.as_ref().filter(|settings| settings.joins_per_day > 0) {
            let spent = Ledger::of_day(&ledger.joins, &person.agent, ledger.clock);
            let left = Some(settings.joins_per_day.saturating_sub(spent));
            let text = || format!("{} has {:?} joins left, not {left:?}", person.handle, person.joins_left);
            violations.require(person.joins_left == left, "L5", at, text);
        }
    }
    for room in &picture.rooms {
        let Some(game) = ledger.games.get(&room.game) else { continue };
        let pinned = game.terms.seats.iter().map(|seat| (seat.agent, seat.homologation));
        let same = pinned.eq(room.seats.iter().map(|seat| (seat.agent, seat.homologation)));
        violations.require(same, "L12", at, || format!("the seats of game {} have changed", game.id));
    }
}
