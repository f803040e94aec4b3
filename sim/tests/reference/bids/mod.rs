//! Games of three and four players who move simultaneously and in secret, in a separate hall, against the reference hall.
//!
//! By its first rules the game has what rooms promised first (decision 5.4): a turn for each accepted action while the
//! others' deadlines stay, illegal attempts for each turn and player, a pass as the default action, moves of which nobody
//! else is told before the end, and draws that wait for the beacon where others are to move, too. By its second rules it
//! has what decision 13 added: acts of nature, shared turns with sealed actions, vacant seats, players who go out, points
//! and places. The reference follows every decision and is compared with the whole state after it.

mod faults;
mod worlds;

use crate::world::{Asked, filing, lobby, registration, word};
use hall_core::fixtures::{keys, submission};
use hall_core::rooms::{BeaconTerms, GapCause, Room};
use hall_core::{
    BeaconChain, Caller, Choice, Command, Decision, DeskCommand, Division, Hall, HallCommand, HallSettings,
    JoinLobby, Reply, RoomCommand, Timing,
};
use hall_games::sealed_bids::{SEALED_BIDS, SEALED_BIDS_2};
use hall_games::{Catalog, Game};
use hall_sim::dice::Dice;
use hall_sim::reference::{Divergence, Extent, Reference};
use hall_wire::text::encode_hex;
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};
use proptest::prelude::*;

const GAMES: &[&dyn Game] = &[&SEALED_BIDS];
const CATALOG: Catalog = Catalog::new(GAMES);
const GAMES_2: &[&dyn Game] = &[&SEALED_BIDS_2, &SEALED_BIDS];
const CATALOG_2: Catalog = Catalog::new(GAMES_2);
const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);
const MOVE_TIME: Span = Span::from_secs(30);
const NAMES: [&str; 4] = ["ada", "bob", "cid", "dan"];
const BIDS: [&str; 4] = ["1", "2", "3", "pass"];
/// How far apart the rounds of the beacon are.
const PERIOD: Span = Span::from_secs(3);
/// Games in one comparison, and the most steps of one.
const GAMES_PLAYED: u32 = 3;
const STEPS: u32 = 50;

/// What is played, and by how many.
#[derive(Clone, Copy)]
struct Table {
    catalog: Catalog,
    variant: &'static str,
    seats: usize,
    /// Whether the others play on when a player leaves.
    plays_on: bool,
}

const FIRST: Table = Table { catalog: CATALOG, variant: "standard", seats: 3, plays_on: false };
const SECOND: Table = Table { catalog: CATALOG_2, variant: "standard", seats: 3, plays_on: true };
const FOUR: Table = Table { variant: "four", seats: 4, ..SECOND };

/// Plays a few games determined by a number, on time and late, by the rules and against them.
fn compare(
    table: Table,
    seed: u64,
    decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision,
) -> Result<(), String> {
    let dice = &mut Dice::of(seed, "bids", 0);
    for round in 0..GAMES_PLAYED {
        let side_time = dice.permille(300).then(|| Span::from_secs(dice.between(25, 90)));
        let chain = (round > 0).then(|| BeaconChain {
            chain_hash: Digest::of(b"a chain of the bidders"),
            genesis: START - Span::from_millis(1_000_000 + dice.below(6_000)),
            period: PERIOD,
        });
        let profile = Profile {
            idle: dice.pick(&[0, 0, 1, 2, 2]).copied().unwrap_or(0),
            fool: dice.permille(500).then(|| place(table, dice)),
            beacon: dice.permille(500),
        };
        let mut play = Play::new(table, profile, &decide);
        let mut what = "the start".to_owned();
        let mut played = play.seat(side_time, chain, dice);
        for step in 0..STEPS {
            if let Err(divergence) = played {
                return Err(format!("{divergence}, in step {step} of game {round}: {what}"));
            }
            what.clear();
            played = play.step(step, dice, &mut what);
        }
    }
    Ok(())
}

