//! The operator as keeper of the log: replaces the keys of the hall, and withholds texts that agents wrote.
//!
//! It draws from separate dice, so that worlds without such acts are unchanged.

use super::host::Observed;
use super::keyring::Keyring;
use super::world::World;
use crate::dice::Dice;
use hall_core::rooms::Room;
use hall_core::{Command, Fact, GovernanceCommand, GovernanceFact, KeyPurpose, Withheld};
use hall_driver::{Engine, PendingAnswer, published_keys};
use hall_journal::Journal;
use hall_wire::GameId;
use std::sync::Arc;

/// Ended games and posts among which the operator looks for words: the newest.
const NEWEST: usize = 20;

/// The keeper of the log.
pub(super) struct Keeper {
    pub(super) dice: Dice,
    pub(super) keys: Keyring,
    /// The key replacement that waits for the writer, and the number of the start of the hall at which it waits. The
    /// next replacement is signed by the key that this one brings.
    replacing: Option<(u64, PendingAnswer)>,
    /// What is withheld, the newest last; and how many of the newest the archive was not yet asked for.
    withheld: Vec<Withheld>,
    unseen: usize,
}

impl Keeper {
    pub(super) fn of(seed: u64) -> Self {
        let dice = Dice::of(seed, "keeper of the log", 0);
        Self { dice, keys: Keyring::of(seed), replacing: None, withheld: Vec::new(), unseen: 0 }
    }

    /// Remembers what is withheld.
    pub(super) fn notice(&mut self, observed: &Observed) {
        for fact in &observed.decision.facts {
            if let Fact::Governance(GovernanceFact::TextWithheld { what, .. }) = fact {
                self.withheld.push(*what);
                self.unseen += 1;
            }
        }
    }

    /// What was withheld since the last call. If that is nothing and `again` is set, the newest.
    pub(super) fn take_unseen(&mut self, again: bool) -> Vec<Withheld> {
        let unseen = std::mem::take(&mut self.unseen).max(usize::from(again));
        self.newest(unseen)
    }

    /// The newest `most` of what is withheld.
    pub(super) fn newest(&self, most: usize) -> Vec<Withheld> {
        self.withheld.iter().rev().take(most).copied().collect()
    }
}

impl World {
    /// The keys that the journal names are those that the hall starts with. If it cannot be read, the hall finds that
    /// out by itself.
    pub(super) fn find_keys(&mut self, journal: &dyn Journal) {
        let reader = journal.reader();
        if let Ok(named) = self.store.undisturbed(|| published_keys(&*reader)) {
            self.start.keys = self.keeper.keys.to_start_with(named);
        }
    }

    /// The operator maintains the log.
    pub(super) fn log_act(&mut self) {
        let act = self.keeper.dice.below(8);
        let Some(engine) = self.host.as_ref().map(|host| host.engine().clone()) else { return };
        match act {
            0 | 1 => self.replace_key(&engine, KeyPurpose::Log),
            2 => self.replace_key(&engine, KeyPurpose::Ring),
            _ => {
                let what = match act {
                    3..=5 => self.words_of_a_turn(&engine),
                    6 => self.words_of_a_post(&engine),
                    _ => self.words_of_an_agent(&engine),
                };
                let Some(what) = what else { return };
                let command = Command::Governance(GovernanceCommand::Withhold {
                    what,
                    reason: "somebody is named there".to_owned(),
                });
                if self.operator_asks(command).is_some() {
                    self.report.fault("redaction");
                }
            }
        }
    }

    fn operator_asks(&mut self, command: Command) -> Option<PendingAnswer> {
        let pending = self.host.as_mut()?.command(command)?;
        self.step_at(self.now());
        Some(pending)
    }

    fn replace_key(&mut self, engine: &Engine, purpose: KeyPurpose) {
        let start = self.report.starts;
        let waits = |(begun, pending): &mut (u64, PendingAnswer)| *begun == start && pending.take().is_none();
        if self.keeper.replacing.as_mut().is_some_and(waits) {
            return;
        }
        self.keeper.replacing = None;
        let Some(present) = engine.peek(|hall| hall.keys().cloned()) else { return };
        let Some(command) = self.keeper.keys.replacement(purpose, &present) else { return };
        if let Some(pending) = self.operator_asks(command) {
            self.keeper.replacing = Some((start, pending));
            self.report.fault("key_rotation");
        }
    }

    /// A turn of a game in memory or in the archive, preferably one with commentary.
    fn words_of_a_turn(&mut self, engine: &Engine) -> Option<Withheld> {
        let rooms: Vec<Arc<Room>> = engine.peek(|hall| hall.rooms().iter().cloned().collect());
        let archived = self.store.undisturbed(|| engine.archive().ended_games(None, NEWEST)).ok()?;
        let mut games: Vec<GameId> = rooms.iter().map(|room| room.id()).chain(archived).collect();
        games.sort_unstable();
        games.dedup();
        let dice = &mut self.keeper.dice;
        let game = *dice.pick(&games)?;
        let among_spoken = dice.permille(700);
        let room = match rooms.into_iter().find(|room| room.id() == game) {
            Some(room) => room,
            None => self.store.undisturbed(|| engine.archive().ended_room(&game)).ok()??,
        };
        let spoken = (0..).zip(room.turns()).filter(|(_, turn)| turn.commentary_in.is_some());
        let spoken: Vec<u32> = spoken.map(|(turn_index, _)| turn_index).collect();
        let dice = &mut self.keeper.dice;
        // The turn that is played now can hold the words of illegal attempts.
        let any = u32::try_from(dice.below(u64::from(room.turn_index()) + 1)).unwrap_or(0);
        let turn_index = dice.pick(&spoken).copied().filter(|_| among_spoken).unwrap_or(any);
        Some(Withheld::Turn { game, turn_index })
    }

    fn words_of_a_post(&mut self, engine: &Engine) -> Option<Withheld> {
        let posts = self.store.undisturbed(|| engine.archive().feedback(None, NEWEST)).ok()?;
        self.keeper.dice.pick(&posts).map(|post| Withheld::Feedback(post.id))
    }

    fn words_of_an_agent(&mut self, engine: &Engine) -> Option<Withheld> {
        let actor = self.keeper.dice.pick(&self.actors)?;
        let agent = engine.peek(|hall| hall.desk().agent_by_handle(&actor.identity().handle).map(|it| it.id));
        agent.map(Withheld::Agent)
    }
}
