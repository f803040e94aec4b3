//! What lots and moves come to at the tables of chance and points, counted by hand.
//!
//! The reference follows most games with the hall's own rules, so that a fault in those would be in both. Here stands
//! what the rules cards say of cards, dice and points, without a line of the games' code.

use hall_core::rooms::{RoomChange, RoomFact, Started};
use hall_games::Act;
use hall_wire::roll::RollHash;
use hall_wire::{Notation, Player};
use std::collections::BTreeMap;

/// The count of one game.
#[derive(Clone, Debug)]
pub(in crate::oracles) enum Tally {
    /// Chess960, in which nature draws the start.
    Start,
    /// Backgammon, in which it throws two dice.
    Dice,
    Goofspiel(Prizes),
    Leduc(Hands),
    Liars(Cups),
    /// A game that is not counted here.
    Other,
}

impl Tally {
    pub(super) fn begin(terms: &Started) -> Self {
        let seats = terms.seats.len();
        match terms.variant.game.as_str() {
            "chess960" => Self::Start,
            "backgammon" => Self::Dice,
            "goofspiel" => Self::Goofspiel(Prizes { points: vec![0; seats], ..Prizes::default() }),
            "leduc_poker" => {
                Self::Leduc(Hands { is_kuhn: terms.variant.variant.as_str() == "kuhn", ..Hands::default() })
            }
            "liars_dice" => Self::Liars(Cups { dice: vec![5; seats], ..Cups::default() }),
            _ => Self::Other,
        }
    }

    /// What nature does with these hashes before turn `turn`; an error if the rules call for other ones, `None` in games
    /// that are not counted.
    pub(in crate::oracles) fn act(&self, turn: u32, hashes: &[RollHash]) -> Option<Result<Act, ()>> {
        let act = match self {
            Self::Start => match values(hashes).collect::<Vec<_>>().as_slice() {
                [(960, number)] => Some(open(number.to_string())),
                _ => None,
            },
            Self::Dice => thrown(hashes, turn == 0).map(open),
            Self::Goofspiel(prizes) => prizes.act(hashes),
            Self::Leduc(hands) => hands.act(hashes),
            Self::Liars(cups) => rolled(&cups.dice, hashes).map(|rolls| hidden(written(&rolls))),
            Self::Other => return None,
        };
        Some(act.ok_or(()))
    }

    /// What is shown to all after the last move; `None` in games that are not counted.
    pub(in crate::oracles) fn shows(&self) -> Option<Option<&str>> {
        match self {
            Self::Start | Self::Dice | Self::Goofspiel(_) => Some(None),
            Self::Leduc(hands) => Some(hands.shown.as_deref()),
            Self::Liars(cups) => Some(cups.shown.as_deref()),
            Self::Other => None,
        }
    }

    /// The points as they stand, in games in which they are counted here.
    pub(in crate::oracles) fn points(&self) -> Option<Vec<i64>> {
        match self {
            Self::Goofspiel(prizes) => Some(prizes.points.clone()),
            Self::Leduc(hands) => Some(vec![hands.chips, -hands.chips]),
            Self::Liars(cups) => Some(cups.dice.iter().copied().map(i64::from).collect()),
            Self::Start | Self::Dice | Self::Other => None,
        }
    }

    pub(super) fn apply(&mut self, fact: &RoomFact) {
        match &fact.change {
            RoomChange::NatureActed { complete, rolls: hashes, .. } => match self {
                Self::Goofspiel(prizes) => prizes.acted(complete),
                Self::Leduc(hands) => hands.acted(complete),
                Self::Liars(cups) => cups.acted(hashes),
                Self::Start | Self::Dice | Self::Other => {}
            },
            RoomChange::MovePlayed(resolution) => {
                let (Some(player), Some(notation)) = (resolution.player, resolution.notation) else { return };
                match self {
                    Self::Goofspiel(prizes) => prizes.bid(player, &notation),
                    Self::Leduc(hands) => hands.step(player, notation.as_str()),
                    Self::Liars(cups) => cups.step(player, notation.as_str()),
                    Self::Start | Self::Dice | Self::Other => {}
                }
            }
            _ => {}
        }
    }
}

/// An act that all of it is told of.
fn open(complete: String) -> Act {
    Act { outcome: Some(complete.clone()), complete }
}

/// An act of which nothing is told.
const fn hidden(complete: String) -> Act {
    Act { outcome: None, complete }
}

