//! The halls of these tests: the catalog's games and the one with hidden bids, with clocks.

use hall_core::fixtures::{Table, World};
use hall_core::rooms::RoomChange;
use hall_core::{DocketMatter, DocketText, HallSettings, Timing, Word};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{CHESS, Catalog, Game};
use hall_wire::Span;
use std::collections::BTreeMap;

const GAMES: &[&dyn Game] = &[&CHESS, &SEALED_BIDS];

/// The games of these tests: the catalog's, and the one with hidden bids.
pub(crate) const CATALOG: Catalog = Catalog::new(GAMES);

/// Docket entries in tests of the core show the matter itself: the words are a shell's. Every hall begins with the
/// first of them, which golden data has in the words of the production shell.
pub(crate) fn as_data(matter: &DocketMatter<'_>) -> DocketText {
    let (subject, reason) = match matter {
        DocketMatter::FirstSeasonOpened { season } => {
            (format!("Season {season} opened"), "The hall opened its first season.".to_owned())
        }
        _ => (format!("{matter:?}"), String::new()),
    };
    DocketText { subject, reason, disposition: None }
}

pub(crate) fn settings() -> HallSettings {
    let chess = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    let bids = Timing { move_time: Span::from_secs(30), side_time: None };
    let word = |text| Word::parse(text).unwrap();
    HallSettings {
        timing: BTreeMap::from([(word("chess"), chess), (word(SEALED_BIDS.describe().id), bids)]),
        ..HallSettings::default()
    }
}

/// A hall with these settings.
pub(crate) fn hall_with(settings: HallSettings, seed: u64) -> World {
    World::new(CATALOG, as_data, settings, seed)
}

/// A game of chess in a hall with these settings.
pub(crate) fn table_with(settings: HallSettings) -> Table {
    Table::start(hall_with(settings, 1), "chess")
}

/// A game of chess.
pub(crate) fn chess() -> Table {
    table_with(settings())
}

pub(crate) fn change_kinds(table: &Table) -> Vec<&'static str> {
    table.world.changes(table.game).iter().map(|fact| kind(&fact.change)).collect()
}

pub(crate) fn kind(change: &RoomChange) -> &'static str {
    match change {
        RoomChange::Started(_) => "started",
        RoomChange::MovePlayed(_) => "move",
        RoomChange::IllegalAttempted { .. } => "illegal",
        RoomChange::StrikeGiven { .. } => "strike",
        RoomChange::DrawOffered { .. } => "offered",
        RoomChange::DrawDeclined { .. } => "declined",
        RoomChange::DeadlineExtended { .. } => "extended",
        RoomChange::PenaltyDeferred { .. } => "held",
        RoomChange::MoveSealed { .. } => "sealed",
        RoomChange::NatureActed { .. } => "nature",
        RoomChange::HallDeferred { .. } => "waits",
        RoomChange::Shown { .. } => "shown",
        RoomChange::SeatVacated { .. } => "vacated",
        RoomChange::BeaconSettled { .. } => "beacon",
        RoomChange::Ended { .. } => "ended",
    }
}
