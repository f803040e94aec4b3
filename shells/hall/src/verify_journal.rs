//! `hall verify-journal`: reads everything in a data folder again and checks that it is what was written, and that
//! the facts still make the state that the snapshot says.

use crate::settings::SettingsArgs;
use clap::Args;
use hall_driver::{recover, tables};
use hall_games::CATALOG;
use hall_journal::{FjallJournal, Journal as _, OpenError, Options, verify};
use hall_tools::exit::{FAILED, OK, REFUSED, Status};
use hall_tools::logs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Check a data folder while no hall runs on it.
///
/// Reads every record, row and snapshot against its hashes and the head mark; then builds the state from the first
/// record on, and again from the newest snapshot, and compares the two.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 everything is as it was written, 1 damage or a difference was found, 2 nothing could be checked \
    (no journal there, a hall runs on it, wrong usage)."
)]
pub(crate) struct VerifyJournalArgs {
    /// The data folder [default: storage.path of the settings]
    path: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Checks a data folder; `outer` are the settings before the command.
pub(crate) fn run(args: VerifyJournalArgs, outer: SettingsArgs) -> Status {
    logs::start_quietly();
    let path = match args.path {
        Some(path) => path,
        None => match outer.with(args.settings).load() {
            Ok(settings) => settings.storage.path,
            Err(error) => return cannot(&error),
        },
    };
    println!("Checking {}", path.display());
    let sound = match verify(&path, tables::ALL, &Options::default()) {
        Ok(report) => {
            println!("{report}");
            report.is_sound()
        }
        Err(error) => return refused(&error),
    };
    match fold(&path) {
        Ok(text) => {
            println!("{text}");
            if sound { OK } else { REFUSED }
        }
        Err(Fault::Open(error)) => refused(&error),
        Err(Fault::State(text)) => {
            println!("DAMAGED {text}");
            REFUSED
        }
    }
}

enum Fault {
    Open(OpenError),
    State(String),
}

/// Builds the state in both ways and compares.
fn fold(path: &Path) -> Result<String, Fault> {
    let journal = FjallJournal::open(path, &Options::default()).map_err(Fault::Open)?;
    let reader = journal.reader();
    let build = |use_snapshot| {
        // Facts that contradict the state are a panic in a running hall; here they are what is looked for.
        let built = catch_unwind(AssertUnwindSafe(|| recover(&*reader, CATALOG, use_snapshot, None)));
        match built {
            Ok(Ok(recovered)) => Ok(recovered),
            Ok(Err(error)) => Err(Fault::State(format!("the state cannot be built: {error}"))),
            Err(_) => Err(Fault::State("the facts contradict one another (see above)".to_owned())),
        }
    };
    let from_facts = build(false)?;
    let digest = from_facts.hall.digest();
    let counted = format!("{} facts make a state with digest {digest}", from_facts.facts);
    let from_snapshot = build(true)?;
    let Some(seq) = from_snapshot.from_snapshot else {
        return Ok(format!("{counted}; there is no snapshot to compare with."));
    };
    if from_snapshot.hall.digest() != digest {
        return Err(Fault::State(format!(
            "{counted}, but the snapshot at record {seq} with the facts after it makes a different one. The facts count: \
             delete the folder `snapshots`, and the next start builds the state from them."
        )));
    }
    Ok(format!("{counted}; so do the snapshot at record {seq} and the facts after it."))
}

fn refused(error: &OpenError) -> Status {
    match error {
        OpenError::InUse { .. } => {
            cannot(&format_args!("{error} A running hall checks its journal by itself, slowly."))
        }
        OpenError::NoJournal { .. } | OpenError::Io { .. } => cannot(error),
        OpenError::PartMissing { .. }
        | OpenError::MarkUnreadable { .. }
        | OpenError::Behind { .. }
        | OpenError::Ahead { .. }
        | OpenError::Diverged { .. }
        | OpenError::StoreDamaged { .. }
        | OpenError::Unreadable { .. } => {
            println!("DAMAGED {error}");
            REFUSED
        }
    }
}

fn cannot(why: &dyn std::fmt::Display) -> Status {
    eprintln!("hall verify-journal: {why}");
    FAILED
}
