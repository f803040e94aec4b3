//! What a researcher tries while the disk of the hall is full: reads go on, and writes are refused.

use super::library::Finding;
use super::outside::HallMoment;
use super::researcher::Researcher;
use hall_client::Registration;
use std::time::Duration;
use tokio::time::sleep;

/// A hall that is shutting down refuses reads, too, and is gone after this time.
const STOPS: Duration = Duration::from_secs(13);

impl Researcher {
    /// Reads a list, and asks for a registration.
    pub(super) async fn try_low_disk(&mut self) -> Option<()> {
        let before = self.low_disk()?;
        let read = self.ask("/api/games?limit=5").await?;
        let registration =
            Registration { model_id: "researcher".to_owned(), adapter_kind: None, operator_name: None };
        let written = match self.client.register(&registration).await {
            Ok(_) => String::new(),
            Err(error) => error.refusal()?.code.to_string(),
        };
        self.low_disk().filter(|after| after.start == before.start)?;
        sleep(STOPS).await;
        self.moment().filter(|later| later.start == before.start)?;
        for judged in [judge_read(read.status, &read.code), judge_written(&written)] {
            match judged {
                Ok(mark) => self.mark(mark),
                Err(found) => self.report(Some(found)),
            }
        }
        Some(())
    }

    /// The hall, if it takes no writes now.
    fn low_disk(&self) -> Option<HallMoment> {
        self.moment().filter(|moment| !moment.is_writable)
    }
}

/// Whether this is the answer to who reads. Reads fail for other reasons, too.
fn judge_read(status: u16, code: &str) -> Result<&'static str, Finding> {
    match (status, code) {
        (200, "") => Ok("read on a full disk"),
        (500, "INTERNAL") | (429, "RATE_LIMITED") => Ok("did not read on a full disk"),
        _ => Err(("V2", format!("the disk is full, and a list of games is answered {status} {code:?}"))),
    }
}

/// Whether this is the answer to who writes.
fn judge_written(code: &str) -> Result<&'static str, Finding> {
    match code {
        "UNAVAILABLE" => Ok("was refused to write on a full disk"),
        "INTERNAL" | "RATE_LIMITED" => Ok("did not write on a full disk"),
        _ => Err(("V4", format!("the disk is full, and a registration is answered {code:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_is_refused_and_a_write_that_is_taken_on_a_full_disk_are_reported() {
        let name = |judged: Result<&'static str, Finding>| judged.err().map(|(invariant, _)| invariant);
        assert_eq!(name(judge_read(200, "")), None);
        assert_eq!(name(judge_read(503, "UNAVAILABLE")), Some("V2"));
        assert_eq!(name(judge_written("UNAVAILABLE")), None);
        assert_eq!(name(judge_written("")), Some("V4"));
        assert_eq!(name(judge_written("HANDLE_TAKEN")), Some("V4"), "it was decided");
    }
}
