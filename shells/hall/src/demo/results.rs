//! The table of results.

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
    /// How the agent chooses its moves; empty for a guest.
    plays: &'static str,
    wins: u64,
    draws: u64,
    losses: u64,
}

impl Results {
    /// A table with a row for each agent of the demo, before any game.
    pub(super) fn of<'a>(players: impl IntoIterator<Item = (&'a str, &'static str)>) -> Self {
        let row = |(handle, plays): (&str, _)| (handle.to_owned(), Row { plays, ..Row::default() });
        Self { rows: players.into_iter().map(row).collect(), games: 0 }
    }

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
        writeln!(out, "{:<14} {:<9} {:>4} {:>5} {:>4}", "agent", "plays", "won", "drawn", "lost")?;
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(handle, row)| (std::cmp::Reverse(2 * row.wins + row.draws), row.losses, *handle));
        for (handle, Row { plays, wins, draws, losses }) in rows {
            writeln!(out, "{handle:<14} {plays:<9} {wins:>4} {draws:>5} {losses:>4}")?;
        }
        Ok(())
    }
}
