//! A game of three who move at once and see nothing of each other, in a hall of its own, against a table of plain
//! values.
//!
//! The catalog has chess, so that is what worlds play. Rooms promise more (decision 5.4): a turn for each accepted
//! action while the others' deadlines stay, illegal attempts for each turn and player, a pass as the default action,
//! moves of which nobody else is told before the end, and draws that wait for the beacon where others are to move, too.
//! Every fact is compared as a whole, with the event that spectators are told of it.

mod asking;
mod draws;
mod position;
mod table;
mod tale;
#[cfg(test)]
mod tests;

use super::{Asked, Comparison, guests};
use crate::dice::Dice;
use crate::reference::text;
use asking::{Taken, Told, Wish};
use hall_core::rooms::{BeaconTerms, OpenTurn, ResolvedTurn, Room, RoomChange, RoomFact, Started};
use hall_core::{
    Answer, BeaconChain, Caller, Choice, Command, Decision, DeskCommand, Division, Fact, GameVariant, Hall,
    HallCommand, HallSettings, MoveSubmission, Rejection, Reply, RoomCommand, RoomRejection, RoomReply,
    SeasonId, SignedBody, Timing, Word,
};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{Catalog, Game};
use hall_wire::message::Challenge;
use hall_wire::{Digest, Notation, OperatorId, Player, Signature, Span, Timestamp};
use position::{BIDS, listed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Table, player, player_set};

const GAMES: &[&dyn Game] = &[&SEALED_BIDS];
const CATALOG: Catalog = Catalog::new(GAMES);
const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);
const MOVE_TIME: Span = Span::from_secs(30);
const SEATS: usize = 3;
/// How far apart the rounds of the beacon are.
const PERIOD: Span = Span::from_secs(3);
/// Games in one comparison, and the most steps of one.
const GAMES_PLAYED: u32 = 3;
const STEPS: u32 = 50;

/// Plays a few games at random, on time and late, by the rules and against them.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision,
) {
    for round in 0..GAMES_PLAYED {
        let side_time = dice.permille(300).then(|| Span::from_secs(dice.between(25, 90)));
        let chain = (round > 0).then(|| BeaconChain {
            chain_hash: Digest::of(b"a chain of the bidders"),
            genesis: START - Span::from_millis(1_000_000 + dice.below(6_000)),
            period: PERIOD,
        });
        let manner = Manner {
            idle: dice.pick(&[0, 0, 1, 2, 2]).copied().unwrap_or(0),
            fool: dice.permille(500).then(|| place(dice)),
            beacon: dice.permille(500),
        };
        let Some((hall, found)) = seated(side_time, chain, dice) else {
            out.same("bids", || "three who join".to_owned(), "a game", "none");
            return;
        };
        let table = Table::new(found.game, found.at, terms(&found, side_time, chain));
        let mut play = Play { hall, table, manner, now: START, found: vec![found], decide: &decide };
        let known = out.differences.len();
        play.account(|| format!("the start of game {round}"), out);
        for step in 0..STEPS {
            let what = play.step(step, dice, out);
            let input = || format!("step {step} of game {round}: {what}");
            play.account(input, out);
            play.look(input, out);
            if out.differences.len() > known {
                return;
            }
        }
    }
}

/// How the three behave, and the beacon.
struct Manner {
    /// In so many steps at the beginning nobody does anything.
    idle: u32,
    /// Somebody who asks more often than others, mostly for what is illegal.
    fool: Option<usize>,
    /// Whether the beacon's round comes at all.
    beacon: bool,
}

fn place(dice: &mut Dice) -> usize {
    usize::try_from(dice.below(3)).unwrap_or(0)
}

