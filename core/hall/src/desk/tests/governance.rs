//! Seasons, suspensions, and what they write into the docket.

use super::*;

#[test]
fn one_season_is_open_at_a_time_and_no_name_comes_back() {
    let mut world = World::new();
    let open = |name: &str| Command::Governance(GovernanceCommand::OpenSeason { season: season(name) });
    let close = |name: &str| Command::Governance(GovernanceCommand::CloseSeason { season: season(name) });
    assert_eq!(world.wish(Caller::Operator, open("s2")), Err(Rejection::SeasonAlreadyOpen));
    assert_eq!(world.wish(Caller::Operator, close("s2")), Err(Rejection::SeasonNotFound));
    world.govern(close("s1"));
    assert_eq!(world.desk.current_season(), None);
    assert_eq!(world.wish(Caller::Operator, close("s1")), Err(Rejection::SeasonNotFound));
    assert_eq!(world.wish(Caller::Operator, open("s1")), Err(Rejection::SeasonNameUsed));
    world.govern(open("s2"));
    assert_eq!(world.desk.current_season(), Some(&season("s2")));
    let names: Vec<_> = world.desk.seasons().map(|season| season.id.to_string()).collect();
    assert_eq!(names, ["s1", "s2"]);
}

#[test]
fn closing_a_season_empties_its_lobbies_and_live_games_continue() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    world.join(ada).unwrap();
    let since = world.facts.len();
    world.govern(Command::Governance(GovernanceCommand::CloseSeason { season: season("s1") }));
    assert_eq!(world.kinds_since(since), ["closed", "docket"]);
    assert_eq!(world.desk.waiting_count(), 0);
    assert_eq!(world.join(ada), Err(Rejection::NotHomologated));
    assert_eq!(world.file(ada, filing()), Err(Rejection::SeasonNotFound), "`current` names no season now");
    world.end(game, Some(ada), 0);
    let entry = world.desk.standing(&ada, &season("s1"), Division::Open).unwrap();
    let rating = *entry.rating(chess()).unwrap();
    assert_eq!(rating.wins, 1, "the game still counts");
    assert_eq!(entry.ratings(), [(chess(), rating)]);
}

#[test]
fn a_new_season_asks_for_a_new_homologation() {
    let mut world = World::new();
    let ada = world.player("ada", 1);
    world.govern(Command::Governance(GovernanceCommand::CloseSeason { season: season("s1") }));
    world.govern(Command::Governance(GovernanceCommand::OpenSeason { season: season("s2") }));
    assert_eq!(world.join(ada), Err(Rejection::NotHomologated));
    let old = Filing { season_id: "s1".to_string(), ..filing() };
    assert_eq!(world.file(ada, old), Err(Rejection::SeasonNotFound), "a closed season takes no filing");
    world.file(ada, filing()).unwrap();
    assert_eq!(world.join(ada), Ok(None));
    let seasons: Vec<_> =
        world.desk.standing_entries(&ada).map(|entry| world.desk.season_of(entry).to_string()).collect();
    assert_eq!(seasons, ["s1", "s2"]);
}

#[test]
fn a_suspended_agent_leaves_its_lobbies_and_writes_nothing_until_it_is_restored() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 1));
    world.join(ada).unwrap();
    world.join(bob).unwrap();
    let since = world.facts.len();
    let suspend = || {
        Command::Governance(GovernanceCommand::SuspendAgent {
            handle: handle("ada"),
            reason: "why".to_string(),
        })
    };
    let restore = || {
        Command::Governance(GovernanceCommand::RestoreAgent {
            handle: handle("ada"),
            reason: "why".to_string(),
        })
    };
    assert_eq!(world.wish(Caller::Operator, restore()), Err(Rejection::NothingToChange));
    world.govern(suspend());
    assert_eq!(world.kinds_since(since), ["left", "suspended", "docket"]);
    assert_eq!(world.wish(Caller::Operator, suspend()), Err(Rejection::NothingToChange));
    assert!(world.desk.is_suspended(&ada));
    assert_eq!(world.join(ada), Err(Rejection::AgentSuspended));
    assert_eq!(world.leave(ada), Err(Rejection::AgentSuspended));
    assert_eq!(world.file(ada, filing()), Err(Rejection::AgentSuspended));
    let again = world.wish(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new_agent("ada", 1))));
    assert_eq!(again, Err(Rejection::AgentSuspended), "its own key and handle");
    assert_eq!(world.desk.waiting_count(), 1, "bob still waits");
    world.govern(restore());
    assert_eq!(world.join(ada), Ok(None));
}

