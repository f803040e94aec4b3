//! `--pgn FILE`: the record of each ended game, appended as the games end.

use super::report;
use hall_client::Client;
use hall_client::wire::GameId;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A file of games. Games are fetched one after the other, beside the playing.
#[derive(Debug)]
pub(super) struct PgnFile {
    path: PathBuf,
    file: File,
    ended: UnboundedReceiver<GameId>,
    /// Ended games that are not in the file yet.
    missing: VecDeque<GameId>,
}

impl PgnFile {
    /// Opens the file for appending, and returns the sender for ended games.
    ///
    /// # Errors
    /// It cannot be opened for writing.
    pub(super) fn open(path: &Path) -> io::Result<(Self, UnboundedSender<GameId>)> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let (sender, ended) = unbounded_channel();
        Ok((Self { path: path.to_owned(), file, ended, missing: VecDeque::new() }, sender))
    }

    /// Appends games as they end, until all senders are dropped. It may be dropped at any await and called again: each
    /// game is written once.
    pub(super) async fn keep(&mut self, client: &Client) {
        loop {
            while let Ok(game) = self.ended.try_recv() {
                self.missing.push_back(game);
            }
            if let Some(game) = self.missing.front().copied() {
                let fetched = client.pgn(&game).await;
                self.missing.pop_front();
                match fetched {
                    Ok(text) => self.append(&game, &text),
                    Err(error) => report::print(&format!("{game}: its PGN cannot be fetched: {error}")),
                }
                continue;
            }
            match self.ended.recv().await {
                Some(game) => self.missing.push_back(game),
                None => return,
            }
        }
    }

    /// One write for one game, so that files that several agents append to stay readable.
    fn append(&mut self, game: &GameId, text: &str) {
        let record = format!("{}\n\n", text.trim_end());
        if let Err(error) = self.file.write_all(record.as_bytes()) {
            report::print(&format!("{game}: its PGN cannot be written to {}: {error}", self.path.display()));
        }
    }
}
