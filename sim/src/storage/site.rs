//! A simulated disk before its journal is open: what the log and the mark say, what the world outside was told, how a
//! journal is created.
//!
//! What is written when it is opened: the log is cut behind its last whole frame, and that frame is written once more (a
//! sync that failed under the last process may have dropped it, and only the cache still shows it). It is synced with
//! the batches that are completed from the mark.

use super::index::Index;
use super::layout::{LOG, LOG_MAGIC, LOG_NEW, MARK, MARK_NEW, snapshots};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use super::store::{SimStore, heads_after, mark_place};
use hall_journal::OpenError;
use hall_journal::kit::{
    JournalPosition, Marks, Part, SLOT_BYTES, SLOT_HEADER_BYTES, Site, Slot, decode_slot, encode_slot,
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
    /// The last frame of the log and where it lies.
    last: Option<(u64, Vec<u8>)>,
}

impl SimSite {
    pub(super) fn new(session: Session) -> Self {
        Self { session, index: Index::default(), last: None }
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
        Ok(Marks::of([read_slot(&self.session, 0)?, read_slot(&self.session, 1)?]))
    }

    fn scan(&mut self) -> Result<Option<JournalPosition>, OpenError> {
        self.last = scan(&self.session, &mut self.index)?;
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
        let Self { session, index, last } = self;
        if session.length(LOG).is_some_and(|length| length > index.end) {
            session.truncate(LOG, index.end).map_err(refused("cutting the log", LOG))?;
        }
        if let Some((at, frame)) = &last {
            session.write(LOG, *at, frame).map_err(refused("writing the log", LOG))?;
        }
        Ok(SimStore::new(session, index, last.map(|(_, frame)| frame).unwrap_or_default()))
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
    session.write(MARK_NEW, mark_place(0), &slot)?;
    session.write(MARK_NEW, mark_place(1), &slot)?;
    // All space is allocated in advance, so that a full disk never keeps the mark from being written.
    session.write(MARK_NEW, mark_place(2).saturating_sub(1), &[0])?;
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

/// A place of the mark; `None` if it cannot be read as a slot.
fn read_slot(session: &Session, place: u64) -> Result<Option<Slot>, OpenError> {
    let refused = || refused("reading the head mark", MARK);
    let at = mark_place(place);
    // What the file still holds there: it may have been cut.
    let room = session.length(MARK).unwrap_or(0).saturating_sub(at);
    let begin = to_usize(room).min(4096);
    let mut bytes = session.read_exact(MARK, at, begin).map_err(refused())?;
    let Some(len) = encoded_slot_len(&bytes).filter(|len| *len <= to_usize(room).min(SLOT_BYTES)) else {
        return Ok(None);
    };
    if len > bytes.len() {
        let rest = at.saturating_add(to_u64(begin));
        let more = len.saturating_sub(begin);
        bytes.extend(session.read_exact(MARK, rest, more).map_err(refused())?);
    }
    Ok(decode_slot(&bytes))
}

/// Reads the frames behind what the index holds already, up to the first that is not whole; answers the last one.
fn scan(session: &Session, index: &mut Index) -> Result<Option<(u64, Vec<u8>)>, OpenError> {
    let mut window =
        Window { session, length: session.length(LOG).unwrap_or(0), at: index.end, bytes: Vec::new() };
    if index.end == 0 {
        if window.bytes(0, LOG_MAGIC.len())? != Some(LOG_MAGIC.as_slice()) {
            return Err(damaged("its beginning is not that of a log".to_owned()));
        }
        index.end = to_u64(LOG_MAGIC.len());
    }
    let mut last = None;
    loop {
        let at = index.end;
        let Some(header) = window.bytes(at, SLOT_HEADER_BYTES)? else { break };
        let Some(len) = encoded_slot_len(header).filter(|len| *len <= SLOT_BYTES) else { break };
        let Some(frame) = window.bytes(at, len)? else { break };
        let Some(slot) = decode_slot(frame) else { break };
        follow(index, at, to_u64(len), &slot)?;
        last = Some((at, len));
    }
    let Some((at, len)) = last else { return Ok(None) };
    // It may lie in the window no more, or was read together with what follows: it is read and checked by itself.
    let frame = session.read_exact(LOG, at, len).map_err(refused("reading the log", LOG))?;
    match decode_slot(&frame) {
        Some(slot) if slot.after == index.position => Ok(Some((at, frame))),
        Some(_) | None => Err(damaged("its last batch reads differently each time".to_owned())),
    }
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
