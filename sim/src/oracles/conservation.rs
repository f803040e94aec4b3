//! C1 to C3: what came in equals what went out plus what is there.

use super::ledger::Ledger;
use super::observation::Picture;
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::rooms::RoomChange;
use hall_core::{DeskFact, Fact, GovernanceFact, HallFact};
use hall_wire::GameId;
use std::collections::BTreeMap;

/// Counts over all history.
#[derive(Clone, Default)]
pub(super) struct Conservation {
    joined: u64,
    left: u64,
    strikes: BTreeMap<GameId, u64>,
}

impl Family for Conservation {
    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        self.counted(picture, ledger, violations);
    }

    fn fact(&mut self, fact: &Fact, _: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let waiting = |all: usize| u64::try_from(all).unwrap_or(u64::MAX);
        match fact {
            Fact::Desk(DeskFact::LobbyJoined { .. }) => self.joined += 1,
            Fact::Desk(DeskFact::LobbyLeft { .. }) => self.left += 1,
            Fact::Governance(GovernanceFact::SeasonClosed { .. }) => {
                self.left += waiting(ledger.lobbies.values().map(Vec::len).sum());
            }
            Fact::Governance(GovernanceFact::OperatorSuspended { operator, .. }) => {
                let own = ledger.lobbies.values().flatten();
                self.left += waiting(own.filter(|agent| ledger.operator(agent) == Some(*operator)).count());
            }
            Fact::Desk(DeskFact::FeedbackPosted { at, agent, .. }) => {
                let quota = ledger.settings.as_ref().map_or(0, |settings| settings.feedback_per_day);
                let spent = Ledger::of_day(&ledger.posts, agent, *at);
                let text = || format!("{agent} posts after {spent} of {quota} posts of the day");
                violations.require(quota == 0 || spent < quota, "C2", *at, text);
            }
            Fact::Room(fact) => match &fact.change {
                RoomChange::Started(terms) => self.left += waiting(terms.seats.len()),
                RoomChange::StrikeGiven { .. } => *self.strikes.entry(fact.game).or_default() += 1,
                _ => {}
            },
            Fact::Hall(HallFact::GameArchived { game, .. }) => {
                self.strikes.remove(game);
            }
            _ => {}
        }
    }
}

impl Conservation {
    fn counted(&self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        let at = picture.at;
        let waiting: usize = picture.lobbies.iter().map(|(_, waiting)| waiting).sum();
        let text = || format!("{} joined, {} left, {waiting} wait", self.joined, self.left);
        violations.require(u64::try_from(waiting).ok() == self.joined.checked_sub(self.left), "C1", at, text);
        for person in &picture.people {
            let posts =
                ledger.settings.as_ref().filter(|settings| settings.feedback_per_day > 0).map(|settings| {
                    let spent = Ledger::of_day(&ledger.posts, &person.agent, ledger.clock);
                    settings.feedback_per_day.saturating_sub(spent)
                });
            let live = ledger.live_of.get(&person.agent).into_iter().flatten();
            let text = || {
                format!("{} is shown {:?} posts, games {:?}", person.handle, person.posts_left, person.live)
            };
            violations.require(person.posts_left == posts && live.eq(&person.live), "C2", at, text);
        }
        for room in &picture.rooms {
            let shown: u64 = room.seats.iter().map(|seat| u64::from(seat.strikes)).sum();
            let given = self.strikes.get(&room.game).copied().unwrap_or(0);
            let text = || format!("game {} shows {shown} strikes, {given} were given", room.game);
            violations.require(shown == given, "C3", at, text);
        }
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let same = picture.agents == count(ledger.people.len()) && picture.docket == ledger.docket;
        let text = || format!("{} agents and {} docket entries are shown", picture.agents, picture.docket);
        violations.require(same, "C2", at, text);
    }
}
