//! The bidding game by its second rules: turns are shared, nature acts, and who passes too often is out.
//!
//! Three players, or four in the variant `four`. Before each round nature announces it, which everybody sees, and rolls a
//! die, which nobody sees. Then all bid at once; the highest bid takes one point, and among several highest bids the die
//! decides, which is shown then. Who has passed three times is out. The first with two points ends the game, and so does
//! round [`ROUNDS`], and the moment in which one player is left. Those with the most points come first; if all have
//! equally many it is a draw.

use super::{Bid, ROUNDS};
use crate::{
    Act, Chance, Description, Game, GameResult, LegalMove, Outcome, Played, PlayerCount, PlayerSet, Points,
    Position, Reason, Refused, SetupRefused, UnreadablePosition, Variant, Viewer,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player, Span};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[cfg(test)]
mod tests;

/// The game by its second rules.
pub static SEALED_BIDS_2: SealedBids2 = SealedBids2;

/// More players.
const VARIANTS: &[Variant] =
    &[Variant { id: "four", summary: "Four players.", players: PlayerCount::exactly(4) }];
/// Points that end the game by its second rules.
const GOAL: u8 = 2;
/// The die has this many sides; it divides evenly among two, three and four players.
const DIE_SIDES: u64 = 12;
/// So many passes, and a player is out.
const PASSES: u8 = 3;

/// The second rules of the bidding game.
#[derive(Clone, Copy, Debug)]
pub struct SealedBids2;

impl Game for SealedBids2 {
    fn describe(&self) -> Description {
        Description {
            id: "sealed_bids",
            name: "Sealed bids",
            players: PlayerCount::exactly(3),
            information: "hidden",
            randomness: "a die breaks ties",
            variants: VARIANTS,
            simultaneous: true,
            points: Some(Points::whole("a round won")),
            record_formats: &[],
            default_action: "pass",
            player_names: &[],
            notation: "1, 2, 3 or pass",
            ruleset_version: "sealed_bids/2",
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        let played_by = self.describe().players_of(variant).ok_or(SetupRefused::Variant)?;
        if seats == played_by.min { Ok(Box::new(Auction::new(seats))) } else { Err(SetupRefused::Seats) }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let auction: Auction = serde_json::from_str(saved).map_err(|_| UnreadablePosition)?;
        if auction.save() == saved { Ok(Box::new(auction)) } else { Err(UnreadablePosition) }
    }

    fn rules_card(&self) -> Value {
        json!({ "game": "sealed_bids", "notation": "1, 2, 3 or pass", "goal": GOAL, "rounds": ROUNDS })
    }

    fn how_to(&self) -> Value {
        json!({ "game": "sealed_bids", "turn": "All bid at once; the highest bid takes a point." })
    }
}

/// What comes next in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    Announce,
    Roll,
    Bid,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Auction {
    round: usize,
    stage: Stage,
    /// What the die of this round shows.
    die: u64,
    /// The bids of this round by seat.
    bids: Vec<Option<Bid>>,
    points: Vec<u8>,
    passes: Vec<u8>,
    /// Who is out, in order.
    out: Vec<Player>,
    /// The dice of all rounds.
    dice: Vec<u64>,
}

impl Auction {
    fn new(seats: u8) -> Self {
        let each = usize::from(seats);
        Self {
            round: 0,
            stage: Stage::Announce,
            die: 0,
            bids: vec![None; each],
            points: vec![0; each],
            passes: vec![0; each],
            out: Vec::new(),
            dice: Vec::new(),
        }
    }

    fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..u8::try_from(self.bids.len()).unwrap_or(u8::MAX)).map(Player::new)
    }

    fn is_over(&self) -> bool {
        let left = self.bids.len() - self.out.len();
        self.round >= ROUNDS || left <= 1 || self.points.iter().any(|points| *points >= GOAL)
    }

    fn bid_of(&self, player: Player) -> Option<Bid> {
        self.bids.get(player.index()).copied().flatten()
    }

    /// Ends the round, and says what is shown.
    fn settle(&mut self) -> Option<String> {
        let most = self.bids.iter().flatten().copied().max().filter(|most| *most > Bid::Pass);
        let highest: Vec<Player> =
            self.players().filter(|player| most.is_some() && self.bid_of(*player) == most).collect();
        let place = usize::try_from(self.die).unwrap_or(0).checked_rem(highest.len());
        let winner = place.and_then(|place| highest.get(place));
        if let Some(points) = winner.and_then(|winner| self.points.get_mut(winner.index())) {
            *points += 1;
        }
        let shown = (highest.len() > 1).then(|| format!("die {}", self.die));
        for player in self.players() {
            let passed = self.bid_of(player) == Some(Bid::Pass);
            let Some(passes) = self.passes.get_mut(player.index()).filter(|_| passed) else { continue };
            *passes += 1;
            if *passes == PASSES {
                self.out.push(player);
            }
        }
        self.dice.push(self.die);
        self.bids.fill(None);
        (self.round, self.stage, self.die) = (self.round + 1, Stage::Announce, 0);
        shown
    }
}

