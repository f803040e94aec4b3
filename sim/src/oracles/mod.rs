//! The oracles: named checks over what a world decided, disclosed and recovered.
//!
//! A world shows its [`Observation`]s one by one. A ledger recounts the hall from the facts; the checks, in families, ask
//! of each observation whether it may be, and say so under the name of the invariant that it breaks. Beside them the
//! reference hall follows every decision. None of them reads the hall's own counters but to compare.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a check looks at what concerns it, whatever else is there"
)]

mod authentication;
mod checks;
mod clients;
mod clock;
mod conservation;
mod determinism;
mod durability;
mod effects;
mod growth;
mod history;
mod inside;
mod ledger;
mod liveness;
mod lobby;
mod log;
mod moves;
mod nature;
mod observation;
mod owed;
mod picture;
mod probe;
mod replay;
mod results;
mod rings;
mod secrecy;
mod tables;
mod texts;
mod told;
pub mod tree;
mod words;

pub use checks::{CHECKS, Check};
pub use clients::{Bodies, ClientRecord, ToldOutcome, ToldResult};
pub use observation::{
    Death, Dialed, Ending, Glimpse, Held, Judged, Moment, Observation, Opened, PersonPicture, Picture, Rang,
    Recorded, RoomPicture, SeatPicture, Seen, ShownTexts, Terms, Words, Written,
};

use crate::dice::Dice;
use crate::direct::Observed;
use crate::panics::caught;
use crate::reference::{Extent, Offered, Reference};
use crate::report::Violation;
use hall_core::{Fact, Hall};
use hall_games::Catalog;
use hall_wire::{AgentId, GameId, Timestamp};
use ledger::Ledger;
pub use picture::Vitals;
pub use probe::Tried;
use probe::probe;
pub(crate) use rings::is_public;
use std::collections::BTreeSet;

/// The violations so far. Their number is bounded, because the first is what matters.
#[derive(Clone, Debug, Default)]
struct Violations {
    list: Vec<Violation>,
}

impl Violations {
    const MOST_LISTED: usize = 64;

    fn report(&mut self, invariant: &'static str, at: Timestamp, text: impl Into<String>) {
        debug_assert!(CHECKS.iter().any(|check| check.name == invariant), "{invariant} is in the table");
        if self.list.len() < Self::MOST_LISTED {
            self.list.push(Violation::new(invariant, at, text));
        }
    }

    /// Reports unless it holds.
    fn require(
        &mut self,
        holds: bool,
        invariant: &'static str,
        at: Timestamp,
        text: impl FnOnce() -> String,
    ) {
        if !holds {
            self.report(invariant, at, text());
        }
    }
}

/// Checks that share their bookkeeping. Each method sees the ledger before its argument is entered, unless it says
/// otherwise.
trait Family: Copied + Send {
    /// Anything but a decision.
    fn observation(&mut self, _observation: &Observation, _ledger: &Ledger, _violations: &mut Violations) {}
    /// The state after a step or at the end, where an observation shows it.
    fn picture(&mut self, _picture: &Picture, _ledger: &Ledger, _violations: &mut Violations) {}
    /// A decision as a whole.
    fn before(&mut self, _observed: &Observed, _ledger: &Ledger, _violations: &mut Violations) {}
    /// A fact of it.
    fn fact(&mut self, _fact: &Fact, _observed: &Observed, _ledger: &Ledger, _violations: &mut Violations) {}
    /// The same fact when it is entered.
    fn entered(&mut self, _fact: &Fact, _ledger: &Ledger, _violations: &mut Violations) {}
    /// The same decision when its facts are entered.
    fn after(&mut self, _observed: &Observed, _ledger: &Ledger, _violations: &mut Violations) {}
}

/// A family as it is now, once more.
trait Copied {
    fn copied(&self) -> Box<dyn Family>;
}

impl<F: Family + Clone + 'static> Copied for F {
    fn copied(&self) -> Box<dyn Family> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Family> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

