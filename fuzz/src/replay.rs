//! The verifier, which reads documents from anybody.

use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::replay::{ClaimId, ReplayReport, Trust, UnreadableReplay, verify};
use hall_verify::tile::{Level, Tile};
use serde_json::Value;

/// Verifies the bytes as a replay, and reads them as a note, a verifier key, and a tile.
///
/// # Panics
/// If the verifier does, if a report leaves a claim out, if a replay is judged differently in its envelope, or if
/// a value that was read is written back differently.
pub fn replays(bytes: &[u8]) {
    let trust = Trust::default();
    if let Ok(report) = verify(bytes, &trust) {
        let claims: Vec<ClaimId> = report.claims().iter().map(|claim| claim.id).collect();
        assert_eq!(claims, ClaimId::ALL, "a claim is missing");
        let failing = report.first_failing().is_some();
        assert_ne!(failing, report.holds(), "a report contradicts itself");
        let common: Result<Value, _> = serde_json::from_slice(bytes);
        assert!(common.is_ok() || failing, "the common parser does not read what holds");
    }
    check_envelope(bytes, &trust);
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    if let Ok(note) = Note::parse(text) {
        assert!(text.starts_with(note.text()), "a note has another text");
        if let Ok(checkpoint) = Checkpoint::parse(note.text()) {
            assert_eq!(checkpoint.to_string(), note.text(), "a checkpoint is written back otherwise");
        }
    }
    if let Ok(key) = VerifierKey::parse(text.trim_end()) {
        assert_eq!(VerifierKey::parse(&key.to_string()), Ok(key), "a key does not read back");
    }
    if let Some(tile) = Tile::parse(text.trim_end()) {
        assert_eq!(tile.to_string(), text.trim_end(), "a tile has another path");
        let _ = match tile.level() {
            Level::Entries => tile.entries(bytes).map(|entries| entries.len()),
            Level::Hashes(_) => tile.hashes(bytes).map(|hashes| hashes.len()),
        };
    }
}

/// A replay gets the same judgement bare and in an envelope.
fn check_envelope(bytes: &[u8], trust: &Trust) {
    let Ok(bare) = verify(bytes, trust) else { return };
    let common: Value = serde_json::from_slice(bytes).unwrap_or_default();
    if common.pointer("/data/replay").is_some() {
        return;
    }
    let whole = [b"{\"ok\":true,\"data\":{\"replay\":", bytes, b"}}"].concat();
    match verify(&whole, trust) {
        // The envelope adds two levels of nesting, which may be too many.
        Err(UnreadableReplay::Json(_)) => {}
        Ok(whole) => {
            let first = |report: &ReplayReport| report.first_failing().map(|claim| claim.id);
            assert_eq!(first(&whole), first(&bare), "the envelope makes a difference");
        }
        Err(other) => panic!("the envelope makes a difference: {other}"),
    }
}
