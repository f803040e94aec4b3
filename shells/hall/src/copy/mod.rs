//! `hall copy`: moves a stopped hall from one engine to another.
//!
//! The original is held while it is copied, so that no hall runs on it: a folder by its lock, a database by its lease.
//! Everything is checked as it is read, and the copy is read again before it takes its place. A copy that breaks off
//! leaves nothing that a hall could start on: a folder gets its name and a database its commit only when all is there.
//!
//! | module | what it owns |
//! |---|---|
//! | `original` | the hall that is copied, stopped as long as it is held |
//! | `keys` | where its private keys are, and whether they are the right ones |
//! | `folder`, `database` | writing the copy |
//! | `check` | reading the copy again |

mod check;
mod database;
mod folder;
mod keys;
mod original;

use crate::fault::{Fault, Problem};
use crate::journal_location::JournalLocation;
use crate::settings::{Settings, SettingsArgs, StorageEngine};
use check::Checked;
use clap::Args;
use hall_driver::published_keys;
use hall_journal::{Copied, Head};
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use hall_tools::logs;
use keys::MovingKeys;
use original::Original;
use std::path::PathBuf;

/// Move a stopped hall between a data folder and a database.
///
/// Copies every record, every row and the newest snapshot, checks the hash chain on the way, reads the copy again, and
/// builds the state from it. The original stays as it is and must not be started again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hall copy --from fjall:hall-data --to postgres --keys hall-keys\n  \
    hall copy --from postgres --to fjall:hall-data --keys hall-keys\n\n\
    ENGINE:WHERE is fjall:FOLDER or postgres:CONNECTION-STRING. The engine alone means storage.path or storage.postgres of \
    the settings, so that no password need be on the command line.\n\n\
    The original must be stopped, with all of its nodes. The target must be absent or empty; a folder must not be a mount \
    point (name one below it). A copy that breaks off leaves nothing that can be started.\n\n\
    The private keys never enter a database. A new folder gets those in --keys, or those of the original folder. When a \
    folder moves into a database they are copied to --keys, unless that folder has them already.\n\n\
    Exit codes: 0 copied, 1 refused or damaged, 2 wrong usage, or something cannot be read or written.")]
pub(crate) struct CopyArgs {
    /// The hall that is copied
    #[arg(long, value_name = "ENGINE:WHERE")]
    from: String,
    /// Where it is copied to
    #[arg(long, value_name = "ENGINE:WHERE")]
    to: String,
    /// The folder of the hall's private keys, as keys.path names it
    #[arg(long, value_name = "DIR")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Copies a hall; `outer` are the settings before the command.
pub(crate) fn run(args: CopyArgs, outer: SettingsArgs) -> Status {
    logs::start_quietly();
    let mut given = outer.with(args.settings);
    // The locations name the engines; the setting is that of a hall that serves.
    if [&args.from, &args.to].into_iter().any(|location| location == "postgres") {
        given.set.push("storage.engine=postgres".to_owned());
    }
    let settings = match given.load() {
        Ok(settings) => settings,
        Err(error) => return fail(&error.to_string()),
    };
    let locations = location("--from", &args.from, &settings)
        .and_then(|from| Ok((from, location("--to", &args.to, &settings)?)));
    let (from, to) = match locations {
        Ok(locations) => locations,
        Err(text) => return fail(&text),
    };
    println!("Copying {from} to {to}");
    match copy(&from, &to, args.keys) {
        Ok(moved) => {
            report(&from, &to, &moved);
            OK
        }
        Err(Problem { fault: Fault::Unreadable, text }) => fail(&text),
        Err(Problem { fault: Fault::Refused, text }) => {
            eprintln!("refused: {text}");
            REFUSED
        }
        Err(Problem { fault: Fault::Damaged, text }) => {
            println!("DAMAGED {text}");
            REFUSED
        }
    }
}

/// A journal location of the command line.
fn location(option: &str, text: &str, settings: &Settings) -> Result<JournalLocation, String> {
    match (text, &settings.storage.engine) {
        ("fjall", _) => return Ok(JournalLocation::Folder(settings.storage.path.clone())),
        ("postgres", StorageEngine::Postgres(database)) => {
            return Ok(JournalLocation::Database(database.clone()));
        }
        _ => {}
    }
    match JournalLocation::parse(text) {
        Some(location) => location.map_err(|error| format!("{option}: {error}")),
        // The text is not repeated, as it may hold a password.
        None => Err(format!("{option}: write fjall:FOLDER or postgres:CONNECTION-STRING")),
    }
}

/// A hall that was copied.
struct Moved {
    copied: Copied,
    checked: Checked,
    keys: MovingKeys,
}

fn copy(from: &JournalLocation, to: &JournalLocation, keys: Option<PathBuf>) -> Result<Moved, Problem> {
    let original = Original::hold(from)?;
    let moved = copy_held(&original, from, to, keys);
    original.release();
    moved
}

/// Copies a hall that cannot be started meanwhile.
fn copy_held(
    original: &Original,
    from: &JournalLocation,
    to: &JournalLocation,
    keys: Option<PathBuf>,
) -> Result<Moved, Problem> {
    let reader = original.reader();
    if reader.head()? == Head::EMPTY {
        return Err(Problem::refused(format!("{from} holds no hall yet: its journal has no records")));
    }
    let known = published_keys(reader).map_err(|error| Problem::refused(error.to_string()))?;
    let keys = MovingKeys::find(from, to, keys, known.as_ref())?;
    let (copied, checked) = match to {
        JournalLocation::Folder(path) => folder::write(original, from, path, &keys)?,
        JournalLocation::Database(settings) => database::write(original, from, settings, &keys)?,
    };
    Ok(Moved { copied, checked, keys })
}

/// Says what was copied and what to do next.
fn report(from: &JournalLocation, to: &JournalLocation, Moved { copied, checked, keys }: &Moved) {
    let Copied { head, rows, snapshot } = copied;
    println!("{} records, in one unbroken hash chain", head.seq);
    match snapshot {
        Some(seq) => println!("{rows} rows of derived tables, and the snapshot at record {seq}"),
        None => println!("{rows} rows of derived tables, and no snapshot"),
    }
    println!("{} facts make a state with digest {}", checked.facts, checked.digest);
    println!("The hall is now in {to}.");
    println!(
        "Never start it from {from} again: that would be a second hall with the same keys. Keep that as an archive, or remove \
         it when the hall runs."
    );
    match to {
        JournalLocation::Folder(path) => {
            println!("Start it with: hall serve --set storage.path={}", path.display());
        }
        JournalLocation::Database(_) => {
            println!("{}", keys.advice());
            println!("Set storage.engine to postgres, and storage.postgres to the connection string.");
        }
    }
}

fn fail(why: &str) -> Status {
    eprintln!("hall copy: {why}");
    FAILED
}
