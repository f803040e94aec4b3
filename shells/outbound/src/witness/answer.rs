//! Parsing the answers of a witness.

use crate::exchange::Failure;
use hall_verify::note::{Note, NoteProblem, VerifierKey};
use hall_wire::Timestamp;

/// The largest answer that is read, in bytes: some dozen signature lines.
pub(super) const MAX_BYTES: usize = 64 * 1024;

/// A cosignature that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// The line of the note, without its line feed.
    pub line: String,
    /// When the witness saw the checkpoint, according to the witness.
    pub at: Timestamp,
}

/// The answer of a witness to a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessAnswer {
    /// It has cosigned it.
    Cosigned(Cosignature),
    /// The newest checkpoint that it has cosigned has this size, which is not the old size of the submission.
    Has(u64),
}

/// Why a witness gave no valid answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    /// No complete answer came before the time was up.
    #[error("did not answer in time")]
    Slow,
    /// No connection could be made.
    #[error("cannot be reached ({0})")]
    Unreachable(String),
    /// The connection broke, or the answer was not HTTP.
    #[error("broke off ({0})")]
    Broken(String),
    /// The answer is too large.
    #[error("answers with more than {MAX_BYTES} bytes")]
    TooLarge,
    /// It does not know the log.
    #[error("does not know this log (404); its operator must add the log's key")]
    UnknownLog,
    /// It knows the log under other keys.
    #[error("knows no key that signed the checkpoint (403)")]
    UnknownKey,
    /// It refuses the checkpoint as a conflict, and names no size.
    #[error(
        "refuses the checkpoint as a conflict, and names no size (409): it may have cosigned another of this size"
    )]
    OtherRoot,
    /// It says that the checkpoint does not continue what it has cosigned.
    #[error("says that the checkpoint does not continue what it has cosigned (422)")]
    Inconsistent,
    /// Any other status.
    #[error("answers with status {0}")]
    Status(u16),
    /// The body of the answer does not match its status.
    #[error("answers with something that is no cosignature and no size")]
    Garbage,
    /// Its line is present but does not verify.
    #[error("answers with a cosignature that is not that of its key")]
    Forged,
}

impl From<Failure> for WitnessError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreachable(why) => Self::Unreachable(why),
            Failure::Broken(why) => Self::Broken(why),
            Failure::TooLarge => Self::TooLarge,
        }
    }
}

/// Reads the answer to the submission of `note`.
pub(super) fn read(
    status: u16,
    body: &[u8],
    note: &str,
    key: &VerifierKey,
) -> Result<WitnessAnswer, WitnessError> {
    match status {
        200 => cosignature(body, note, key).map(WitnessAnswer::Cosigned),
        403 => Err(WitnessError::UnknownKey),
        404 => Err(WitnessError::UnknownLog),
        409 => size(body).map(WitnessAnswer::Has).ok_or(WitnessError::OtherRoot),
        422 => Err(WitnessError::Inconsistent),
        other => Err(WitnessError::Status(other)),
    }
}

/// The cosignature of `key` among the lines of the answer; lines of other keys are ignored.
fn cosignature(body: &[u8], note: &str, key: &VerifierKey) -> Result<Cosignature, WitnessError> {
    let lines = std::str::from_utf8(body).map_err(|_| WitnessError::Garbage)?;
    // Only the text of the checkpoint and the new lines: the log's own signatures do not concern the witness's key.
    let (text, _) = note.split_once("\n\n").ok_or(WitnessError::Garbage)?;
    let answered = Note::parse(&format!("{text}\n\n{lines}")).map_err(|_| WitnessError::Garbage)?;
    let at = match answered.verify(key) {
        Ok(at) => at.filter(|at| at.as_millis() > 0).ok_or(WitnessError::Garbage)?,
        Err(NoteProblem::WrongSignature { .. }) => return Err(WitnessError::Forged),
        Err(NoteProblem::NotSigned { .. } | NoteProblem::Malformed { .. }) => {
            return Err(WitnessError::Garbage);
        }
    };
    let own = |line: &&hall_verify::note::SignatureLine| line.name == key.name() && line.key_id == key.id();
    let line = answered.signatures().iter().find(own).ok_or(WitnessError::Garbage)?;
    Ok(Cosignature { line: line.to_string(), at })
}

/// A size in plain decimals, ended by a line feed.
fn size(body: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(body).ok()?.strip_suffix('\n')?;
    let size = text.parse::<u64>().ok()?;
    (size.to_string() == text).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::key::PrivateKey;
    use hall_wire::note::{Checkpoint, cosignature_line, witness_key};

    fn own(seed: u8) -> (PrivateKey, VerifierKey) {
        let key = PrivateKey::from_seed(&[seed; 32]);
        let public = VerifierKey::parse(&witness_key("witness.example/w1", &key.public())).unwrap();
        (key, public)
    }

    #[test]
    fn only_the_cosignature_of_the_witness_over_the_submitted_checkpoint_is_accepted() {
        let ((key, public), (other, _)) = (own(1), own(2));
        let checkpoint =
            |size| Checkpoint { origin: "hall.example", size, root: hall_wire::Digest::of(b"r") };
        let note = checkpoint(5).signed(&PrivateKey::from_seed(&[9; 32]));
        let line = |key, seconds, size| {
            cosignature_line("witness.example/w1", key, seconds, &checkpoint(size).text())
        };
        let (good, foreign) = (line(&key, 1_700_000_000, 5), line(&other, 1_700_000_000, 5));
        let taken = |body: &str| read(200, body.as_bytes(), &note, &public);
        let Ok(WitnessAnswer::Cosigned(cosignature)) = taken(&good) else { panic!("{:?}", taken(&good)) };
        assert_eq!(format!("{}\n", cosignature.line), good);
        assert_eq!(cosignature.at.as_millis(), 1_700_000_000_000);
        assert_eq!(taken(&format!("{foreign}{good}")), Ok(WitnessAnswer::Cosigned(cosignature)));
        for (body, error) in [
            (line(&key, 1_700_000_000, 6), WitnessError::Forged),
            (line(&key, 0, 5), WitnessError::Garbage),
            (foreign, WitnessError::Garbage),
            (good.trim_end().to_owned(), WitnessError::Garbage),
            (String::new(), WitnessError::Garbage),
            ("<html>".to_owned(), WitnessError::Garbage),
        ] {
            assert_eq!(taken(&body), Err(error), "{body}");
        }
    }

    #[test]
    fn a_conflict_gives_the_size_in_plain_decimals_or_is_one_of_roots() {
        let (_, public) = own(1);
        let answered = |body: &str| read(409, body.as_bytes(), "", &public);
        assert_eq!(answered("12\n"), Ok(WitnessAnswer::Has(12)));
        for wrong in ["", "12", "012\n", "+12\n", "-1\n", "12 \n", "18446744073709551616\n"] {
            assert_eq!(answered(wrong), Err(WitnessError::OtherRoot), "{wrong}");
        }
        for (status, error) in [
            (301, WitnessError::Status(301)),
            (403, WitnessError::UnknownKey),
            (404, WitnessError::UnknownLog),
            (422, WitnessError::Inconsistent),
            (503, WitnessError::Status(503)),
        ] {
            assert_eq!(read(status, b"", "", &public), Err(error));
        }
    }
}
