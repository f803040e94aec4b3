//! The calls of a disk, and where the faults of the plan strike them.

use super::disk::{SimDisk, State};
use super::fault::{Fault, Op};
use super::pages::to_u64;
use hall_journal::backend_parts::JournalPosition;
use rand_pcg::rand_core::Rng as _;
use std::io;
use std::sync::{Arc, MutexGuard};

/// The right to work with the files of a disk, until the disk crashes or the last holder lets go of it.
#[derive(Debug)]
pub(super) struct Session {
    disk: Arc<SimDisk>,
    epoch: u64,
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if state.epoch == self.epoch {
            state.end_session();
        }
    }
}

impl Session {
    pub(super) const fn new(disk: Arc<SimDisk>, epoch: u64) -> Self {
        Self { disk, epoch }
    }

    /// Writes bytes, which are durable only after a sync. A file that does not exist is created.
    pub(super) fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut state, fault) = self.begin(Op::Write, name)?;
        let end = at.saturating_add(to_u64(bytes.len()));
        let growth = end.saturating_sub(state.files.get(name).map_or(0, |file| file.length()));
        if growth > 0 && growth > state.free_bytes() {
            state.note(Fault::NoSpace.name(), name);
            return Err(full());
        }
        match fault {
            Some(Fault::NoSpace) => return Err(full()),
            Some(Fault::FailedUndone) => return Err(failed(Op::Write, name)),
            Some(Fault::StaleBlock) => state.file(name).extend(end),
            Some(Fault::FlippedWrite) => {
                let mut flipped = bytes.to_vec();
                flip_one(&mut state, &mut flipped);
                state.file(name).write(at, &flipped);
            }
            Some(Fault::MisdirectedWrite) => {
                // The file is as long as if the bytes had arrived: its length is not theirs to tell.
                state.file(name).extend(end);
                if let Some((stray, place)) = state.stray_place() {
                    state.file(&stray).write(place, bytes);
                }
            }
            _ => state.file(name).write(at, bytes),
        }
        end_of(&mut state, fault, Op::Write, name)
    }

    /// Makes durable what was written to a file.
    pub(super) fn sync(&self, name: &str) -> io::Result<()> {
        let (mut state, fault) = self.begin(Op::Sync, name)?;
        match fault {
            Some(Fault::FailedUndone) => {
                state.file(name).drop_pending();
                return Err(failed(Op::Sync, name));
            }
            Some(Fault::LyingSync) => state.file(name).pretend_to_sync(),
            _ => state.file(name).sync(),
        }
        end_of(&mut state, fault, Op::Sync, name)
    }

    /// At most `len` bytes from `at` on: fewer at the end of the file, and fewer where the disk answers short.
    pub(super) fn read(&self, name: &str, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let (mut state, fault) = self.begin(Op::Read, name)?;
        let Some(file) = state.files.get_mut(name) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("{name} is not there")));
        };
        let mut bytes = file.read(at, len);
        match fault {
            Some(Fault::ReadFailed) => return Err(failed(Op::Read, name)),
            Some(Fault::ShortRead) => {
                let shorter = state.below(to_u64(bytes.len()));
                bytes.truncate(usize::try_from(shorter).unwrap_or(0));
            }
            Some(Fault::FlippedRead) => flip_one(&mut state, &mut bytes),
            _ => {}
        }
        end_of(&mut state, fault, Op::Read, name)?;
        Ok(bytes)
    }

    /// Exactly `len` bytes from `at` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if fewer were answered.
    pub(super) fn read_exact(&self, name: &str, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read(name, at, len)?;
        if bytes.len() < len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{name} ended too early")));
        }
        Ok(bytes)
    }

    /// Gives a file another name, instead of what had that name.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (mut state, fault) = self.begin(Op::Rename, from)?;
        if fault == Some(Fault::FailedUndone) {
            return Err(failed(Op::Rename, from));
        }
        if let Some(file) = state.files.remove(from) {
            state.files.insert(to.to_owned(), file);
        }
        end_of(&mut state, fault, Op::Rename, from)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        let (mut state, fault) = self.begin(Op::Remove, name)?;
        if fault == Some(Fault::FailedUndone) {
            return Err(failed(Op::Remove, name));
        }
        state.files.remove(name);
        end_of(&mut state, fault, Op::Remove, name)
    }

    /// Cuts a file.
    pub(super) fn truncate(&self, name: &str, length: u64) -> io::Result<()> {
        let (mut state, fault) = self.begin(Op::Trim, name)?;
        if fault == Some(Fault::FailedUndone) {
            return Err(failed(Op::Trim, name));
        }
        state.file(name).truncate(length);
        end_of(&mut state, fault, Op::Trim, name)
    }

    /// The length of a file; `None` if there is none. Not a call that can fail.
    pub(super) fn length(&self, name: &str) -> Option<u64> {
        self.disk.state().files.get(name).map(super::file::SimFile::length)
    }

    /// Where the last page of a file before `end` that is not all zeros ends. Not a call that can fail.
    pub(super) fn held_end(&self, name: &str, from: u64, end: u64) -> u64 {
        self.disk.state().files.get_mut(name).map_or(from, |file| file.held_end(from, end))
    }

    /// The names of all files. Not a call that can fail.
    pub(super) fn names(&self) -> Vec<String> {
        self.disk.file_names()
    }

    /// Bytes that can still be written.
    pub(super) fn free_bytes(&self) -> u64 {
        self.disk.state().free_bytes()
    }

    /// Tells the outside world what is durable now.
    pub(super) fn acknowledge(&self, at: JournalPosition) {
        let mut state = self.disk.state();
        if state.epoch == self.epoch {
            state.witness = Some(at);
        }
    }

    /// What the outside world was told last, if it is to be asked.
    pub(super) fn witness(&self) -> Option<JournalPosition> {
        let state = self.disk.state();
        state.witness.filter(|_| state.witnessed)
    }

    /// Counts a call, and draws whether a fault strikes it.
    fn begin(&self, op: Op, name: &str) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = self.disk.state();
        if state.down || state.epoch != self.epoch {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the machine is down"));
        }
        state.calls = state.calls.saturating_add(1);
        if let Some(trace) = &mut state.trace {
            trace.push((op, name.to_owned()));
        }
        let fault = state.due(op);
        if let Some(fault) = fault {
            state.note(fault.name(), name);
        }
        match fault {
            Some(Fault::PowerCutBefore) => {
                state.lose_power();
                return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the machine is down"));
            }
            Some(Fault::Slow) => {
                let millis = state.below(29_001).saturating_add(1000);
                state.delay_millis = state.delay_millis.saturating_add(millis);
            }
            _ => {}
        }
        Ok((state, fault))
    }
}

