//! A simulated disk before its journal is open: what the log and the mark say, what the world outside was told, how a
//! journal is created.
//!
//! What is written when it is opened: the log is cut behind its last whole frame, and what the mark covers of it is
//! written once more (a sync that failed under the last process may have dropped it, and only the cache still shows it).
//! It is synced with the batches that are completed from the mark.

use super::index::Index;
use super::layout::{LOG, LOG_MAGIC, LOG_NEW, MARK, MARK_NEW, snapshots};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use super::store::{SimStore, heads_after};
use hall_journal::OpenError;
use hall_journal::backend_parts::{
    HALF_BYTES, JournalPosition, Marks, Part, SLOT_HEADER_BYTES, Site, Slot, decode_slot, encode_slot,
    encoded_slot_len, seal_slot,
};
use std::io;
use std::path::PathBuf;

/// How much of the log is read at a time.
const WINDOW_BYTES: usize = 1 << 20;

/// The right to work with a disk, and what was found in its log.
pub(super) struct SimSite {
    session: Session,
    index: Index,
    /// The frames at the end of the log that may not be durable though they are shown, and where they begin.
    doubtful: (u64, Vec<u8>),
}

impl SimSite {
    pub(super) fn new(session: Session) -> Self {
        Self { session, index: Index::default(), doubtful: (0, Vec::new()) }
    }
}

impl Site for SimSite {
    type Store = SimStore;

    fn has(&self, part: Part) -> Result<bool, OpenError> {
        Ok(match part {
            Part::Store => self.session.length(LOG).is_some(),
            Part::Mark => self.session.length(MARK).is_some(),
            Part::Snapshots => !snapshots(&self.session).is_empty(),
        })
    }

    fn path(&self, part: Part) -> PathBuf {
        PathBuf::from(match part {
            Part::Store => LOG,
            Part::Mark => MARK,
            Part::Snapshots => "snapshots",
        })
    }

    fn create(&self) -> Result<(), OpenError> {
        create(&self.session).map_err(refused("creating the journal", LOG))
    }

    fn marks(&self) -> Result<Marks, OpenError> {
        let half = |half| read_half(&self.session, half).map_err(refused("reading the head mark", MARK));
        Ok(Marks::of([&half(0)?, &half(1)?]))
    }

    fn scan(&mut self, marks: &Marks) -> Result<Option<JournalPosition>, OpenError> {
        let covered = marks.ascending.first().filter(|_| !marks.is_closed());
        let from = covered.map_or(u64::MAX, |slot| slot.after.batch);
        self.doubtful = scan(&self.session, &mut self.index, from)?;
        Ok(Some(self.index.position))
    }

    fn vouch(&self, reached: &JournalPosition, missing: &[&Slot]) -> Result<(), OpenError> {
        let Some(expected) = self.session.witness() else { return Ok(()) };
        let found = missing.last().map_or(*reached, |slot| slot.after);
        if found.batch < expected.batch || found.head.seq < expected.head.seq {
            return Err(OpenError::Behind {
                found: found.head.seq,
                found_batch: found.batch,
                expected: expected.head.seq,
                expected_batch: expected.batch,
            });
        }
        let known = self.index.head_at(expected.head.seq);
        if known == Some(expected.head) || missing.iter().any(|slot| slot.after.head == expected.head) {
            return Ok(());
        }
        let what = "the outside world was told another chain";
        Err(OpenError::Diverged { seq: expected.head.seq, what })
    }

    fn open(self) -> Result<SimStore, OpenError> {
        let Self { session, index, doubtful: (at, frames) } = self;
        if session.length(LOG).is_some_and(|length| length > index.end) {
            session.truncate(LOG, index.end).map_err(refused("cutting the log", LOG))?;
        }
        if !frames.is_empty() {
            session.write(LOG, at, &frames).map_err(refused("writing the log", LOG))?;
        }
        Ok(SimStore::new(session, index))
    }
}

fn create(session: &Session) -> io::Result<()> {
    for name in [LOG_NEW, MARK_NEW] {
        if session.length(name).is_some() {
            session.remove(name)?;
        }
    }
    session.write(LOG_NEW, 0, LOG_MAGIC)?;
    session.sync(LOG_NEW)?;
    let slot = position_slot(&JournalPosition::default());
    session.write(MARK_NEW, half_place(0), &slot)?;
    session.write(MARK_NEW, half_place(1), &slot)?;
    // All space is allocated in advance, so that a full disk never keeps the mark from being written.
    session.write(MARK_NEW, half_place(2).saturating_sub(1), &[0])?;
    session.sync(MARK_NEW)?;
    session.rename(MARK_NEW, MARK)?;
    session.rename(LOG_NEW, LOG)
}

