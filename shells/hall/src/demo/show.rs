//! What is shown: on a terminal a board and a table that are redrawn in place, elsewhere plain lines.

use super::board::{last_moves, names, standing};
use super::results::Results;
use hall_core::rooms::{Room, picture};
use hall_driver::{ArchiveError, Engine};
use hall_tools::terminal::Terminal;
use hall_tools::watch::position;
use hall_wire::{GameId, Player};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// Between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(150);
/// How many looks the end of the game on the board stays.
const LOOKS_AT_AN_END: u32 = 15;
/// Ended games, and full moves of the game on the board, that are listed: all fits 24 lines.
const LINES: usize = 5;
/// Attributes of text on the terminal: bold and faint.
const BOLD: &str = "1";
const FAINT: &str = "2";
/// Switches to the terminal's other screen and hides the cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
/// Undoes [`ENTER`].
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// Looks at the hall and shows what is new.
pub(super) struct Show {
    engine: Engine,
    url: String,
    terminal: Terminal,
    /// After how many ended games to end.
    games: Option<u64>,
    results: Results,
    known: BTreeSet<GameId>,
    ended: BTreeSet<GameId>,
    /// How the last games ended, newest last.
    news: Vec<String>,
    /// The game on the board, and for how many looks it has been over.
    followed: Option<(Arc<Room>, u32)>,
    /// Turns of the followed game that were told in lines.
    told: usize,
}

impl Show {
    pub(super) fn new(
        engine: Engine,
        url: String,
        terminal: Terminal,
        results: Results,
        games: Option<u64>,
    ) -> Self {
        Self {
            engine,
            url,
            terminal,
            games,
            results,
            known: BTreeSet::new(),
            ended: BTreeSet::new(),
            news: Vec::new(),
            followed: None,
            told: 0,
        }
    }

