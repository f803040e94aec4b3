//! Rules have versions: a game continues under those that it began with, whatever the hall offers now.
//!
//! The golden facts are of two games by the first rules of the bidding game: one that has ended with three points, and a
//! live one in which a player has two, which would end it by the second rules.

use crate::world::{CATALOG, as_data, settings};
use hall_core::fixtures::{Seeded, World};
use hall_core::rooms::RoomChange;
use hall_core::{Caller, Command, DocketKind, Fact, GovernanceFact, Hall, HallCommand};
use hall_games::sealed_bids::{SEALED_BIDS, SEALED_BIDS_2};
use hall_games::{CHESS, Catalog, Game};
use hall_wire::{GameId, Notation};
use std::sync::Arc;

const FACTS: &str = include_str!("../golden/sealed-bids-1.jsonl");
/// The digest of the state that the release which wrote the facts had.
const DIGEST: &str = "d90d6dd985008d55f9fd465c19289087ee6100d633408b4ce52c3d49f0a18972";

const BOTH: &[&dyn Game] = &[&CHESS, &SEALED_BIDS_2, &SEALED_BIDS];
const NEWER: &[&dyn Game] = &[&CHESS, &SEALED_BIDS_2];

#[test]
fn facts_of_the_first_rules_fold_to_their_digest_while_new_games_use_the_second() {
    let offered = Catalog::new(BOTH);
    let hall = folded(offered, facts());
    assert_eq!(hall.digest().to_hex(), DIGEST);
    assert_eq!(folded(CATALOG, facts()).digest().to_hex(), DIGEST);
    let restored = Hall::restore(offered, as_data, &hall.save()).unwrap();
    assert_eq!(restored.digest().to_hex(), DIGEST);
    let live = live_game(&restored);
    assert_eq!(hall.rooms().find(&live).unwrap().ruleset_version(), "sealed_bids/1");

    let mut world = World::new(offered, as_data, settings(), 9);
    let agents = [("ada", 1), ("bob", 2), ("cid", 3)].map(|(name, operator)| world.register(name, operator));
    let game = agents.map(|agent| world.join(agent, "sealed_bids"))[2].unwrap();
    assert_eq!(world.room(game).ruleset_version(), "sealed_bids/2");
}

#[test]
fn the_docket_tells_once_of_rules_that_are_new_in_a_release() {
    let mut hall = folded(CATALOG, facts());
    assert_eq!(started(&mut hall), [], "nothing is new");
    let mut hall = folded(Catalog::new(BOTH), facts());
    assert_eq!(started(&mut hall), [DocketKind::RuleChange]);
    assert_eq!(started(&mut hall), []);
    let mut restored = Hall::restore(Catalog::new(BOTH), as_data, &hall.save()).unwrap();
    assert_eq!(restored.digest(), hall.digest());
    assert_eq!(started(&mut restored), []);
    let mut back = Hall::restore(CATALOG, as_data, &hall.save()).unwrap();
    assert_eq!(started(&mut back), [], "an earlier release again");
}

#[test]
fn a_new_hall_has_changed_no_rules_and_tells_of_later_ones_only() {
    let world = World::new(Catalog::new(BOTH), as_data, settings(), 9);
    let kinds = docket_kinds(&world.facts);
    assert_eq!(kinds, [DocketKind::Season]);
    assert_eq!(started(&mut world.hall.clone()), []);
}

#[test]
fn a_live_game_continues_under_the_rules_that_it_began_with() {
    let hall = folded(Catalog::new(BOTH), facts());
    let room = hall.rooms().find(&live_game(&hall)).unwrap();
    assert!(room.position().state_string().contains("points 2-"), "{}", room.position().state_string());
    assert!(!room.to_move().is_empty(), "by the second rules it would be over");
    let rules = room.rules().unwrap().describe();
    assert_eq!(rules.ruleset_version, "sealed_bids/1", "cards and records are those of its own rules");
}

#[test]
fn a_catalog_lists_a_game_once_and_finds_each_version_of_it() {
    let catalog = Catalog::new(BOTH);
    let listed: Vec<_> = catalog.iter().map(|game| game.describe().ruleset_version).collect();
    assert_eq!(listed, ["chess/1", "sealed_bids/2"]);
    let found =
        |version| catalog.find_version("sealed_bids", version).map(|game| game.describe().ruleset_version);
    assert_eq!(found("sealed_bids/1"), Some("sealed_bids/1"));
    assert_eq!(found("chess/1"), None);
}

#[test]
fn a_live_game_without_its_rules_is_broken_off_and_the_docket_says_why() {
    is_broken_off(folded(Catalog::new(NEWER), facts()));
}

#[test]
fn a_live_game_whose_rules_refuse_a_recorded_move_is_broken_off_too() {
    let changed = facts().into_iter().map(|fact| match fact {
        Fact::Room(fact) => {
            let mut fact = (*fact).clone();
            if let RoomChange::MovePlayed(resolution) = &mut fact.change {
                resolution.notation = Notation::parse("9");
            }
            Fact::Room(Arc::new(fact))
        }
        Fact::Desk(_) | Fact::Doorbell(_) | Fact::Governance(_) | Fact::Hall(_) => fact,
    });
    is_broken_off(folded(CATALOG, changed.collect()));
}

fn is_broken_off(mut hall: Hall) {
    hall.check();
    let game = live_game(&hall);
    let decision =
        hall.decide(hall.clock(), hall.clock(), Caller::Hall, &Command::SWEEP, &mut Seeded::new(1));
    decision.facts.iter().for_each(|fact| hall.apply(fact));
    hall.check();
    let result = hall.rooms().find(&game).unwrap().result().cloned().unwrap();
    assert_eq!((result.reason.as_str(), result.draw, result.winners.len()), ("aborted", false, 0));
    assert_eq!(docket_kinds(&decision.facts), [DocketKind::EngineBug]);
}

/// The kinds of the docket entries that a start of this hall makes.
fn started(hall: &mut Hall) -> Vec<DocketKind> {
    let (settings, keys) = (hall.settings().unwrap().clone(), hall.keys().unwrap().clone());
    let start = Command::Hall(HallCommand::Start { settings, keys });
    let decision = hall.decide(hall.clock(), hall.clock(), Caller::Hall, &start, &mut Seeded::new(1));
    decision.facts.iter().for_each(|fact| hall.apply(fact));
    docket_kinds(&decision.facts)
}

fn docket_kinds(facts: &[Fact]) -> Vec<DocketKind> {
    let entries = facts.iter().filter_map(|fact| match fact {
        Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) => Some(entry.kind),
        Fact::Governance(_) | Fact::Room(_) | Fact::Desk(_) | Fact::Doorbell(_) | Fact::Hall(_) => None,
    });
    entries.collect()
}

fn facts() -> Vec<Fact> {
    FACTS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folded(catalog: Catalog, facts: Vec<Fact>) -> Hall {
    let mut hall = Hall::new(catalog, as_data);
    facts.iter().for_each(|fact| hall.apply(fact));
    hall
}

fn live_game(hall: &Hall) -> GameId {
    let mut live = hall.rooms().iter().filter(|room| room.result().is_none());
    live.next().expect("one game is live").id()
}
