//! A game of three who move at once and see nothing of each other, in a hall of its own, against a table of plain
//! values.
//!
//! The catalog has chess, so that is what worlds play. Rooms promise more (decision 5.4): a turn for each accepted
//! action while the others' deadlines stay, illegal attempts for each turn and player, a pass as the default action,
//! and moves of which nobody else is told before the end.

mod table;

use super::{Asked, Comparison, guests};
use crate::dice::Dice;
use hall_core::rooms::{Room, RoomChange};
use hall_core::{
    Answer, Caller, Choice, Command, Decision, Division, Fact, Hall, MoveSubmission, Rejection, Reply, Rules,
    SeasonId, SignedBody, Timing, Word,
};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{Catalog, Game};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, Notation, OperatorId, Signature, Span, Timestamp};
use std::collections::{BTreeMap, VecDeque};
use table::{Clock, Seat, Table, Taken, Told, Wish, player};

const GAMES: &[&dyn Game] = &[&SEALED_BIDS];
const CATALOG: Catalog = Catalog::new(GAMES);
const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);
const MOVE_TIME: Span = Span::from_secs(30);
const SEATS: usize = 3;
/// The bids in the order in which they are listed.
const BIDS: [&str; 4] = ["1", "2", "3", "pass"];
/// Games in one comparison, and the most steps of one.
const ROUNDS: u32 = 2;
const STEPS: u32 = 60;

/// Plays a few games at random, on time and late, by the rules and against them.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision,
) {
    for round in 0..ROUNDS {
        let side_time = dice.permille(300).then(|| Span::from_secs(dice.between(25, 90)));
        let Some((hall, table)) = seated(side_time, dice) else {
            out.same("bids", || "three who join".to_owned(), "a game", "none");
            return;
        };
        let mut play = Play { hall, table, now: START, decide: &decide };
        let known = out.differences.len();
        for step in 0..STEPS {
            let what = play.step(step, dice, out);
            play.look(|| format!("step {step} of game {round}: {what}"), out);
            if out.differences.len() > known {
                return;
            }
        }
    }
}

/// A hall in which three have just sat down, and what the rules say of it.
fn seated(side_time: Option<Span>, dice: &mut Dice) -> Option<(Hall, Table)> {
    let mut hall = Hall::new(CATALOG);
    let mut ask = |who, what: &Command, dice: &mut Dice| {
        let decision = hall.decide(START, START, who, what, dice);
        decision.facts.iter().for_each(|fact| hall.apply(fact));
        decision.answer.ok()
    };
    let timing = Timing { move_time: MOVE_TIME, side_time };
    let rules = Rules {
        joins_per_day: 0,
        concurrent_games: 1,
        feedback_per_day: 1,
        sweep_every: Span::from_secs(300),
        timing: BTreeMap::from([(Word::parse("sealed_bids")?, timing)]),
        beacon: None,
        first_season: SeasonId::parse("s1")?,
    };
    ask(Caller::Hall, &guests::start(rules), dice)?;
    let mut formed = None;
    for place in 0..SEATS {
        let registration = guests::registration(place, OperatorId::from_bytes(dice.bytes()))?;
        let registered = ask(Caller::Hall, &registration, dice)?;
        let Reply::Registered { agent, .. } = registered else { return None };
        ask(Caller::Agent(agent), &guests::filing(agent, Division::Pure), dice)?;
        let lobby = guests::lobby("sealed_bids", Division::Pure);
        let joined = ask(Caller::Agent(agent), &Command::JoinLobby(lobby), dice)?;
        let Reply::Joined { game, .. } = joined else { return None };
        formed = game;
    }
    let game = formed?;
    let agents: Vec<AgentId> = hall.rooms().find(&game)?.seats().iter().map(|seat| seat.seat.agent).collect();
    let clock = Clock { since: START, until: START + MOVE_TIME, given_back: Span::ZERO };
    let seat = Seat { clock: Some(clock), remaining: side_time, ..Seat::default() };
    let table = Table {
        game,
        agents: agents.try_into().ok()?,
        seats: [seat.clone(), seat.clone(), seat],
        turns: Vec::new(),
        rounds: 0,
        result: None,
        away: Vec::new(),
        drawn: VecDeque::new(),
        effects: Vec::new(),
    };
    Some((hall, table))
}

/// A game that is played in both.
struct Play<'a, D> {
    hall: Hall,
    table: Table,
    now: Timestamp,
    decide: &'a D,
}

