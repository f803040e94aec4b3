//! The histories of games, as their players saw them last.
//!
//! An agent looks at its game once a turn, and all of the history but the newest turns is what it was. So a history is kept
//! as it was written, and only what is new is made and written: commentary, for one, is on disk and not in memory.

use crate::lock::lock;
use crate::payload::History;
use hall_core::rooms::Room;
use hall_wire::{GameId, Player};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The number of turns that are kept, over all histories: some hundred bytes each, and what was said.
const TURNS: usize = 65_536;

/// Histories that were made before.
#[derive(Default)]
pub(crate) struct Histories(Mutex<CachedHistories>);

#[derive(Default)]
struct CachedHistories {
    /// How many texts were withheld when these were made; when that number changes, all are made again.
    withheld: usize,
    /// How many turns these have.
    turns: usize,
    of: BTreeMap<(GameId, Player), History>,
}

impl Histories {
    /// The history of a game whose state is durable, as `player` sees it; `withheld` is the number of texts that the hall
    /// withholds. `said` finds what a player said (see [`History::of`]).
    ///
    /// # Errors
    /// Those of `said`.
    pub(crate) fn of<E>(
        &self,
        room: &Room,
        player: Player,
        withheld: usize,
        said: impl FnMut(u32) -> Result<Option<String>, E>,
    ) -> Result<History, E> {
        let known = lock(&self.0).known(room.id(), player, withheld);
        let history = History::of(room, player, known, said)?;
        lock(&self.0).keep(room.id(), player, withheld, &history);
        Ok(history)
    }
}

impl CachedHistories {
    fn known(&mut self, game: GameId, player: Player, withheld: usize) -> History {
        if self.withheld != withheld {
            *self = Self { withheld, ..Self::default() };
        }
        self.of.get(&(game, player)).cloned().unwrap_or_default()
    }

    fn keep(&mut self, game: GameId, player: Player, withheld: usize, history: &History) {
        // A text was withheld meanwhile.
        if self.withheld != withheld {
            return;
        }
        self.turns += history.len();
        if let Some(before) = self.of.insert((game, player), history.clone()) {
            self.turns -= before.len();
        }
        while self.turns > TURNS
            && let Some((_, oldest)) = self.of.pop_first()
        {
            // Games sort by age: the oldest is the likeliest to be over.
            self.turns -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::tests::world::World;

    const PLAYER: Player = Player::new(0);

    fn game(number: u64) -> GameId {
        GameId::from_bytes(u128::from(number).to_be_bytes())
    }

    fn of_three_turns() -> History {
        let mut world = World::started();
        for notation in ["e2e4", "e7e5", "g1f3"] {
            world.play(notation, None);
        }
        world.history(PLAYER)
    }

    #[test]
    fn the_oldest_games_are_forgotten_when_there_are_too_many_turns() {
        let (history, mut kept) = (of_three_turns(), CachedHistories::default());
        let fits = u64::try_from(TURNS / history.len()).unwrap();
        for number in 0..=fits {
            kept.keep(game(number), PLAYER, 0, &history);
            kept.keep(game(number), PLAYER, 0, &history);
        }
        assert_eq!((kept.of.len(), kept.turns), (TURNS / 3, TURNS / 3 * 3));
        assert!(kept.known(game(0), PLAYER, 0).is_empty());
        assert!(kept.known(game(fits), Player::new(1), 0).is_empty(), "the other player sees another game");
        assert_eq!(kept.known(game(fits), PLAYER, 0).len(), 3);
    }

    #[test]
    fn nothing_is_kept_of_before_a_text_was_withheld() {
        let (history, mut kept) = (of_three_turns(), CachedHistories::default());
        kept.keep(game(1), PLAYER, 0, &history);
        assert!(kept.known(game(1), PLAYER, 1).is_empty());
        kept.keep(game(1), PLAYER, 0, &history);
        assert!(kept.known(game(1), PLAYER, 1).is_empty(), "it was made before");
    }
}
