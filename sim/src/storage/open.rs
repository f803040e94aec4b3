//! Opening: read the log and the mark, let the production plan decide what a crash explains, complete or refuse, and
//! make durable again what will be answered.
//!
//! Nothing is written before everything is decided. What is written then: the last frame of the log once more (a sync
//! that failed under the last process may have dropped it, and only the cache still shows it), frames that only the
//! mark holds, the newest slot of the mark once more for the same reason, and only then its other slot. Each step can
//! be repeated after a crash.

use super::base;
use super::index::{Index, heads_after};
use super::journal::{Keep, mark_place};
use super::layout::{LOG, LOG_MAGIC, LOG_NEW, MARK, MARK_NEW, bases, snapshots};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use hall_journal::OpenError;
use hall_journal::kit::{
    Marks, Position, SLOT_BYTES, SLOT_HEADER_BYTES, Slot, decode_slot, encode_slot, encoded_slot_len,
    missing_batches, seal_slot,
};
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

/// How much of the log is read at once.
const WINDOW_BYTES: usize = 1 << 20;

/// A journal that can go on.
pub(super) struct Opened {
    pub(super) index: Index,
    /// Which place of the mark is written next.
    pub(super) next: u64,
}

pub(super) fn open(session: &Session, keep: Keep) -> Result<Opened, OpenError> {
    if must_create(session)? {
        ask_witness(session, &Index::default())?;
        create(session).map_err(refused("creating the journal", LOG))?;
    }
    let marks = read_marks(session)?;
    let mut index = base::read_newest(session)?;
    index.frames = matches!(keep, Keep::Records(_)).then(VecDeque::new);
    let last = scan(session, &mut index)?;
    let valid_end = index.end;
    let missing = missing_batches(Path::new(MARK), &marks, &index.position)?;
    let mut frames: Vec<(u64, Vec<u8>)> = Vec::new();
    frames.extend(last);
    for slot in missing {
        let mut frame = Vec::new();
        encode_slot(&mut frame, &slot.before, &slot.after, slot.batch.as_ref());
        seal_slot(&mut frame);
        let at = index.end;
        follow(&mut index, at, to_u64(frame.len()), slot)?;
        frames.push((at, frame));
    }
    ask_witness(session, &index)?;

    if session.length(LOG).is_some_and(|length| length > valid_end) {
        session.truncate(LOG, valid_end).map_err(refused("cutting the log", LOG))?;
    }
    for (at, frame) in &frames {
        session.write(LOG, *at, frame).map_err(refused("writing the log", LOG))?;
    }
    session.sync(LOG).map_err(refused("syncing the log", LOG))?;
    let next = to_u64(marks.next);
    if let Some(known) = marks.newest() {
        let mut slot = Vec::new();
        encode_slot(&mut slot, &known.before, &known.after, known.batch.as_ref());
        seal_slot(&mut slot);
        let place = mark_place(1_u64.saturating_sub(next));
        session.write(MARK, place, &slot).map_err(refused("writing the head mark", MARK))?;
        session.sync(MARK).map_err(refused("syncing the head mark", MARK))?;
    }
    let newest = frames.pop().map_or_else(|| position_slot(&index.position), |(_, frame)| frame);
    session.write(MARK, mark_place(next), &newest).map_err(refused("writing the head mark", MARK))?;
    session.sync(MARK).map_err(refused("syncing the head mark", MARK))?;
    Ok(Opened { index, next: 1_u64.saturating_sub(next) })
}

/// Whether the disk holds no journal and never held one.
fn must_create(session: &Session) -> Result<bool, OpenError> {
    let (log, mark) = (session.length(LOG).is_some(), session.length(MARK).is_some());
    if log && mark {
        return Ok(false);
    }
    let missing = |missing: &str, present: &str| {
        Err(OpenError::PartMissing { missing: PathBuf::from(missing), present: PathBuf::from(present) })
    };
    if log {
        return missing(MARK, LOG);
    }
    if !snapshots(session).is_empty() || !bases(session).is_empty() {
        return missing(LOG, "snapshots");
    }
    if mark && read_marks(session)?.newest().is_none_or(|newest| newest.after != Position::default()) {
        // A creation that was interrupted leaves a mark at the beginning, and no log.
        return missing(LOG, MARK);
    }
    Ok(true)
}

fn create(session: &Session) -> io::Result<()> {
    for name in [LOG_NEW, MARK_NEW] {
        if session.length(name).is_some() {
            session.remove(name)?;
        }
    }
    session.write(LOG_NEW, 0, LOG_MAGIC)?;
    session.sync(LOG_NEW)?;
    let slot = position_slot(&Position::default());
    session.write(MARK_NEW, mark_place(0), &slot)?;
    session.write(MARK_NEW, mark_place(1), &slot)?;
    // The whole room is taken at once, so that a full disk never keeps the mark from being written.
    session.write(MARK_NEW, mark_place(2).saturating_sub(1), &[0])?;
    session.sync(MARK_NEW)?;
    session.rename(MARK_NEW, MARK)?;
    session.rename(LOG_NEW, LOG)
}

fn position_slot(at: &Position) -> Vec<u8> {
    let mut slot = Vec::new();
    encode_slot(&mut slot, &at.head, at, None);
    seal_slot(&mut slot);
    slot
}

fn read_marks(session: &Session) -> Result<Marks, OpenError> {
    Ok(Marks::of([read_slot(session, 0)?, read_slot(session, 1)?]))
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
    let mut heads = Vec::new();
    heads_after(&before.head, batch, &mut heads);
    let head = heads.last().copied().unwrap_or(before.head);
    let expected = Position { batch: before.batch.saturating_add(1), head };
    if slot.before != before.head || slot.after != expected {
        return Err(refusal());
    }
    index.apply(at, len, batch, &heads, slot.after);
    Ok(())
}

/// Compares with what the outside world was told.
fn ask_witness(session: &Session, index: &Index) -> Result<(), OpenError> {
    let Some(witness) = session.witness() else { return Ok(()) };
    let (found, expected) = (index.position, witness);
    if found.batch < expected.batch || found.head.seq < expected.head.seq {
        return Err(OpenError::Behind {
            found: found.head.seq,
            found_batch: found.batch,
            expected: expected.head.seq,
            expected_batch: expected.batch,
        });
    }
    match index.head_at(expected.head.seq) {
        Some(head) if head != expected.head => Err(OpenError::Diverged {
            seq: expected.head.seq,
            what: "the outside world was told another chain",
        }),
        // A record that is no longer kept is older than the snapshots, and those were checked against the chain.
        Some(_) | None => Ok(()),
    }
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

pub(super) fn damaged(what: String) -> OpenError {
    OpenError::StoreDamaged { path: PathBuf::from(LOG), what }
}

/// For `map_err`: a refusal of the disk stays one.
pub(super) fn refused(doing: &'static str, name: &str) -> impl Fn(io::Error) -> OpenError {
    let path = PathBuf::from(name);
    move |source| OpenError::Io { doing, path: path.clone(), source }
}
