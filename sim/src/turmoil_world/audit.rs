//! The end of a world: what the hall still tells, what it has kept, and what its clients were told must be one
//! history.

use super::agent::SeededRandomness;
use super::bells;
use super::chronicle::{Chronicle, ToldMove, Verdict};
use super::dialer::SiteDialer;
use super::faults::{Place, Schedule};
use super::host::{HALL, PORT};
use super::hostile;
use super::kept::{Kept, KeptGame};
use super::replays;
use hall_client::answer::{GameEvent, GameStatus};
use hall_client::wire::{GameId, Handle};
use hall_client::{Client, Error, GamesQuery, Key, Link, Origin, RetryPolicy};
use hall_core::BeaconChain;
use hall_verify::replay::{RoundCache, Trust};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How long an agent must have been able to reach the hall, in milliseconds, to be blamed for a missed deadline.
const ENOUGH: u64 = 20_000;
/// For how long after a fault an agent may still be caught in it: it waits for an answer that will not come (a held
/// pulse and its patience are 35 s), and meets kept connections that are dead.
const AFTERWARDS: u64 = 60_000;
/// How long a move may take from the choice to its answer where nothing is broken: a connection, a challenge, the move,
/// each there and back.
const PROMPT: u64 = 2_500;

/// What the hall told of a game after everything.
#[derive(Clone, Debug)]
pub(super) struct ToldGame {
    pub(super) status: GameStatus,
    pub(super) events: Vec<GameEvent>,
    pub(super) replay: Option<Value>,
}

/// Asks the hall for every game that it lists.
///
/// # Errors
/// The hall, which is well now, does not answer.
///
/// # Panics
/// Never: handle, token and address are well-formed.
pub(super) async fn ask(seed: u64, dialer: SiteDialer) -> Result<BTreeMap<GameId, ToldGame>, Error> {
    let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
    let key = Key::from_seed(&hall, &[9; 32], "no operator at all").expect("a token");
    let handle = Handle::parse("auditor").expect("a handle");
    let randomness = Arc::new(SeededRandomness::new(seed, "auditor", 0));
    let client = Client::over(Link::over(dialer), handle, key, RetryPolicy::default(), randomness);
    let mut told = BTreeMap::new();
    let mut cursor = None;
    loop {
        let page =
            client.games(GamesQuery { limit: Some(200), cursor: cursor.as_deref(), ..GamesQuery::default() });
        let page = page.await?;
        for game in page.games {
            let (id, status) = (game.id, game.status);
            let events = client.events_since(&id, 0).await?;
            let replay = if status == GameStatus::Ended { Some(client.replay(&id).await?) } else { None };
            if told.insert(id, ToldGame { status, events, replay }).is_some() {
                return Err(Error::Request(format!("{id} is listed twice")));
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(told);
        }
    }
}

/// Judges a world.
pub(super) struct Audit<'a> {
    /// What the hall has kept.
    pub(super) kept: &'a Kept,
    /// What it told at the end.
    pub(super) told: &'a BTreeMap<GameId, ToldGame>,
    /// When whom the hall could not be reached by.
    pub(super) schedule: &'a Schedule,
    /// On which site each agent lives.
    pub(super) sites: &'a [usize],
    /// The beacon's chain, if the hall has one.
    pub(super) chain: Option<&'a BeaconChain>,
    /// Whom a stranger trusts who checks replays.
    pub(super) trust: &'a Trust,
    /// Who brings strikes upon itself, by its place in the plan.
    pub(super) hostile: &'a BTreeSet<usize>,
    /// Which agent has which place in the plan.
    pub(super) places: &'a BTreeMap<hall_client::wire::AgentId, usize>,
}

