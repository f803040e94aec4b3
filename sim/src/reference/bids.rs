//! The game of sealed bids (`sealed_bids/1`) on plain values: its rules, and what each player may see.

use super::game::GameModel;
use hall_games::{Chance, GameResult, LegalMove, Played, PlayerSet, Reason, Refused, Viewer};
use hall_wire::{Notation, Player};
use serde_json::{Value, json};

const SEATS: usize = 3;
/// The bids in the order in which they are listed.
const BIDS: [&str; 4] = ["1", "2", "3", "pass"];
/// Points and rounds that end the game, and the sides of the die that decides among equals.
const GOAL: usize = 3;
const ROUNDS: usize = 6;
const SIDES: u64 = 6;

/// A round in which all have bid.
#[derive(Clone, Copy, Debug)]
struct Round {
    bids: [&'static str; SEATS],
    die: Option<u64>,
}

/// The rounds so far, and the bids of the one that is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bids {
    rounds: Vec<Round>,
    open: [Option<&'static str>; SEATS],
}

impl Bids {
    fn points(&self, place: usize) -> usize {
        let winner = |round: &Round| {
            let tied = highest(&round.bids);
            let shown = usize::try_from(round.die.unwrap_or(0)).unwrap_or(usize::MAX);
            tied.get(shown.checked_rem(tied.len())?).copied()
        };
        self.rounds.iter().filter(|round| winner(round) == Some(place)).count()
    }

    /// The players that have yet to bid.
    fn waiting(&self) -> impl Iterator<Item = usize> {
        let over = self.outcome().is_some();
        (0..SEATS).filter(move |place| !over && self.open_bid(*place).is_none())
    }

    fn open_bid(&self, place: usize) -> Option<&'static str> {
        self.open.get(place).copied().flatten()
    }
}

impl GameModel for Bids {
    fn to_move(&self) -> PlayerSet {
        self.waiting().map(player).fold(PlayerSet::EMPTY, PlayerSet::with)
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if !self.to_move().contains(player) {
            return Vec::new();
        }
        let summary = |bid: &str| if bid == "pass" { bid.to_owned() } else { format!("bid {bid}") };
        let entry = |bid: &str| Some(LegalMove { notation: Notation::parse(bid)?, summary: summary(bid) });
        BIDS.iter().filter_map(|bid| entry(bid)).collect()
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        Notation::parse("pass").filter(|_| self.to_move().contains(player))
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let bid = BIDS.iter().find(|bid| **bid == notation.as_str()).ok_or(Refused::Illegal)?;
        if !self.to_move().contains(player) {
            return Err(Refused::Illegal);
        }
        let mut open = self.open;
        open.get_mut(player.index()).into_iter().for_each(|open| *open = Some(bid));
        match all(&open) {
            None => self.open = open,
            Some(bids) => {
                let is_tied = highest(&bids).len() > 1;
                let die = is_tied.then(|| chance.below(SIDES).ok_or(Refused::NeedsChance)).transpose()?;
                self.rounds.push(Round { bids, die });
                self.open = [None; SEATS];
            }
        }
        Ok(Played::PLAIN)
    }

    /// These rules are older than vacant seats.
    fn plays_on(&self) -> bool {
        false
    }

    fn outcome(&self) -> Option<GameResult> {
        let most = (0..SEATS).map(|place| self.points(place)).max()?;
        if self.rounds.len() < ROUNDS && most < GOAL {
            return None;
        }
        let best: Vec<Player> = (0..SEATS).filter(|place| self.points(*place) == most).map(player).collect();
        let draw = best.len() == SEATS;
        let winners = if draw { Vec::new() } else { best };
        Some(GameResult::new(winners, draw, Reason::of_game("most_points")))
    }

    fn state_string(&self) -> String {
        let points: Vec<String> = (0..SEATS).map(|place| self.points(place).to_string()).collect();
        let waiting: Vec<String> = self.waiting().map(|place| format!("p{place}")).collect();
        let round = self.rounds.len() + 1;
        format!("round {round} points {} waiting {}", points.join("-"), waiting.join("-"))
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        let own = self.open_bid(viewer.player.index()).unwrap_or("none");
        format!("{}\nYour bid: {own}\nYou: p{}", self.state_string(), viewer.player.seat())
    }

    /// The points and the dice, and no bid.
    fn public(&self) -> Value {
        let points: Vec<usize> = (0..SEATS).map(|place| self.points(place)).collect();
        let dice: Vec<Option<u64>> = self.rounds.iter().map(|round| round.die).collect();
        json!({
            "round": self.rounds.len() + 1,
            "points": { "p0": points.first(), "p1": points.get(1), "p2": points.get(2) },
            "dice": dice,
        })
    }

    /// Neither a bid nor what gives it away.
    fn disclosed(&self, _: Player, _: &Notation) -> Option<Notation> {
        None
    }

    /// The player's bid in the round that is open.
    fn private(&self, player: Player) -> Value {
        json!({ "bid": self.open_bid(player.index()) })
    }

    fn hidden(&self) -> Value {
        let shown = |[p0, p1, p2]: [Option<&'static str>; SEATS]| json!({ "p0": p0, "p1": p1, "p2": p2 });
        let rounds: Vec<Value> = self.rounds.iter().map(|round| shown(round.bids.map(Some))).collect();
        json!({ "rounds": rounds, "open": shown(self.open) })
    }

    fn clone_box(&self) -> Box<dyn GameModel> {
        Box::new(self.clone())
    }
}

fn player(place: usize) -> Player {
    Player::new(u8::try_from(place).unwrap_or(u8::MAX))
}

fn all(open: &[Option<&'static str>; SEATS]) -> Option<[&'static str; SEATS]> {
    let [p0, p1, p2] = *open;
    Some([p0?, p1?, p2?])
}

/// The highest bidders, in seat order; empty if all passed.
fn highest(bids: &[&str; SEATS]) -> Vec<usize> {
    let most = bids.iter().filter(|bid| **bid != "pass").max();
    let best = (0..).zip(bids).filter(|(_, bid)| most == Some(bid));
    best.map(|(place, _)| place).collect()
}
