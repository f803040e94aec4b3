//! A whole hall as the subject of an enumeration: its script, its recovery after a crash, and the checks.

use crate::life::{Dead, Known, Life, record_of};
use crate::requests::{MOVE_TIME, agent, filing, join, registration, request};
use hall_core::{
    Caller, Choice, Command, DeskCommand, DocketKind, Fact, FeedbackKind, GovernanceCommand, Hall, HallFact,
    MoveSubmission, NewFeedback, RoomCommand,
};
use hall_driver::{JournalEntry, recover as fold};
use hall_games::CATALOG;
use hall_journal::{Journal as _, JournalReader};
use hall_sim::oracles::tree::{Checkpoints, consistent, roots};
use hall_sim::reference::{Extent, Reference};
use hall_sim::storage::enumerate::Case;
use hall_sim::storage::{SimDisk, SimJournal};
use hall_wire::{Digest, GameId, Notation, Player, Span};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Records between two snapshots.
const SNAPSHOT_EVERY: u64 = 5;
/// Time between two checkpoints.
const CUT_EVERY: Span = Span::from_millis(500);
/// How many steps the script has.
pub(crate) const STEPS: usize = 13;

/// Plays the steps up to this one, starting with the first undone one, and stops when the disk fails the hall.
/// Then the hall shuts down cleanly, if that is asked for.
pub(crate) fn play(disk: &Arc<SimDisk>, until: usize, ends: bool, known: Known) -> Known {
    let mut known = known;
    // What was learned until then shows why it stopped.
    let _ = play_into(disk, until, ends, &mut known);
    known
}

fn play_into(disk: &Arc<SimDisk>, until: usize, ends: bool, known: &mut Known) -> Result<(), Dead> {
    let mut life = Life::start(disk, known, SNAPSHOT_EVERY)?;
    while life.known.step < until {
        if life.known.step == 10 {
            life.end()?;
            life = Life::start(disk, known, SNAPSHOT_EVERY)?;
        } else {
            do_deed(&mut life);
            life.step()?;
        }
        life.known.step += 1;
    }
    if ends { life.end() } else { Ok(()) }
}

/// The input of this step: requests that arrive together, or time that passes. A step that may have been done
/// before the hall died is repeated unchanged.
fn do_deed(life: &mut Life<'_>) {
    life.pass(Span::from_millis(10));
    let by = |name| Caller::Agent(agent(name));
    match life.known.step {
        0 => {
            life.ask(Caller::Hall, registration("ada"));
            life.ask(Caller::Hall, registration("bob"));
        }
        1 => {
            life.ask(by("ada"), filing("ada"));
            life.ask(by("bob"), filing("bob"));
        }
        2 => life.ask(by("ada"), join()),
        3 => life.ask(by("bob"), join()),
        4 => submit(life, 0, 0, Some(Choice::Notation(Notation::parse("e2e4").unwrap())), |_| {}),
        5 => submit(life, 1, 1, Some(Choice::Unparsable), |_| {}),
        6 => {
            submit(life, 1, 1, Some(Choice::Index(0)), |request| request.draw_offer = true);
            life.ask(by("ada"), feedback());
        }
        7 => (0..3).for_each(|_| submit(life, 0, 2, Some(Choice::Unparsable), |_| {})),
        8 => {
            // Long enough after the last checkpoint that one follows at once.
            life.pass(CUT_EVERY);
            submit(life, 1, 3, Some(Choice::Index(0)), |_| {});
        }
        9 => life.pass(MOVE_TIME),
        11 => life.ask(Caller::Operator, note()),
        _ => submit(life, 1, 5, None, |request| request.resign = true),
    }
}

/// A request for the game, once there is one.
fn submit(
    life: &mut Life<'_>,
    player: u8,
    turn_index: u32,
    choice: Option<Choice>,
    fill: impl Fn(&mut MoveSubmission),
) {
    let Some((game, agent)) = life.peek(|hall| seat(hall, player)) else { return };
    let mut request = request(game, turn_index, choice);
    fill(&mut request);
    life.ask(Caller::Agent(agent), Command::Room(RoomCommand::Submit(request)));
}

/// The only game and its agents.
pub(crate) fn seat(hall: &Hall, player: u8) -> Option<(GameId, hall_wire::AgentId)> {
    let room = hall.rooms().iter().next()?;
    Some((room.id(), room.seat(Player::new(player))?.seat.agent))
}

pub(crate) fn feedback() -> Command {
    let (subject, body) = ("a subject".to_owned(), "a body".to_owned());
    Command::Desk(DeskCommand::PostFeedback(NewFeedback {
        kind: FeedbackKind::Docs,
        subject,
        body,
        context: None,
    }))
}

fn note() -> Command {
    let (subject, reason) = ("a note".to_owned(), "a reason".to_owned());
    Command::Governance(GovernanceCommand::AddDocketEntry {
        kind: DocketKind::Note,
        subject,
        reason,
        disposition: None,
    })
}

