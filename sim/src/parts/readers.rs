//! What only shells ask a hall for: the words and states that are served, and who may know which move, against the
//! lists of the pages.

use super::{Comparison, guests};
use crate::dice::Dice;
use hall_core::desk::{Bell, Doorbell, DoorbellState, PendingBell};
use hall_core::rooms::{ChallengeText, Phase, Room, Rooms};
use hall_core::{
    BeaconChain, Caller, Command, DeskCommand, Division, GameVariant, GameVerdict, GovernanceCommand, Hall,
    HallSettings, Lobby, Reply, RoomCommand, Timing, TurnBrief, Withheld, Word,
};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{CHESS, Catalog, Game};
use hall_wire::{AgentId, Digest, GameId, Notation, OperatorId, Player, Span, Timestamp};
use std::collections::BTreeSet;

const GAMES: &[&dyn Game] = &[&CHESS, &SEALED_BIDS];
const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);
/// Who plays in a game whose moves are sealed.
const SEATS: u8 = 3;

/// The phases of a view (decision 5.9) and the states of a doorbell (decision 9.1).
const PHASES: [(Phase, &str); 3] =
    [(Phase::Playing, "playing"), (Phase::AwaitingBeacon, "awaiting_beacon"), (Phase::Ended, "ended")];
const STATES: [(DoorbellState, &str); 4] = [
    (DoorbellState::None, "none"),
    (DoorbellState::Pending, "pending"),
    (DoorbellState::Verified, "verified"),
    (DoorbellState::Suspended, "suspended"),
];

/// Asks for all of it; what somebody may know of a turn is told by what is given for it.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    brief: impl Fn(&Room, Option<Player>, &TurnBrief) -> TurnBrief,
) {
    for (phase, word) in PHASES {
        out.same("reader: phase", || format!("{phase:?}"), word, phase.as_str());
    }
    for (state, word) in STATES {
        out.same("reader: doorbell", || format!("{state:?}"), word, state.as_str());
    }
    compare_doorbells(dice, out, Doorbell::state_at);
    compare_briefs(dice, out, brief);
    if compare_lists(dice, out, |rooms, before| rooms.before(before).map(|room| room.id()).collect())
        .is_none()
    {
        out.same("reader: games", || "pairs who join".to_owned(), "games", "none");
    }
}

/// An address waits until its challenge is too old; then it is as if it had never been registered.
fn compare_doorbells(
    dice: &mut Dice,
    out: &mut Comparison,
    state_at: impl Fn(&Doorbell, Timestamp) -> DoorbellState,
) {
    let expires = START + Span::from_millis(dice.below(1 << 40));
    let (url, challenge) = (Box::<str>::from("https://a.example"), ChallengeText("0".repeat(64)));
    for has_pending in [false, true] {
        for suspended in [None, Some(false), Some(true)] {
            let pending =
                has_pending.then(|| PendingBell { url: url.clone(), challenge: challenge.clone(), expires });
            let bell = suspended.map(|suspended| Bell {
                url: url.clone(),
                challenge: challenge.clone(),
                verified_at: START,
                suspended,
                failures_in_row: 0,
                last: None,
            });
            let doorbell = Doorbell { pending, bell, ..Doorbell::default() };
            let without = match suspended {
                None => DoorbellState::None,
                Some(false) => DoorbellState::Verified,
                Some(true) => DoorbellState::Suspended,
            };
            let before = if has_pending { DoorbellState::Pending } else { without };
            let early = Span::from_millis(1);
            for (at, expected) in [(expires - early, before), (expires, without), (expires + early, without)]
            {
                let input = || format!("{at} with {doorbell:?}");
                out.same("reader: state of a doorbell", input, expected, state_at(&doorbell, at));
            }
        }
    }
}

