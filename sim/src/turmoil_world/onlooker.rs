//! A second program of an agent, which waits for its turns and does nothing with them.
//!
//! The first one waits right after its own move, when the opponent has not thought yet. This one begins to wait at any
//! moment, also while a turn begins: a hall that looks before it listens sleeps through that turn.

use super::chronicle::{Poll, Shared};
use super::clock::network_millis;
use crate::dice::Dice;
use hall_client::{Client, Wait};
use std::time::Duration;
use tokio::time::sleep;

/// How long the hall may hold its answer: the most that it grants, or less, so that waits begin more often.
const SECONDS: [u64; 2] = [25, 5];
/// How long it does something else between two answers, at most, in milliseconds.
const BETWEEN: u64 = 1_000;

/// The second program.
pub(super) struct Onlooker {
    /// The agent's place in the plan.
    pub(super) number: usize,
    pub(super) client: Client,
    pub(super) dice: Dice,
    pub(super) chronicle: Shared,
}

impl Onlooker {
    /// Waits for turns for ever.
    pub(super) async fn look_on(mut self) {
        let mut tag: Option<String> = None;
        let mut known = Vec::new();
        loop {
            sleep(Duration::from_millis(self.dice.between(0, BETWEEN))).await;
            let (asked, after) = (network_millis(), tag.as_deref());
            let seconds = *self.dice.pick(&SECONDS).unwrap_or(&25);
            let Ok(pulse) = self.client.pulse(Wait { seconds, after }).await else {
                tag = None;
                continue;
            };
            let answered = network_millis();
            let mut chronicle = self.chronicle.open();
            let turns = pulse.waiting_on_you.iter().map(|turn| (turn.game_id, turn.turn_index));
            let known = std::mem::replace(&mut known, turns.collect());
            for turn in &pulse.waiting_on_you {
                chronicle.shown(answered, turn.game_id, turn.turn_index);
            }
            if tag.is_some() {
                chronicle.polls.push(Poll { agent: self.number, asked, answered, known });
            }
            chronicle.report.mark("onlooker", "told of its turns");
            tag = pulse.waiting_tag;
        }
    }
}
