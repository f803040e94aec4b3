//! A tiny game for tests only: three players bid at the same time, and nobody sees the bids.
//!
//! It is in no catalog. It has what chess lacks: hidden information, several players to move at the same time, a legal
//! pass, chance, more than two seats and more than one winner.
//!
//! Each round every player bids `1`, `2` or `3`, or passes. When all three have chosen, the highest bid takes one
//! point; among several highest bids a die decides, and if all pass nobody scores. The first to reach the goal
//! ends the game, and so does round [`ROUNDS`]. Those with the most points win; if all have equally many it is a
//! draw. Bids stay sealed until the game has ended.
//!
//! There are two versions of the rules, so that tests can show how a hall handles a changed rule. By the first,
//! [`SEALED_BIDS`], every bid is a turn of its own, as in halls from before turns could be shared. The second is
//! [`SEALED_BIDS_2`]; its rules stand in `second`.

use crate::{
    Chance, Description, Game, LegalMove, Outcome, Played, PlayerCount, PlayerSet, Position, Reason, Refused,
    SetupRefused, UnreadablePosition, Viewer,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player, Span};
use serde::{Deserialize, Serialize};
use serde_json::json;

mod second;
#[cfg(test)]
mod tests;

pub use second::{SEALED_BIDS_2, SealedBids2};

/// The game by its first rules.
pub static SEALED_BIDS: SealedBids = SealedBids;

/// How many play.
pub const SEATS: u8 = 3;
/// Points that end the game by its first rules.
pub const GOAL: usize = 3;
/// The most rounds.
pub const ROUNDS: usize = 6;
/// The die that breaks ties has this many sides; it divides evenly among two and among three players.
pub const DIE_SIDES: u64 = 6;

/// The rules of the bidding game.
#[derive(Clone, Copy, Debug)]
pub struct SealedBids;

impl Game for SealedBids {
    fn describe(&self) -> Description {
        Description {
            id: "sealed_bids",
            name: "Sealed bids",
            players: PlayerCount::exactly(SEATS),
            information: "hidden",
            randomness: "a die breaks ties",
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &[],
            default_action: "pass",
            player_names: &[],
            notation: "1, 2, 3 or pass",
            ruleset_version: "sealed_bids/1",
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            ("standard", SEATS) => Ok(Box::new(Bidding::new())),
            ("standard", _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(Bidding::restore(saved).ok_or(UnreadablePosition)?))
    }

    /// Rules from before the others could play on.
    fn plays_on(&self) -> bool {
        false
    }

    fn rules_card(&self) -> Value {
        json!({ "game": "sealed_bids", "notation": "1, 2, 3 or pass", "goal": GOAL, "rounds": ROUNDS })
    }

    fn how_to(&self) -> Value {
        json!({ "game": "sealed_bids", "turn": "All bid at once; the highest bid takes a point." })
    }
}

/// What a player chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Bid {
    Pass,
    One,
    Two,
    Three,
}

impl Bid {
    /// All, ordered as their notations are.
    const ALL: [Self; 4] = [Self::One, Self::Two, Self::Three, Self::Pass];

    const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::One => "1",
            Self::Two => "2",
            Self::Three => "3",
        }
    }

    fn notation(self) -> Notation {
        Notation::parse(self.word()).expect("the words are short ASCII")
    }

    fn legal_move(self) -> LegalMove {
        let summary = if self == Self::Pass { "pass".to_string() } else { format!("bid {}", self.word()) };
        LegalMove { notation: self.notation(), summary }
    }

    /// One letter for the saved text.
    fn letter(self) -> char {
        self.word().chars().next().unwrap_or('p')
    }
}

/// The bids of one round by seat, `None` where a player has yet to choose.
type Bids = [Option<Bid>; 3];

/// A round in which all have chosen.
#[derive(Clone, Copy, Debug)]
struct Round {
    bids: Bids,
    /// What the die showed, where one was needed.
    die: Option<u64>,
}

impl Round {
    /// Who takes the point.
    fn winner(&self) -> Option<Player> {
        let tied = highest(&self.bids);
        let place = usize::try_from(self.die.unwrap_or(0)).ok()?.checked_rem(tied.len())?;
        tied.get(place).copied()
    }
}

/// A game in play; the points follow from the rounds.
#[derive(Clone, Debug)]
struct Bidding {
    rounds: Vec<Round>,
    open: Bids,
}

impl Bidding {
    fn new() -> Self {
        Self { rounds: Vec::new(), open: Bids::default() }
    }

    fn points(&self, player: Player) -> usize {
        self.rounds.iter().filter(|round| round.winner() == Some(player)).count()
    }

    fn is_over(&self) -> bool {
        self.rounds.len() >= ROUNDS || players().any(|player| self.points(player) >= GOAL)
    }

