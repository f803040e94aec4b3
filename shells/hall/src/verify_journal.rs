//! `hall verify-journal`: reads everything in a journal again and checks that it is what was written, and that the facts
//! still make the state that the snapshot says.

use crate::fault::{Fault, Problem};
use crate::journal_location::JournalLocation;
use crate::settings::SettingsArgs;
use crate::storage::every_table;
use clap::Args;
use hall_driver::{Recovered, recover};
use hall_games::CATALOG;
use hall_journal::{FjallJournal, Journal as _, JournalReader, Options, VerifyReport, verify};
use hall_postgres::Database;
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use hall_tools::logs;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Check a data folder while no hall runs on it, or a database also while one does.
///
/// Reads every record, row and snapshot against its hashes and the head mark; then builds the state from the first
/// record on, and again from the newest snapshot, and compares the two.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hall verify-journal hall-data\n  \
    hall verify-journal --set storage.engine=postgres     storage.postgres is in hall.toml or the environment\n\
    Exit codes: 0 everything is as it was written, 1 damage or a difference was found, 2 nothing could be checked \
    (no journal there, a hall runs on the folder, wrong usage).")]
pub(crate) struct VerifyJournalArgs {
    /// A data folder, fjall:FOLDER or postgres:CONNECTION-STRING [default: the one of the settings]
    path: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Checks a journal; `outer` are the settings before the command.
pub(crate) fn run(args: VerifyJournalArgs, outer: SettingsArgs) -> Status {
    logs::start_quietly();
    let location = match args.path {
        Some(path) => match path.to_str().and_then(JournalLocation::parse) {
            Some(Ok(location)) => location,
            Some(Err(error)) => return cannot(&error),
            None => JournalLocation::Folder(path),
        },
        None => match outer.with(args.settings).load() {
            Ok(settings) => JournalLocation::of(&settings.storage),
            Err(error) => return cannot(&error),
        },
    };
    println!("Checking {location}");
    let checked = match &location {
        JournalLocation::Folder(path) => check_folder(path),
        JournalLocation::Database(settings) => check_database(settings),
    };
    match checked {
        Ok(true) => OK,
        Ok(false) => REFUSED,
        Err(Problem { fault: Fault::Damaged, text }) => {
            println!("DAMAGED {text}");
            REFUSED
        }
        Err(Problem { fault: Fault::Refused | Fault::Unreadable, text }) => cannot(&text),
    }
}

/// Checks a data folder; returns whether everything is as it was written.
fn check_folder(path: &Path) -> Result<bool, Problem> {
    let options = Options::default();
    let report = verify(path, &every_table(), &options).map_err(|error| {
        let mut problem = Problem::from(error);
        if problem.fault == Fault::Refused {
            problem.text.push_str(" A running hall checks its journal by itself, slowly.");
        }
        problem
    })?;
    let journal = FjallJournal::open_existing(path, &options)?;
    tell(&report, &*journal.reader())
}

/// Checks a database, up to where the journal ends now.
fn check_database(settings: &hall_postgres::Settings) -> Result<bool, Problem> {
    let database = Database::open_existing(settings)?;
    let report = database.verify(&every_table())?;
    tell(&report, &*database.reader())
}

/// Prints what was found, builds the state in both ways, and compares.
fn tell(report: &VerifyReport, reader: &dyn JournalReader) -> Result<bool, Problem> {
    println!("{report}");
    let until = reader.head()?.seq;
    match fold(reader, until) {
        Ok(text) => {
            println!("{text}");
            Ok(report.is_sound())
        }
        Err(text) => Err(Problem { fault: Fault::Damaged, text }),
    }
}

fn fold(reader: &dyn JournalReader, until: u64) -> Result<String, String> {
    let from_facts = build_state(reader, false, until)?;
    let digest = from_facts.hall.digest();
    let counted = format!("{} facts make a state with digest {digest}", from_facts.facts);
    let from_snapshot = build_state(reader, true, until)?;
    let Some(seq) = from_snapshot.from_snapshot else {
        return Ok(format!("{counted}; there is no snapshot to compare with."));
    };
    if from_snapshot.hall.digest() != digest {
        return Err(format!(
            "{counted}, but the snapshot at record {seq} with the facts after it makes a different one. The facts count: \
             delete the snapshots (the folder `snapshots`, or the rows of the table `snapshot`), and the next start builds \
             the state from them."
        ));
    }
    Ok(format!("{counted}; so do the snapshot at record {seq} and the facts after it."))
}

/// Builds the state as it was after a record.
///
/// # Errors
/// Why it cannot be built.
pub(crate) fn build_state(
    reader: &dyn JournalReader,
    use_snapshot: bool,
    until: u64,
) -> Result<Recovered, String> {
    // Facts that contradict the state are a panic in a running hall; here they are what is looked for.
    let built = catch_unwind(AssertUnwindSafe(|| recover(reader, CATALOG, use_snapshot, Some(until))));
    match built {
        Ok(Ok(recovered)) => Ok(recovered),
        Ok(Err(error)) => Err(format!("the state cannot be built: {error}")),
        Err(_) => Err("the facts contradict one another (see above)".to_owned()),
    }
}

fn cannot(why: &dyn fmt::Display) -> Status {
    eprintln!("hall verify-journal: {why}");
    FAILED
}