#[test]
fn a_suspended_operator_takes_all_its_agents_with_it() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 1));
    let operator = OperatorId::from_bytes([1; 16]);
    world.join(ada).unwrap();
    world.join(bob).unwrap();
    let since = world.facts.len();
    let reason = "why".to_string();
    world
        .govern(Command::Governance(GovernanceCommand::SuspendOperator { operator, reason: reason.clone() }));
    assert_eq!(world.kinds_since(since), ["suspended", "docket"]);
    assert!(world.desk.is_suspended(&ada) && world.desk.is_suspended(&bob));
    // An agent's own suspension and its operator's are two things.
    world.govern(Command::Governance(GovernanceCommand::SuspendAgent {
        handle: handle("ada"),
        reason: reason.clone(),
    }));
    world
        .govern(Command::Governance(GovernanceCommand::RestoreOperator { operator, reason: reason.clone() }));
    assert!(world.desk.is_suspended(&ada) && !world.desk.is_suspended(&bob));
    let nobody = OperatorId::from_bytes([9; 16]);
    for what in [
        Command::Governance(GovernanceCommand::SuspendOperator { operator: nobody, reason: reason.clone() }),
        Command::Governance(GovernanceCommand::RestoreOperator { operator: nobody, reason: reason.clone() }),
    ] {
        assert_eq!(world.wish(Caller::Operator, what), Err(Rejection::OperatorNotFound));
    }
    let unknown = Command::Governance(GovernanceCommand::SuspendAgent { handle: handle("nobody"), reason });
    assert_eq!(world.wish(Caller::Operator, unknown), Err(Rejection::AgentNotFound));
}

#[test]
fn docket_entries_are_numbered_without_a_gap_and_name_no_handle() {
    use DocketKind::{EngineBug, Season, Suspension};
    let mut world = World::new();
    let ada = world.player("ada", 1);
    let note = Command::Governance(GovernanceCommand::AddDocketEntry {
        kind: EngineBug,
        subject: "s".to_string(),
        reason: "r".to_string(),
        disposition: Some("d".to_string()),
    });
    assert_eq!(world.wish(Caller::Operator, note), Ok(Reply::DocketEntered { id: 2 }));
    world.govern(Command::Governance(GovernanceCommand::SuspendAgent {
        handle: handle("ada"),
        reason: "why".to_string(),
    }));
    world.govern(Command::Governance(GovernanceCommand::CloseSeason { season: season("s1") }));
    let entries: Vec<DocketEntry> = world
        .facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) => Some(entry.clone()),
            _ => None,
        })
        .collect();
    let ids: Vec<u64> = entries.iter().map(|entry| entry.id).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    assert_eq!(world.desk.docket_len(), 4);
    let kinds: Vec<DocketKind> = entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [Season, EngineBug, Suspension, Season]);
    let suspended = DocketMatter::AgentSuspended { agent: ada, reason: "why" };
    assert_eq!(entries[2].subject, as_data(&suspended).subject);
    assert_eq!((entries[1].reason.as_str(), entries[1].disposition.as_deref()), ("r", Some("d")));
}

#[test]
fn a_text_is_withheld_once_and_the_docket_says_which() {
    let mut world = World::new();
    let ada = world.player("ada", 1);
    let game = GameId::from_bytes([7; 16]);
    let post = hall_wire::FeedbackId::from_bytes([8; 16]);
    let withhold =
        |what| Command::Governance(GovernanceCommand::Withhold { what, reason: "why".to_string() });
    let nobody = Withheld::Agent(AgentId::from_bytes([9; 16]));
    assert_eq!(world.wish(Caller::Operator, withhold(nobody)), Err(Rejection::AgentNotFound));
    assert_eq!(world.desk.withheld_count(), 0);
    for what in [Withheld::Turn { game, turn_index: 3 }, Withheld::Feedback(post), Withheld::Agent(ada)] {
        assert!(!world.desk.is_withheld(&what));
        world.govern(withhold(what));
        assert!(world.desk.is_withheld(&what));
        let Some(Fact::Governance(GovernanceFact::DocketEntered { entry, .. })) = world.facts.last() else {
            panic!("no entry")
        };
        let text = as_data(&DocketMatter::TextWithheld { what, reason: "why" });
        assert_eq!((entry.kind, &entry.subject), (DocketKind::Redaction, &text.subject));
        assert_eq!(world.wish(Caller::Operator, withhold(what)), Err(Rejection::NothingToChange));
    }
    assert_eq!((world.desk.withheld_count(), world.desk.withheld().count()), (3, 3));
}

#[test]
fn an_agent_cannot_govern() {
    let mut world = World::new();
    let ada = world.player("ada", 1);
    for what in [
        Command::Governance(GovernanceCommand::CloseSeason { season: season("s1") }),
        Command::Governance(GovernanceCommand::SuspendAgent {
            handle: handle("ada"),
            reason: "r".to_string(),
        }),
        Command::Governance(GovernanceCommand::Withhold {
            what: Withheld::Agent(ada),
            reason: "r".to_string(),
        }),
    ] {
        assert_eq!(world.wish(Caller::Agent(ada), what), Err(Rejection::NotYourAgent));
    }
}