impl Position for Auction {
    fn to_move(&self) -> PlayerSet {
        let may_bid = self.stage == Stage::Bid && !self.is_over();
        let waits = |player: &Player| may_bid && self.bid_of(*player).is_none() && !self.out.contains(player);
        self.players().filter(waits).collect()
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let bids = if self.to_move().contains(player) { &Bid::ALL[..] } else { &[] };
        bids.iter().copied().map(Bid::legal_move).collect()
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        self.to_move().contains(player).then(|| Bid::Pass.notation())
    }

    fn awaits_nature(&self) -> bool {
        self.stage != Stage::Bid && !self.is_over()
    }

    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        if !self.awaits_nature() {
            return Err(Refused::Illegal);
        }
        if self.stage == Stage::Announce {
            self.stage = Stage::Roll;
            let text = format!("round {}", self.round + 1);
            return Ok(Act { outcome: Some(text.clone()), complete: text });
        }
        self.die = chance.below(DIE_SIDES).ok_or(Refused::NeedsChance)?;
        self.stage = Stage::Bid;
        Ok(Act { outcome: None, complete: format!("die {}", self.die) })
    }

    fn play(&mut self, player: Player, notation: &Notation, _: &mut dyn Chance) -> Result<Played, Refused> {
        let bid = Bid::ALL.into_iter().find(|bid| bid.word() == notation.as_str()).ok_or(Refused::Illegal)?;
        if !self.to_move().contains(player) {
            return Err(Refused::Illegal);
        }
        *self.bids.get_mut(player.index()).ok_or(Refused::Illegal)? = Some(bid);
        let shown = if self.to_move().is_empty() { self.settle() } else { None };
        Ok(Played { san: None, shown })
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let better = |own: Player, other: Player| self.rank(other) < self.rank(own);
        let place = |own| self.players().filter(|other| better(own, *other)).count() + 1;
        let places: Vec<u8> =
            self.players().map(|player| u8::try_from(place(player)).unwrap_or(u8::MAX)).collect();
        let is_draw = places.iter().all(|place| *place == 1);
        let first = self.players().zip(&places).filter(|(_, place)| **place == 1).map(|(player, _)| player);
        Some(Outcome {
            winners: if is_draw { PlayerSet::EMPTY } else { first.collect() },
            reason: Reason::of_game(if self.out.len() + 1 >= self.bids.len() {
                "last_in"
            } else {
                "most_points"
            }),
            places,
        })
    }

    fn eliminated(&self) -> Vec<Player> {
        self.out.clone()
    }

    fn points(&self, _: &GameResult) -> Option<Vec<i64>> {
        Some(self.points.iter().map(|points| i64::from(*points)).collect())
    }

    fn state_string(&self) -> String {
        if self.round == 0 && self.stage == Stage::Announce {
            return "unset".to_string();
        }
        let joined = |numbers: &[u8]| numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let waiting: Vec<String> = self.to_move().iter().map(|player| player.to_string()).collect();
        let waiting = if waiting.is_empty() { "-".to_string() } else { waiting.join(",") };
        let (points, passes) = (joined(&self.points), joined(&self.passes));
        format!("round {} points {points} passes {passes} to {waiting}", self.round + 1)
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        format!("{}\nYou: {}", self.state_string(), viewer.player)
    }

    fn public(&self) -> Map<String, Value> {
        let mut public = Map::new();
        public.insert("round".to_string(), Value::from(self.round + 1));
        public.insert("points".to_string(), Value::from(self.points.clone()));
        public
    }

    /// A bid is told when its round is over.
    fn disclosed(&self, _: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn private(&self, _: Player) -> Value {
        json!({})
    }

    fn hidden(&self) -> Value {
        json!({ "dice": self.dice })
    }

    fn save(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Auction {
    /// What a player ranks by: those who are still in by their points, then those who are out, the last one first.
    fn rank(&self, player: Player) -> (usize, u8) {
        let out = self.out.iter().position(|other| *other == player);
        let behind = out.map_or(0, |order| self.out.len() - order);
        let points = self.points.get(player.index()).copied().unwrap_or(0);
        (behind, if behind > 0 { 0 } else { u8::MAX - points })
    }
}
