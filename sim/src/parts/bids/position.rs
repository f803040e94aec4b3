//! The bids themselves: what the rules of the game say of them, and what is shown to whom.

use super::SEATS;
use super::table::player;
use hall_games::{GameResult, LegalMove, Reason};
use hall_wire::{Notation, Player};
use serde_json::{Value, json};

/// The bids in the order in which they are listed.
pub(super) const BIDS: [&str; 4] = ["1", "2", "3", "pass"];
/// Points and rounds that end the game, and the sides of the die that decides among equals.
const GOAL: usize = 3;
const ROUNDS: usize = 6;
pub(super) const SIDES: u64 = 6;

/// A round in which all have bid.
#[derive(Clone, Copy, Debug)]
struct Round {
    bids: [&'static str; SEATS],
    die: Option<u64>,
}

/// The rounds so far, and the bids of the one that is open.
#[derive(Debug, Default)]
pub(super) struct Position {
    rounds: Vec<Round>,
    open: [Option<&'static str>; SEATS],
}

impl Position {
    /// Whether nobody can know what comes of a bid before a die is thrown.
    pub(super) fn needs_die(&self, place: usize, bid: &'static str) -> bool {
        let mut open = self.open;
        open.get_mut(place).into_iter().for_each(|open| *open = Some(bid));
        all(&open).is_some_and(|bids| highest(&bids).len() > 1)
    }

    /// A bid. With the last one of a round comes what the die shows, where one is thrown.
    pub(super) fn bid(&mut self, place: usize, bid: &'static str, die: Option<u64>) {
        self.open.get_mut(place).into_iter().for_each(|open| *open = Some(bid));
        if let Some(bids) = all(&self.open) {
            self.rounds.push(Round { bids, die });
            self.open = [None; SEATS];
        }
    }

    fn points(&self, place: usize) -> usize {
        let winner = |round: &Round| {
            let tied = highest(&round.bids);
            let shown = usize::try_from(round.die.unwrap_or(0)).unwrap_or(usize::MAX);
            tied.get(shown.checked_rem(tied.len())?).copied()
        };
        self.rounds.iter().filter(|round| winner(round) == Some(place)).count()
    }

    /// Who has won by the rules, once it is decided.
    pub(super) fn outcome(&self) -> Option<GameResult> {
        let most = (0..SEATS).map(|place| self.points(place)).max()?;
        if self.rounds.len() < ROUNDS && most < GOAL {
            return None;
        }
        let best: Vec<Player> = (0..SEATS).filter(|place| self.points(*place) == most).map(player).collect();
        let draw = best.len() == SEATS;
        let winners = if draw { Vec::new() } else { best };
        Some(GameResult { winners, draw, reason: Reason::of_game("most_points") })
    }

    /// Who has yet to bid.
    pub(super) fn waiting(&self) -> impl Iterator<Item = usize> {
        let over = self.outcome().is_some();
        (0..SEATS).filter(move |place| !over && self.open_bid(*place).is_none())
    }

    fn open_bid(&self, place: usize) -> Option<&'static str> {
        self.open.get(place).copied().flatten()
    }

    pub(super) fn state_string(&self) -> String {
        let points: Vec<String> = (0..SEATS).map(|place| self.points(place).to_string()).collect();
        let waiting: Vec<String> = self.waiting().map(|place| format!("p{place}")).collect();
        let round = self.rounds.len() + 1;
        format!("round {round} points {} waiting {}", points.join("-"), waiting.join("-"))
    }

    /// What all see: the points and the dice, and no bid.
    pub(super) fn public(&self) -> Value {
        let points: Vec<usize> = (0..SEATS).map(|place| self.points(place)).collect();
        let dice: Vec<Option<u64>> = self.rounds.iter().map(|round| round.die).collect();
        json!({
            "round": self.rounds.len() + 1,
            "points": { "p0": points.first(), "p1": points.get(1), "p2": points.get(2) },
            "dice": dice,
        })
    }

    /// What a player sees of what is sealed: its own bid in the round that is open.
    pub(super) fn private(&self, place: usize) -> Value {
        json!({ "bid": self.open_bid(place) })
    }

    /// What is revealed at the end.
    pub(super) fn hidden(&self) -> Value {
        let shown = |[p0, p1, p2]: [Option<&'static str>; SEATS]| json!({ "p0": p0, "p1": p1, "p2": p2 });
        let rounds: Vec<Value> = self.rounds.iter().map(|round| shown(round.bids.map(Some))).collect();
        json!({ "rounds": rounds, "open": shown(self.open) })
    }

    pub(super) fn board(&self, place: usize) -> String {
        let own = self.open_bid(place).unwrap_or("none");
        format!("{}\nYour bid: {own}\nYou: p{place}", self.state_string())
    }
}

fn all(open: &[Option<&'static str>; SEATS]) -> Option<[&'static str; SEATS]> {
    let [p0, p1, p2] = *open;
    Some([p0?, p1?, p2?])
}

/// Who bid the most, in seat order; nobody if all passed.
fn highest(bids: &[&str; SEATS]) -> Vec<usize> {
    let most = bids.iter().filter(|bid| **bid != "pass").max();
    let best = (0..).zip(bids).filter(|(_, bid)| most == Some(bid));
    best.map(|(place, _)| place).collect()
}

pub(super) fn listed() -> Vec<LegalMove> {
    let summary = |bid: &str| if bid == "pass" { bid.to_owned() } else { format!("bid {bid}") };
    let entry = |bid: &str| Some(LegalMove { notation: Notation::parse(bid)?, summary: summary(bid) });
    BIDS.iter().filter_map(|bid| entry(bid)).collect()
}
