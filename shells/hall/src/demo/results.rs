//! Who won how often.

use hall_core::rooms::Room;
use std::collections::BTreeMap;
use std::fmt;

/// Games by handle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    rows: BTreeMap<String, Row>,
    /// All games that ended.
    pub(super) games: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Row {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl Results {
    /// Counts an ended game.
    pub(super) fn count(&mut self, room: &Room) {
        let Some(result) = room.result() else { return };
        self.games += 1;
        for (player, seat) in room.players().zip(room.seats()) {
            let row = self.rows.entry(seat.seat.handle.to_string()).or_default();
            if result.draw {
                row.draws += 1;
            } else if result.winners.contains(&player) {
                row.wins += 1;
            } else if !result.winners.is_empty() {
                row.losses += 1;
            }
        }
    }
}

impl fmt::Display for Results {
    /// One line an agent, best score first: a win counts two, a draw one.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<14} {:>5} {:>5} {:>6}", "agent", "won", "drawn", "lost")?;
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(handle, row)| (std::cmp::Reverse(2 * row.wins + row.draws), row.losses, *handle));
        for (handle, Row { wins, draws, losses }) in rows {
            writeln!(out, "{handle:<14} {wins:>5} {draws:>5} {losses:>6}")?;
        }
        Ok(())
    }
}
