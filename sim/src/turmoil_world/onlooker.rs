//! A second program of an agent, which waits for its turns and the ends of its games, and does nothing with them.
//!
//! The first one waits right after its own move, when the opponent has not thought yet. This one begins to wait at any
//! moment, also while a turn begins or a game ends: a hall that looks before it listens sleeps through that.

use super::chronicle::{Chronicle, Shared};
use super::clock::network_millis;
use crate::dice::Dice;
use crate::oracles::ClientRecord;
use hall_client::answer::{Game, GameStatus};
use hall_client::{Client, Wait};
use hall_wire::{AgentId, GameId, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::sleep;

/// How long the hall may hold its answer: the most that it grants, or less, so that waits begin more often.
const SECONDS: [u64; 2] = [25, 5];
/// How long it does something else between two answers, at most, in milliseconds.
const BETWEEN: u64 = 1_000;

/// A turn that was open for less than this, in milliseconds, may never have been seen by who waited for it.
const SOON_OVER: u64 = 1_000;

/// For how long a game counts as recently ended, and how many do at most.
const RECENT: Span = Span::from_secs(600);
const MOST_RECENT: usize = 20;
/// How far the time that an answer tells may be from that at which it looked.
const APART: Span = Span::from_secs(60);

/// An agent asked for its turns.
#[derive(Clone, Debug)]
pub(super) struct Poll {
    /// Its place in the plan.
    pub(super) agent: usize,
    /// When it asked and when it was answered, in milliseconds since the world began.
    pub(super) asked: u64,
    pub(super) answered: u64,
    /// Whether the hall was to wait until something changes.
    pub(super) waited: bool,
    /// What the answer before it showed.
    known: Shown,
    /// The games that it calls recently ended, in its order.
    pub(super) ended: Vec<(GameId, Timestamp)>,
    /// The hall's time in the answer.
    time: Timestamp,
}

/// What an answer showed: turns, and games that have ended.
#[derive(Clone, Debug, Default)]
struct Shown {
    turns: BTreeSet<(GameId, u32)>,
    ended: BTreeSet<GameId>,
}

/// When a game ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndSeen {
    /// When that was durable, in milliseconds since the world began.
    pub(super) when: u64,
    /// By the hall's clock.
    pub(super) at: Timestamp,
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
        let mut known = Shown::default();
        loop {
            sleep(Duration::from_millis(self.dice.between(0, BETWEEN))).await;
            let (asked, after) = (network_millis(), tag.as_deref());
            let seconds = *self.dice.pick(&SECONDS).unwrap_or(&25);
            let Ok(pulse) = self.client.pulse(Wait { seconds, after }).await else {
                tag = None;
                continue;
            };
            let answered = network_millis();
            self.look_at_own().await;
            let mut chronicle = self.chronicle.open();
            for turn in &pulse.waiting_on_you {
                chronicle.shown(answered, turn.game_id, turn.turn_index);
            }
            let turns = pulse.waiting_on_you.iter().map(|turn| (turn.game_id, turn.turn_index)).collect();
            let ended = pulse.recently_ended.iter().flatten();
            let ended: Vec<_> = ended.map(|end| (end.game_id, end.ended_at.unwrap_or_default())).collect();
            let shows = Shown { turns, ended: ended.iter().map(|(game, _)| *game).collect() };
            let known = std::mem::replace(&mut known, shows);
            let (agent, waited, time) = (self.number, tag.is_some(), pulse.time_utc.unwrap_or_default());
            chronicle.polls.push(Poll { agent, asked, answered, waited, known, ended, time });
            chronicle.report.mark("onlooker", "told of its turns");
            tag = pulse.waiting_tag;
        }
    }
}

impl Onlooker {
    /// Reads the list of its games, which says of each whether it is its turn.
    async fn look_at_own(&self) {
        let Ok(own) = self.client.my_games(GameStatus::Live, Wait::default()).await else { return };
        for game in &own.games {
            if let Some(text) = wrong_turn(game) {
                self.chronicle.violation("M9", format!("agent {}: {text}", self.number));
            }
        }
    }
}

/// It is the turn of exactly those who are to move.
fn wrong_turn(game: &Game) -> Option<String> {
    let is_to_move = game.your_player.map(|player| game.to_move.contains(&player));
    let text = || {
        format!(
            "{} says to {:?} that it is its turn: {:?}, to move are {:?}",
            game.id, game.your_player, game.your_turn, game.to_move
        )
    };
    (is_to_move.is_none() || is_to_move != game.your_turn).then(text)
}

