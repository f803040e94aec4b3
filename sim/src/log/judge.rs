//! Deciding a log again, with everything that can object looking on.

use super::Step;
use super::step::{DecisionMode, difference};
use crate::dice::Dice;
use crate::direct::Observed;
use crate::oracles::tree::Tree;
use crate::oracles::{IF_ASKED, Observation, Oracles, Vitals};
use crate::panics::caught;
use crate::report::Violation;
use hall_core::{
    Answer, Caller, Command, Decision, Entropy, Fact, Hall, HallCommand, RecordedEntropy, RoomCommand,
};
use hall_games::Catalog;
use hall_wire::{Digest, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The whole state is compared with the reference hall after so many steps; after each what it changed.
const WHOLE_EVERY: u64 = 25;

/// Which oracles look on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// None.
    Nobody,
    /// The reference hall. It follows commands that no agent would send in a world, to which other judges object.
    Reference,
    /// All but the reference hall.
    Others,
    /// All of them, who also try commands on copies of the hall.
    #[default]
    All,
}

impl Panel {
    /// Whether it is the usual one.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }
}

/// Who looks on.
#[derive(Clone, Copy)]
pub struct Judges<'a> {
    /// [`Hall::check`] after each step.
    pub check: bool,
    /// The oracles.
    pub oracles: Panel,
    /// A custom judge, for tests of shrinking.
    pub other: &'a dyn Fn(&Observed, &Hall) -> Option<Violation>,
}

impl Judges<'static> {
    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Self::with(Panel::All)
    }

    /// The checks of the state, and these oracles.
    #[must_use]
    pub fn with(oracles: Panel) -> Self {
        Self { check: true, oracles, other: &|_, _| None }
    }
}

/// What a log should not have come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// The step, from 0.
    pub step: usize,
    /// What was wrong.
    pub violation: Violation,
}

/// What is said of a sweep that does nothing about what is due.
const STUCK: &str = "a sweep of what is due changes something";

/// A judge objects to a step.
struct Objection {
    violation: Violation,
    /// What was decided, unless deciding it panicked.
    decision: Option<Decision>,
}

/// The result of playing a step again.
#[derive(Clone, Debug, Default)]
pub struct StepResult {
    /// What it changed: what was recorded, where that is followed, else what was decided.
    pub facts: Vec<Fact>,
    /// What was answered today, if it was decided.
    pub answer: Option<Answer>,
    /// In what today's decision differs from what was recorded, in words; `None` if in nothing.
    pub differs: Option<String>,
    /// The judge that objects, if any.
    pub violation: Option<Violation>,
}

/// What nothing was decided about.
fn objection(violation: Violation) -> Box<Objection> {
    Box::new(Objection { violation, decision: None })
}

/// By what two violations are the same: the invariant, for a panic its words without numbers, and for a difference from
/// the reference hall what differs.
#[must_use]
pub fn kind_of(violation: &Violation) -> String {
    if violation.text.starts_with(STUCK) {
        // The writer of a hall asserts it too.
        return "sweep".to_owned();
    }
    let place = violation.text.rsplit_once(" (").map_or("", |(_, place)| place);
    match violation.invariant {
        "panic" => format!("panic {place}"),
        invariant @ ("R1" | "R2") => format!("{invariant} {}", difference_of(&violation.text)),
        invariant => invariant.to_owned(),
    }
}

/// What a difference from the reference hall is about: its place, without numbers and names, and the name of what is
/// expected there, without its value.
fn difference_of(text: &str) -> String {
    let text = text.strip_prefix(IF_ASKED).unwrap_or(text);
    let (place, rest) = text.split_once(": expected ").unwrap_or((text, ""));
    let expected = rest.split_once(", found ").map_or(rest, |(expected, _)| expected);
    let place = place
        .split_whitespace()
        .map(|word| if word.contains(|it: char| it.is_ascii_digit()) { "#" } else { word });
    // A field with its value, or what stands alone.
    let name = expected.split_once(": ").map_or(expected, |(name, _)| name);
    let is_letter = |it: char| it.is_ascii_alphabetic() || it == '_';
    let words = name.split(|it| !is_letter(it)).filter(|word| !word.is_empty()).take(NAMED);
    let is_name = |name: &str| !name.contains(['"', '#']) && !name.contains(|it: char| it.is_ascii_digit());
    let words: Vec<&str> = if is_name(name) { words.collect() } else { Vec::new() };
    format!("{}: {}", place.collect::<Vec<_>>().join(" "), words.join(" "))
}

