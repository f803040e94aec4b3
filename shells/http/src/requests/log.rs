//! The names of the raw files of the log (C2SP tlog-tiles).

use super::query::digits;

/// A raw file of the log (C2SP tlog-tiles).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFile {
    /// The newest checkpoint.
    Checkpoint,
    /// Hashes of one level.
    Tile {
        level: u32,
        index: u64,
        /// How many of them; `None` for all 256.
        width: Option<u64>,
    },
    /// Leaves.
    Entries { index: u64, width: Option<u64> },
}

/// Levels of tiles that there can be.
const LEVELS: u64 = 64;

impl LogFile {
    /// Reads a path behind `/log/`; `None` if no file is called so.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        if path == "checkpoint" {
            return Some(Self::Checkpoint);
        }
        let (level, rest) = path.strip_prefix("tile/")?.split_once('/')?;
        let (number, width) = match rest.split_once(".p/") {
            Some((number, width)) => (number, Some(digits(width).filter(|width| (1..=255).contains(width))?)),
            None => (rest, None),
        };
        let index = tile_number(number)?;
        if level == "entries" {
            return Some(Self::Entries { index, width });
        }
        let level =
            digits(level).filter(|level| *level < LEVELS).and_then(|level| u32::try_from(level).ok())?;
        Some(Self::Tile { level, index, width })
    }
}

/// Three digits each, all but the last group with an `x` before them, and no group of zeros at the front.
fn tile_number(text: &str) -> Option<u64> {
    let mut number = 0_u64;
    let groups: Vec<&str> = text.split('/').collect();
    let (last, before) = groups.split_last()?;
    for (place, group) in before.iter().map(|group| group.strip_prefix('x')).chain([Some(*last)]).enumerate()
    {
        let group =
            group.filter(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()))?;
        if place == 0 && !before.is_empty() && group == "000" {
            return None;
        }
        number = number.checked_mul(1_000)?.checked_add(group.parse().ok()?)?;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_log_have_their_standard_names() {
        let tile = |level, index, width| Some(LogFile::Tile { level, index, width });
        for (path, file) in [
            ("checkpoint", Some(LogFile::Checkpoint)),
            ("tile/0/000", tile(0, 0, None)),
            ("tile/1/067", tile(1, 67, None)),
            ("tile/0/x001/x234/067", tile(0, 1_234_067, None)),
            ("tile/63/001.p/255", tile(63, 1, Some(255))),
            ("tile/entries/x001/000.p/1", Some(LogFile::Entries { index: 1_000, width: Some(1) })),
        ] {
            assert_eq!(LogFile::parse(path), file, "{path}");
        }
        for path in [
            "",
            "checkpoints",
            "tile/0",
            "tile/0/",
            "tile/0/0",
            "tile/0/0000",
            "tile/0/x001",
            "tile/0/001/000",
            "tile/0/x000/001",
            "tile/00/000",
            "tile/64/000",
            "tile/-1/000",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/000.p/01",
            "tile/0/000.p",
            "tile/0/00a",
            "tile/data/000",
            "tile/entries/1",
            "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
        ] {
            assert_eq!(LogFile::parse(path), None, "{path}");
        }
    }
}
