//! Who is still in a game, and what an ended one counts for (decisions 13.5, 13.6).

use super::room::Room;
use hall_games::{BySeat, GameResult, Reason};
use hall_wire::Player;
use std::cmp::Reverse;

impl Room {
    /// Whether the others play on when a player leaves, and places are counted: at tables of more than two, but for
    /// rules that are older than that.
    pub(super) fn plays_on(&self) -> bool {
        self.seats.len() > 2 && self.position.plays_on()
    }

    pub(super) fn is_vacant(&self, player: Player) -> bool {
        self.seats.get(player.index()).is_some_and(|side| side.vacancy.is_some())
    }

    /// The players whose seats are neither vacant nor out by the rules.
    pub(super) fn seated(&self) -> Vec<Player> {
        let out = self.position.eliminated();
        self.players().filter(|player| !self.is_vacant(*player) && !out.contains(player)).collect()
    }

    /// The vacant seats, the last vacated first.
    fn vacant(&self) -> Vec<Player> {
        let mut vacant: Vec<Player> = self.players().filter(|player| self.is_vacant(*player)).collect();
        vacant.sort_by_key(|player| {
            let vacancy = self.seats.get(player.index()).and_then(|side| side.vacancy.as_ref());
            Reverse(vacancy.map(|vacancy| vacancy.order))
        });
        vacant
    }

    /// The only player who is left where others have left.
    pub(super) fn survivor(&self) -> Option<Player> {
        let is_left_alone = self.plays_on() && !self.vacant().is_empty();
        match *self.seated() {
            [survivor] if is_left_alone => Some(survivor),
            _ => None,
        }
    }

    /// The result of a game that its rules have decided, or in which one player is left.
    pub(super) fn decided(&self) -> Option<GameResult> {
        if let Some(result) = self.position.outcome() {
            return Some(self.by_the_rules(result));
        }
        let survivor = self.survivor()?;
        let last = *self.vacant().first()?;
        let vacancy = self.seats.get(last.index())?.vacancy.as_ref()?;
        Some(self.counted(GameResult::won_by(survivor, vacancy.reason.clone()), None))
    }

    /// A forfeit: everybody who is seated wins but the loser.
    pub(super) fn lost_by(&self, loser: Player, reason: Reason) -> GameResult {
        let seated = if self.plays_on() { self.seated() } else { self.players().collect() };
        let winners = seated.into_iter().filter(|player| *player != loser).collect();
        self.counted(GameResult::new(winners, false, reason), Some(loser))
    }

    /// The order of the rules, with vacant seats behind all others.
    fn by_the_rules(&self, result: GameResult) -> GameResult {
        let points = self.position.points(&result).map(BySeat);
        let (vacant, plays_on) = (self.vacant(), self.plays_on());
        let places = result.places.clone().filter(|_| plays_on);
        let result = GameResult { points, places, ..result };
        let Some(places) = result.places.as_ref().filter(|_| !vacant.is_empty()) else { return result };
        let mut ranked: Vec<(u8, Player)> = places.iter().copied().zip(self.players()).collect();
        ranked.retain(|(_, player)| !vacant.contains(player));
        ranked.sort_unstable();
        let by_place = ranked.chunk_by(|one, other| one.0 == other.0);
        let mut order: Vec<Vec<Player>> =
            by_place.map(|equal| equal.iter().map(|(_, player)| *player).collect()).collect();
        let winners = order.first().cloned().unwrap_or_default();
        order.extend(vacant.into_iter().map(|player| vec![player]));
        GameResult { winners, draw: false, places: Some(self.places(&order)), ..result }
    }

    /// An end that is not by the rules, with points as they stand and with places. `left` has ended the game by leaving.
    pub(super) fn counted(&self, result: GameResult, left: Option<Player>) -> GameResult {
        let points = self.position.points(&result).map(BySeat);
        let places = self.plays_on().then(|| self.places_of(&result, left));
        GameResult { points, places, ..result }
    }

    fn places_of(&self, result: &GameResult, left: Option<Player>) -> BySeat<u8> {
        if result.reason == Reason::ABORTED {
            return BySeat(Vec::new());
        }
        if result.draw {
            return self.places(&[self.players().collect()]);
        }
        let (seated, vacant, mut out) = (self.seated(), self.vacant(), self.position.eliminated());
        out.retain(|player| !vacant.contains(player));
        let mut order = vec![result.winners.clone(), seated];
        order.extend(out.into_iter().rev().map(|player| vec![player]));
        order.extend(vacant.into_iter().map(|player| vec![player]));
        // Who has just left is behind all but those who left before.
        if let Some(left) = left {
            order.iter_mut().for_each(|equal| equal.retain(|player| *player != left));
            let behind = order.len() - self.vacant().len();
            order.insert(behind, vec![left]);
        }
        self.places(&order)
    }

    /// The place of each seat in an order of equal players: one more than how many are before it.
    fn places(&self, order: &[Vec<Player>]) -> BySeat<u8> {
        let place = |player: Player| {
            let before = order.iter().take_while(|equal| !equal.contains(&player));
            let mut ahead: Vec<Player> = before.flatten().copied().collect();
            ahead.sort_unstable();
            ahead.dedup();
            u8::try_from(ahead.len() + 1).unwrap_or(u8::MAX)
        };
        BySeat(self.players().map(place).collect())
    }
}