impl Audit<'_> {
    /// Notes everything that must not be so.
    pub(super) fn judge(&self, chronicle: &mut Chronicle, now: u64) {
        let mut found: Vec<(&'static str, String)> = Vec::new();
        for (invariant, at, text) in &self.kept.faults {
            found.push((invariant, format!("{text} (hall time {at})")));
        }
        for told in &chronicle.moves {
            found.extend(self.judge_move(told));
            found.extend(self.judge_haste(told));
        }
        found.extend(self.judge_bells(chronicle));
        found.extend(hostile::judge(&chronicle.unapplied, &chronicle.illegal, self.kept));
        for told in &chronicle.ends {
            let kept = self.kept.games.get(&told.game).and_then(|game| game.result.as_ref());
            let kept = kept.map(|result| {
                let reason = serde_json::to_value(&result.reason).unwrap_or_default();
                (result.winners.clone(), result.draw, reason.as_str().unwrap_or_default().to_owned())
            });
            if kept.as_ref() != Some(&told.result) {
                let text = format!("{}: a client was told {:?}, kept is {kept:?}", told.game, told.result);
                found.push(("D1", text));
            }
        }
        for (id, game) in &self.kept.games {
            found.extend(self.judge_game(*id, game, chronicle));
        }
        let mut rounds = RoundCache::default();
        for (id, told) in self.told {
            match told.replay.as_ref().map(|replay| replays::judge(*id, replay, self.trust, &mut rounds)) {
                Some(Ok(true)) => chronicle.report.mark("replay", "verified with its log"),
                Some(Ok(false)) => chronicle.report.mark("replay", "verified without its log"),
                Some(Err(text)) => found.push(("G9", text)),
                None => {}
            }
        }
        for ((spectator, game), stream) in &chronicle.streams {
            let events = self.told.get(game).map(|told| told.events.as_slice()).unwrap_or_default();
            found.extend(judge_stream(*spectator, *game, stream, events));
        }
        for (invariant, text) in found {
            chronicle.violation(invariant, now, text);
        }
        let unrest: Vec<_> = self.kept.games.iter().filter(|(_, game)| game.result.is_none()).collect();
        for (id, game) in unrest {
            chronicle.unrest("V1", now, format!("{id} has not ended after {} turns", game.turns.len()));
        }
    }

    /// What a client was told of a move is what became of it.
    fn judge_move(&self, told: &ToldMove) -> Option<(&'static str, String)> {
        let ToldMove { agent, game, turn_index, body, verdict, .. } = told;
        let turn = usize::try_from(*turn_index).ok();
        let turn = turn.and_then(|turn| self.kept.games.get(game)?.turns.get(turn).copied());
        let is_kept = turn.is_some_and(|turn| turn.body == Some(*body));
        let who = || format!("agent {agent} in {game}, turn {turn_index}");
        match verdict {
            Verdict::Applied(_) if !is_kept => {
                Some(("D1", format!("{}: told that its move was applied, kept is {turn:?}", who())))
            }
            Verdict::Applied(Some(state)) if turn.is_some_and(|turn| turn.state != *state) => {
                Some(("D1", format!("{}: told another state hash than {turn:?}", who())))
            }
            Verdict::NotApplied if is_kept => {
                Some(("M1", format!("{}: told that its move was not applied, but it was", who())))
            }
            Verdict::Illegal => Some(("M8", format!("{}: a listed move was called illegal", who()))),
            Verdict::Applied(_) | Verdict::NotApplied => None,
        }
    }

    fn place_of(&self, agent: usize) -> Place {
        Place { site: self.sites.get(agent).copied().unwrap_or_default(), agent }
    }

    /// Nobody who listens, and no endpoint that is rung, holds up a move.
    fn judge_haste(&self, told: &ToldMove) -> Option<(&'static str, String)> {
        let from = told.asked.saturating_sub(AFTERWARDS);
        let undisturbed = self.schedule.was_undisturbed(self.place_of(told.agent), from, told.told);
        judge_haste(told, undisturbed)
    }

    /// What endpoints saw of the hall is what a hall may do, and what it owes them.
    fn judge_bells(&self, chronicle: &Chronicle) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        for ((agent, url), at) in &chronicle.told_verified {
            if !self.kept.verified.contains(&(*agent, url.clone())) {
                found.push((
                    "D1",
                    format!("{agent} was told at {at} ms that {url} rings, and nothing of it is kept"),
                ));
            }
        }
        let mover = |game: &GameId, turn_index: u32| {
            let seats = &self.kept.games.get(game)?.seats;
            seats.get(usize::try_from(turn_index).ok()? % seats.len().max(1)).copied()
        };
        let (turns, verified, good) = (&chronicle.turns, &self.kept.verified, &chronicle.good);
        let known = bells::Known { turns, verified, good, mover: &mover };
        found.extend(bells::judge(&chronicle.rings, &known));
        found
    }

    /// A game as the hall tells it is the game that it has kept, and nobody was struck without a fault of its own.
    fn judge_game(&self, id: GameId, game: &KeptGame, chronicle: &Chronicle) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let operators: Vec<_> = game.seats.iter().filter_map(|agent| self.kept.agents.get(agent)).collect();
        if let [(_, one), (_, other)] = operators.as_slice()
            && one == other
        {
            found.push(("L2", format!("{id} seats two agents of operator {one}")));
        }
        if let Err(text) = super::beacon::judge(self.chain, &game.beacon) {
            found.push(("G6", format!("{id}: {text}")));
        }
        for (turn_index, player) in &game.strikes {
            let place = game.seats.get(player.index()).and_then(|agent| self.places.get(agent)).copied();
            let seen = chronicle.strikes.get(&(id, *turn_index));
            let (Some(place), Some(seen)) = (place, seen) else {
                found.push(("T5", format!("{id}: nobody saw the strike of {player} in turn {turn_index}")));
                continue;
            };
            let whose = self.place_of(place);
            if seen.player == *player
                && !self.hostile.contains(&place)
                && self.schedule.was_well(whose, seen.opened, seen.struck, ENOUGH, AFTERWARDS)
            {
                let span = format!("open from {} to {} ms", seen.opened, seen.struck);
                found.push(("T9", format!("{id}: agent {place} was struck in turn {turn_index}, {span}")));
            }
        }
        match self.told.get(&id) {
            None => found.push(("D1", format!("{id} is not told any more"))),
            Some(told) => found.extend(judge_told(id, game, told)),
        }
        found
    }
}