impl<D: Fn(&Hall, Asked<'_>, &mut Dice) -> Decision> Play<'_, D> {
    /// Something happens in both. Says what.
    fn step(&mut self, step: u32, dice: &mut Dice, out: &mut Comparison) -> String {
        match dice.below(12) {
            0 => {
                let edge = dice.below(2);
                if let Some(deadline) = self.table.deadline() {
                    self.now = self.now.max(deadline + Span::from_millis(edge));
                }
                self.pass_time(dice, out);
                format!("{edge} ms past the first deadline")
            }
            1 => {
                self.now = self.now + Span::from_millis(dice.below(12_000));
                self.pass_time(dice, out);
                "time passes".to_owned()
            }
            2 => {
                self.hall = Hall::restore(CATALOG, &self.hall.save()).expect("what was saved is read back");
                "the hall is saved and read back".to_owned()
            }
            3 if dice.permille(300) => self.gap(dice, out),
            _ => self.submit(step, dice, out),
        }
    }

    /// What is due.
    fn pass_time(&mut self, dice: &mut Dice, out: &mut Comparison) {
        let mut effects = Vec::new();
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            let decision = self.decided(self.now, Caller::Hall, &Command::Sweep, dice);
            effects.extend(decision.effects);
            if decision.facts.is_empty() {
                break;
            }
        }
        self.table.pass_time(self.now);
        let expected = std::mem::take(&mut self.table.effects);
        out.same("bids: the effects of time", || self.now.to_string(), expected, effects);
    }

    /// The hall is away for a while, and nobody pays for it.
    fn gap(&mut self, dice: &mut Dice, out: &mut Comparison) -> String {
        let from = self.now;
        let until = from + Span::from_millis(dice.below(45_000));
        self.now = until;
        let (reason, after) = ("pause".to_owned(), None);
        let what = Command::NoteGap { from, until, reason, after };
        let decision = self.decided(until, Caller::Hall, &what, dice);
        self.table.give_back(from, until, until);
        out.same("bids: the answer to a gap", || until.to_string(), true, decision.answer.is_ok());
        format!("a gap from {from} to {until}")
    }

    /// Somebody asks for something.
    fn submit(&mut self, step: u32, dice: &mut Dice, out: &mut Comparison) -> String {
        self.now = self.now + Span::from_millis(dice.below(1_500));
        // A request may meet a hall that has not done yet what is due.
        if dice.permille(700) {
            self.pass_time(dice, out);
        }
        let stamp = self.now - Span::from_millis(dice.pick(&[0, 0, 1, 1_000]).copied().unwrap_or(0));
        let bid = dice.pick(&BIDS).and_then(|bid| Notation::parse(bid)).map(Choice::Notation);
        let choice = match dice.below(10) {
            0 => None,
            1 | 2 => Some(Choice::Gibberish),
            3 => Notation::parse("4").map(Choice::Notation),
            4 => dice.pick(&[-1, 0, 1, 2, 3, 4]).copied().map(Choice::Index),
            _ => bid,
        };
        let behind = u32::from(dice.permille(100));
        let wish = Wish {
            place: usize::try_from(dice.below(3)).unwrap_or(0),
            turn_index: self.table.turn_index().saturating_sub(behind),
            choice,
            resign: dice.permille(10),
        };
        let body = format!("{{\"step\":{step}}}");
        let sha256 = Digest::of(body.as_bytes());
        let signed = SignedBody {
            body,
            sha256,
            signature: Signature::from_bytes(dice.bytes()),
            challenge: Challenge::from_bytes(dice.bytes()),
            auth_signature: Signature::from_bytes(dice.bytes()),
            request_sha256: Digest::of(b"a request"),
        };
        let submission = MoveSubmission {
            game: self.table.game,
            turn_index: wish.turn_index,
            choice: wish.choice,
            resign: wish.resign,
            // Offers are made where two play.
            draw_offer: dice.permille(100),
            draw_accept: false,
            commentary: None,
            signature_verified: true,
            signed: Some(signed),
        };
        let agent = self.table.agents.get(wish.place).copied().unwrap_or(AgentId::from_bytes([0; 16]));
        let decision = self.decided(stamp, Caller::Agent(agent), &Command::SubmitMove(submission), dice);
        let expected = self.table.ask(wish, stamp, self.now, sha256);
        let what = format!("{wish:?} stamped {stamp} at {}", self.now);
        out.same("bids: the answer", || what.clone(), expected, heard(decision.answer));
        let expected = std::mem::take(&mut self.table.effects);
        out.same("bids: the effects", || what.clone(), expected, decision.effects);
        what
    }

    /// Has the hall decide, and notes what it drew.
    fn decided(&mut self, stamp: Timestamp, who: Caller, what: &Command, dice: &mut Dice) -> Decision {
        let decision = (self.decide)(&self.hall, Asked { at: self.now, stamp, who, what }, dice);
        for fact in &decision.facts {
            if let Fact::Room(fact) = fact
                && let RoomChange::MovePlayed(resolution) = &fact.change
            {
                let values = resolution.draws.iter().filter_map(|draw| Some((draw.n, draw.value?)));
                self.table.drawn.extend(values);
            }
            self.hall.apply(fact);
        }
        self.hall.check();
        decision
    }

    /// Compares the room with the table.
    fn look(&self, input: impl Fn() -> String, out: &mut Comparison) {
        let table = &self.table;
        let Some(room) = self.hall.rooms().find(&table.game) else {
            return out.same("bids", input, "a room", "none");
        };
        out.same("bids: draws without need", &input, &VecDeque::new(), &table.drawn);
        out.same("bids: the result", &input, table.result.as_ref(), room.result());
        out.same("bids: the turn", &input, table.turn_index(), room.turn_index());
        for (place, seat) in table.seats.iter().enumerate() {
            let who = || format!("{} of {}", player(place), input());
            let expected = (table.deadline_of(place), seat.remaining, seat.strikes, seat.illegal, seat.last);
            let found = room.seat(player(place)).map(|seat| {
                let deadline = room.deadline_of(player(place));
                (deadline, seat.remaining, seat.strikes, seat.illegal_attempts, seat.last)
            });
            out.same("bids: a seat", who, Some(expected), found);
            let points = room.position().public().get("points").cloned().unwrap_or_default();
            let points = points.get(player(place).to_string()).cloned();
            out.same("bids: the points", who, Some(seat.points.into()), points);
        }
        for viewer in [None, Some(player(0)), Some(player(1)), Some(player(2))] {
            let expected: Vec<_> = table
                .turns
                .iter()
                .map(|turn| {
                    let brief = table.told(viewer, turn.brief);
                    (brief.player, brief.notation, brief.forced, turn.at)
                })
                .collect();
            out.same("bids: the turns that are told", &input, expected, told(room, viewer));
        }
    }
}