/// The result of a recovery.
pub(crate) struct Recovered {
    records: Vec<Vec<u8>>,
    /// The head of the chain, which names all the records.
    chain: [u8; 32],
    pub(crate) state: Rc<State>,
}

/// A recovered state.
pub(crate) struct State {
    pub(crate) hall: Hall,
    digest: Digest,
    /// The roots of every beginning of the log.
    roots: Vec<Digest>,
    /// Every checkpoint that stands in the journal.
    cut: Checkpoints,
}

impl PartialEq for Recovered {
    fn eq(&self, other: &Self) -> bool {
        (self.chain, self.state.digest) == (other.chain, other.state.digest)
    }
}

/// The source of a recovered state: the records, by the head of their chain, and the snapshot.
type Source = ([u8; 32], Option<Digest>);

thread_local! {
    /// Thousands of crashes leave the same few journals: each is folded once.
    static STATES: RefCell<BTreeMap<Source, Rc<State>>> = const { RefCell::new(BTreeMap::new()) };
    /// The journals that the reference hall has followed, with the number of decisions that led to each.
    static FOLLOWED: RefCell<BTreeSet<(Source, usize)>> = const { RefCell::new(BTreeSet::new()) };
}

/// Recovers from the disk, and reads everything.
pub(crate) fn recover(disk: &Arc<SimDisk>) -> Result<Recovered, String> {
    let journal = SimJournal::open(disk).map_err(|error| error.to_string())?;
    let reader = journal.reader();
    let records = reader.records(1, usize::MAX).map_err(|error| error.to_string())?;
    let snapshot = reader.newest_snapshot().map_err(|error| error.to_string())?;
    let chain = journal.head().chain;
    let source = (chain, snapshot.map(|snapshot| Digest::of(&snapshot.bytes)));
    let known = STATES.with_borrow(|states| states.get(&source).cloned());
    let state = match known {
        Some(state) => state,
        None => Rc::new(folded(&*reader)?),
    };
    STATES.with_borrow_mut(|states| states.insert(source, Rc::clone(&state)));
    Ok(Recovered { records: records.into_iter().map(|record| record.bytes).collect(), chain, state })
}

/// The state from the snapshot and later facts, which equals that from all facts.
fn folded(reader: &dyn JournalReader) -> Result<State, String> {
    let fold = |use_snapshot| fold(reader, CATALOG, use_snapshot, None).map_err(|error| error.to_string());
    let (hall, alone) = (fold(true)?.hall, fold(false)?.hall);
    let digest = hall.digest();
    if digest != alone.digest() {
        return Err("the snapshot tells another state than the facts".to_owned());
    }
    hall.check();
    let records = reader.records(1, usize::MAX).map_err(|error| error.to_string())?;
    let entries = records.iter().map(|record| JournalEntry::decode(&record.bytes));
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let facts = || entries.iter().flat_map(|entry| &entry.facts);
    let cut = facts().filter_map(|fact| {
        let Fact::Hall(HallFact::CheckpointTaken { size, root, .. }) = fact else { return None };
        Some((*size, *root))
    });
    Ok(State { digest, roots: roots(facts().filter_map(Fact::leaf)), cut: cut.collect(), hall })
}

/// For the enumerator.
pub(crate) fn check(_: &Case, known: &Known, found: &Recovered) -> Result<(), String> {
    holds(known, found)
}

/// Every checkpoint published in any life belongs to the log (G1).
///
/// Everything published is in the journal. The step in which the hall died is there as a whole or not at all. Nothing
/// else is there.
pub(crate) fn holds(known: &Known, found: &Recovered) -> Result<(), String> {
    if let Some(complaint) = &known.complaint {
        return Err(complaint.clone());
    }
    let signed: Checkpoints = known.checkpoints.union(&found.state.cut).copied().collect();
    consistent(&signed, &found.state.roots)?;
    let seq = u64::try_from(found.records.len()).unwrap();
    if seq != known.told && seq != known.last() {
        return Err(format!("{} records were told, {} decided, {seq} found", known.told, known.last()));
    }
    let durable = known.decided.iter().take_while(|decided| decided.seq <= seq);
    let changes = durable.clone().filter(|decided| !decided.decision.changes_nothing());
    if !changes.map(record_of).eq(found.records.iter().cloned()) {
        return Err("the records are not what was decided".to_owned());
    }
    let key = ((found.chain, Some(found.state.digest)), durable.clone().count());
    if FOLLOWED.with_borrow(|followed| followed.contains(&key)) {
        return Ok(());
    }
    let mut reference = Reference::new();
    for step in durable {
        let followed = reference.follow(step.at, step.stamp, step.who, &step.what, &step.decision);
        followed.map_err(|divergence| divergence.to_string())?;
    }
    let compared = reference.compare(&found.state.hall, Extent::Whole);
    compared.map_err(|divergence| divergence.to_string())?;
    FOLLOWED.with_borrow_mut(|followed| followed.insert(key));
    Ok(())
}
