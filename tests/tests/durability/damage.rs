//! Damaged files: the hall refuses to start and says what is wrong, or serves exactly what it served before.

use crate::export::{Filled, difference, fill, settings};
use hall_tests::{Dice, Hall, hall};
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A damage to one file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// One bit is flipped.
    Flip,
    /// A block of 512 bytes becomes zeros.
    Zero,
    /// The file ends earlier.
    Truncate,
    /// The file ends a few bytes earlier.
    TruncateALittle,
    /// Garbage follows the file.
    Append,
    /// The file is gone.
    Remove,
}

const DAMAGES: [Damage; 8] = [
    Damage::Flip,
    Damage::Flip,
    Damage::Flip,
    Damage::Zero,
    Damage::Truncate,
    Damage::TruncateALittle,
    Damage::Append,
    Damage::Remove,
];

#[test]
fn a_healthy_folder_is_served_unchanged() {
    let filled = fill(3);
    let copy = hall::copy_of(&filled.folder);
    let hall = Hall::on(copy, settings()).restart();
    assert_eq!(difference(&hall, &filled), None);
}

#[test]
fn no_damage_to_a_file_is_served_silently() {
    let filled = fill(6);
    let count = crate::setting("HALL_DAMAGES", 48);
    let mut dice = Dice::from_environment("HALL_SEED", 0xda4a6e);
    let files = files_of(&hall::data(&filled.folder));
    assert!(files.len() > 2, "{files:?}");
    let plan: Vec<(PathBuf, Damage, u64)> = (0..count)
        .map(|number| {
            // Every file in turn, so that small ones are damaged as often as large ones.
            (files[number % files.len()].clone(), DAMAGES[dice.index(DAMAGES.len())], dice.number())
        })
        .collect();
    let outcomes: Vec<Outcome> =
        plan.iter().map(|(file, damage, seed)| try_damage(&filled, file, *damage, *seed)).collect();
    let refused = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Refused)).count();
    let same = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Same)).count();
    let wrong: Vec<&String> = outcomes.iter().filter_map(Outcome::wrong).collect();
    println!("{count} damages: {refused} refused, {same} harmless, {} served wrongly", wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(refused > 0 && same > 0, "{refused} refused, {same} harmless: the samples say too little");
}

#[test]
fn a_key_that_was_changed_is_noticed() {
    let filled = fill(1);
    let keys: Vec<PathBuf> =
        files_of(&hall::data(&filled.folder)).into_iter().filter(|file| file.starts_with("keys")).collect();
    assert!(!keys.is_empty());
    for key in keys {
        let copy = hall::copy_of(&filled.folder);
        let path = hall::data(&copy).join(&key);
        let mut bytes = fs::read(&path).unwrap();
        // One digit is replaced by another: still well formed, as after a flipped bit.
        let place = bytes.iter().position(u8::is_ascii_digit).unwrap();
        bytes[place] = if bytes[place] == b'1' { b'3' } else { b'1' };
        fs::write(&path, bytes).unwrap();
        match Hall::try_on(copy, settings()) {
            Err((_, log)) => check_refusal(&log, &key.display().to_string()),
            Ok(hall) => assert_eq!(difference(&hall, &filled), None, "{}", key.display()),
        }
    }
}

#[test]
fn a_part_of_the_folder_from_an_older_copy_is_noticed() {
    let hall = Hall::with(settings());
    let (ada, _bob) = (hall.enter("ada"), hall.enter("bob"));
    let hall = hall.restart();
    let post = |hall: &Hall, number: usize| {
        let body = hall_tests::json!({ "kind": "bug", "subject": format!("quill {number}"), "body": "b" });
        assert_eq!(hall.post(&ada, "/api/feedback", &body).status, 200);
    };
    post(&hall, 0);
    let (folder, _) = hall.stop();
    let old = hall::copy_of(&folder);
    let hall = Hall::on(folder, settings());
    (1..12).for_each(|number| post(&hall, number));
    let (folder, _) = hall.stop();
    for entry in fs::read_dir(hall::data(&old)).unwrap() {
        let name = entry.unwrap().file_name();
        let mixed = hall::copy_of(&folder);
        let target = hall::data(&mixed).join(&name);
        let is_folder = target.is_dir();
        if is_folder {
            fs::remove_dir_all(&target).unwrap();
        }
        copy(&hall::data(&old).join(&name), &target);
        match Hall::try_on(mixed, settings()) {
            Err((_, log)) => check_refusal(&log, &format!("{name:?} of an older copy")),
            Ok(hall) => {
                let posts = hall.get("/api/feedback").data()["feedback"].as_array().unwrap().len();
                assert_eq!(posts, 12, "{name:?} of an older copy was served silently");
            }
        }
    }
}

