//! A hall that was saved and is read back.

use crate::world::{CATALOG, as_data, chess, settings};
use hall_core::{Hall, RestoreError};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{Catalog, Game};

const OTHER_GAMES: &[&dyn Game] = &[&SEALED_BIDS];

#[test]
fn a_restored_hall_has_its_settings_and_knows_its_games() {
    let table = chess();
    let hall = Hall::restore(CATALOG, as_data, &table.world.hall.save()).unwrap();
    assert_eq!(hall.settings(), Some(&settings()));
    assert_eq!(hall.clock(), table.world.hall.clock());
    assert!(hall.rooms().find(&table.game).is_some());
}

#[test]
fn a_snapshot_that_cannot_be_restored_says_why() {
    let saved = chess().world.hall.save();
    let cut = saved.get(..saved.len() / 2).unwrap();
    assert_eq!(said(CATALOG, cut), "not a state that this version saved");

    let reason = "a saved room cannot be restored: the catalog has no game chess by the rules chess/1";
    assert_eq!(said(Catalog::new(OTHER_GAMES), &saved), reason);

    let pawns = b"/pppppppp/";
    let place = saved.windows(pawns.len()).position(|bytes| bytes == pawns).expect("the position is text");
    let mut other = saved;
    other[place + 1] = b'x';
    let reason = "a saved room cannot be restored: the game chess cannot read the position";
    assert_eq!(said(CATALOG, &other), reason);
}

fn said(catalog: Catalog, saved: &[u8]) -> String {
    let error: RestoreError = Hall::restore(catalog, as_data, saved).unwrap_err();
    error.to_string()
}
