//! A read-only check of fjall's lists of tables before fjall opens them.
//!
//! Each keyspace has a file `current` that names the newest list (`v7`) and holds its checksum. Opening does not
//! compare the two: a list that lost an entry would be accepted, and the table that is no longer listed would be
//! deleted. So they are compared here first, and each keyspace must be there: one without `current` would be taken for
//! unfinished and deleted too.
//!
//! `current` is the number of the list (8 bytes), the xxh3 of its file (16 bytes) and a zero, little-endian. Lists and
//! tables are archives that end with a table of contents and a trailer: `SFA!`, two bytes, the xxh3 of the contents
//! (16), their place (8) and length (8). The contents of each listed table are compared with their checksum too,
//! because opening trusts the lengths in them, and a wrong one requests more memory than there is. Tables that no list
//! names were left by a crash, may be torn, and are not checked.

use crate::error::OpenError;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// The keyspaces that fjall makes for a journal: its own, `records` and `rows`.
const KEYSPACES: usize = 3;

/// Checks the lists of all keyspaces in the store's folder.
///
/// # Errors
/// If one is missing or is not what was written.
pub(crate) fn check(store: &Path) -> Result<(), OpenError> {
    let folder = store.join("keyspaces");
    let doing = "listing the keyspaces";
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).map_err(OpenError::io(doing, &folder))? {
        found.insert(entry.map_err(OpenError::io(doing, &folder))?.path());
    }
    if found.len() != KEYSPACES {
        let what = format!("it holds {} keyspaces, and not the {KEYSPACES} of a journal", found.len());
        return Err(OpenError::StoreDamaged { path: folder, what });
    }
    found.iter().try_for_each(|keyspace| check_keyspace(keyspace))
}

fn check_keyspace(keyspace: &Path) -> Result<(), OpenError> {
    let current = keyspace.join("current");
    let named =
        std::fs::read(&current).map_err(OpenError::io("reading the name of the list of tables", &current))?;
    let parts = named
        .split_first_chunk::<8>()
        .and_then(|(number, rest)| Some((number, rest.split_first_chunk::<16>()?)));
    let Some((number, (checksum, [0]))) = parts else {
        return Err(OpenError::StoreDamaged {
            path: current,
            what: "it does not name a list of tables".to_owned(),
        });
    };
    let list = keyspace.join(format!("v{}", u64::from_le_bytes(*number)));
    let bytes = std::fs::read(&list).map_err(OpenError::io("reading the list of tables", &list))?;
    if xxh3_128(&bytes) != u128::from_le_bytes(*checksum) {
        return Err(OpenError::StoreDamaged {
            path: list,
            what: "the list of tables is not what was written".to_owned(),
        });
    }
    let tables = listed_tables(&list).map_err(OpenError::io("reading the list of tables", &list))?;
    for id in tables {
        let table = keyspace.join("tables").join(id.to_string());
        if !contents_are_sound(&table).map_err(OpenError::io("reading a table", &table))? {
            let what = "its table of contents is not what was written".to_owned();
            return Err(OpenError::StoreDamaged { path: table, what });
        }
    }
    Ok(())
}

/// The numbers of the tables in a list whose checksum is right.
fn listed_tables(list: &Path) -> io::Result<Vec<u64>> {
    let archive = sfa::Reader::new(list).map_err(|error| io::Error::other(error.to_string()))?;
    let section = archive.toc().section(b"tables").ok_or_else(|| io::Error::other("it lists no tables"))?;
    let mut input = section.buf_reader(list).map_err(|error| io::Error::other(error.to_string()))?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    parse_tables(&bytes).ok_or_else(|| io::Error::other("it ends too early"))
}

/// Levels of runs of tables: a count before each, then number, checksum kind, checksum and sequence number.
fn parse_tables(mut rest: &[u8]) -> Option<Vec<u64>> {
    fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
        let (taken, left) = rest.split_first_chunk::<N>()?;
        *rest = left;
        Some(*taken)
    }
    let mut ids = Vec::new();
    let [levels] = take(&mut rest)?;
    for _ in 0..levels {
        let [runs] = take(&mut rest)?;
        for _ in 0..runs {
            for _ in 0..u32::from_le_bytes(take(&mut rest)?) {
                ids.push(u64::from_le_bytes(take(&mut rest)?));
                take::<25>(&mut rest)?;
            }
        }
    }
    Some(ids)
}

/// Whether the table of contents at the end of an archive has its checksum.
fn contents_are_sound(path: &Path) -> io::Result<bool> {
    const TRAILER_BYTES: u64 = 38;
    /// Contents have a few dozen bytes for each of a few sections.
    const MOST_CONTENTS_BYTES: u64 = 1 << 16;
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let Some(contents_end) = file.metadata()?.len().checked_sub(TRAILER_BYTES) else { return Ok(false) };
    let mut trailer = [0; 38];
    file.seek(SeekFrom::Start(contents_end))?;
    file.read_exact(&mut trailer)?;
    let [b'S', b'F', b'A', b'!', 1, 0, rest @ ..] = trailer else { return Ok(false) };
    let Some((checksum, rest)) = rest.split_first_chunk::<16>() else { return Ok(false) };
    let Some((place, _)) = rest.split_first_chunk::<8>() else { return Ok(false) };
    let place = u64::from_le_bytes(*place);
    let length = contents_end.saturating_sub(place);
    if place > contents_end || length > MOST_CONTENTS_BYTES {
        return Ok(false);
    }
    let mut contents = Vec::new();
    file.seek(SeekFrom::Start(place))?;
    file.take(length).read_to_end(&mut contents)?;
    Ok(xxh3_128(&contents) == u128::from_le_bytes(*checksum))
}