    /// Shows until as many games have ended as were asked for, or until the hall stops.
    pub(super) async fn run(&mut self) {
        if self.terminal.redraws {
            out(ENTER);
        } else {
            out(&format!("{}\n", self.heading()));
        }
        loop {
            let Ok(live) = self.engine.read(|hall| live_rooms(hall.rooms().iter())).await else { return };
            if let Err(error) = self.look(&live) {
                tracing::error!(%error, "an ended game cannot be read");
            }
            if self.terminal.redraws {
                self.draw(&live);
            }
            if self.games.is_some_and(|games| self.results.games >= games) {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Gives the terminal back and says how it went.
    pub(super) fn finish(&self) {
        if self.terminal.redraws {
            out(LEAVE);
        }
        let games = self.results.games;
        out(&format!("\n{games} game{} ended.\n{}", if games == 1 { "" } else { "s" }, self.results));
    }

    fn heading(&self) -> String {
        format!(
            "Watch:  {url} in a browser\nPlay:   hall agent --hall {url} --handle ada\nStop:   Ctrl-C",
            url = self.url
        )
    }

    fn look(&mut self, live: &[Arc<Room>]) -> Result<(), ArchiveError> {
        let ended = self.newly_ended()?;
        for room in &ended {
            self.tell_start(room);
            self.results.count(room);
            let text = format!("{}: {}", names(room), standing(room));
            self.line(&format!("{}  {text}", room.id()));
            self.news.push(text);
        }
        for room in live {
            self.tell_start(room);
        }
        self.follow(live, &ended)
    }

    fn tell_start(&mut self, room: &Room) {
        if self.known.insert(room.id()) {
            self.line(&format!("{}  {}: started", room.id(), names(room)));
        }
    }

    /// Ended games that were not seen before, oldest first.
    fn newly_ended(&mut self) -> Result<Vec<Arc<Room>>, ArchiveError> {
        let archive = self.engine.archive();
        let (mut new, mut before) = (BTreeMap::new(), None);
        loop {
            let page = archive.ended_games(before, 50)?;
            let Some(last) = page.last().copied() else { break };
            let fresh: Vec<_> = page.into_iter().filter(|game| !self.ended.contains(game)).collect();
            let all_known = fresh.is_empty();
            for game in fresh {
                // One that is on the disk and not shown yet is new at a later look.
                if let Some(room) = archive.ended_room(&game)? {
                    self.ended.insert(game);
                    new.insert((room.ended_at(), game), room);
                }
            }
            if all_known {
                break;
            }
            before = Some(last);
        }
        Ok(new.into_values().collect())
    }

    /// Keeps to a game until some time after its end, then takes the newest live one in which something happened, or else
    /// one that was played between two looks.
    fn follow(&mut self, live: &[Arc<Room>], ended: &[Arc<Room>]) -> Result<(), ArchiveError> {
        let mut next = match self.followed.take() {
            Some((room, over)) => match live.iter().find(|other| other.id() == room.id()) {
                Some(room) => Some((Arc::clone(room), 0)),
                None if over >= LOOKS_AT_AN_END => None,
                None => {
                    let ended = self.engine.archive().ended_room(&room.id())?;
                    Some((ended.unwrap_or(room), over + 1))
                }
            },
            None => None,
        };
        if next.is_none() {
            let begun = live.iter().rfind(|room| !room.turns().is_empty());
            next = begun.or(ended.last()).or(live.last()).map(|room| (Arc::clone(room), 0));
            self.told = 0;
        }
        if let Some((room, _)) = &next {
            self.tell_turns(room);
        }
        self.followed = next;
        Ok(())
    }

    /// In lines, the moves of the followed game are told as they come.
    fn tell_turns(&mut self, room: &Room) {
        let new = room.turns().len().saturating_sub(self.told);
        if new > 0 {
            self.told = room.turns().len();
            self.line(&format!("{}  {}", room.id(), last_moves(room, new)));
        }
    }

    fn line(&self, text: &str) {
        if !self.terminal.redraws {
            out(&format!("{text}\n"));
        }
    }

    fn draw(&self, live: &[Arc<Room>]) {
        let mut lines: Vec<String> = self.heading().lines().map(str::to_owned).collect();
        lines.push(String::new());
        let mut board = Board::NONE;
        if let Some((room, _)) = &self.followed {
            lines.push(self.terminal.paint(BOLD, &format!("{}: {}", names(room), standing(room))));
            board = self.board(room);
        }
        lines.extend(beside(&board, &self.results.to_string()));
        if let Some((room, _)) = &self.followed {
            lines.push(last_moves(room, LINES * 2));
        }
        lines.push(String::new());
        let others =
            live.iter().filter(|room| self.followed.as_ref().is_none_or(|(own, _)| own.id() != room.id()));
        lines
            .extend(others.take(LINES).map(|room| format!("also live: {}: {}", names(room), standing(room))));
        let ended = self.news.iter().rev().take(LINES);
        lines.extend(ended.map(|text| self.terminal.paint(FAINT, &format!("ended:     {text}"))));
        let frame: Vec<String> = lines.iter().map(|line| format!("{line}\x1b[K\r\n")).collect();
        out(&format!("\x1b[H{}\x1b[J", frame.concat()));
    }

    /// What can be seen of a game.
    fn board(&self, room: &Room) -> Board {
        let named = |player: Player| {
            room.seat(player).map_or_else(|| player.to_string(), |seat| seat.seat.handle.to_string())
        };
        Board::of(position(&picture(room), self.terminal, named))
    }
}

/// Lines that all take `width` columns.
struct Board {
    lines: Vec<String>,
    width: usize,
}

impl Board {
    const NONE: Self = Self { lines: Vec::new(), width: 0 };

    fn of(lines: Vec<String>) -> Self {
        let width = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
        let filled =
            lines.iter().map(|line| format!("{line}{}", " ".repeat(width.saturating_sub(columns(line)))));
        Self { lines: filled.collect(), width }
    }
}

/// How many columns a line takes: a sequence that sets colours, `ESC [ … m`, takes none.
fn columns(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().chars().count();
    first + parts.map(|part| part.split_once('m').map_or("", |(_, text)| text).chars().count()).sum::<usize>()
}

/// The lines of a board with a text to the right of it.
fn beside(board: &Board, text: &str) -> Vec<String> {
    let mut texts = text.lines();
    let gap = " ".repeat(board.width);
    let mut lines: Vec<String> =
        board.lines.iter().map(|line| format!("{line}   {}", texts.next().unwrap_or_default())).collect();
    lines.extend(texts.map(|text| format!("{gap}   {text}")));
    lines
}

fn live_rooms<'a>(rooms: impl Iterator<Item = &'a Arc<Room>>) -> Vec<Arc<Room>> {
    rooms.filter(|room| room.result().is_none()).map(Arc::clone).collect()
}

/// Errors are ignored: the games go on when nobody reads any more.
fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