type ToldTurn = (Option<hall_wire::Player>, Option<Notation>, Option<hall_core::rooms::Forced>, Timestamp);

fn told(room: &Room, viewer: Option<hall_wire::Player>) -> Vec<ToldTurn> {
    let turns = room.turns().iter().map(|turn| room.turn_for(viewer, turn));
    turns.map(|turn| (turn.player, turn.notation, turn.forced, turn.at)).collect()
}

fn heard(answer: Answer) -> Result<Taken, Told> {
    match answer {
        Ok(Reply::MoveTaken { turn_index, notation, result, .. }) => {
            Ok(Taken { turn_index, notation, result })
        }
        Err(Rejection::IllegalMove(report)) => Err(Told::Illegal(report)),
        Err(Rejection::WrongTurn(report)) => Err(Told::WrongTurn(report)),
        Err(Rejection::GameNotLive(report)) => Err(Told::NotLive(report)),
        Err(Rejection::MoveMissing) => Err(Told::MoveMissing),
        other => Err(Told::Else(Box::new(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::Effect;

    fn differences(decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision) -> Vec<String> {
        let mut out = Comparison::default();
        for seed in 0..20 {
            compare(&mut Dice::of(seed, "bids", 0), &mut out, &decide);
        }
        out.differences.into_iter().map(|difference| difference.part.to_owned()).collect()
    }

    fn usual(hall: &Hall, asked: Asked<'_>, dice: &mut Dice) -> Decision {
        hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
    }

    #[test]
    fn a_hall_that_rings_too_seldom_tells_too_much_or_counts_a_millisecond_late_differs() {
        assert_eq!(differences(usual), Vec::<String>::new());
        let unrung = differences(|hall, asked, dice| {
            let mut decision = usual(hall, asked, dice);
            let rings = |effect: &Effect| matches!(effect, Effect::RingDoorbell { .. });
            if decision.effects.iter().filter(|effect| rings(effect)).count() == SEATS {
                let last = decision.effects.iter().rposition(rings);
                last.map(|place| decision.effects.remove(place));
            }
            decision
        });
        assert!(unrung.iter().any(|part| part == "bids: the effects"), "{unrung:?}");
        let told = differences(|hall, asked, dice| {
            let mut decision = usual(hall, asked, dice);
            if let Err(Rejection::IllegalMove(report)) = &mut decision.answer
                && let Some(last) = &mut report.last_move
            {
                last.body_sha256 = Some(Digest::of(b"what was bid"));
            }
            decision
        });
        assert!(told.iter().any(|part| part == "bids: the answer"), "{told:?}");
        let early = differences(|hall, asked, dice| {
            let stamp = asked.stamp - Span::from_millis(1);
            usual(hall, Asked { stamp, ..asked }, dice)
        });
        assert!(!early.is_empty());
    }
}
