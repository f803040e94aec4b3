//! The commentary that players sent with their moves, by the number of the fact that holds it.
//!
//! Commentary is on disk, not in memory. A view shows all of a game, so what was read is cached for the next view.

use crate::lock::lock;
use hall_core::rooms::Room;
use hall_driver::{Archive, ArchiveError};
use hall_wire::GameId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The number of games whose commentary is cached.
const GAMES: usize = 1_024;

/// The commentary of one game.
type Texts = Arc<BTreeMap<u32, String>>;

/// Commentary that was read before.
#[derive(Default)]
pub(crate) struct CommentaryCache(Mutex<Cached>);

#[derive(Default)]
struct Cached {
    /// How many texts were withheld when these were read; when that number changes, all are read again.
    withheld: usize,
    games: BTreeMap<GameId, Texts>,
}

impl CommentaryCache {
    /// All commentary of a game whose state is durable; `withheld` is the number of texts that the hall withholds.
    pub(crate) fn of(&self, archive: &Archive, room: &Room, withheld: usize) -> Result<Texts, ArchiveError> {
        let numbers: Vec<u32> = room.turns().iter().filter_map(|turn| turn.commentary_in).collect();
        if numbers.is_empty() {
            return Ok(Texts::default());
        }
        let known = {
            let mut kept = lock(&self.0);
            if kept.withheld != withheld {
                *kept = Cached { withheld, games: BTreeMap::new() };
            }
            kept.games.get(&room.id()).cloned().unwrap_or_default()
        };
        let missing: Vec<u32> =
            numbers.iter().copied().filter(|number| !known.contains_key(number)).collect();
        if missing.is_empty() {
            return Ok(known);
        }
        let mut words = BTreeMap::clone(&known);
        for number in missing {
            for fact in archive.room_facts(&room.id(), number, 1)? {
                let said = fact.event.and_then(|event| event.commentary);
                words.extend(said.filter(|_| fact.number == number).map(|text| (number, text)));
            }
        }
        let words = Arc::new(words);
        let Cached { withheld: now, games } = &mut *lock(&self.0);
        if *now != withheld {
            return Ok(words);
        }
        if games.len() >= GAMES && !games.contains_key(&room.id()) {
            // Games sort by age: the oldest is the likeliest to be over.
            games.pop_first();
        }
        games.insert(room.id(), Arc::clone(&words));
        Ok(words)
    }
}