/// All oracles of one world. A copy continues from the same observations: one may be shown what really followed, and
/// the other something else.
#[derive(Clone)]
pub struct Oracles {
    ledger: Ledger,
    families: Vec<Box<dyn Family>>,
    reference: Option<Reference>,
    compare_every: u64,
    steps: u64,
    /// The step after which the state is next checked if the checks are off.
    next_look: u64,
    touched: (BTreeSet<AgentId>, BTreeSet<GameId>),
    violations: Violations,
    kept: Option<Vec<Observation>>,
    active: bool,
    /// Whether commands are tried on copies of the hall.
    probes: bool,
    /// Decisions seen.
    decisions: usize,
    probed: Option<Probed>,
}

/// What was tried on a copy of the hall when that went wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// Decisions that had been seen by then.
    pub after: usize,
    /// The commands of the chain; the last one is what went wrong.
    pub chain: Vec<Tried>,
}

/// How a difference begins that is one of what was tried on a copy of the hall.
pub(crate) const IF_ASKED: &str = "if it were asked: ";

/// Chains of commands that are tried on a copy of the hall whenever its whole state is compared.
const PROBES: u32 = 1;

/// The number of steps after which the state is checked if the checks are off: this, or the number of agents and live
/// games, so that checking takes the same share of the time in a large world.
const SAMPLE: u64 = 4_096;

impl Oracles {
    /// Oracles that compare with the reference hall after each step, in full after so many; 0 for no reference.
    #[must_use]
    pub fn new(compare_every: u64) -> Self {
        Self {
            ledger: Ledger::default(),
            families: vec![
                Box::<authentication::Authentication>::default(),
                Box::<moves::Moves>::default(),
                Box::<results::Results>::default(),
                Box::<tables::Tables>::default(),
                Box::<clock::Clock>::default(),
                Box::<lobby::Lobbies>::default(),
                Box::<durability::Durability>::default(),
                Box::<inside::Inside>::default(),
                Box::<replay::Replay>::default(),
                Box::<secrecy::Secrecy>::default(),
                Box::<effects::Effects>::default(),
                Box::<liveness::Liveness>::default(),
                Box::<determinism::Determinism>::default(),
                Box::<history::History>::default(),
                Box::<conservation::Conservation>::default(),
                Box::<told::Told>::default(),
                Box::<log::Log>::default(),
                Box::<rings::Rings>::default(),
                Box::<owed::Owed>::default(),
                Box::<growth::Growth>::default(),
                Box::<words::WithheldWords>::default(),
                Box::<clients::Clients>::default(),
            ],
            reference: (compare_every > 0).then(Reference::new),
            compare_every,
            steps: 0,
            next_look: SAMPLE,
            touched: (BTreeSet::new(), BTreeSet::new()),
            violations: Violations::default(),
            kept: None,
            active: true,
            probes: true,
            decisions: 0,
            probed: None,
        }
    }

    /// The same for a hall that offers these games.
    #[must_use]
    pub fn offering(mut self, games: Catalog) -> Self {
        self.ledger.games_offered = Offered(games);
        self.reference = self.reference.map(|_| Reference::with_catalog(games));
        self
    }

    /// Only the reference hall, which tries nothing by itself.
    #[must_use]
    pub fn only_reference(compare_every: u64) -> Self {
        Self { families: Vec::new(), probes: false, ..Self::new(compare_every) }
    }

    /// Oracles that only check the state now and then.
    #[must_use]
    pub fn sampling() -> Self {
        Self { active: false, ..Self::new(0) }
    }

