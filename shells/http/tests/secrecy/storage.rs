//! Storage from which two halls start that differ only in the seeds of their games, or in what one player was dealt.

use hall_core::Fact;
use hall_core::rooms::RoomChange;
use hall_driver::JournalEntry;
use hall_driver::tables;
use hall_journal::{Batch, Journal as _, KeyRange, MemoryJournal, MemoryStorage, Row};
use hall_wire::Digest;
use hall_wire::roll::RollHash;
use std::ops::Bound;

/// A copy of the storage.
pub(crate) fn copy(storage: &MemoryStorage) -> MemoryStorage {
    copy_with(storage, |text| text)
}

/// A copy in which every game has another seed under the same commitment.
pub(crate) fn with_other_seeds(storage: &MemoryStorage) -> MemoryStorage {
    let seeds = seeds(storage);
    assert!(seeds.len() > 1, "there are games to give other seeds to");
    copy_with(storage, |text| seeds.iter().fold(text, |text, seed| text.replace(seed, &other(seed))))
}

/// The seat whose cards or dice are another's in the other hall.
pub(crate) const HAND_SEAT: u8 = 1;

/// A copy in which the player of `HAND_SEAT` was dealt something else by nature's first act.
pub(crate) fn with_another_hand(storage: &MemoryStorage) -> MemoryStorage {
    let deal = |fact: &Fact| {
        let RoomChange::NatureActed { complete, rolls, .. } = &fact.in_room()?.change else { return None };
        Some((complete.clone(), rolls.clone()))
    };
    let (dealt, rolls) = facts(storage).iter().find_map(deal).unwrap();
    let (another, other_rolls) =
        if dealt.starts_with("p0") { other_dice(&rolls) } else { other_deck(&dealt, &rolls) };
    assert_ne!(dealt, another);
    let written = |rolls: &[RollHash]| serde_json::to_string(rolls).unwrap();
    let (before, after) = (written(&rolls), written(&other_rolls));
    copy_with(storage, |text| text.replace(&dealt, &another).replace(&before, &after))
}

/// Five dice of two players each, those of the second turned over.
fn other_dice(rolls: &[RollHash]) -> (String, Vec<RollHash>) {
    let (first, second) = rolls.split_at(rolls.len() / 2);
    let turned = |roll: &RollHash| RollHash { value: roll.value.map(|value| 5 - value), ..*roll };
    let turned: Vec<_> = second.iter().map(turned).collect();
    let told = [first, &turned].map(|rolls| {
        let mut faces: Vec<_> = rolls.iter().map(|roll| roll.value.unwrap() + 1).collect();
        faces.sort_unstable();
        faces.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
    });
    (format!("p0 {} p1 {}", told[0], told[1]), [first, &turned].concat())
}

/// A deck in which the second card, which is that of p1, and the fourth, which nobody sees, have changed places.
fn other_deck(dealt: &str, rolls: &[RollHash]) -> (String, Vec<RollHash>) {
    let mut wanted: Vec<&str> = dealt.split(' ').collect();
    wanted.swap(1, 3);
    let shuffled = |rolls: &[RollHash]| {
        let mut deck = ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"];
        for (last, roll) in (1..deck.len()).rev().zip(rolls) {
            deck.swap(last, usize::try_from(roll.value.unwrap()).unwrap());
        }
        deck
    };
    assert_eq!(shuffled(rolls).join(" "), dealt);
    let drawn = |number: u64| {
        let mut rest = number;
        let roll = |roll: &RollHash| {
            let value = Some(rest % roll.n);
            rest /= roll.n;
            RollHash { value, ..*roll }
        };
        rolls.iter().map(roll).collect::<Vec<_>>()
    };
    let decks = rolls.iter().map(|roll| roll.n).product();
    let found = (0..decks).map(drawn).find(|rolls| shuffled(rolls) == *wanted).unwrap();
    (wanted.join(" "), found)
}

/// Another seed.
fn other(seed: &str) -> String {
    Digest::of(seed.as_bytes()).to_hex()
}

fn copy_with(storage: &MemoryStorage, change: impl Fn(String) -> String) -> MemoryStorage {
    let reader = MemoryJournal::open(storage).reader();
    let copied = MemoryStorage::new();
    let mut batch = Batch::default();
    for record in reader.records(1, usize::MAX).unwrap() {
        batch.records.push(change(String::from_utf8(record.bytes).unwrap()).into_bytes());
    }
    for table in tables::ALL.iter().copied() {
        let all = KeyRange { start: Bound::Unbounded, end: Bound::Unbounded };
        let rows = reader.rows(table, all, false, usize::MAX).unwrap();
        batch.rows.extend(rows.into_iter().map(|(key, value)| Row { table, key, value: Some(value) }));
    }
    MemoryJournal::open(&copied).append(&batch).unwrap();
    copied
}

/// The seeds of all games, as they are written.
fn seeds(storage: &MemoryStorage) -> Vec<String> {
    let seed = |fact: &Fact| {
        let RoomChange::Started(started) = &fact.in_room()?.change else { return None };
        Some(started.seed.reveal())
    };
    facts(storage).iter().filter_map(seed).collect()
}

fn facts(storage: &MemoryStorage) -> Vec<Fact> {
    let records = MemoryJournal::open(storage).reader().records(1, usize::MAX).unwrap();
    records.iter().flat_map(|record| JournalEntry::decode(&record.bytes).unwrap().facts).collect()
}
