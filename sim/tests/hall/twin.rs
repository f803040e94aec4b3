//! The hall and the reference hall, side by side, as the writer would drive them.

use crate::requests::{BEGIN, keys, settings};
use hall_core::{Answer, Caller, Command, Decision, Fact, GapCause, Hall, HallCommand, RoomCommand};
use hall_games::CATALOG;
use hall_sim::dice::Dice;
use hall_sim::reference::{Extent, Reference};
use hall_wire::{Span, Timestamp};
use std::fmt::Debug;

/// Two halls that must agree. `S` is a step of the test; a panic names the steps that led to it.
#[derive(Clone)]
pub(crate) struct Twin<S> {
    pub(crate) hall: Hall,
    reference: Reference,
    pub(crate) now: Timestamp,
    entropy: Dice,
    facts: Vec<Fact>,
    /// The steps so far.
    pub(crate) path: Vec<S>,
}

impl<S: Debug> Twin<S> {
    /// A hall that has just been started for the first time.
    pub(crate) fn new() -> Self {
        let mut twin = Self {
            hall: Hall::new(CATALOG, hall_driver::docket_wording),
            reference: Reference::new(),
            now: BEGIN,
            entropy: Dice::of(1, "entropy", 0),
            facts: Vec::new(),
            path: Vec::new(),
        };
        twin.start();
        twin
    }

    fn start(&mut self) {
        self.decide(Caller::Hall, &Command::Hall(HallCommand::Start { settings: settings(), keys: keys() }));
    }

    /// Decides, and checks that the reference decides the same.
    pub(crate) fn decide(&mut self, who: Caller, what: &Command) -> Decision {
        let decision = self.hall.decide(self.now, self.now, who, what, &mut self.entropy);
        let followed = self.reference.follow(self.now, self.now, who, what, &decision);
        followed.unwrap_or_else(|divergence| panic!("{:?}: {divergence}", self.path));
        for fact in &decision.facts {
            self.hall.apply(fact);
        }
        self.facts.extend(decision.facts.iter().cloned());
        decision
    }

    /// Does what is due first, then decides the request.
    pub(crate) fn ask(&mut self, who: Caller, what: &Command) -> Answer {
        self.sweep();
        self.decide(who, what).answer
    }

    /// Does what is due.
    pub(crate) fn sweep(&mut self) {
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            assert!(
                !self.decide(Caller::Hall, &Command::Hall(HallCommand::Sweep)).changes_nothing(),
                "{:?}",
                self.path
            );
        }
    }

    /// The process dies, and starts from a snapshot after a second. All its facts make the same state.
    pub(crate) fn restart(&mut self) {
        let restored = Hall::restore(CATALOG, hall_driver::docket_wording, &self.hall.save()).unwrap();
        let mut folded = Hall::new(CATALOG, hall_driver::docket_wording);
        self.facts.iter().for_each(|fact| folded.apply(fact));
        let digest = self.hall.digest();
        assert_eq!((restored.digest(), folded.digest()), (digest, digest), "{:?}", self.path);
        self.hall = restored;
        let from = self.hall.clock();
        self.now = self.now + Span::from_secs(1);
        self.start();
        let (until, cause) = (self.now, GapCause::Restart);
        self.decide(
            Caller::Hall,
            &Command::Room(RoomCommand::ExtendForGap { from, until, cause, after: None }),
        );
    }

    /// The state is valid and equals that of the reference.
    pub(crate) fn verify(&self, extent: Extent) {
        self.hall.check();
        let compared = self.reference.compare(&self.hall, extent);
        compared.unwrap_or_else(|divergence| panic!("{:?}: {divergence}", self.path));
    }
}
