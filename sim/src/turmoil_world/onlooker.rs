//! A second program of an agent, which waits for its turns and does nothing with them.
//!
//! The first one waits right after its own move, when the opponent has not thought yet. This one begins to wait at any
//! moment, also while a turn begins: a hall that looks before it listens sleeps through that turn.

use super::chronicle::{Shared, ToldTurn};
use super::clock::network_millis;
use crate::dice::Dice;
use hall_client::wire::GameId;
use hall_client::{Client, Wait};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::sleep;

/// How long the hall may hold its answer.
const SECONDS: u64 = 25;
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
        let mut known: Option<(BTreeSet<(GameId, u32)>, String)> = None;
        loop {
            sleep(Duration::from_millis(self.dice.between(0, BETWEEN))).await;
            let (asked, after) = (network_millis(), known.as_ref().map(|(_, tag)| tag.as_str()));
            let Ok(pulse) = self.client.pulse(Wait { seconds: SECONDS, after }).await else {
                known = None;
                continue;
            };
            let told = network_millis();
            let turns: BTreeSet<_> =
                pulse.waiting_on_you.iter().map(|turn| (turn.game_id, turn.turn_index)).collect();
            let mut chronicle = self.chronicle.open();
            for (game, turn_index) in &turns {
                chronicle.shown(told, *game, *turn_index);
            }
            if let Some((before, _)) = &known {
                let agent = self.number;
                let new = turns.difference(before);
                let new = new.map(|(game, turn_index)| ToldTurn {
                    agent,
                    game: *game,
                    turn_index: *turn_index,
                    asked,
                    told,
                });
                chronicle.told_turns.extend(new);
            }
            chronicle.report.mark("onlooker", "told of its turns");
            known = pulse.waiting_tag.map(|tag| (turns, tag));
        }
    }
}