/// A hall in which three have just sat down, and the fact that says so.
fn seated(
    side_time: Option<Span>,
    beacon: Option<BeaconChain>,
    dice: &mut Dice,
) -> Option<(Hall, Arc<RoomFact>)> {
    let mut hall = Hall::new(CATALOG);
    let mut started = None;
    let mut ask = |who, what: &Command, dice: &mut Dice| {
        let decision = hall.decide(START, START, who, what, dice);
        decision.facts.iter().for_each(|fact| hall.apply(fact));
        started = decision.facts.iter().find_map(of_room);
        decision.answer.ok()
    };
    let timing = Timing { move_time: MOVE_TIME, side_time };
    let rules = HallSettings {
        joins_per_day: 0,
        concurrent_games: 1,
        feedback_per_day: 1,
        timing: BTreeMap::from([(Word::parse("sealed_bids")?, timing)]),
        beacon,
        ..HallSettings::default()
    };
    ask(Caller::Hall, &guests::start(rules), dice)?;
    for place in 0..SEATS {
        let registration = guests::registration(place, OperatorId::from_bytes(dice.bytes()))?;
        let registered = ask(Caller::Hall, &registration, dice)?;
        let Reply::Registered { agent, .. } = registered else { return None };
        ask(Caller::Agent(agent), &guests::filing(agent, Division::Pure), dice)?;
        let lobby = guests::lobby("sealed_bids", Division::Pure);
        ask(Caller::Agent(agent), &Command::Desk(DeskCommand::JoinLobby(lobby)), dice)?;
    }
    started.map(|started| (hall, started))
}

fn of_room(fact: &Fact) -> Option<Arc<RoomFact>> {
    if let Fact::Room(fact) = fact { Some(Arc::clone(fact)) } else { None }
}

/// The terms on which the game must have begun. Who sits where, and the seed, are the hall's to say.
fn terms(found: &RoomFact, side_time: Option<Span>, chain: Option<BeaconChain>) -> Started {
    let RoomChange::Started(told) = &found.change else { panic!("a game begins with its start") };
    let word = |text| Word::parse(text).expect("a short word");
    let opened = format!("svc.seed.v1:{}:{}", text::id('g', found.game.as_bytes()), told.seed.reveal());
    let fresh = |place| OpenTurn {
        player: player(place),
        started_at: START,
        move_deadline: START + MOVE_TIME,
        credit: Span::ZERO,
    };
    Started {
        variant: GameVariant { game: word("sealed_bids"), variant: word("standard") },
        division: Division::Pure,
        season: SeasonId::parse("s1").expect("a short name"),
        seats: told.seats.clone(),
        ruleset_version: word("sealed_bids/1"),
        timing: Timing { move_time: MOVE_TIME, side_time },
        seed: told.seed,
        commitment: text::sha256(&opened),
        beacon: chain.map(|chain| BeaconTerms {
            chain_hash: chain.chain_hash,
            // The first round that is due at least three seconds after the start.
            round: 1
                + (START + Span::from_secs(3)).since(chain.genesis).as_millis().div_ceil(PERIOD.as_millis()),
        }),
        to_move: player_set(0..SEATS),
        turns: (0..SEATS).map(fresh).collect(),
    }
}

/// A game that is played in both.
struct Play<'a, D> {
    hall: Hall,
    table: Table,
    manner: Manner,
    now: Timestamp,
    /// The facts of the game that have not been accounted for.
    found: Vec<Arc<RoomFact>>,
    decide: &'a D,
}

