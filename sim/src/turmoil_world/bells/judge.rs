//! Checks the rings that endpoints got: whether each was allowed, and whether one is missing. It knows what came over the
//! network, what the journal kept and when turns began and ended, and nothing of how the hall rings.

use super::super::chronicle::Chronicle;
use hall_wire::{AgentId, GameId, Player, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Attempts to ring for one turn at most.
const ATTEMPTS: usize = 5;
/// How long an attempt takes at most, with the way to the endpoint, in milliseconds.
const ATTEMPT: u64 = 5_500;
/// How long a ring takes to reach a healthy endpoint: it leaves within a second, and needs handshakes first.
const IN_TIME: u64 = 3_000;
/// The fields of a ring, ascending.
const FIELDS: [&str; 4] = ["deadline_utc", "event_id", "game_id", "turn_index"];

/// A ring as an endpoint got it.
#[derive(Clone, Debug)]
pub(in super::super) struct GotRing {
    /// When, in milliseconds since the world began.
    pub(in super::super) at: u64,
    /// From which process of the hall.
    pub(in super::super) start: u64,
    /// Whose endpoint it is.
    pub(in super::super) agent: AgentId,
    /// Where it is.
    pub(in super::super) url: String,
    /// The event, as the headers have it.
    pub(in super::super) id: String,
    /// What was sent.
    pub(in super::super) body: String,
    /// Whether the hall's key signed it.
    pub(in super::super) is_signed: bool,
}

/// A turn of one player.
pub(in super::super) type PlayerTurn = (GameId, u32, Player);

/// A turn that was open for a player, in milliseconds since the world began.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct OpenedTurn {
    /// Since when, and under which process of the hall.
    pub(in super::super) opened: (u64, u64),
    /// Until when, and under which process; none if it was never resolved.
    pub(in super::super) resolved: Option<(u64, u64)>,
}

/// The turns of a world.
pub(in super::super) type Turns = BTreeMap<PlayerTurn, OpenedTurn>;

/// What rings are judged by.
struct Known<'a> {
    /// When turns were open.
    turns: &'a Turns,
    /// The addresses that agents have verified, by the journal.
    verified: &'a BTreeSet<(AgentId, String)>,
    /// Since when agents with good endpoints know that these are verified.
    good: &'a BTreeMap<AgentId, u64>,
    /// When the hall's disk was slow: before an attempt the hall reads its state, which must be durable.
    slow_disks: &'a [(u64, u64)],
    /// Who sits where in each game.
    seats: &'a BTreeMap<GameId, Vec<AgentId>>,
}

impl Known<'_> {
    fn agent(&self, game: &GameId, player: Player) -> Option<AgentId> {
        self.seats.get(game)?.get(player.index()).copied()
    }

    /// The turn of an agent, if it ever was to move in it.
    fn turn(&self, agent: AgentId, game: GameId, turn_index: u32) -> Option<&OpenedTurn> {
        let seat = self.seats.get(&game)?.iter().position(|seated| *seated == agent)?;
        self.turns.get(&(game, turn_index, Player::new(u8::try_from(seat).ok()?)))
    }
}

/// What is wrong with the rings of a world.
pub(in super::super) fn judge(chronicle: &Chronicle) -> Vec<(&'static str, String)> {
    let Chronicle { rings, turns, verified, good, slow_disks, seats, .. } = chronicle;
    judge_rings(rings, &Known { turns, verified, good, slow_disks, seats })
}

fn judge_rings(rings: &[GotRing], known: &Known<'_>) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut by_turn: BTreeMap<(AgentId, GameId, u32), Vec<&GotRing>> = BTreeMap::new();
    let mut owners: BTreeMap<&str, (AgentId, GameId, u32)> = BTreeMap::new();
    for ring in rings {
        let Some((game, turn_index)) = turn_of(ring) else {
            found.push(("X7", format!("{} got {}", ring.agent, ring.body)));
            continue;
        };
        if !ring.is_signed {
            found.push(("X7", format!("the ring {} is not signed by the hall", ring.id)));
        }
        if !known.verified.contains(&(ring.agent, ring.url.clone())) {
            found.push(("X2", format!("{} is rung at {}, unproven", ring.agent, ring.url)));
        }
        let key = (ring.agent, game, turn_index);
        by_turn.entry(key).or_default().push(ring);
        if *owners.entry(&ring.id).or_insert(key) != key {
            found.push(("X1", format!("{} means two turns", ring.id)));
        }
    }
    for ((agent, game, turn_index), rings) in &by_turn {
        let what = || format!("{agent} for turn {turn_index} of {game}");
        let turn = known.turn(*agent, *game, *turn_index);
        if turn.is_none() {
            found.push(("X1", format!("{} is rung out of turn", what())));
        }
        let ids: BTreeSet<&str> = rings.iter().map(|ring| ring.id.as_str()).collect();
        let starts: BTreeSet<u64> = rings.iter().map(|ring| ring.start).collect();
        // What a process had under way when it ended is not known to the next one.
        if ids.len() > 1 || rings.len() > ATTEMPTS + starts.len() - 1 {
            found.push(("X1", format!("{} is rung {} times with {ids:?}", what(), rings.len())));
        }
        let resolved = turn.and_then(|turn| turn.resolved).map_or(u64::MAX, |(at, _)| at);
        if let Some(late) = rings.iter().find(|ring| ring.at > resolved.saturating_add(ATTEMPT)) {
            found.push(("X1", format!("{} is rung at {}, resolved at {resolved}", what(), late.at)));
        }
    }
    for ((game, turn_index, player), turn) in known.turns {
        let Some(agent) = known.agent(game, *player) else { continue };
        let (opened, start) = turn.opened;
        let listens = known.good.get(&agent).is_some_and(|since| *since < opened);
        let stood = turn.resolved.is_some_and(|(at, by)| at > opened + IN_TIME && by == start);
        let rung = by_turn.get(&(agent, *game, *turn_index));
        let in_time = rung.is_some_and(|rings| rings.iter().any(|ring| ring.at <= opened + IN_TIME));
        let slow = known.slow_disks.iter().any(|(from, until)| *from <= opened + IN_TIME && opened <= *until);
        if listens && stood && !in_time && !slow {
            found.push(("X8", format!("{agent} is not rung in time for turn {turn_index} of {game}")));
        }
    }
    found
}

