//! The players at the table: strikes, vacant seats, and what an end is worth to each (decisions 13.5 and 13.6).

use hall_games::{BySeat, GameResult, PlayerSet, Position, Reason};
use hall_wire::Player;
use std::cmp::Reverse;

/// Who sits at the table.
pub(super) struct Table {
    seats: u8,
    /// Whether the others play on when a player leaves.
    plays_on: bool,
    /// By seat.
    strikes: Vec<u32>,
    /// The vacant seats, in the order in which they were vacated.
    vacated: Vec<Vacancy>,
}

/// How a seat became vacant.
#[derive(Clone)]
pub(super) struct Vacancy {
    pub(super) turn_index: u32,
    pub(super) player: Player,
    pub(super) reason: String,
}

impl Table {
    pub(super) fn new(seats: usize, plays_on: bool) -> Self {
        let seats_numbered = u8::try_from(seats).unwrap_or(u8::MAX);
        Self { seats: seats_numbered, plays_on, strikes: vec![0; seats], vacated: Vec::new() }
    }

    fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..self.seats).map(Player::new)
    }

    /// Whether draws can be offered at a table of so many.
    pub(super) const fn is_of_two(&self) -> bool {
        self.seats == 2
    }

    /// Gives a strike; how many the player has then.
    pub(super) fn strike(&mut self, player: Player) -> u32 {
        self.strikes.get_mut(player.index()).map_or(u32::MAX, |strikes| {
            *strikes += 1;
            *strikes
        })
    }

    pub(super) fn vacate(&mut self, vacancy: Vacancy) {
        self.vacated.push(vacancy);
    }

    /// How the seat of `player` became vacant, if it is.
    pub(super) fn vacancy(&self, player: Player) -> Option<&Vacancy> {
        self.vacated.iter().find(|vacancy| vacancy.player == player)
    }

    /// How many seats became vacant in a turn.
    pub(super) fn vacated_in(&self, turn_index: u32) -> usize {
        self.vacated.iter().filter(|vacancy| vacancy.turn_index == turn_index).count()
    }

    /// The players who are neither vacant nor out by the rules.
    pub(super) fn seated(&self, position: &dyn Position) -> PlayerSet {
        let present: PlayerSet = self.players().filter(|player| self.vacancy(*player).is_none()).collect();
        position.eliminated().into_iter().fold(present, PlayerSet::without)
    }

    /// Whether the game goes on when this player leaves.
    pub(super) fn goes_on_without(&self, player: Player, position: &dyn Position) -> bool {
        self.plays_on && self.seated(position).without(player).iter().count() >= 2
    }

    /// Who is left when `player` leaves.
    pub(super) fn others(&self, player: Player, position: &dyn Position) -> Vec<Player> {
        let all = || self.players().collect();
        let seated: PlayerSet = if self.plays_on { self.seated(position) } else { all() };
        seated.without(player).iter().collect()
    }

    /// How the game ended, if its rules have decided it or one player is left.
    pub(super) fn decided(&self, position: &dyn Position) -> Option<GameResult> {
        if let Some(outcome) = position.outcome() {
            let by_rules = outcome.places.clone();
            let mut result = GameResult::from(outcome);
            result.points = position.points(&result).map(BySeat);
            result.places = None;
            if self.plays_on {
                let place = |player: Player| by_rules.get(player.index()).copied().unwrap_or(u8::MAX);
                let places = self.ranking(|player| match self.vacated_at(player) {
                    None => (0, place(player), Reverse(0)),
                    Some(order) => (1, 0, Reverse(order)),
                });
                if !self.vacated.is_empty() {
                    let first = self.players().zip(&places).filter(|(_, place)| **place == 1);
                    (result.winners, result.draw) = (first.map(|(player, _)| player).collect(), false);
                }
                result.places = Some(BySeat(places));
            }
            return Some(result);
        }
        let last = self.vacated.last()?;
        let mut seated = self.seated(position).iter();
        let survivor = seated.next().filter(|_| seated.next().is_none())?;
        let result = GameResult::won_by(survivor, Reason::named(&last.reason));
        Some(self.counted(result, None, position))
    }

    /// A result that is not by the rules, with points and places: winners first, then who is seated, then who is out, the
    /// last first, then who has left, `left` before the others and the first of them last.
    pub(super) fn counted(
        &self,
        result: GameResult,
        left: Option<Player>,
        position: &dyn Position,
    ) -> GameResult {
        let points = position.points(&result).map(BySeat);
        let eliminated = position.eliminated();
        let places = self.plays_on.then(|| {
            if result.winners.is_empty() && !result.draw {
                return BySeat(Vec::new());
            }
            BySeat(self.ranking(|player| {
                let is_out = eliminated.iter().position(|out| *out == player);
                match (self.vacated_at(player), is_out) {
                    _ if result.draw || result.winners.contains(&player) => (0, Reverse(0)),
                    _ if left == Some(player) => (3, Reverse(usize::MAX)),
                    (Some(order), _) => (3, Reverse(order)),
                    (None, Some(order)) => (2, Reverse(order)),
                    (None, None) => (1, Reverse(0)),
                }
            }))
        });
        GameResult { points, places, ..result }
    }

    fn vacated_at(&self, player: Player) -> Option<usize> {
        self.vacated.iter().position(|vacancy| vacancy.player == player)
    }

    /// The place of each seat: equal ranks share the better one.
    fn ranking<R: Ord>(&self, rank: impl Fn(Player) -> R) -> Vec<u8> {
        let ranks: Vec<R> = self.players().map(rank).collect();
        let before = |own: &R| ranks.iter().filter(|other| *other < own).count();
        ranks.iter().map(|own| u8::try_from(before(own) + 1).unwrap_or(u8::MAX)).collect()
    }
}