/// Turns that began and games that ended while their agent waited for them, and how long it then waited on, for the polls
/// that count. A turn that was soon over may have come and gone unseen.
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
    let ends = ends(chronicle, places);
    for poll in chronicle.polls.iter().filter(|poll| poll.waited && counts(poll)) {
        for &(opened, game, turn_index) in turns.get(&poll.agent).into_iter().flatten() {
            if (poll.asked..poll.answered).contains(&opened)
                && !poll.known.turns.contains(&(game, turn_index))
            {
                let after_millis = Some(poll.answered - opened);
                records.push(ClientRecord::Woken { game, turn_index, after_millis });
            }
        }
        for &(game, EndSeen { when, .. }) in ends.get(&poll.agent).into_iter().flatten() {
            if (poll.asked..poll.answered).contains(&when) && !poll.known.ended.contains(&game) {
                records.push(ClientRecord::EndSeen { game, after_millis: poll.answered - when });
            }
        }
    }
    records
}

/// The ends of the games of each agent, by its place in the plan.
fn ends(chronicle: &Chronicle, places: &BTreeMap<AgentId, usize>) -> BTreeMap<usize, Vec<(GameId, EndSeen)>> {
    let mut ends: BTreeMap<usize, Vec<(GameId, EndSeen)>> = BTreeMap::new();
    for (game, end) in &chronicle.ends {
        let seats = chronicle.seats.get(game).into_iter().flatten();
        for place in seats.filter_map(|agent| places.get(agent)) {
            ends.entry(*place).or_default().push((*game, *end));
        }
    }
    ends
}

/// What is wrong with the games that answers called recently ended (decision 2.9): those of the agent that ended within
/// ten minutes, the newest first, twenty at most.
pub(super) fn wrong_ends(chronicle: &Chronicle, places: &BTreeMap<AgentId, usize>) -> Vec<(u64, String)> {
    let ends = ends(chronicle, places);
    let mut wrong = Vec::new();
    for poll in &chronicle.polls {
        let own = ends.get(&poll.agent).map(Vec::as_slice).unwrap_or_default();
        if let Some(what) = poll.wrong_end(own) {
            wrong.push((poll.answered, format!("agent {} is told of ended games: {what}", poll.agent)));
        }
    }
    wrong
}

impl Poll {
    fn wrong_end(&self, own: &[(GameId, EndSeen)]) -> Option<String> {
        let Self { ended, time, asked, .. } = self;
        let is_own =
            |(game, at): &(GameId, Timestamp)| own.iter().any(|(known, end)| (known, end.at) == (game, *at));
        if let Some((game, at)) = ended.iter().find(|ended| !is_own(ended)) {
            return Some(format!("{game} did not end at {at}"));
        }
        if let Some((game, at)) = ended.iter().find(|(_, at)| *at + RECENT + APART < *time) {
            return Some(format!("{game} ended at {at}, long before {time}"));
        }
        if ended.len() > MOST_RECENT || !ended.is_sorted_by(|(_, newer), (_, older)| newer >= older) {
            return Some(format!("not the newest first, or too many: {ended:?}"));
        }
        let oldest = ended.get(MOST_RECENT - 1).map_or(Timestamp::from_millis(0), |(_, at)| *at);
        let due = |end: &EndSeen| end.when < *asked && end.at > oldest && end.at + RECENT > *time + APART;
        let missing =
            own.iter().find(|(game, end)| due(end) && !ended.iter().any(|(shown, _)| shown == game));
        missing.map(|(game, end)| format!("{game}, which ended at {}, is missing", end.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_turn_that_is_said_to_be_of_somebody_who_is_not_to_move_is_reported() {
        let is_wrong = |to_move: &[&str], your_turn: Option<bool>| {
            let game = json!({ "id": GameId::from_bytes([1; 16]), "status": "live", "turn_index": 3, "to_move": to_move,
                               "your_player": "p1", "your_turn": your_turn, "game": "chess", "variant": "standard",
                               "division": "open", "seats": [] });
            wrong_turn(&serde_json::from_value(game).unwrap()).is_some()
        };
        assert!(
            !is_wrong(&["p0", "p1"], Some(true))
                && !is_wrong(&["p0"], Some(false))
                && !is_wrong(&[], Some(false))
        );
        assert!(is_wrong(&["p0"], Some(true)) && is_wrong(&["p1"], Some(false)) && is_wrong(&[], Some(true)));
        assert!(is_wrong(&["p1"], None));
    }
}