/// The rolls that gave a number, each with its bound.
fn values(hashes: &[RollHash]) -> impl Iterator<Item = (u64, u64)> {
    hashes.iter().filter_map(|hash| Some((hash.n, hash.value?)))
}

/// The faces of dice, one for each roll.
fn faces(hashes: &[RollHash]) -> Option<Vec<u64>> {
    values(hashes).map(|(sides, value)| (sides == 6).then_some(value + 1)).collect()
}

/// A deck after the shuffle: from the last place down each card changes places with the one at a rolled place that is not
/// behind it.
fn shuffled(cards: &[&str], hashes: &[RollHash]) -> Option<Vec<String>> {
    let mut cards: Vec<String> = cards.iter().map(ToString::to_string).collect();
    let mut rolls = values(hashes);
    for last in (1..cards.len()).rev() {
        let (places, place) = rolls.next()?;
        let place = usize::try_from(place).ok().filter(|place| *place <= last)?;
        if usize::try_from(places) != Ok(last + 1) {
            return None;
        }
        cards.swap(last, place);
    }
    rolls.next().is_none().then_some(cards)
}

/// A throw of backgammon. In the first one each side throws a die, both again while they are equal.
fn thrown(hashes: &[RollHash], is_first: bool) -> Option<String> {
    let faces = faces(hashes)?;
    let (pairs, rest) = faces.as_chunks::<2>();
    let ([one, other], before) = pairs.split_last().filter(|_| rest.is_empty())?;
    let holds = if is_first {
        one != other && before.iter().all(|[one, other]| one == other)
    } else {
        before.is_empty()
    };
    let text = if is_first {
        format!("p0 {one} p1 {other}")
    } else {
        format!("{}{}", one.max(other), one.min(other))
    };
    holds.then_some(text)
}

const PRIZES: [&str; 13] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"];

/// Goofspiel.
#[derive(Clone, Debug, Default)]
pub(in crate::oracles) struct Prizes {
    order: Vec<String>,
    /// How many are decided.
    decided: usize,
    bids: BTreeMap<Player, i64>,
    points: Vec<i64>,
}

impl Prizes {
    fn act(&self, hashes: &[RollHash]) -> Option<Act> {
        if self.order.is_empty() {
            let order = shuffled(&PRIZES, hashes)?;
            let outcome = order.first().map(|prize| format!("prize {prize}"));
            return Some(Act { outcome, complete: format!("order {}", order.join(" ")) });
        }
        let prize = self.order.get(self.decided).filter(|_| hashes.is_empty())?;
        Some(open(format!("prize {prize}")))
    }

    fn acted(&mut self, complete: &str) {
        if let Some(order) = complete.strip_prefix("order ") {
            self.order = order.split(' ').map(String::from).collect();
        }
    }

    /// The highest bid takes the prize, and nobody does if two have bid it.
    fn bid(&mut self, player: Player, notation: &Notation) {
        self.bids.insert(player, notation.as_str().parse().unwrap_or(0));
        if self.bids.len() < self.points.len() {
            return;
        }
        let prize = self.order.get(self.decided).and_then(|prize| prize.parse::<i64>().ok()).unwrap_or(0);
        let bids = std::mem::take(&mut self.bids);
        let most = bids.values().max();
        let takers: Vec<&Player> =
            bids.iter().filter(|(_, bid)| Some(*bid) == most).map(|(who, _)| who).collect();
        if let [taker] = takers.as_slice()
            && let Some(points) = self.points.get_mut(taker.index())
        {
            *points += prize;
        }
        self.decided += 1;
    }
}

/// A match of Leduc hold'em or Kuhn poker.
#[derive(Clone, Debug, Default)]
pub(in crate::oracles) struct Hands {
    is_kuhn: bool,
    deck: Vec<String>,
    paid: [i64; 2],
    /// The round of the hand, from 0.
    round: usize,
    /// Whether somebody has acted in it.
    has_begun: bool,
    /// Whether the board is to be turned.
    is_due: bool,
    shown: Option<String>,
    /// What `p0` has won.
    chips: i64,
}

impl Hands {
    fn act(&self, hashes: &[RollHash]) -> Option<Act> {
        if self.is_due {
            return self
                .deck
                .get(2)
                .filter(|_| hashes.is_empty())
                .map(|board| open(format!("board {board}")));
        }
        let cards: &[&str] =
            if self.is_kuhn { &["J", "Q", "K"] } else { &["Js", "Jh", "Qs", "Qh", "Ks", "Kh"] };
        shuffled(cards, hashes).map(|deck| hidden(deck.join(" ")))
    }