/// So many words name a value: `Err HandleTaken`, `Ok Joined`.
const NAMED: usize = 2;

/// A hall that decides the steps of a log.
pub struct Judge<'a> {
    hall: Hall,
    judges: Judges<'a>,
    oracles: Oracles,
    last: Timestamp,
    seq: u64,
    tree: Tree,
    /// The root of every beginning of the log of leaves.
    roots: Vec<Digest>,
}

impl<'a> Judge<'a> {
    /// A hall in which nothing has happened yet.
    #[must_use]
    pub fn new(catalog: Catalog, judges: Judges<'a>) -> Self {
        let oracles = match judges.oracles {
            Panel::All => Oracles::new(WHOLE_EVERY),
            Panel::Others => Oracles::new(0),
            Panel::Reference | Panel::Nobody => Oracles::only_reference(WHOLE_EVERY),
        };
        let tree = Tree::default();
        let roots = vec![tree.root()];
        Self {
            hall: Hall::new(catalog, hall_driver::docket_wording),
            judges,
            oracles,
            last: Timestamp::default(),
            seq: 0,
            tree,
            roots,
        }
    }

    /// The state.
    #[must_use]
    pub const fn hall(&self) -> &Hall {
        &self.hall
    }

    /// Decides a step and applies what it changes.
    fn decide(&mut self, step: &Step) -> Result<Observed, Box<Objection>> {
        let observed =
            self.take(step.at, step.stamp, step.who, step.command(), &step.drawn().unwrap_or_default())?;
        if step.mode == DecisionMode::TriedAndSaved
            && let Err(violation) = self.read_back(step.at).and_then(|()| self.look())
        {
            return Err(Box::new(Objection { violation, decision: Some(observed.decision) }));
        }
        Ok(observed)
    }

    /// Plays a step of a log as it stands there: decides it, with all that can object looking on. With `compares` what
    /// was decided is held against what was recorded of it.
    pub fn play_as_written(&mut self, step: &Step, compares: bool) -> StepResult {
        let (decision, violation) = match self.decide(step) {
            Ok(observed) => (Some(observed.decision), None),
            Err(objection) => (objection.decision, Some(objection.violation)),
        };
        let Some(decision) = decision else {
            return StepResult { violation, ..StepResult::default() };
        };
        let recorded = step.outcome.as_ref().filter(|_| compares);
        let differs = recorded.and_then(|outcome| difference(outcome, &decision));
        StepResult { facts: decision.facts, answer: Some(decision.answer), differs, violation }
    }

    /// Applies what was recorded of a step, whatever today's code would decide. With `compares` that is decided, too,
    /// where nothing is withheld that it takes; nobody looks on.
    pub fn follow(&mut self, step: &Step, compares: bool) -> StepResult {
        let Some(outcome) = &step.outcome else { return StepResult::default() };
        let mut played = StepResult::default();
        if compares && !outcome.withheld {
            let mut entropy = RecordedEntropy::new(step.drawn().unwrap_or_default());
            let command = step.command();
            match caught(|| self.hall.decide(step.at, step.stamp, step.who, &command, &mut entropy)) {
                Ok(decision) => {
                    played.differs = difference(outcome, &decision);
                    played.answer = Some(decision.answer);
                }
                Err(text) => played.violation = Some(Violation::new("panic", step.at, text)),
            }
        }
        played.facts = outcome.facts.clone().unwrap_or_default();
        if let Err(violation) = self.apply(step.at, &played.facts) {
            played.violation.get_or_insert(violation);
        }
        played
    }

    fn apply(&mut self, at: Timestamp, facts: &[Fact]) -> Result<(), Violation> {
        let hall = &mut self.hall;
        caught(|| facts.iter().for_each(|fact| hall.apply(fact)))
            .map_err(|text| Violation::new("panic", at, text))
    }

