//! The disk as the world sees it: its planned faults and power cuts, its events, and its contents.
//!
//! It stays when the hall dies. All access to its files goes through a [`Session`]; a crash ends the session, so that
//! nothing left over from a dead hall can touch the files of its successor.

use super::fault::{Decay, Fault, FaultPlan, Op, StorageEvent};
use super::file::SimFile;
use super::pages::{Pages, to_u64};
use super::session::Session;
use hall_journal::backend_parts::JournalPosition;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The default size of a disk, in bytes.
const CAPACITY_BYTES: u64 = 1 << 40;

/// A disk in memory, shared by the world and the hall that works on it.
#[derive(Debug)]
pub struct SimDisk(Mutex<State>);

/// What everything durable on a disk is at one moment: a backup. Cheap, as it shares what does not change later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskImage(BTreeMap<String, Pages>);

#[derive(Debug)]
pub(super) struct State {
    pub(super) files: BTreeMap<String, SimFile>,
    pub(super) plan: FaultPlan,
    /// Calls so far.
    pub(super) calls: u64,
    /// Writes and syncs that were refused so far, or done and said to have failed.
    pub(super) failures: u64,
    /// Which session may work: it ends with each crash.
    pub(super) epoch: u64,
    /// Whether the files are in use.
    pub(super) in_use: bool,
    /// Whether power has failed and is not yet back.
    pub(super) down: bool,
    pub(super) draws: Pcg64Mcg,
    pub(super) delay_millis: u64,
    pub(super) events: Vec<StorageEvent>,
    pub(super) capacity_bytes: u64,
    /// What was called, where that is recorded.
    pub(super) trace: Option<Vec<(Op, String)>>,
    pub(super) witness: Option<JournalPosition>,
    pub(super) witnessed: bool,
}

impl SimDisk {
    /// An empty disk without faults. Everything that is left to chance follows from the seed and the calls.
    #[must_use]
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            files: BTreeMap::new(),
            plan: FaultPlan::default(),
            calls: 0,
            epoch: 0,
            in_use: false,
            down: false,
            failures: 0,
            draws: Pcg64Mcg::seed_from_u64(seed),
            delay_millis: 0,
            events: Vec::new(),
            capacity_bytes: CAPACITY_BYTES,
            trace: None,
            witness: None,
            witnessed: true,
        })))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock, so a poisoned lock still guards whole state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets which faults happen from now on.
    pub fn plan(&self, plan: FaultPlan) {
        self.state().plan = plan;
    }

    /// Sets the size of the disk in bytes.
    pub fn set_capacity(&self, bytes: u64) {
        self.state().capacity_bytes = bytes;
    }

    /// How many calls the disk has got: each write, sync, read, renaming, removal and cut is one.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// How many writes and syncs were refused, or done and said to have failed.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.state().failures
    }

    /// Records from now on what is called; answers what was recorded until now, the oldest first.
    pub fn record_calls(&self) -> Vec<(Op, String)> {
        self.state().trace.replace(Vec::new()).unwrap_or_default()
    }

    /// Power fails, if it has not failed already by plan, and comes back. Whatever works on the disk is dead: all that
    /// it calls is refused. What was not synced is left as the plan says.
    pub fn crash(&self) {
        let mut state = self.state();
        if !state.down {
            state.lose_power();
            state.note("storage.power_cut", "");
        }
        state.down = false;
    }

    /// The process dies, but the machine keeps running: what was written and not synced is still seen, and still not
    /// durable.
    pub fn kill(&self) {
        let mut state = self.state();
        state.end_session();
        state.note("storage.process_killed", "");
    }

    /// Whether power has failed by plan; [`SimDisk::crash`] brings it back.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.state().down
    }

    /// The faults since the last time, in their order.
    pub fn take_events(&self) -> Vec<StorageEvent> {
        std::mem::take(&mut self.state().events)
    }

    /// How long the calls since the last time took together, in virtual milliseconds; 0 unless the disk was slow.
    pub fn take_delay_millis(&self) -> u64 {
        std::mem::take(&mut self.state().delay_millis)
    }

    /// Everything durable.
    #[must_use]
    pub fn image(&self) -> DiskImage {
        let state = self.state();
        DiskImage(state.files.iter().map(|(name, file)| (name.clone(), file.durable().clone())).collect())
    }

    /// Puts back everything that an image holds, and removes everything else. Whatever works on the disk is dead.
    pub fn restore(&self, image: &DiskImage) {
        let mut state = self.state();
        state.end_session();
        state.files =
            image.0.iter().map(|(name, pages)| (name.clone(), SimFile::of(pages.clone()))).collect();
        state.note("storage.older_files_restored", "");
    }

    /// Puts back one file of an image, or removes it if the image has none. Whatever works on the disk is dead.
    pub fn restore_file(&self, image: &DiskImage, name: &str) {
        let mut state = self.state();
        state.end_session();
        match image.0.get(name) {
            Some(pages) => drop(state.files.insert(name.to_owned(), SimFile::of(pages.clone()))),
            None => drop(state.files.remove(name)),
        }
        state.note("storage.older_file_restored", name);
    }

    /// Lets something happen to the stored bytes of a file, at a place that is drawn. Answers whether it could.
    pub fn decay(&self, name: &str, what: Decay) -> bool {
        let mut state = self.state();
        let Some(length) = state.files.get(name).map(|file| file.durable().length()).filter(|len| *len > 0)
        else {
            return false;
        };
        let (at, from) = (state.below(length), state.below(length));
        let bit = state.below(8);
        let Some(file) = state.files.get_mut(name) else { return false };
        match what {
            Decay::FlippedBit => {
                file.at_rest(|pages| pages.flip(at.saturating_mul(8).saturating_add(bit)));
            }
            Decay::Truncated => file.at_rest(|pages| pages.truncate(at)),
            Decay::LostFile => drop(state.files.remove(name)),
            Decay::MisplacedSector => {
                let sector = |at: u64| at.saturating_sub(at % 512);
                file.at_rest(|pages| {
                    let bytes = pages.read(sector(from), 512);
                    pages.write(sector(at), &bytes);
                });
            }
        }
        state.note(what.name(), name);
        true
    }

    /// The names of the files, in order.
    #[must_use]
    pub fn file_names(&self) -> Vec<String> {
        self.state().files.keys().cloned().collect()
    }

    /// The durable bytes of a file, for tests and for saving what a journal could not be recovered from.
    #[must_use]
    pub fn file_bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.state().files.get(name).map(|file| file.durable().read(0, usize::MAX))
    }

    /// Makes these bytes the durable content of a file. Whatever works on the disk is dead.
    pub fn put_file(&self, name: &str, bytes: &[u8]) {
        let mut state = self.state();
        state.end_session();
        let mut pages = Pages::default();
        pages.write(0, bytes);
        state.files.insert(name.to_owned(), SimFile::of(pages));
    }

    /// Bytes of memory that hold the durable files.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.state().files.values().map(|file| file.durable().held()).fold(0, u64::saturating_add)
    }

    /// Whether the journal asks the outside world, when it opens, what it was told. It does at first. The hall of
    /// today has no such witness but the published log; without it, an old backup that was restored whole, or a disk
    /// that forgot log and head mark alike, can be detected only by knowing what was acknowledged.
    pub fn set_witnessed(&self, witnessed: bool) {
        self.state().witnessed = witnessed;
    }

    /// The last position that was acknowledged to the outside world, whatever became of the disk since.
    #[must_use]
    pub fn witness(&self) -> Option<JournalPosition> {
        self.state().witness
    }

    /// Begins to use the files; `None` while they are in use.
    pub(super) fn session(self: &Arc<Self>) -> Option<Session> {
        let mut state = self.state();
        if state.in_use {
            return None;
        }
        state.in_use = true;
        Some(Session::new(Arc::clone(self), state.epoch))
    }
}

