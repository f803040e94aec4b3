//! A second program of an agent, which waits for its turns and does nothing with them.
//!
//! The first one waits right after its own move, when the opponent has not thought yet. This one begins to wait at any
//! moment, also while a turn begins: a hall that looks before it listens sleeps through that turn.

use super::chronicle::{Chronicle, Shared};
use super::clock::network_millis;
use crate::dice::Dice;
use crate::oracles::ClientRecord;
use hall_client::{Client, Wait};
use hall_wire::{AgentId, GameId};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

/// How long the hall may hold its answer: the most that it grants, or less, so that waits begin more often.
const SECONDS: [u64; 2] = [25, 5];
/// How long it does something else between two answers, at most, in milliseconds.
const BETWEEN: u64 = 1_000;

/// A turn that was open for less than this, in milliseconds, may never have been seen by who waited for it.
const SOON_OVER: u64 = 1_000;

/// An agent waited for its turns.
#[derive(Clone, Debug)]
pub(super) struct Poll {
    /// Its place in the plan.
    pub(super) agent: usize,
    /// When it asked and when it was answered, in milliseconds since the world began.
    pub(super) asked: u64,
    pub(super) answered: u64,
    /// The turns that the answer before it showed.
    pub(super) known: Vec<(GameId, u32)>,
}

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

/// Turns that began while their agent waited for them, and how long it then waited on, for the polls that count. A turn
/// that was soon over may have come and gone unseen.
pub(super) fn slept_through(
    chronicle: &Chronicle,
    places: &BTreeMap<AgentId, usize>,
    counts: impl Fn(&Poll) -> bool,
) -> Vec<ClientRecord> {
    let mut turns: BTreeMap<usize, Vec<(u64, GameId, u32)>> = BTreeMap::new();
    for ((game, turn_index, player), turn) in &chronicle.turns {
        let (opened, resolved) = (turn.opened.0, turn.resolved.map_or(u64::MAX, |resolved| resolved.0));
        let agent = chronicle.seats.get(game).and_then(|seats| seats.get(player.index()));
        let place = agent.and_then(|agent| places.get(agent));
        if let Some(place) = place.filter(|_| resolved.saturating_sub(opened) >= SOON_OVER) {
            turns.entry(*place).or_default().push((opened, *game, *turn_index));
        }
    }
    let mut records = Vec::new();
    for poll in chronicle.polls.iter().filter(|poll| counts(poll)) {
        for &(opened, game, turn_index) in turns.get(&poll.agent).into_iter().flatten() {
            if (poll.asked..poll.answered).contains(&opened) && !poll.known.contains(&(game, turn_index)) {
                let after_millis = Some(poll.answered - opened);
                records.push(ClientRecord::Woken { game, turn_index, after_millis });
            }
        }
    }
    records
}