    /// Whether the checks follow everything.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.active
    }

    /// Keeps every observation, to show them again.
    pub fn keep(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// The observations that were kept.
    pub fn kept(&mut self) -> Vec<Observation> {
        self.kept.take().unwrap_or_default()
    }

    /// What was tried on a copy of the hall, if that is what went wrong.
    pub const fn probed(&mut self) -> Option<Probed> {
        self.probed.take()
    }

    /// Passes a sight to all oracles.
    pub fn see(&mut self, observation: Observation) {
        if !self.active {
            return;
        }
        if let Observation::Decided(observed) = &observation {
            self.decided(observed);
        } else {
            for family in &mut self.families {
                family.observation(&observation, &self.ledger, &mut self.violations);
                if let Some(picture) = observation.picture() {
                    family.picture(picture, &self.ledger, &mut self.violations);
                }
            }
        }
        if let Observation::Calm { at } = &observation {
            self.ledger.calm_since = Some(*at);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(observation);
        }
    }

    fn decided(&mut self, observed: &Observed) {
        self.decisions += 1;
        let Self { ledger, families, violations, reference, touched, .. } = self;
        for family in families.iter_mut() {
            family.before(observed, ledger, violations);
        }
        for fact in &observed.decision.facts {
            picture::touch(fact, ledger, touched);
            for family in families.iter_mut() {
                family.fact(fact, observed, ledger, violations);
            }
            ledger.apply(fact);
            for family in families.iter_mut() {
                family.entered(fact, ledger, violations);
            }
        }
        for family in families.iter_mut() {
            family.after(observed, ledger, violations);
        }
        if let Some(hall) = reference {
            let Observed { at, stamp, who, what, decision, .. } = observed;
            if let Err(divergence) = hall.follow(*at, *stamp, *who, what, decision) {
                violations.report("R1", *at, divergence.to_string());
                *reference = None;
            }
        }
    }

    /// The state after the decisions of a step, with what else is known of the process. In full when a full comparison
    /// is due, or when the hall has just started.
    pub fn stepped(&mut self, hall: &Hall, vitals: &Vitals, started: bool) {
        self.steps += 1;
        if !self.active {
            if self.steps >= self.next_look {
                hall.check();
                let agents = u64::try_from(hall.desk().agent_count()).unwrap_or(u64::MAX);
                self.next_look = self.steps + SAMPLE.max(agents.saturating_add(hall.rooms().live_count()));
            }
            return;
        }
        let whole = started || self.compare_every > 0 && self.steps.is_multiple_of(self.compare_every);
        let (agents, games) = std::mem::take(&mut self.touched);
        let picture = picture::of(hall, vitals, whole, &agents, &games);
        self.compare(hall, vitals.at, if whole { Extent::Whole } else { Extent::LastStep });
        self.see(Observation::Stepped(Box::new(picture)));
    }

    /// Checks the whole state again.
    pub fn look(&mut self, hall: &Hall, at: Timestamp) {
        self.compare(hall, at, Extent::Whole);
    }

    /// The end: checks the whole state again.
    pub fn ended(&mut self, hall: Option<(&Hall, &Vitals)>, mut ending: Ending) {
        if let Some((hall, vitals)) = hall
            && self.active
        {
            self.compare(hall, vitals.at, Extent::Whole);
            ending.picture = Some(picture::of(hall, vitals, true, &BTreeSet::new(), &BTreeSet::new()));
        }
        self.see(Observation::Ended(Box::new(ending)));
    }

    fn compare(&mut self, hall: &Hall, at: Timestamp, extent: Extent) {
        let Some(reference) = &self.reference else { return };
        if let Err(divergence) = reference.compare(hall, extent) {
            self.violations.report("R2", at, divergence.to_string());
            self.reference = None;
            return;
        }
        if extent == Extent::Whole {
            hall.check();
        }
        if extent == Extent::Whole && self.probes {
            let mut dice = Dice::of(self.steps, "probes", 0);
            for _ in 0..PROBES {
                let mut chain = Vec::new();
                let wrong = match caught(|| probe(hall, reference, at, &mut dice, &mut chain)) {
                    Ok(Ok(())) => continue,
                    Ok(Err(divergence)) => Violation::new("R1", at, format!("{IF_ASKED}{divergence}")),
                    Err(panicked) => Violation::new("panic", at, panicked),
                };
                self.violations.list.push(wrong);
                self.probed.get_or_insert(Probed { after: self.decisions, chain });
                return;
            }
        }
    }

    /// The violations found since the last call.
    pub fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations.list)
    }
}
