//! How a researcher reads the log: the newest checkpoint and what is new, and then something that is old.

use super::library::Finding;
use super::log_copy::{LogTile, WIDTH};
use super::researcher::Researcher;
use hall_client::wire::Digest;
use serde_json::Value;

impl Researcher {
    /// Reads the log up to its newest checkpoint, and looks once at something older.
    pub(super) async fn study_log(&mut self) -> Option<()> {
        let note = self.get("/log/checkpoint").await.filter(|answer| answer.status == 200)?;
        let taken = self.log.take_note(&String::from_utf8_lossy(&note.bytes));
        self.report(taken.err());
        while let Some(tile) = self.log.next_tile() {
            self.read_tile(tile).await?;
        }
        match self.log_dice.below(8) {
            0 | 1 => self.read_older_tile().await,
            2 => self.read_bundle().await,
            3 => self.read_upper_tile().await,
            4 => self.read_proof().await,
            5 => self.read_proofs_of_game().await,
            6 => self.read_early_tile().await,
            _ => self.read_consistency().await,
        }
    }

    async fn read_tile(&mut self, tile: LogTile) -> Option<()> {
        let bytes = self.file(&path_of(&tile.level.to_string(), tile)).await?;
        let taken = self.log.take_tile(tile, &bytes);
        let is_wrong = taken.is_err();
        self.report(taken.err());
        // A tile that is wrong would be read for ever.
        (!is_wrong).then_some(())
    }

    /// A tile of leaves in a width that it had, or may have had, earlier.
    async fn read_older_tile(&mut self) -> Option<()> {
        let tile = self.some_tile()?;
        self.read_tile(tile).await?;
        self.mark(if tile.width < WIDTH { "read an older partial tile" } else { "read a full tile again" });
        Some(())
    }

    /// A tile of leaves that no checkpoint covers yet, as far as is known. If it is there, then so is its checkpoint.
    async fn read_early_tile(&mut self) -> Option<()> {
        let size = self.log.newest() + self.log_dice.between(1, 6);
        let (index, width) = ((size - 1) / WIDTH, (size - 1) % WIDTH + 1);
        let answer = self.get(&path_of("0", LogTile { level: 0, index, width })).await?;
        let note = self.get("/log/checkpoint").await.filter(|answer| answer.status == 200)?;
        let taken = self.log.take_note(&String::from_utf8_lossy(&note.bytes));
        self.report(taken.err());
        let newest = self.log.newest();
        let is_early = answer.status == 200 && newest < size;
        self.report(
            is_early.then(|| ("G3", format!("{size} leaves are told when {newest} have a checkpoint"))),
        );
        self.mark("asked for a tile that has no checkpoint yet");
        Some(())
    }

    async fn read_bundle(&mut self) -> Option<()> {
        let tile = self.some_tile()?;
        let bytes = self.file(&path_of("entries", tile)).await?;
        self.report(self.log.take_bundle(tile, &bytes).err());
        self.mark("read a bundle of leaves");
        Some(())
    }

    async fn read_upper_tile(&mut self) -> Option<()> {
        let most = self.log.known() / WIDTH;
        let width = self.log_dice.between(1, most);
        self.read_tile(LogTile { level: 1, index: 0, width: (most > 0).then_some(width)? }).await?;
        self.mark("read an upper tile");
        Some(())
    }

    async fn read_proof(&mut self) -> Option<()> {
        let leaf = self.log_dice.below(self.log.newest());
        let answer = self.document(&format!("/api/log/proof?leaf={leaf}")).await?;
        let proof = answer.get("proof")?;
        self.take_inclusion(proof.get("note")?.as_str()?, proof);
        self.mark("verified the place of a leaf");
        Some(())
    }

    async fn read_proofs_of_game(&mut self) -> Option<()> {
        let games = self.library.ended();
        let game = *self.log_dice.pick(&games)?;
        let answer = self.document(&format!("/api/games/{game}/proof")).await?;
        let proof = answer.get("proof")?;
        let note = proof.get("note")?.as_str()?;
        proof.get("leaves")?.as_array()?.iter().for_each(|leaf| self.take_inclusion(note, leaf));
        self.mark("verified the places of a game's leaves");
        Some(())
    }

    async fn read_consistency(&mut self) -> Option<()> {
        let sizes = self.log.sizes();
        let (one, other) = (*self.log_dice.pick(&sizes)?, *self.log_dice.pick(&sizes)?);
        let (from, to) = (one.min(other).max(1), one.max(other).max(1));
        let answer = self.document(&format!("/api/checkpoint/consistency?from={from}&to={to}")).await?;
        let path = digests(answer.get("path")?)?;
        self.report(self.log.take_consistency(from, to, &path).err());
        self.mark("verified that one checkpoint follows another");
        Some(())
    }

    /// Part of a tile of leaves that is known, from its beginning.
    fn some_tile(&mut self) -> Option<LogTile> {
        let known = self.log.known();
        let index = self.log_dice.below(known.div_ceil(WIDTH));
        let most = known.saturating_sub(index * WIDTH).min(WIDTH);
        let width = if self.log_dice.permille(300) { most } else { self.log_dice.between(1, most) };
        (most > 0).then_some(LogTile { level: 0, index, width })
    }

    fn take_inclusion(&mut self, note: &str, leaf: &Value) {
        let place = leaf.get("leaf_index").and_then(Value::as_u64);
        let hash = leaf.get("leaf_hash").and_then(Value::as_str).and_then(Digest::parse);
        let path = leaf.get("path").and_then(digests);
        let found: Result<(), Finding> = match (place, hash, path) {
            (Some(place), Some(hash), Some(path)) => self.log.take_inclusion(note, (place, hash), &path),
            _ => Err(("G1", format!("no proof: {leaf}"))),
        };
        self.report(found.err());
    }

    /// The bytes of a file that must be there.
    async fn file(&self, path: &str) -> Option<Vec<u8>> {
        let answer = self.get(path).await?;
        if answer.status == 200 {
            return Some(answer.bytes);
        }
        self.report(Some((
            "G1",
            format!("{path} is covered by a checkpoint, and answered {}", answer.status),
        )));
        None
    }
}

/// Where a tile or bundle lies.
fn path_of(level: &str, tile: LogTile) -> String {
    let partial = if tile.width < WIDTH { format!(".p/{}", tile.width) } else { String::new() };
    format!("/log/tile/{level}/{:03}{partial}", tile.index)
}

fn digests(list: &Value) -> Option<Vec<Digest>> {
    list.as_array()?.iter().map(|hash| Digest::parse(hash.as_str()?)).collect()
}