    fn take(
        &mut self,
        at: Timestamp,
        stamp: Timestamp,
        who: Caller,
        what: Command,
        recorded: &[u8],
    ) -> Result<Observed, Box<Objection>> {
        if matches!(what, Command::Hall(HallCommand::Start { .. })) {
            self.read_back(at).map_err(objection)?;
        }
        let mut entropy = Lasting::new(recorded, (at, stamp, who, &what, self.seq));
        let decision = caught(|| self.hall.decide(at, stamp, who, &what, &mut entropy));
        let decision = decision.map_err(|text| objection(Violation::new("panic", at, text)))?;
        if let Err(violation) = self.apply(at, &decision.facts) {
            return Err(Box::new(Objection { violation, decision: Some(decision) }));
        }
        for leaf in decision.facts.iter().filter_map(Fact::leaf) {
            self.tree.grow(leaf);
            self.roots.push(self.tree.root());
        }
        self.last = self.last.max(at);
        self.seq += u64::from(!decision.facts.is_empty());
        let observed = Observed { at, stamp, who, what, drawn: entropy.drawn, decision, seq: self.seq };
        match self.judge(&observed) {
            None => Ok(observed),
            Some(violation) => Err(Box::new(Objection { violation, decision: Some(observed.decision) })),
        }
    }

    /// A hall that starts has only what its last snapshot kept.
    fn read_back(&mut self, at: Timestamp) -> Result<(), Violation> {
        let hall = &self.hall;
        let restored = caught(|| {
            Hall::restore(*hall.catalog(), hall_driver::docket_wording, &hall.save())
                .map_err(|error| error.to_string())
        });
        self.hall =
            restored.and_then(|restored| restored).map_err(|text| Violation::new("panic", at, text))?;
        Ok(())
    }

    /// Looks at the whole state as it is now; where the steps were decided, this is their end.
    ///
    /// # Errors
    /// A judge objects.
    pub fn look(&mut self) -> Result<(), Violation> {
        if self.judges.oracles == Panel::Nobody {
            return Ok(());
        }
        let at = self.last;
        let seen = caught(|| {
            self.oracles.look(&self.hall, at);
            self.oracles.take().into_iter().next()
        });
        match seen {
            Ok(None) => Ok(()),
            Ok(Some(found)) => Err(found),
            Err(text) => Err(Violation::new("panic", at, text)),
        }
    }

    fn judge(&mut self, observed: &Observed) -> Option<Violation> {
        let at = observed.at;
        if self.judges.check
            && let Err(text) = caught(|| self.hall.check())
        {
            return Some(Violation::new("panic", at, text));
        }
        if self.judges.oracles != Panel::Nobody {
            let vitals = Vitals::of_state(at);
            let shown = caught(|| {
                self.oracles.see(Observation::Decided(Arc::new(observed.clone())));
                let started = matches!(observed.what, Command::Hall(HallCommand::Start { .. }));
                self.oracles.stepped(&self.hall, &vitals, started);
                self.oracles.take().into_iter().next()
            });
            match shown {
                Ok(None) => {}
                Ok(found) => return found,
                Err(text) => return Some(Violation::new("panic", at, text)),
            }
        }
        (self.judges.other)(observed, &self.hall)
    }

    /// Decides steps from which others may have been left out. What is due before a request is done first, as the
    /// writer of a hall would. Gives back what was decided in the end, and who objected.
    pub fn play(&mut self, steps: &[Step]) -> (Vec<Step>, Option<Refuted>) {
        let mut played = Vec::new();
        for step in steps {
            let objected = self.play_one(step, &mut played).err();
            if let Some(violation) = objected {
                let refuted = Refuted { step: played.len().saturating_sub(1), violation };
                return (played, Some(refuted));
            }
        }
        let step = played.len().saturating_sub(1);
        let refuted = self.look().err().map(|violation| Refuted { step, violation });
        (played, refuted)
    }

    fn play_one(&mut self, step: &Step, played: &mut Vec<Step>) -> Result<(), Violation> {
        let at = step.at.max(self.last);
        // What a hall asks of itself comes before what is due.
        let comes_first = matches!(
            step.what,
            Command::Hall(HallCommand::Start { .. })
                | Command::Hall(HallCommand::Stop)
                | Command::Room(RoomCommand::ExtendForGap { .. })
                | Command::Hall(HallCommand::ArchiveGame { .. })
                | Command::Hall(HallCommand::TakeCheckpoint { .. })
        );
        if step.what == Command::Hall(HallCommand::Sweep) && step.mode.is_usual() {
            self.sweep(at, played, |due| due < step.stamp)?;
            if self.hall.next_deadline().is_none_or(|due| due > step.stamp) {
                return Ok(());
            }
        } else if !comes_first && step.mode.is_usual() {
            self.sweep(at, played, |due| due <= step.stamp)?;
        }
        let before = self.seq;
        let mut step = Step { at, outcome: None, ..step.clone() };
        if step.mode.is_usual() {
            self.amend_checkpoint(&mut step.what);
        }
        played.push(step.clone());
        let observed = self.decide(&step).map_err(|objection| objection.violation)?;
        if step.what == Command::Hall(HallCommand::Sweep) && step.mode.is_usual() && self.seq == before {
            return Err(Violation::new("sweep", at, STUCK));
        }
        if let Some(last) = played.last_mut() {
            *last = Step { mode: step.mode, ..Step::observed(&observed, false) };
        }
        Ok(())
    }