enum Outcome {
    Refused,
    Same,
    Wrong(String),
}

impl Outcome {
    const fn wrong(&self) -> Option<&String> {
        if let Self::Wrong(what) = self { Some(what) } else { None }
    }
}

fn try_damage(filled: &Filled, file: &Path, damage: Damage, seed: u64) -> Outcome {
    let copy = hall::copy_of(&filled.folder);
    let place = apply(&hall::data(&copy).join(file), damage, &mut Dice::new(seed));
    let about = format!("{damage:?} of {} {place}", file.display());
    match Hall::try_on(copy, settings()) {
        Err((_, log)) => {
            check_refusal(&log, &about);
            Outcome::Refused
        }
        Ok(hall) => {
            difference(&hall, filled).map_or(Outcome::Same, |what| Outcome::Wrong(format!("{about}: {what}")))
        }
    }
}

/// A refusal is a message for people and an exit status, not a panic.
fn check_refusal(log: &str, about: &str) {
    assert!(!log.contains("panicked"), "{about}: {log}");
    let said = log.lines().rev().find(|line| line.contains(' ')).unwrap_or_default();
    assert!(said.len() > 20, "{about}: it does not say what is wrong: {log}");
}

/// Damages a file and says where.
fn apply(path: &Path, damage: Damage, dice: &mut Dice) -> String {
    let length = fs::metadata(path).unwrap().len();
    let mut file = fs::File::options().read(true).write(true).open(path).unwrap();
    let used = used_length(&mut file);
    match damage {
        Damage::Flip if used > 0 => {
            let at = dice.below(used);
            let mut byte = [0];
            file.seek(SeekFrom::Start(at)).unwrap();
            file.read_exact(&mut byte).unwrap();
            byte[0] ^= 1 << dice.below(8);
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(&byte).unwrap();
            format!("at {at} of {used} used bytes")
        }
        Damage::Zero if used > 0 => {
            let at = dice.below(used) / 512 * 512;
            let count = usize::try_from((length - at).min(512)).unwrap();
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(&vec![0; count]).unwrap();
            format!("at {at} of {used} used bytes")
        }
        Damage::Truncate if used > 0 => {
            let at = dice.below(used);
            file.set_len(at).unwrap();
            format!("to {at} of {used} used bytes")
        }
        Damage::TruncateALittle if used > 0 => {
            let at = used - dice.below(used.min(64));
            file.set_len(at.saturating_sub(1)).unwrap();
            format!("to {at} of {used} used bytes, less one")
        }
        Damage::Remove => {
            fs::remove_file(path).unwrap();
            String::new()
        }
        Damage::Append | Damage::Flip | Damage::Zero | Damage::Truncate | Damage::TruncateALittle => {
            file.seek(SeekFrom::End(0)).unwrap();
            file.write_all(b"garbage at the end").unwrap();
            format!("after {length}")
        }
    }
}

/// The length up to the last byte that is not zero: the rest is preallocated space.
fn used_length(file: &mut fs::File) -> u64 {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    u64::try_from(used).unwrap()
}

/// All regular files below a folder, by their path inside it, sorted.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

/// Copies and keeps holes: most of the store's journal is preallocated space.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").args(["-a", "--sparse=always", "-T"]).args([from, to]).status().unwrap();
    assert!(status.success());
}