impl<D: Fn(&Hall, Asked<'_>, &mut Dice) -> Decision> Play<'_, D> {
    /// Something happens in both. Says what.
    fn step(&mut self, step: u32, dice: &mut Dice, out: &mut Comparison) -> String {
        if step < self.manner.idle {
            return self.pass_deadline(1, dice, out);
        }
        match dice.below(13) {
            0 => self.pass_deadline(dice.below(2), dice, out),
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
            4 if self.manner.beacon => self.receive(dice, out),
            _ => self.submit(step, dice, out),
        }
    }

    fn pass_deadline(&mut self, edge: u64, dice: &mut Dice, out: &mut Comparison) -> String {
        if let Some(deadline) = self.table.deadline() {
            self.now = self.now.max(deadline + Span::from_millis(edge));
        }
        self.pass_time(dice, out);
        format!("{edge} ms past the first deadline")
    }

    /// The round comes that the game waits for, or another.
    fn receive(&mut self, dice: &mut Dice, out: &mut Comparison) -> String {
        let Some(terms) = self.table.beacon.terms else { return "no beacon".to_owned() };
        let other = Digest::of(b"another chain");
        let terms = BeaconTerms {
            chain_hash: if dice.permille(200) { other } else { terms.chain_hash },
            round: terms.round + dice.below(5) / 4,
        };
        let BeaconTerms { chain_hash, round } = terms;
        let (randomness, signature) = (Digest::of(&dice.bytes::<8>()), text::hex(&dice.bytes::<48>()));
        let what = Command::Room(RoomCommand::ReceiveBeacon {
            chain_hash,
            round,
            randomness,
            signature: signature.clone(),
            after: None,
        });
        let decision = self.decided(self.now, Caller::Hall, &what, dice);
        self.table.receive(self.now, terms, (randomness, signature));
        let input = || self.now.to_string();
        out.same(
            "bids: the answer to a round",
            input,
            Ok(Reply::Room(RoomReply::Continued { after: None })),
            decision.answer,
        );
        out.same("bids: the effects of a round", input, Vec::new(), decision.effects);
        format!("round {round} of chain {chain_hash}")
    }

    /// What is due.
    fn pass_time(&mut self, dice: &mut Dice, out: &mut Comparison) {
        let mut effects = Vec::new();
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            let decision = self.decided(self.now, Caller::Hall, &Command::Hall(HallCommand::Sweep), dice);
            effects.extend(decision.effects);
            if decision.facts.is_empty() {
                break;
            }
        }
        self.table.pass_time(self.now);
        let expected = std::mem::take(&mut self.table.effects);
        out.same("bids: the effects of time", || self.now.to_string(), expected, effects);
        let now = self.now;
        self.account(|| format!("what is due at {now}"), out);
    }

    /// The hall is away for a while, and nobody pays for it.
    fn gap(&mut self, dice: &mut Dice, out: &mut Comparison) -> String {
        // What the others are given who would be to move while a penalty waits is not said in the pages.
        if self.table.held.is_some()
            && self.table.seats.iter().filter(|seat| seat.clock.is_some()).count() > 1
        {
            return "no gap".to_owned();
        }
        let from = self.now;
        let until = from + Span::from_millis(dice.below(45_000));
        self.now = until;
        let (reason, after) = ("pause".to_owned(), None);
        let what = Command::Room(RoomCommand::ExtendForGap { from, until, reason, after });
        let decision = self.decided(until, Caller::Hall, &what, dice);
        self.table.give_back(from, until, until, "pause");
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
        let fool = self.manner.fool.filter(|_| dice.permille(600));
        let bid = dice.pick(&BIDS).and_then(|bid| Notation::parse(bid)).map(Choice::Notation);
        let choice = match dice.below(10) {
            _ if fool.is_some() && dice.permille(700) => Some(Choice::Unparsable),
            0 => None,
            1 | 2 => Some(Choice::Unparsable),
            3 => Notation::parse("4").map(Choice::Notation),
            4 => dice.pick(&[-1, 0, 1, 2, 3, 4]).copied().map(Choice::Index),
            _ => bid,
        };
        let behind = u32::from(dice.permille(100));
        let wish = Wish {
            place: fool.unwrap_or_else(|| place(dice)),
            turn_index: self.table.turn_index().saturating_sub(behind),
            choice,
            resign: dice.permille(10),
            commentary: dice.permille(200).then_some("so much for that"),
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
            commentary: wish.commentary.map(str::to_owned),
            signature_verified: true,
            signed: Some(signed.clone()),
        };
        let agent = self.table.agent(wish.place);
        let decision =
            self.decided(stamp, Caller::Agent(agent), &Command::Room(RoomCommand::Submit(submission)), dice);
        let expected = self.table.ask(wish, stamp, self.now, &signed);
        let what = format!("{wish:?} stamped {stamp} at {}", self.now);
        out.same("bids: the answer", || what.clone(), expected, heard(decision.answer));
        let expected = std::mem::take(&mut self.table.effects);
        out.same("bids: the effects", || what.clone(), expected, decision.effects);
        what
    }

    /// Has the hall decide, and keeps the facts of the game.
    fn decided(&mut self, stamp: Timestamp, who: Caller, what: &Command, dice: &mut Dice) -> Decision {
        let decision = (self.decide)(&self.hall, Asked { at: self.now, stamp, who, what }, dice);
        for fact in &decision.facts {
            self.found.extend(of_room(fact));
            self.hall.apply(fact);
        }
        self.hall.check();
        decision
    }

    /// Compares the facts since this was done last.
    fn account(&mut self, input: impl Fn() -> String, out: &mut Comparison) {
        let (expected, found) = (self.table.tale.take(), std::mem::take(&mut self.found));
        for (expected, found) in expected.iter().zip(&found) {
            out.same("bids: an event", &input, expected.event.as_ref(), found.event.as_ref());
            out.same("bids: a fact", &input, expected, &**found);
        }
        let rest = expected.len().min(found.len());
        let found = found.get(rest).map(|fact| &**fact);
        out.same("bids: more facts", &input, expected.get(rest), found);
    }

    /// Compares the room with the table.
    fn look(&self, input: impl Fn() -> String, out: &mut Comparison) {
        let table = &self.table;
        let Some(room) = self.hall.rooms().find(&table.game) else {
            return out.same("bids", input, "a room", "none");
        };
        out.same("bids: the result", &input, table.result.as_ref(), room.result());
        out.same("bids: the turn", &input, table.turn_index(), room.turn_index());
        out.same("bids: the phase", &input, table.phase(), room.phase());
        out.same("bids: who is to move", &input, player_set(table.to_move()), room.to_move());
        out.same("bids: the deadline", &input, table.deadline(), room.deadline());
        let beacon = (table.beacon.status, table.beacon.round.as_ref());
        let beacon = (beacon.0, beacon.1.map(|(randomness, signature)| (randomness, signature.as_str())));
        out.same("bids: the beacon", &input, beacon, (room.beacon_status(), room.beacon_round()));
        let seed = table.result.as_ref().map(|_| table.seed.reveal());
        out.same("bids: the revealed seed", &input, seed, room.revealed_seed());
        for (place, seat) in table.seats.iter().enumerate() {
            let who = || format!("p{place} of {}", input());
            let expected = (table.deadline_of(place), seat.remaining, seat.strikes, seat.illegal, seat.last);
            let found = room.seat(player(place)).map(|seat| {
                let deadline = room.deadline_of(player(place));
                (deadline, seat.remaining, seat.strikes, seat.illegal_attempts, seat.last)
            });
            out.same("bids: a seat", who, Some(expected), found);
            out.same("bids: a report", who, table.report(place), room.status(player(place)));
            let legal = if table.deadline_of(place).is_some() { listed() } else { Vec::new() };
            out.same("bids: the legal moves", who, legal, room.legal_moves(player(place)));
        }
        self.look_at_the_bids(room, &input, out);
        for viewer in [None, Some(player(0)), Some(player(1)), Some(player(2))] {
            let shown = table.turns.iter().map(|turn| shown(table, viewer, turn));
            let found = room.turns().iter().map(|turn| room.turn_for(viewer, turn));
            out.same("bids: the turns that are told", &input, shown.collect(), found.collect::<Vec<_>>());
            let last = table.turns.last().map(|turn| table.told(viewer, turn.brief));
            let found = room.last_turn().map(|turn| room.brief_for(viewer, turn));
            out.same("bids: the last turn that is told", &input, last, found);
        }
    }

    /// Compares what is shown of the bids, to all and to each.
    fn look_at_the_bids(&self, room: &Room, input: impl Fn() -> String, out: &mut Comparison) {
        let (table, found) = (&self.table.position, room.position());
        out.same("bids: the state string", &input, table.state_string(), found.state_string());
        out.same("bids: the public state", &input, table.public(), Value::Object(found.public()));
        out.same("bids: what is revealed", &input, table.hidden(), found.hidden());
        for place in 0..SEATS {
            let who = || format!("p{place} of {}", input());
            out.same("bids: what is private", who, table.private(place), found.private(player(place)));
            out.same("bids: the board", who, table.board(place), room.board_text(player(place)));
        }
    }
}