fn usual(hall: &Hall, asked: Asked<'_>, dice: &mut Dice) -> Decision {
    hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn games_of_sealed_bids_match_the_reference(seed in any::<u64>()) {
        compare(FIRST, seed, usual).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn shared_turns_acts_of_nature_and_vacant_seats_match_the_reference(seed in any::<u64>()) {
        compare(SECOND, seed, usual).map_err(TestCaseError::fail)?;
        compare(FOUR, seed, usual).map_err(TestCaseError::fail)?;
    }
}

/// How the three behave, and the beacon.
struct Profile {
    /// The number of steps at the beginning in which nobody does anything.
    idle: u32,
    /// A player that sends more requests than others, mostly illegal ones.
    fool: Option<usize>,
    /// Whether the beacon's round comes at all.
    beacon: bool,
}

fn place(table: Table, dice: &mut Dice) -> usize {
    usize::try_from(dice.below(u64::try_from(table.seats).unwrap_or(1))).unwrap_or(0)
}

/// A game that is played in both.
struct Play<'a, D> {
    table: Table,
    hall: Hall,
    reference: Reference,
    game: GameId,
    agents: Vec<AgentId>,
    profile: Profile,
    now: Timestamp,
    decide: &'a D,
}

impl<'a, D: Fn(&Hall, Asked<'_>, &mut Dice) -> Decision> Play<'a, D> {
    fn new(table: Table, profile: Profile, decide: &'a D) -> Self {
        let (hall, reference) =
            (Hall::new(table.catalog, hall_driver::docket_wording), Reference::with_catalog(table.catalog));
        let game = GameId::from_bytes([0; 16]);
        Self { table, hall, reference, game, agents: Vec::new(), profile, now: START, decide }
    }

    /// The agents register and take their seats.
    fn seat(
        &mut self,
        side_time: Option<Span>,
        beacon: Option<BeaconChain>,
        dice: &mut Dice,
    ) -> Result<(), Divergence> {
        let settings = HallSettings {
            joins_per_day: 0,
            concurrent_games: 1,
            feedback_per_day: 1,
            timing: [(word("sealed_bids"), Timing { move_time: MOVE_TIME, side_time })].into(),
            beacon,
            ..HallSettings::default()
        };
        let start = Command::Hall(HallCommand::Start { settings, keys: keys() });
        self.decided(START, Caller::Hall, &start, dice)?;
        for (operator, name) in (1..).zip(NAMES).take(self.table.seats) {
            let registered = self.decided(START, Caller::Hall, &registration(name, operator), dice)?;
            let Ok(Reply::Registered { agent, .. }) = registered.answer else { continue };
            let filing = Command::Desk(DeskCommand::FileHomologation { agent, filing: filing() });
            self.decided(START, Caller::Agent(agent), &filing, dice)?;
            let variant = self.table.variant.to_owned();
            let lobby = JoinLobby { game: "sealed_bids".into(), variant, ..lobby(Division::Open) };
            self.decided(START, Caller::Agent(agent), &Command::Desk(DeskCommand::JoinLobby(lobby)), dice)?;
        }
        if let Some(room) = self.hall.rooms().iter().next() {
            self.game = room.id();
            self.agents = room.seats().iter().map(|seat| seat.seat.agent).collect();
        }
        Ok(())
    }

    fn room(&self) -> &Room {
        self.hall.rooms().find(&self.game).expect("they are seated")
    }

    /// Runs a command in both halls; `what` describes it.
    fn step(&mut self, step: u32, dice: &mut Dice, what: &mut String) -> Result<(), Divergence> {
        if step < self.profile.idle {
            return self.pass_deadline(1, dice, what);
        }
        match dice.below(13) {
            0 => self.pass_deadline(dice.below(2), dice, what),
            1 => {
                "time passes".clone_into(what);
                self.now = self.now + Span::from_millis(dice.below(12_000));
                self.pass_time(dice)
            }
            2 => {
                "the hall is saved and read back".clone_into(what);
                self.hall = Hall::restore(self.table.catalog, hall_driver::docket_wording, &self.hall.save())
                    .expect("what was saved is read back");
                self.reference.compare(&self.hall, Extent::Whole)
            }
            3 if dice.permille(300) => self.gap(dice, what),
            3 if self.table.plays_on => self.vacate(dice, what),
            4 if self.profile.beacon => self.receive(dice, what),
            _ => self.submit(dice, what),
        }
    }

    fn pass_deadline(&mut self, edge: u64, dice: &mut Dice, what: &mut String) -> Result<(), Divergence> {
        *what = format!("{edge} ms past the first deadline");
        if let Some(deadline) = self.room().deadline() {
            self.now = self.now.max(deadline + Span::from_millis(edge));
        }
        self.pass_time(dice)
    }

    /// Delivers the round that the game waits for, or another one.
    fn receive(&mut self, dice: &mut Dice, what: &mut String) -> Result<(), Divergence> {
        let Some(BeaconTerms { chain_hash, round }) = self.room().beacon_terms().copied() else {
            return Ok(());
        };
        let other = Digest::of(b"another chain");
        let command = Command::Room(RoomCommand::ReceiveBeacon {
            chain_hash: if dice.permille(200) { other } else { chain_hash },
            round: round + dice.below(5) / 4,
            randomness: Digest::of(&dice.bytes::<8>()),
            signature: encode_hex(&dice.bytes::<48>()),
            after: None,
        });
        *what = format!("{command:?}");
        self.decided(self.now, Caller::Hall, &command, dice).map(drop)
    }

    /// Does what is due.
    fn pass_time(&mut self, dice: &mut Dice) -> Result<(), Divergence> {
        while self.hall.next_deadline().is_some_and(|due| due <= self.now) {
            let decision = self.decided(self.now, Caller::Hall, &Command::Hall(HallCommand::Sweep), dice)?;
            if decision.facts.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The hall is away for a while, which is charged to nobody.
    fn gap(&mut self, dice: &mut Dice, what: &mut String) -> Result<(), Divergence> {
        let from = self.now;
        let until = from + Span::from_millis(dice.below(45_000));
        *what = format!("a gap from {from} to {until}");
        self.now = until;
        let (cause, after) = (GapCause::Pause, None);
        let gap = Command::Room(RoomCommand::ExtendForGap { from, until, cause, after });
        self.decided(until, Caller::Hall, &gap, dice).map(drop)
    }

    /// The operator takes a player out of the game.
    fn vacate(&mut self, dice: &mut Dice, what: &mut String) -> Result<(), Divergence> {
        let player = Player::new(u8::try_from(dice.below(5)).unwrap_or(0));
        let reason = "the operator's reason".to_owned();
        let command = Command::Room(RoomCommand::Vacate { game: self.game, player, reason });
        *what = format!("{command:?}");
        self.decided(self.now, Caller::Operator, &command, dice).map(drop)
    }

    /// A player sends a request.
    fn submit(&mut self, dice: &mut Dice, what: &mut String) -> Result<(), Divergence> {
        self.now = self.now + Span::from_millis(dice.below(1_500));
        // A request may reach a hall that has not yet done what is due.
        if dice.permille(700) {
            self.pass_time(dice)?;
        }
        let stamp = self.now - Span::from_millis(dice.pick(&[0, 0, 1, 1_000]).copied().unwrap_or(0));
        let fool = self.profile.fool.filter(|_| dice.permille(600));
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
        let place = fool.unwrap_or_else(|| place(self.table, dice));
        let turn_index = self.room().turn_index().saturating_sub(behind);
        let mut submission = submission(self.game, turn_index, choice);
        submission.resign = dice.permille(if self.table.plays_on { 30 } else { 10 });
        // Draw offers exist only in games of two.
        submission.draw_offer = dice.permille(100);
        submission.commentary = dice.permille(200).then(|| "so much for that".to_owned());
        *what = format!("{submission:?} of p{place} stamped {stamp} at {}", self.now);
        let agent = self.agents.get(place).copied().expect("they are seated");
        let submit = Command::Room(RoomCommand::Submit(submission));
        self.decided(stamp, Caller::Agent(agent), &submit, dice).map(drop)
    }

    /// Has the hall decide, and the reference follow.
    fn decided(
        &mut self,
        stamp: Timestamp,
        who: Caller,
        what: &Command,
        dice: &mut Dice,
    ) -> Result<Decision, Divergence> {
        let decision = (self.decide)(&self.hall, Asked { at: self.now, stamp, who, what }, dice);
        self.reference.follow(self.now, stamp, who, what, &decision)?;
        decision.facts.iter().for_each(|fact| self.hall.apply(fact));
        self.hall.check();
        self.reference.compare(&self.hall, Extent::Whole)?;
        Ok(decision)
    }
}
