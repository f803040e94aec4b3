//! How much of the log one witness has cosigned, and when it is asked next. No clock and no network.

use super::{Cosignature, WitnessAnswer, WitnessError};
use std::time::Duration;

/// The pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How many times in a row a witness may name another size without a pause.
const CORRECTIONS: u32 = 3;

/// The known state of a witness.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The log that the rest is about.
    origin: String,
    /// The size that the witness is believed to have.
    has: u64,
    /// The newest size that it has cosigned for us.
    cosigned: Option<u64>,
    corrections: u32,
    failures: u32,
}

/// The outcome of a submission: what comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionOutcome {
    /// The checkpoint is cosigned; the next submission follows when the log has grown.
    Cosigned(Cosignature),
    /// Submit again immediately, from another old size.
    Again,
    /// The submission failed; submit again after this pause.
    After(Duration, Trouble),
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The witness claims to have cosigned more than the log has: the log was rolled back, or the claim is false.
    #[error("says that it has cosigned {has} leaves, but the log has a checkpoint over {newest} only")]
    Ahead {
        /// The size that the witness has cosigned.
        has: u64,
        /// The size of the newest checkpoint.
        newest: u64,
    },
    /// It names another size every time.
    #[error("names another size every time")]
    Fickle,
    /// Anything else.
    #[error(transparent)]
    Failed(WitnessError),
}

impl Progress {
    /// Whether a checkpoint of this log and size is to be submitted.
    #[must_use]
    pub fn wants(&self, origin: &str, size: u64) -> bool {
        self.origin != origin || self.cosigned != Some(size)
    }

    /// The old size to name when the checkpoint of this log and size is submitted.
    pub fn old_size(&mut self, origin: &str, size: u64) -> u64 {
        if self.origin != origin {
            *self = Self { origin: origin.to_owned(), ..Self::default() };
        }
        self.has.min(size)
    }

    /// Interprets the answer to the submission of `size` after `old`; `newest` is the current size of the newest
    /// checkpoint.
    pub fn answered(
        &mut self,
        old: u64,
        size: u64,
        newest: u64,
        answer: Result<WitnessAnswer, WitnessError>,
    ) -> SubmissionOutcome {
        match answer {
            Ok(WitnessAnswer::Cosigned(cosignature)) => {
                (self.has, self.cosigned) = (size, Some(size));
                (self.corrections, self.failures) = (0, 0);
                SubmissionOutcome::Cosigned(cosignature)
            }
            Ok(WitnessAnswer::Has(has)) => {
                self.has = has;
                if has > newest {
                    // Anybody may submit a checkpoint that was published, so a size beyond `size` alone means nothing.
                    return self.pause(Trouble::Ahead { has, newest });
                }
                self.corrections += 1;
                if has == old || self.corrections > CORRECTIONS {
                    return self.pause(Trouble::Fickle);
                }
                SubmissionOutcome::Again
            }
            Err(error) => self.pause(Trouble::Failed(error)),
        }
    }

    fn pause(&mut self, trouble: Trouble) -> SubmissionOutcome {
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST_PAUSE);
        (self.failures, self.corrections) = (self.failures.saturating_add(1), 0);
        SubmissionOutcome::After(pause, trouble)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Timestamp;

    const LOG: &str = "hall.example";

    fn cosigned() -> Result<WitnessAnswer, WitnessError> {
        let at = Timestamp::from_millis(1_000);
        Ok(WitnessAnswer::Cosigned(Cosignature { line: String::new(), at }))
    }

    #[test]
    fn a_witness_is_asked_to_extend_from_the_size_that_it_names() {
        let mut progress = Progress::default();
        assert_eq!(progress.old_size(LOG, 9), 0);
        assert_eq!(progress.answered(0, 9, 9, Ok(WitnessAnswer::Has(5))), SubmissionOutcome::Again);
        assert_eq!(progress.old_size(LOG, 9), 5);
        assert!(matches!(progress.answered(5, 9, 9, cosigned()), SubmissionOutcome::Cosigned(_)));
        assert!(!progress.wants(LOG, 9) && progress.wants(LOG, 12));
        assert_eq!(progress.old_size(LOG, 12), 9);
        assert!(progress.wants("hall.example/2", 9), "another name is another log");
        assert_eq!(progress.old_size("hall.example/2", 12), 0);
    }

    #[test]
    fn a_witness_raises_an_alarm_if_it_has_more_than_the_log_but_not_if_it_is_only_quicker() {
        let mut progress = Progress::default();
        assert_eq!(progress.answered(0, 9, 12, Ok(WitnessAnswer::Has(12))), SubmissionOutcome::Again);
        let next = progress.answered(9, 12, 12, Ok(WitnessAnswer::Has(13)));
        assert_eq!(next, SubmissionOutcome::After(FIRST_PAUSE, Trouble::Ahead { has: 13, newest: 12 }));
        assert_eq!(progress.old_size(LOG, 12), 0, "of a log without a name nothing is known");
    }

    #[test]
    fn failures_lengthen_the_pauses_until_a_cosignature_resets_them() {
        let mut progress = Progress::default();
        let mut failing = || {
            let next = progress.answered(0, 9, 9, Err(WitnessError::Slow));
            let SubmissionOutcome::After(pause, Trouble::Failed(WitnessError::Slow)) = next else {
                panic!("{next:?}")
            };
            pause.as_secs()
        };
        let pauses: Vec<u64> = (0..8).map(|_| failing()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert!(matches!(progress.answered(0, 9, 9, cosigned()), SubmissionOutcome::Cosigned(_)));
        assert_eq!(
            progress.answered(9, 10, 10, Err(WitnessError::TooLarge)),
            SubmissionOutcome::After(FIRST_PAUSE, Trouble::Failed(WitnessError::TooLarge))
        );
    }

    #[test]
    fn a_witness_that_names_a_different_size_each_time_is_left_alone_for_a_while() {
        let mut progress = Progress::default();
        let mut old = 0;
        for has in 1..=3 {
            assert_eq!(progress.answered(old, 9, 9, Ok(WitnessAnswer::Has(has))), SubmissionOutcome::Again);
            old = has;
        }
        let next = progress.answered(old, 9, 9, Ok(WitnessAnswer::Has(4)));
        assert_eq!(next, SubmissionOutcome::After(FIRST_PAUSE, Trouble::Fickle));
        let next = progress.answered(4, 9, 9, Ok(WitnessAnswer::Has(4)));
        assert_eq!(
            next,
            SubmissionOutcome::After(FIRST_PAUSE * 2, Trouble::Fickle),
            "it names what it was given"
        );
    }
}
