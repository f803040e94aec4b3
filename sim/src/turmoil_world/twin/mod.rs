//! The twin: one script of requests, played at a simulated hall and at any other, with the answers of each.
//!
//! The disk, network and clocks of a simulated hall differ from those of the shipped program. Equal answers to the same
//! script show that the simulator tests the hall that people run (oracle 6: the black-box twin). The comparison ignores
//! what must differ: times, identifiers, random values, hashes and signatures over these, and the address of the hall.

mod placeholders;
mod script;

use super::chronicle::Shared;
use super::dialer::SiteDialer;
use super::disk::Disk;
use super::host::{HALL, Machine, PORT};
use super::plan::NetworkPlan;
use super::world::network;
use crate::plan::Profile;
use hall_client::Link;
use hall_core::SeasonId;
use hall_wire::Span;
use script::Script;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Virtual time that the script may take at a simulated hall.
const LASTS: Duration = Duration::from_secs(600);

/// One request of the script and the answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Which request: method and path, and what is special about it.
    pub asked: String,
    /// The HTTP status; 0 if no answer came.
    pub status: u16,
    /// The content type.
    pub content_type: String,
    /// The answer, with a placeholder for each part that must differ from hall to hall.
    pub answer: String,
}

impl Exchange {
    /// What differs in another hall's exchange, line by line; nothing if they are alike.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> Option<String> {
        if self == other {
            return None;
        }
        let lines =
            |exchange: &Self| format!("{} {}\n{}", exchange.status, exchange.content_type, exchange.answer);
        let (these, those) = (lines(self), lines(other));
        let mut told = format!("{} / {}", self.asked, other.asked);
        for (this, that) in these.lines().zip(those.lines()).filter(|(this, that)| this != that) {
            told.push_str(&format!("\n  one:   {this}\n  other: {that}"));
        }
        if these.lines().count() != those.lines().count() {
            told.push_str("\n  one is longer than the other");
        }
        Some(told)
    }
}

/// Plays the script at a hall without other agents.
///
/// `hall` is where it listens, as `http://host:port`, and `base_url` the address that it gives as its own.
pub async fn play(link: &Link, hall: &str, base_url: &str) -> Vec<Exchange> {
    Script::new(link, hall, base_url).play().await
}

/// Plays the script at a simulated hall, which draws its own chance from the seed.
///
/// # Panics
/// If the simulated hall fails, or the script does not end within ten minutes of virtual time.
#[must_use]
pub fn play_simulated(seed: u64) -> Vec<Exchange> {
    let mut plan = NetworkPlan::new(seed, 2, Span::from_secs(600), Profile::Calm);
    plan.relays = 0;
    // As a hall that is set up without settings.
    plan.settings.first_season = SeasonId::parse("s1").unwrap_or(plan.settings.first_season);
    let chronicle = Shared::default();
    let machine = Machine::new(&plan, Disk::new(plan.seed), Vec::new(), None, chronicle.clone());
    let mut sim = network(&plan);
    sim.host(HALL, move || Rc::clone(&machine).run());
    let told = Rc::new(RefCell::new(Vec::new()));
    let exchanges = Rc::clone(&told);
    sim.client("twin", async move {
        let link = Link::over(SiteDialer::new(1, 0, chronicle));
        let hall = format!("http://{HALL}:{PORT}");
        let played = play(&link, &hall, &hall).await;
        *exchanges.borrow_mut() = played;
        Ok(())
    });
    while !sim.step().unwrap_or_else(|error| panic!("the simulated hall fails: {error}")) {
        assert!(sim.elapsed() < LASTS, "the script has not come to its end");
    }
    told.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_its_lines() {
        let exchange = |answer: &str| Exchange {
            asked: "GET /".to_owned(),
            status: 200,
            content_type: "text/plain".to_owned(),
            answer: answer.to_owned(),
        };
        assert_eq!(exchange("a\nb").differs_from(&exchange("a\nb")), None);
        let told = exchange("a\nb").differs_from(&exchange("a\nc\nd")).unwrap();
        assert_eq!(told, "GET / / GET /\n  one:   b\n  other: c\n  one is longer than the other");
    }
}