    /// `die.bids,die.bids,…,open bids`, with `.` for no die and `?` for no bid yet.
    fn restore(saved: &str) -> Option<Self> {
        let mut game = Self::new();
        let (rounds, open) = saved.rsplit_once(',').unwrap_or(("", saved));
        for text in rounds.split(',').filter(|text| !text.is_empty()) {
            let (die, bids) = text.split_at_checked(1)?;
            let die = if die == "." { None } else { Some(die.parse().ok()?) };
            let round = Round { bids: read_bids(bids)?, die };
            let needs_die = highest(&round.bids).len() > 1;
            let fits = die.is_none_or(|die| die < DIE_SIDES) && die.is_some() == needs_die;
            if !fits || round.bids.contains(&None) || game.is_over() {
                return None;
            }
            game.rounds.push(round);
        }
        game.open = read_bids(open)?;
        // A round in which all have chosen is no longer open, and an ended game has none.
        let chosen = game.open.iter().flatten().count();
        (chosen < game.open.len() && !(game.is_over() && chosen > 0) && game.save() == saved).then_some(game)
    }
}

impl Position for Bidding {
    fn to_move(&self) -> PlayerSet {
        if self.is_over() {
            return PlayerSet::EMPTY;
        }
        players()
            .zip(&self.open)
            .filter(|(_, bid)| bid.is_none())
            .fold(PlayerSet::EMPTY, |set, (player, _)| set.with(player))
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if !self.to_move().contains(player) {
            return Vec::new();
        }
        Bid::ALL.into_iter().map(Bid::legal_move).collect()
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        self.to_move().contains(player).then(|| Bid::Pass.notation())
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let bid = Bid::ALL.into_iter().find(|bid| bid.word() == notation.as_str()).ok_or(Refused::Illegal)?;
        if !self.to_move().contains(player) {
            return Err(Refused::Illegal);
        }
        let mut bids = self.open;
        *bids.get_mut(player.index()).ok_or(Refused::Illegal)? = Some(bid);
        if bids.contains(&None) {
            self.open = bids;
        } else {
            let die = match highest(&bids).len() {
                0 | 1 => None,
                _ => Some(chance.below(DIE_SIDES).ok_or(Refused::NeedsChance)?),
            };
            self.rounds.push(Round { bids, die });
            self.open = Bids::default();
        }
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let most = players().map(|player| self.points(player)).max()?;
        let leaders = players().filter(|player| self.points(*player) == most);
        let winners = leaders.fold(PlayerSet::EMPTY, PlayerSet::with);
        let all_equal = winners.iter().count() == usize::from(SEATS);
        Some(Outcome {
            winners: if all_equal { PlayerSet::EMPTY } else { winners },
            reason: Reason::of_game("most_points"),
            places: Vec::new(),
        })
    }

    fn state_string(&self) -> String {
        let points: Vec<String> = players().map(|player| self.points(player).to_string()).collect();
        let waiting: Vec<String> = self.to_move().iter().map(|player| player.to_string()).collect();
        format!("round {} points {} waiting {}", self.rounds.len() + 1, points.join("-"), waiting.join("-"))
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        let own = self.open.get(viewer.player.index()).copied().flatten().map_or("none", Bid::word);
        format!("{}\nYour bid: {own}\nYou: {}", self.state_string(), viewer.player)
    }

    fn public(&self) -> Map<String, Value> {
        let mut public = Map::new();
        public.insert("round".to_string(), Value::from(self.rounds.len() + 1));
        public.insert("points".to_string(), by_player(|player| Value::from(self.points(player))));
        public.insert("dice".to_string(), self.rounds.iter().map(|round| Value::from(round.die)).collect());
        public
    }

    /// A bid is sealed, whatever it is.
    fn disclosed(&self, _player: Player, _notation: &Notation) -> Option<Notation> {
        None
    }

    fn private(&self, player: Player) -> Value {
        json!({ "bid": self.open.get(player.index()).copied().flatten().map(Bid::word) })
    }

    fn hidden(&self) -> Value {
        let shown = |bids: &Bids| {
            by_player(|player| Value::from(bids.get(player.index()).copied().flatten().map(Bid::word)))
        };
        json!({
            "rounds": self.rounds.iter().map(|round| shown(&round.bids)).collect::<Vec<_>>(),
            "open": shown(&self.open),
        })
    }

    fn save(&self) -> String {
        let mut out = String::new();
        for round in &self.rounds {
            out.push_str(&round.die.map_or_else(|| ".".to_string(), |die| die.to_string()));
            push_bids(&mut out, &round.bids);
            out.push(',');
        }
        push_bids(&mut out, &self.open);
        out
    }
}

fn players() -> impl Iterator<Item = Player> {
    (0..SEATS).map(Player::new)
}

fn by_player(value: impl Fn(Player) -> Value) -> Value {
    Value::Object(players().map(|player| (player.to_string(), value(player))).collect())
}

/// Who bid the most, in seat order; nobody if all passed.
fn highest(bids: &Bids) -> Vec<Player> {
    let most = bids.iter().flatten().copied().max();
    players()
        .zip(bids)
        .filter(|(_, bid)| **bid == most && most.is_some_and(|most| most > Bid::Pass))
        .map(|(player, _)| player)
        .collect()
}

fn push_bids(out: &mut String, bids: &Bids) {
    out.extend(bids.iter().map(|bid| bid.map_or('?', Bid::letter)));
}

fn read_bids(text: &str) -> Option<Bids> {
    let read = |letter: char| match letter {
        '?' => Some(None),
        _ => Bid::ALL.into_iter().find(|bid| bid.letter() == letter).map(Some),
    };
    let bids: Vec<Option<Bid>> = text.chars().map(read).collect::<Option<_>>()?;
    bids.try_into().ok()
}