impl State {
    fn file(&mut self, name: &str) -> &mut super::file::SimFile {
        self.files.entry(name.to_owned()).or_default()
    }

    /// The fault that strikes this call.
    fn due(&mut self, op: Op) -> Option<Fault> {
        if let Some(fault) = self.plan.at.get(&self.calls) {
            return Some(*fault).filter(|fault| fault.applies_to(op));
        }
        if self.plan.chances.is_empty() {
            return None;
        }
        let mut left = self.draws.next_u64() % 1_000_000;
        for (fault, millionths) in &self.plan.chances {
            if fault.applies_to(op) {
                match left.checked_sub(u64::from(*millionths)) {
                    Some(rest) => left = rest,
                    None => return Some(*fault),
                }
            }
        }
        None
    }
}

/// What a call answers when its work is done.
fn end_of(state: &mut State, fault: Option<Fault>, op: Op, name: &str) -> io::Result<()> {
    match fault {
        Some(Fault::FailedDone) => Err(failed(op, name)),
        Some(Fault::PowerCutAfter) => {
            state.lose_power();
            Err(io::Error::new(io::ErrorKind::BrokenPipe, "the machine is down"))
        }
        _ => Ok(()),
    }
}

fn flip_one(state: &mut State, bytes: &mut [u8]) {
    let (at, bit) = (state.below(to_u64(bytes.len())), state.below(8));
    if let Some(byte) = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at)) {
        *byte ^= 1 << bit;
    }
}

fn full() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "no space left on the disk")
}

fn failed(op: Op, name: &str) -> io::Error {
    io::Error::other(format!("input/output error ({op:?} of {name})"))
}
