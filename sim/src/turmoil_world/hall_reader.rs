//! A reader of what happens in the hall as a whole, as a stream. It hangs up now and then, and comes back where it was.

use super::agent::Site;
use super::host::{HALL, PORT};
use super::plan::NetworkPlan;
use super::spectator::{CONNECT_TIMEOUT, read_chunk, read_head};
use crate::dice::Dice;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::time::{sleep, timeout};

/// After so many of 1,000 pieces it hangs up.
const HANGS_UP: u32 = 200;

/// The number of an event: its record, and its place there.
type EventId = (u64, u64);

/// The reader.
pub(super) struct HallReader {
    site: Site,
    dice: Dice,
    last: Option<EventId>,
}

impl HallReader {
    /// That of a plan.
    pub(super) fn new(plan: &NetworkPlan, site: Site) -> Self {
        let number = plan.agents + plan.spectators + plan.researchers + 1;
        let site = Site { dialer: site.dialer.of_client(number), ..site };
        Self { site, dice: Dice::of(plan.seed, "reader of the hall's events", 0), last: None }
    }

    /// Reads until the last games are called.
    pub(super) async fn read(mut self) {
        let last_call = self.site.last_call.clone();
        tokio::select! {
            biased;
            () = last_call.wait() => {}
            () = self.come_back() => {}
        }
    }

    async fn come_back(&mut self) {
        loop {
            let _ = self.read_stream().await;
            sleep(Duration::from_millis(self.dice.between(100, 3_000))).await;
        }
    }

    /// One stream, from where the last one ended. No event comes twice, and none before an older one (X5).
    async fn read_stream(&mut self) -> io::Result<()> {
        let mut stream = timeout(CONNECT_TIMEOUT, self.site.dialer.open(HALL, PORT)).await??;
        let resumes = self.last.map(|(record, place)| format!("Last-Event-ID: {record}-{place}\r\n"));
        let request = format!(
            "GET /api/events HTTP/1.1\r\nHost: {HALL}\r\nAccept: text/event-stream\r\n{}Connection: close\r\n\r\n",
            resumes.as_deref().unwrap_or_default()
        );
        stream.write_all(request.as_bytes()).await?;
        let mut reader = BufReader::new(stream);
        read_head(&mut reader).await?;
        while let Some(chunk) = read_chunk(&mut reader).await? {
            for id in chunk.lines().filter_map(event_id) {
                if let Some(last) = self.last.filter(|last| *last >= id) {
                    self.site
                        .chronicle
                        .violation("X5", format!("the hall's event {id:?} comes after {last:?}"));
                }
                self.last = Some(id);
                self.site.chronicle.mark("hall's events", if resumes.is_some() { "resumed" } else { "read" });
            }
            if self.dice.permille(HANGS_UP) {
                break;
            }
        }
        Ok(())
    }
}

fn event_id(line: &str) -> Option<EventId> {
    let (record, place) = line.strip_prefix("id: ")?.split_once('-')?;
    Some((record.parse().ok()?, place.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_event_is_that_of_its_record_and_its_place_there() {
        assert_eq!(event_id("id: 12-3"), Some((12, 3)));
        assert_eq!((event_id("data: 12-3"), event_id("id: 12")), (None, None));
        assert!(event_id("id: 9-7") < event_id("id: 12-3"));
    }
}