    fn acted(&mut self, complete: &str) {
        if self.is_due {
            self.is_due = false;
            return;
        }
        self.deck = complete.split(' ').map(String::from).collect();
        (self.paid, self.round, self.has_begun, self.shown) = ([1, 1], 0, false, None);
    }

    fn step(&mut self, player: Player, word: &str) {
        let is_first = player == Player::new(0);
        let [zero, one] = self.paid;
        let (own, other) = if is_first { (zero, one) } else { (one, zero) };
        let size = match (self.is_kuhn, self.round) {
            (true, _) => 1,
            (false, 0) => 2,
            (false, _) => 4,
        };
        let paid = match word {
            "bet" | "raise" => other + size,
            "call" => other,
            _ => own,
        };
        self.paid = if is_first { [paid, other] } else { [other, paid] };
        match word {
            "fold" => self.chips += if is_first { -own } else { own },
            "call" => self.close(),
            "check" if self.has_begun => self.close(),
            _ => self.has_begun = true,
        }
    }

    fn close(&mut self) {
        self.has_begun = false;
        if !self.is_kuhn && self.round == 0 {
            (self.round, self.is_due) = (1, true);
            return;
        }
        let card = |place: usize| self.deck.get(place).map_or("", String::as_str);
        let rank = |place: usize| "JQK".find(card(place).get(..1).unwrap_or("?"));
        let strength = |place: usize| (!self.is_kuhn && rank(place) == rank(2), rank(place));
        self.shown = Some(format!("p0 {} p1 {}", card(0), card(1)));
        self.chips += match strength(0).cmp(&strength(1)) {
            std::cmp::Ordering::Greater => self.paid[1],
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => -self.paid[0],
        };
    }
}

/// Liar's dice.
#[derive(Clone, Debug, Default)]
pub(in crate::oracles) struct Cups {
    /// The dice that each player has left.
    dice: Vec<u8>,
    rolls: Vec<Vec<u64>>,
    bid: Option<(Player, u64, u64)>,
    shown: Option<String>,
}

impl Cups {
    fn acted(&mut self, hashes: &[RollHash]) {
        self.rolls = rolled(&self.dice, hashes).unwrap_or_default();
        (self.bid, self.shown) = (None, None);
    }

    /// A challenge costs the bidder a die if fewer dice show the face, or the six that stands for every face, and else the
    /// challenger.
    fn step(&mut self, player: Player, word: &str) {
        if let Some((quantity, face)) = word.split_once('x') {
            self.bid = quantity.parse().ok().zip(face.parse().ok()).map(|(many, face)| (player, many, face));
            return;
        }
        let Some((bidder, quantity, face)) = self.bid else { return };
        let fits = self.rolls.iter().flatten().filter(|shown| **shown == face || **shown == 6).count();
        let is_true = u64::try_from(fits).is_ok_and(|fits| fits >= quantity);
        let loser = if is_true { player } else { bidder };
        if let Some(dice) = self.dice.get_mut(loser.index()) {
            *dice = dice.saturating_sub(1);
        }
        self.shown = Some(written(&self.rolls));
    }
}

/// The dice of each player in order of size; those of `p0` are rolled first.
fn rolled(dice: &[u8], hashes: &[RollHash]) -> Option<Vec<Vec<u64>>> {
    let mut faces = faces(hashes)?.into_iter();
    let mut rolls = Vec::new();
    for count in dice {
        let mut roll: Vec<u64> = faces.by_ref().take(usize::from(*count)).collect();
        if roll.len() < usize::from(*count) {
            return None;
        }
        roll.sort_unstable();
        rolls.push(roll);
    }
    faces.next().is_none().then_some(rolls)
}

/// `p0 1 3 3 5 6 p1 2 2 4`, without the players who have no dice.
fn written(rolls: &[Vec<u64>]) -> String {
    let of = |(seat, roll): (usize, &Vec<u64>)| {
        let faces: Vec<String> = roll.iter().map(u64::to_string).collect();
        (!faces.is_empty()).then(|| format!("p{seat} {}", faces.join(" ")))
    };
    rolls.iter().enumerate().filter_map(of).collect::<Vec<_>>().join(" ")
}