/// The turn that a ring is for; `None` if its fields are not exactly those of a ring.
fn turn_of(ring: &GotRing) -> Option<(GameId, u32)> {
    let Value::Object(fields) = serde_json::from_str(&ring.body).ok()? else { return None };
    let names: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
    if !names.into_iter().eq(FIELDS) || fields.get("event_id")?.as_str()? != ring.id {
        return None;
    }
    Timestamp::parse(fields.get("deadline_utc")?.as_str()?)?;
    let turn_index = u32::try_from(fields.get("turn_index")?.as_u64()?).ok()?;
    Some((GameId::parse(fields.get("game_id")?.as_str()?)?, turn_index))
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://good0.bells.example/0";

    fn agent() -> AgentId {
        AgentId::from_bytes([1; 16])
    }

    fn game() -> GameId {
        GameId::from_bytes([2; 16])
    }

    fn ring(at: u64) -> GotRing {
        let body = format!(
            "{{\"deadline_utc\":\"2026-11-20T22:01:00.000Z\",\"event_id\":\"w_1\",\"game_id\":\"{}\",\"turn_index\":4}}",
            game()
        );
        let (id, url, is_signed) = ("w_1".to_owned(), URL.to_owned(), true);
        GotRing { at, start: 1, agent: agent(), url, id, body, is_signed }
    }

    /// What is found of these rings for a turn that was open from 10 s to 30 s.
    fn found(rings: &[GotRing]) -> Vec<&'static str> {
        let open = OpenedTurn { opened: (10_000, 1), resolved: Some((30_000, 1)) };
        let turns = Turns::from([((game(), 4, Player::new(0)), open)]);
        let verified = BTreeSet::from([(agent(), URL.to_owned())]);
        let good = BTreeMap::from([(agent(), 5_000)]);
        let seats = BTreeMap::from([(game(), vec![agent()])]);
        let known = Known { turns: &turns, verified: &verified, good: &good, slow_disks: &[], seats: &seats };
        judge_rings(rings, &known).into_iter().map(|(invariant, _)| invariant).collect()
    }

    #[test]
    fn a_timely_ring_and_its_repetitions_are_accepted() {
        assert_eq!(found(&[ring(10_400)]), Vec::<&str>::new());
        let often: Vec<_> = (0..5).map(|number| ring(10_400 + number * 5_000)).collect();
        assert_eq!(found(&often), Vec::<&str>::new());
        let mut again = [often.as_slice(), &[ring(34_000)]].concat();
        again[5].start = 2;
        assert_eq!(found(&again), Vec::<&str>::new(), "of another process");
    }

    #[test]
    fn every_planted_fault_is_reported() {
        let planted = |change: fn(&mut GotRing)| {
            let mut ring = ring(10_400);
            change(&mut ring);
            found(&[self::ring(10_300), ring])
        };
        assert_eq!(
            planted(|ring| {
                ring.id = "w_2".to_owned();
                ring.body = ring.body.replace("w_1", "w_2");
            }),
            ["X1"],
            "another event"
        );
        assert_eq!(planted(|ring| ring.at = 36_000), ["X1"], "long after the turn");
        assert_eq!(
            planted(|ring| ring.body = ring.body.replace(":4}", ":5}")),
            ["X1", "X1"],
            "the event of another turn, in which nobody is to move"
        );
        assert_eq!(found(&vec![ring(10_400); 6]), ["X1"], "too often");
        assert_eq!(planted(|ring| ring.url.push('1')), ["X2"], "where nobody has proven to be");
        assert_eq!(planted(|ring| ring.is_signed = false), ["X7"], "unsigned");
        assert_eq!(
            planted(|ring| ring.body = ring.body.replacen('{', "{\"board\":\"\",", 1)),
            ["X7"],
            "a fifth field"
        );
        assert_eq!(found(&[]), ["X8"], "not at all");
        assert_eq!(found(&[ring(13_001)]), ["X8"], "too late");
    }
}