/// A turn as the history shows it.
fn shown(table: &Table, viewer: Option<Player>, turn: &table::Turn) -> ResolvedTurn {
    let brief = table.told(viewer, turn.brief);
    let (at, commentary_in) = (turn.at, turn.commentary_in);
    let (player, notation, forced) = (brief.player, brief.notation, brief.forced);
    ResolvedTurn { player, notation, san: None, at, forced, commentary_in }
}

fn heard(answer: Answer) -> Result<Taken, Told> {
    match answer {
        Ok(Reply::Room(RoomReply::MoveTaken { turn_index, notation, result, .. })) => {
            Ok(Taken { turn_index, notation, result })
        }
        Ok(Reply::Room(RoomReply::Deferred { turn_index, .. })) => Err(Told::Held { turn_index }),
        Err(Rejection::Room(RoomRejection::IllegalMove(report))) => Err(Told::Illegal(report)),
        Err(Rejection::Room(RoomRejection::WrongTurn(report))) => Err(Told::WrongTurn(report)),
        Err(Rejection::Room(RoomRejection::GameNotLive(report))) => Err(Told::NotLive(report)),
        Err(Rejection::Room(RoomRejection::MoveMissing)) => Err(Told::MoveMissing),
        other => Err(Told::Else(Box::new(other))),
    }
}
