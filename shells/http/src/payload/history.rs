//! The history of a view: every turn as one player sees it, each written once.

use super::authored::{Authored, SPOKEN};
use super::schema::{Components, Schema, payload};
use hall_core::rooms::{ForcedCause, ResolvedTurn, Room, TurnPlace};
use hall_wire::json::Value;
use hall_wire::{Notation, Player, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

payload! {
    /// One resolved turn.
    pub HistoryEntry as "HistoryEntry" {
        /// Its index.
        turn_index: u32,
        /// Whose turn it was; null for an adjudication or abort.
        player: Option<Player>,
        /// The move applied; null if none was, or while the game is live and the move is sealed.
        r#move: Option<Notation>,
        /// The move in the notation of the game.
        notation: Option<Notation>,
        /// The move as people write it.
        san: Option<Notation>,
        /// What the player said with it; null if nothing.
        commentary: Option<Authored<String>>,
        /// When it was resolved.
        at: Timestamp,
        /// `deadline`, `illegal_moves` or `vacated` where the hall acted in the player's place, else null.
        forced: Option<&'static str>,
    }
}

impl HistoryEntry {
    fn of(turn: &ResolvedTurn, said: Option<String>) -> Self {
        Self {
            turn_index: turn.turn_index,
            player: turn.player,
            r#move: turn.notation,
            notation: turn.notation,
            san: turn.san,
            commentary: said.map(Authored),
            at: turn.at,
            forced: turn.forced.map(ForcedCause::as_str),
        }
    }
}

/// The resolved turns of a game as one player sees it, oldest first. It is cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct History {
    turns: Arc<Vec<WrittenTurn>>,
    /// The place in the game's turns behind the last of these.
    end: TurnPlace,
    /// Whether the game had ended, so that every move is disclosed.
    is_final: bool,
    /// So many of the first entries are left out.
    left_out: usize,
}

/// The [`HistoryEntry`] that tells of a turn.
#[derive(Clone, Debug)]
struct WrittenTurn {
    index: u32,
    entry: Arc<RawValue>,
    has_commentary: bool,
}

impl History {
    /// The history of a game as `player` sees it. What `known` has, which was made before of the same game and for the same
    /// player, is taken as it was written: what is disclosed of a move changes with the end of the game alone
    /// ([`hall_games::Position::disclosed`]). `said` finds what a player said by the number of the fact that keeps it (see
    /// [`ResolvedTurn::commentary_in`]).
    ///
    /// # Errors
    /// Those of `said`.
    pub fn of<E>(
        room: &Room,
        player: Player,
        known: Self,
        mut said: impl FnMut(u32) -> Result<Option<String>, E>,
    ) -> Result<Self, E> {
        let is_final = room.result().is_some();
        let goes_on = known.is_final == is_final && known.len() <= room.turns().len();
        let known = if goes_on { known } else { Self::default() };
        let Self { mut turns, end, .. } = known;
        if end != room.turns().end() {
            let turns = Arc::make_mut(&mut turns);
            for turn in room.turns().since(end) {
                let said = turn.commentary_in.map(&mut said).transpose()?.flatten();
                turns.push(WrittenTurn::of(&room.turn_for(Some(player), &turn), said));
            }
        }
        Ok(Self { turns, end: room.turns().end(), is_final, left_out: 0 })
    }

    /// How many entries it has, those that are left out among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether no turn is resolved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Keeps the entries of the last `most` turns and leaves out those before. Players who share a turn have an entry each.
    pub fn keep_last_turns(&mut self, most: usize) {
        let turns: Vec<&[WrittenTurn]> = self.turns.chunk_by(|one, next| one.index == next.index).collect();
        let left_out = turns.len().saturating_sub(most);
        self.left_out = turns.into_iter().take(left_out).map(<[_]>::len).sum();
    }
}

impl WrittenTurn {
    /// # Panics
    /// Never: an entry has plain values, which can be written.
    fn of(turn: &ResolvedTurn, said: Option<String>) -> Self {
        let (index, has_commentary) = (turn.turn_index, said.is_some());
        let entry = to_raw_value(&HistoryEntry::of(turn, said)).expect("an entry has plain values");
        Self { index, entry: entry.into(), has_commentary }
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.turns.iter().skip(self.left_out))
    }
}

impl Serialize for WrittenTurn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.has_commentary {
            serializer.serialize_newtype_struct(SPOKEN, &*self.entry)
        } else {
            self.entry.serialize(serializer)
        }
    }
}

impl Schema for History {
    fn schema(components: &mut Components) -> Value {
        Vec::<HistoryEntry>::schema(components)
    }
}