/// Pairs sit down one after the other, some games are broken off, two of one operator wait, and texts are withheld: the
/// games from the youngest on (decision 1.7), the rounds that are awaited (decision 6.1), who waits, and what is
/// withheld. `None` if the hall did not do as it was asked.
fn compare_lists(
    dice: &mut Dice,
    out: &mut Comparison,
    before: impl Fn(&Rooms, Option<&GameId>) -> Vec<GameId>,
) -> Option<()> {
    let (mut now, genesis) = (START, START - Span::from_millis(dice.below(100_000)));
    let period = dice.between(1, 6_000);
    let mut hall = Hall::new(Catalog::new(GAMES), hall_driver::docket_wording);
    let agents = admit(&mut hall, rules(genesis, period)?, dice)?;
    let (mut games, mut awaited) = (Vec::new(), BTreeSet::new());
    for pair in [[0, 1], [2, 3], [1, 0], [3, 1]] {
        now = now + Span::from_millis(dice.between(1, 4_000));
        let mut formed = None;
        for place in pair {
            formed = join(&mut hall, now, *agents.get(place)?, Division::Open, dice)?;
        }
        games.push(formed?);
        if dice.permille(300) {
            let (verdict, reason) = (GameVerdict::Abort, "a reason".to_owned());
            let what = Command::Room(RoomCommand::Settle { game: formed?, verdict, reason });
            ask(&mut hall, now, Caller::Operator, &what, dice)?;
        } else {
            let due = (now + Span::from_secs(3)).since(genesis).as_millis();
            awaited.insert((0..).find(|before| before * period >= due)? + 1);
        }
    }
    games.reverse();
    let input = || format!("{games:?} with a round in {period} ms from {genesis} on");
    out.same("reader: games", input, games.clone(), before(hall.rooms(), None));
    for (place, game) in (1..).zip(&games) {
        let older = games.get(place..).unwrap_or_default().to_vec();
        out.same("reader: games before one", input, older, before(hall.rooms(), Some(game)));
    }
    let found = hall.rooms().awaited_rounds().map(|terms| terms.round).collect::<Vec<_>>();
    out.same("reader: rounds", input, awaited.into_iter().collect::<Vec<_>>(), found);
    let mut waiting = [(Division::Open, Vec::new()), (Division::Pure, Vec::new())];
    for (division, line) in &mut waiting {
        for agent in agents.iter().skip(4).filter(|_| dice.permille(600)).copied().collect::<Vec<_>>() {
            join(&mut hall, now, agent, *division, dice)?;
            line.push(agent);
        }
    }
    let count = waiting.iter().map(|(_, line)| line.len()).sum();
    out.same("reader: how many wait", || format!("{waiting:?}"), count, hall.desk().waiting_count());
    for (division, line) in &mut waiting {
        let board = GameVariant { game: Word::parse("chess")?, variant: Word::parse("standard")? };
        let mut found: Vec<AgentId> =
            hall.desk().waiting_in(Lobby { variant: board, division: *division }).copied().collect();
        line.sort_unstable();
        found.sort_unstable();
        out.same("reader: who waits", || format!("{division:?}"), &*line, &found);
    }
    let mut withheld = BTreeSet::new();
    for agent in agents.iter().filter(|_| dice.permille(500)).copied().collect::<Vec<_>>() {
        let (what, reason) = (Withheld::Agent(agent), "a reason".to_owned());
        ask(
            &mut hall,
            now,
            Caller::Operator,
            &Command::Governance(GovernanceCommand::Withhold { what, reason }),
            dice,
        )?;
        withheld.insert(what);
    }
    let found = hall.desk().withheld().copied().collect();
    out.same("reader: what is withheld", || format!("{agents:?}"), withheld, found);
    Some(())
}

/// Settings with a beacon.
fn rules(genesis: Timestamp, period: u64) -> Option<HallSettings> {
    let period = Span::from_millis(period);
    Some(HallSettings {
        joins_per_day: 0,
        concurrent_games: 0,
        feedback_per_day: 1,
        timing: [(Word::parse("chess")?, Timing { move_time: Span::from_secs(60), side_time: None })].into(),
        beacon: Some(BeaconChain { chain_hash: Digest::of(b"a chain"), genesis, period }),
        ..HallSettings::default()
    })
}

/// Six agents, the last two of one operator.
fn admit(hall: &mut Hall, rules: HallSettings, dice: &mut Dice) -> Option<Vec<AgentId>> {
    ask(hall, START, Caller::Hall, &guests::start(rules), dice)?;
    let mut agents = Vec::new();
    for (place, operator) in [1, 2, 3, 4, 5, 5].into_iter().enumerate() {
        let registration = guests::registration(place, OperatorId::from_bytes([operator; 16]))?;
        let registered = ask(hall, START, Caller::Hall, &registration, dice)?;
        let Reply::Registered { agent, .. } = registered else { return None };
        for division in [Division::Open, Division::Pure] {
            ask(hall, START, Caller::Agent(agent), &guests::filing(agent, division), dice)?;
        }
        agents.push(agent);
    }
    Some(agents)
}