/// A stream is the events of its game from the first on, without a gap and without a repetition (X5).
fn judge_stream(
    spectator: usize,
    game: GameId,
    stream: &[(u64, String)],
    events: &[GameEvent],
) -> Option<(&'static str, String)> {
    let listed = events.iter().map(|event| event.seq);
    let streamed: Vec<u64> = stream.iter().map(|(seq, _)| *seq).collect();
    if !streamed.iter().copied().eq(listed.take(streamed.len())) {
        return Some(("X5", format!("{game}: spectator {spectator} was streamed {streamed:?}")));
    }
    let differs = stream.iter().zip(events).find(|((_, text), event)| {
        let streamed: Value = serde_json::from_str(text).unwrap_or_default();
        streamed.get("event") != Some(&event.event)
    });
    differs.map(|((seq, text), _)| ("X5", format!("{game}: event {seq} was streamed as {text}")))
}

/// An answer comes promptly where nothing is broken (X6).
fn judge_haste(told: &ToldMove, undisturbed: bool) -> Option<(&'static str, String)> {
    let ToldMove { agent, game, turn_index, asked, told, .. } = told;
    let took = told.saturating_sub(*asked);
    let text = || format!("agent {agent} in {game}: the move of turn {turn_index} took {took} ms");
    (undisturbed && took > PROMPT).then(|| ("X6", text()))
}

fn judge_told(id: GameId, game: &KeptGame, told: &ToldGame) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if (told.status == GameStatus::Ended) != game.result.is_some() {
        found.push(("D1", format!("{id} is told as {:?}, kept is {:?}", told.status, game.result)));
    }
    let kinds: Vec<&str> = told.events.iter().filter_map(|event| event.event.get("type")?.as_str()).collect();
    let numbered = told.events.iter().zip(1..).all(|(event, number)| event.seq == number);
    if !numbered || game.events != kinds {
        found.push(("X5", format!("{id}: told are the events {kinds:?}, kept are {:?}", game.events)));
    }
    let Some(replay) = &told.replay else { return found };
    let moves = replay.get("moves").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let bodies = moves.iter().map(|turn| turn.get("body_sha256").and_then(Value::as_str).map(str::to_owned));
    let kept = game.turns.iter().map(|turn| turn.body.map(|body| body.to_string()));
    if !bodies.eq(kept) {
        found.push(("G9", format!("{id}: the replay has other bodies than the journal")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Digest;

    fn event(seq: u64) -> GameEvent {
        let text = format!(
            "{{\"seq\":{seq},\"created_at\":\"2026-11-20T22:00:00.000Z\",\"event\":{{\"n\":{seq}}}}}"
        );
        serde_json::from_str(&text).unwrap()
    }

    /// What is found of a stream of these events, with what they say, of a game that has three.
    fn found(stream: &[(u64, u64)]) -> Option<&'static str> {
        let events: Vec<GameEvent> = (1..=3).map(event).collect();
        let said = |(seq, says): &(u64, u64)| (*seq, format!("{{\"event\":{{\"n\":{says}}}}}"));
        let stream: Vec<(u64, String)> = stream.iter().map(said).collect();
        judge_stream(0, GameId::from_bytes([1; 16]), &stream, &events).map(|(invariant, _)| invariant)
    }

    #[test]
    fn a_gap_a_repetition_and_another_event_in_a_stream_are_reported() {
        assert_eq!(found(&[(1, 1), (2, 2), (3, 3)]), None);
        assert_eq!(found(&[(1, 1), (2, 2)]), None, "it was not read to the end");
        assert_eq!(found(&[(1, 1), (3, 3)]), Some("X5"), "a gap");
        assert_eq!(found(&[(1, 1), (2, 2), (2, 2)]), Some("X5"), "a repetition");
        assert_eq!(found(&[(1, 1), (2, 3)]), Some("X5"), "another event");
        assert_eq!(found(&[(1, 1), (2, 2), (3, 3), (4, 4)]), Some("X5"), "one that never was");
    }

    #[test]
    fn a_move_that_is_held_up_is_reported_unless_something_was_broken() {
        let (game, body) = (GameId::from_bytes([1; 16]), Digest::of(b""));
        let verdict = Verdict::Applied(None);
        let told = |told| ToldMove { agent: 0, game, turn_index: 0, body, verdict, asked: 1_000, told };
        assert_eq!(judge_haste(&told(1_000 + PROMPT), true), None);
        assert_eq!(judge_haste(&told(1_001 + PROMPT), false), None);
        assert_eq!(judge_haste(&told(1_001 + PROMPT), true).map(|(invariant, _)| invariant), Some("X6"));
    }
}