fn position_slot(at: &JournalPosition) -> Vec<u8> {
    let mut slot = Vec::new();
    encode_slot(&mut slot, &at.head, at, None);
    seal_slot(&mut slot);
    slot
}

/// Where a half of the mark begins in its file.
fn half_place(half: u64) -> u64 {
    to_u64(HALF_BYTES).saturating_mul(half)
}

/// What a half of the mark holds. It may have been cut.
fn read_half(session: &Session, half: u64) -> io::Result<Vec<u8>> {
    let at = half_place(half);
    let end = session.length(MARK).unwrap_or(0).min(half_place(half.saturating_add(1)));
    let held = session.held_end(MARK, at, end).saturating_sub(at);
    session.read_exact(MARK, at, to_usize(held))
}

/// Reads the frames behind what the index holds already, up to the first that is not whole. Answers those from batch
/// `doubtful_from` on, and where they begin.
fn scan(session: &Session, index: &mut Index, doubtful_from: u64) -> Result<(u64, Vec<u8>), OpenError> {
    let mut window =
        Window { session, length: session.length(LOG).unwrap_or(0), at: index.end, bytes: Vec::new() };
    if index.end == 0 {
        if window.bytes(0, LOG_MAGIC.len())? != Some(LOG_MAGIC.as_slice()) {
            return Err(damaged("its beginning is not that of a log".to_owned()));
        }
        index.end = to_u64(LOG_MAGIC.len());
    }
    let (mut begin, mut doubtful) = (index.end, Vec::new());
    loop {
        let at = index.end;
        let Some(header) = window.bytes(at, SLOT_HEADER_BYTES)? else { break };
        let Some(len) = encoded_slot_len(header).filter(|len| *len <= HALF_BYTES) else { break };
        let Some(frame) = window.bytes(at, len)? else { break };
        let Some(slot) = decode_slot(frame) else { break };
        follow(index, at, to_u64(len), &slot)?;
        if slot.after.batch >= doubtful_from {
            doubtful.extend_from_slice(frame);
        } else {
            begin = index.end;
        }
    }
    Ok((begin, doubtful))
}

/// Takes a batch in, if it follows what is there.
fn follow(index: &mut Index, at: u64, len: u64, slot: &Slot) -> Result<(), OpenError> {
    let before = index.position;
    let refusal = || damaged(format!("what lies at byte {at} does not follow batch {}", before.batch));
    let batch = slot.batch.as_ref().ok_or_else(refusal)?;
    let heads = heads_after(&before.head, batch);
    let head = heads.last().copied().unwrap_or(before.head);
    let expected = JournalPosition { batch: before.batch.saturating_add(1), head };
    if slot.before != before.head || slot.after != expected {
        return Err(refusal());
    }
    index.apply(at, len, batch, &heads, slot.after);
    Ok(())
}

/// Reads the log in large pieces.
struct Window<'a> {
    session: &'a Session,
    length: u64,
    at: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// These bytes; `None` if the log ends before.
    fn bytes(&mut self, at: u64, len: usize) -> Result<Option<&[u8]>, OpenError> {
        let left = self.length.saturating_sub(at);
        if to_u64(len) > left {
            return Ok(None);
        }
        let inside = at.checked_sub(self.at).map(to_usize);
        let held = inside.is_some_and(|inside| self.bytes.len() >= inside.saturating_add(len));
        if !held {
            let wanted = len.max(WINDOW_BYTES).min(to_usize(left));
            self.bytes = self.session.read_exact(LOG, at, wanted).map_err(refused("reading the log", LOG))?;
            self.at = at;
        }
        let inside = to_usize(at.saturating_sub(self.at));
        Ok(self.bytes.get(inside..inside.saturating_add(len)))
    }
}

fn damaged(what: String) -> OpenError {
    OpenError::StoreDamaged { path: PathBuf::from(LOG), what }
}

/// For `map_err`: a refusal of the disk stays one.
fn refused(doing: &'static str, name: &str) -> impl Fn(io::Error) -> OpenError {
    let path = PathBuf::from(name);
    move |source| OpenError::Io { doing, path: path.clone(), source }
}