    /// A checkpoint that is not of this log, since a step before it was left out, becomes one of this log.
    fn amend_checkpoint(&self, what: &mut Command) {
        let Command::Hall(HallCommand::TakeCheckpoint { size, root }) = what else { return };
        let known = usize::try_from(*size).ok().and_then(|size| self.roots.get(size));
        if known != Some(root) {
            (*size, *root) = (self.tree.size(), self.tree.root());
        }
    }

    fn sweep(
        &mut self,
        at: Timestamp,
        played: &mut Vec<Step>,
        is_early: impl Fn(Timestamp) -> bool,
    ) -> Result<(), Violation> {
        while let Some(due) = self.hall.next_deadline().filter(|due| is_early(*due)) {
            let before = self.seq;
            played.push(Step::new(at, due, Caller::Hall, Command::Hall(HallCommand::Sweep), &[]));
            let taken = self.take(at, due, Caller::Hall, Command::Hall(HallCommand::Sweep), &[]);
            let observed = taken.map_err(|objection| objection.violation)?;
            if let Some(last) = played.last_mut() {
                *last = Step::observed(&observed, false);
            }
            if self.seq == before {
                return Err(Violation::new("sweep", at, STUCK));
            }
        }
        Ok(())
    }
}

/// Plays back what was recorded, and continues with its own numbers when a decision draws more.
struct Lasting<'a> {
    recorded: std::iter::Copied<std::slice::Iter<'a, u8>>,
    more: Dice,
    drawn: Vec<u8>,
}

impl<'a> Lasting<'a> {
    /// What is drawn beyond what was recorded is of this decision alone: the same must not come again in another one, as
    /// no hall draws it twice.
    fn new(recorded: &'a [u8], decision: (Timestamp, Timestamp, Caller, &Command, u64)) -> Self {
        let digest = Digest::of(format!("{decision:?}").as_bytes());
        let seed = digest.as_bytes().first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        let more = Dice::of(seed, "entropy of a log", 0);
        Self { recorded: recorded.iter().copied(), more, drawn: Vec::new() }
    }
}

impl Entropy for Lasting<'_> {
    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            let [more] = self.more.bytes();
            *byte = self.recorded.next().unwrap_or(more);
            self.drawn.push(*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_from_the_reference_hall_are_the_same_if_they_are_about_the_same() {
        let of = |text: &str| kind_of(&Violation::new("R1", Timestamp::default(), text));
        let notation =
            "the answer: Ok Room MoveTaken: expected notation: None, found notation: Some( h2h4, )";
        let same = [
            "the answer: Ok Room MoveTaken: expected notation: None, found notation: Some( e2e4, )",
            "if it were asked: the answer: Ok Room MoveTaken: expected notation: Some( a2a3, ), found notation: None",
        ];
        assert!(same.iter().all(|text| of(text) == of(notation)), "{:?}", same.map(of));
        let others = [
            "the answer: Ok Room MoveTaken: expected turn_index: 3, found turn_index: 4",
            "the answer: expected Err( HandleTaken, ), found Ok( Registered { agent: a_1 } )",
            "the answer: expected Err( AlreadyInLobby, ), found Ok( Left { game: chess } )",
            "fact 2: Room change MovePlayed: expected notation: None, found notation: Some( e2e4, )",
            "more facts: expected nothing, found Some( Desk( LobbiesSwept",
        ];
        let kinds: std::collections::BTreeSet<String> =
            others.into_iter().chain([notation]).map(of).collect();
        assert_eq!(kinds.len(), others.len() + 1, "{kinds:?}");
        let seat = |name: &str| of(&format!("seat 1 of {name}: expected strikes: 1, found strikes: 2"));
        assert_eq!(seat("g_01m7xfjesy0t190w41d4gcb2pf"), seat("g_01m7xfjet14az24et9ka3z28t5"));
        assert_ne!(kind_of(&Violation::new("R2", Timestamp::default(), notation)), of(notation));
        let other = |text| kind_of(&Violation::new("M3", Timestamp::default(), text));
        assert_eq!(other("one text"), other("another text"));
    }
}