impl State {
    /// A draw of a number below `bound`; 0 below 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.draws.next_u64().checked_rem(bound).unwrap_or(0)
    }

    pub(super) fn note(&mut self, fault: &'static str, file: &str) {
        let is_failure =
            [Fault::FailedUndone, Fault::FailedDone, Fault::NoSpace].map(Fault::name).contains(&fault);
        self.failures += u64::from(is_failure);
        self.events.push(StorageEvent { call: self.calls, fault, file: file.to_owned() });
    }

    pub(super) fn end_session(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
        self.in_use = false;
    }

    pub(super) fn lose_power(&mut self) {
        self.end_session();
        self.down = true;
        let survival = self.plan.survival;
        for (name, file) in &mut self.files {
            let lost = survival.only.is_some_and(|only| only != name);
            let survival = if lost { super::fault::Survival::default() } else { survival };
            file.lose_power(survival, &mut self.draws);
        }
    }

    /// Bytes that can still be written at this call.
    pub(super) fn free_bytes(&self) -> u64 {
        let used = self.files.values().map(SimFile::used).fold(0, u64::saturating_add);
        let free = self.capacity_bytes.saturating_sub(used);
        self.plan.squeeze.map_or(free, |squeeze| free.min(squeeze.free_at(self.calls)))
    }

    /// A place for a misdirected write: some file, and some sector in it or just after its end.
    pub(super) fn stray_place(&mut self) -> Option<(String, u64)> {
        let index = self.below(to_u64(self.files.len()));
        let (name, length) = self
            .files
            .iter()
            .nth(usize::try_from(index).ok()?)
            .map(|(name, file)| (name.clone(), file.length()))?;
        let sector = self.below((length / 512).saturating_add(1));
        Some((name, sector.saturating_mul(512)))
    }
}