/// The game that was formed, if one was.
fn join(
    hall: &mut Hall,
    at: Timestamp,
    agent: AgentId,
    division: Division,
    dice: &mut Dice,
) -> Option<Option<GameId>> {
    let what = Command::Desk(DeskCommand::JoinLobby(guests::lobby("chess", division)));
    let Reply::Joined { game, .. } = ask(hall, at, Caller::Agent(agent), &what, dice)? else { return None };
    Some(game)
}

fn ask(hall: &mut Hall, at: Timestamp, who: Caller, what: &Command, dice: &mut Dice) -> Option<Reply> {
    let decision = hall.decide(at, at, who, what, dice);
    decision.facts.iter().for_each(|fact| hall.apply(fact));
    decision.answer.ok()
}

/// A sealed move and the hash of its body are told to whoever made it, and to all at the end (decision 7).
fn compare_briefs(
    dice: &mut Dice,
    out: &mut Comparison,
    brief: impl Fn(&Room, Option<Player>, &TurnBrief) -> TurnBrief,
) {
    let seated = guests::seated(Catalog::new(GAMES), "sealed_bids", usize::from(SEATS), START, dice);
    let Some((mut hall, game, _)) = seated else {
        return out.same("reader: turn", || "three who join".to_owned(), "a game", "none");
    };
    let reason = "a reason".to_owned();
    let end = Command::Room(RoomCommand::Settle { game, verdict: GameVerdict::Draw, reason });
    for is_over in [false, true] {
        let Some(room) = hall.rooms().find(&game) else { return };
        for seat in 0..SEATS {
            let turn = TurnBrief {
                turn_index: u32::try_from(dice.below(9)).unwrap_or(0),
                player: Some(Player::new(seat)),
                notation: dice.pick(&["1", "2", "3", "pass"]).and_then(|bid| Notation::parse(bid)),
                forced: None,
                body_sha256: dice.permille(700).then(|| Digest::from_bytes(dice.bytes())),
            };
            for viewer in [None, Some(0), Some(1), Some(2), Some(3)] {
                let sealed = TurnBrief { notation: None, body_sha256: None, ..turn };
                let expected = if is_over || viewer == Some(seat) { turn } else { sealed };
                let input = || format!("{turn:?} for {viewer:?}, the game being over: {is_over}");
                out.same("reader: turn", input, expected, brief(room, viewer.map(Player::new), &turn));
            }
        }
        let decision = hall.decide(START, START, Caller::Operator, &end, dice);
        decision.facts.iter().for_each(|fact| hall.apply(fact));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hall_that_tells_too_much_or_too_little_differs() {
        let differences = |brief: fn(&Room, Option<Player>, &TurnBrief) -> TurnBrief| {
            let mut out = Comparison::default();
            compare(&mut Dice::of(1, "readers", 0), &mut out, brief);
            out.differences.len()
        };
        assert_eq!(differences(Room::brief_for), 0);
        assert_ne!(differences(|_, _, turn| *turn), 0);
        assert_ne!(differences(|room, _, turn| room.brief_for(None, turn)), 0);
        let hash = |room: &Room, viewer, turn: &TurnBrief| TurnBrief {
            body_sha256: turn.body_sha256,
            ..room.brief_for(viewer, turn)
        };
        assert_ne!(differences(hash), 0);
    }

    #[test]
    fn a_doorbell_that_waits_a_millisecond_longer_differs() {
        let mut out = Comparison::default();
        let longer = |doorbell: &Doorbell, at| doorbell.state_at(at - Span::from_millis(1));
        compare_doorbells(&mut Dice::of(1, "readers", 0), &mut out, longer);
        assert_ne!(out.differences, []);
    }

    #[test]
    fn games_from_the_oldest_on_or_with_the_one_itself_differ() {
        let differences = |before: fn(&Rooms, Option<&GameId>) -> Vec<GameId>| {
            let mut out = Comparison::default();
            let asked = compare_lists(&mut Dice::of(1, "readers", 0), &mut out, before);
            assert_eq!(asked, Some(()));
            out.differences.len()
        };
        let ids =
            |rooms: &Rooms, before: Option<&GameId>| rooms.before(before).map(|room| room.id()).collect();
        assert_eq!(differences(ids), 0);
        assert_ne!(differences(|rooms, _| rooms.iter().map(|room| room.id()).collect()), 0);
        assert_ne!(differences(|rooms, _| rooms.before(None).map(|room| room.id()).collect()), 0);
    }
}
