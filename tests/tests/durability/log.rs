//! Keys and names of the log across rotations and restored backups.

use hall_tests::{Hall, Settings, eventually, hall, json};
use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::tree;
use hall_wire::Digest;
use std::process::Command;
use std::time::Duration;

/// A checkpoint over everything that the hall has now, verified with the key that it names itself.
fn covered(hall: &Hall) -> Checkpoint {
    let size = hall.get("/api/pulse").data()["log_size"].as_u64().unwrap();
    let checkpoint = eventually("a checkpoint over everything", Duration::from_secs(10), || {
        let reply = hall.get("/api/checkpoint");
        let checkpoint = (reply.status == 200).then(|| reply.data()["checkpoint"].clone())?;
        (checkpoint["tree_size"].as_u64()? >= size).then_some(checkpoint)
    });
    let key = VerifierKey::parse(checkpoint["public_key"].as_str().unwrap()).unwrap();
    let note = Note::parse(checkpoint["note"].as_str().unwrap()).unwrap();
    note.verify(&key).unwrap();
    Checkpoint::parse(note.text()).unwrap()
}

fn is_beginning_of(hall: &Hall, old: &Checkpoint, new: &Checkpoint) {
    let reply = hall.get(&format!("/api/checkpoint/consistency?from={}&to={}", old.size, new.size));
    let path: Vec<Digest> = reply.data()["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hash| Digest::parse(hash.as_str().unwrap()).unwrap())
        .collect();
    tree::consistency((old.size, &old.root), (new.size, &new.root), &path).unwrap();
}

/// The newest checkpoint, if there is one; `old` must be its beginning.
pub(crate) fn grown(hall: &Hall, old: Option<Checkpoint>) -> Option<Checkpoint> {
    let reply = hall.get("/api/checkpoint");
    if reply.status != 200 {
        assert!(old.is_none(), "a checkpoint that was published is gone: {}", reply.text());
        return None;
    }
    let data = reply.data()["checkpoint"].clone();
    let new = read(data["note"].as_str().unwrap());
    if let Some(old) = old {
        is_beginning_of(hall, &old, &new);
    }
    Some(new)
}

/// A checkpoint that somebody has read is the beginning of the newest one.
pub(crate) fn is_kept(hall: &Hall, note: &str) {
    grown(hall, Some(read(note)));
}

fn read(note: &str) -> Checkpoint {
    Checkpoint::parse(Note::parse(note).unwrap().text()).unwrap()
}

fn done(output: &std::process::Output) {
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_rotated_log_key_signs_new_checkpoints_and_the_old_one_stays_valid_for_earlier_ones() {
    let hall = Hall::start();
    let game = hall_tests::Game::new(&hall, "before");
    assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    let old = covered(&hall);
    let replay = |hall: &Hall| game.complete_replay(hall)["log"].take();
    let proven = replay(&hall);
    let key = |hall: &Hall| hall.get("/api/official").data()["official"]["log"]["public_key"].clone();
    let old_key = key(&hall);
    done(&hall.admin(&["rotate-key", "log", "--reason", "a new one"]));
    done(&hall.admin(&["rotate-key", "ring", "--reason", "a new one"]));
    let (new, present) = (covered(&hall), key(&hall));
    is_beginning_of(&hall, &old, &new);
    assert_eq!(replay(&hall), proven);
    let hall = hall.kill_and_restart();
    assert_eq!(key(&hall), present);
    assert_eq!(replay(&hall), proven);
    let _ = hall.enter("later");
    is_beginning_of(&hall, &new, &covered(&hall));
    let docket = hall.get("/api/docket").data()["docket"].clone();
    let (retired, today) = (old_key.as_str().unwrap(), present.as_str().unwrap());
    let folder = hall::folder();
    let path = folder.path().join("replay.json");
    std::fs::write(&path, hall.get(&game.path("replay")).text()).unwrap();
    let verify = |keys: &[&str]| {
        let keys = keys.iter().flat_map(|key| ["--log-key", key]);
        Command::new(hall::binary()).arg("verify").args(keys).arg(&path).output().unwrap()
    };
    done(&verify(&[retired]));
    done(&verify(&[today, retired]));
    let without = verify(&[today]);
    let said = String::from_utf8(without.stdout).unwrap();
    assert_eq!(without.status.code(), Some(1), "{said}");
    let named = retired.splitn(3, '+').take(2).collect::<Vec<_>>().join("+");
    assert!(said.contains(&format!("one with the key {named}+")), "the key to look for is named: {said}");
    assert_eq!(docket[0]["kind"], "key_rotation");
    assert_eq!(docket[1]["kind"], "key_rotation");
    assert!(hall::verify_journal(&hall.stop().0).status.success());
}

#[test]
fn a_restored_backup_signs_only_after_it_is_accepted_and_under_the_next_name() {
    let hall = Hall::start();
    let _ = hall.enter("ada");
    let old = covered(&hall);
    let backup = hall::folder();
    let to = hall::data(&backup);
    done(&hall.admin(&["backup", to.to_str().unwrap()]));
    let _ = hall.enter("lost");
    let (folder, _) = hall.stop();
    drop(folder);
    let hall = Hall::on(backup, Settings::default());
    let _ = hall.enter("bob");
    let before = hall.get("/api/checkpoint").data()["checkpoint"].clone();
    assert!(before["tree_size"].as_u64().unwrap() <= old.size, "nothing new is signed");
    done(&hall.admin(&["accept-restore"]));
    assert_eq!(hall.admin(&["accept-restore"]).status.code(), Some(1));
    let new = covered(&hall);
    assert_eq!(new.origin, format!("{}/2", old.origin));
    assert_eq!(hall.get("/api/official").data()["official"]["log"]["origin"], new.origin);
    is_beginning_of(&hall, &old, &new);
    let hall = hall.kill_and_restart();
    let _ = hall.enter("carl");
    let later = covered(&hall);
    assert_eq!(later.origin, new.origin);
    is_beginning_of(&hall, &new, &later);
}
