//! Registration and homologation.

use super::*;
use hall_wire::json::{canonical, parse};

#[test]
fn an_agent_is_found_by_identifier_and_by_handle() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    let key = new_agent("ada", 1).key;
    assert_eq!(ada, AgentId::of_key(&key));
    let by_handle = world.desk.agent_by_handle(&handle("ada")).unwrap();
    assert_eq!((by_handle.id, by_handle.key), (ada, key));
    assert_eq!(world.desk.agent(&ada), Some(by_handle));
    assert_eq!(world.desk.agent_by_handle(&handle("adb")), None);
    world.register("adb", 1);
    assert_eq!((world.desk.agent_count(), world.desk.agents().count()), (2, 2));
}

#[test]
fn the_handle_is_checked_before_the_key() {
    let mut world = World::new();
    world.register("ada", 1);
    let register = |name: &str, key_of: &str| {
        Command::Desk(DeskCommand::RegisterAgent(NewAgent {
            key: new_agent(key_of, 1).key,
            ..new_agent(name, 1)
        }))
    };
    for (name, key_of, rejection) in [
        ("ada", "ada", Rejection::HandleTaken),
        ("ada", "bob", Rejection::HandleTaken),
        ("bob", "ada", Rejection::KeyAlreadyRegistered),
    ] {
        let answer = world.wish(Caller::Hall, register(name, key_of));
        assert_eq!(answer, Err(rejection), "{name} with the key of {key_of}");
    }
    assert_eq!(world.desk.agent_count(), 1);
}

#[test]
fn only_the_first_agent_of_an_operator_names_it_and_the_reply_does_not_reveal_that() {
    let mut world = World::new();
    let first = world.wish(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new_agent("ada", 1))));
    let renamed = NewAgent { operator_name: Some("other".to_string()), ..new_agent("bob", 1) };
    let second = world.wish(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(renamed)));
    let operator = OperatorId::from_bytes([1; 16]);
    for (answer, name) in [(first, "ada"), (second, "bob")] {
        let agent = AgentId::of_key(&new_agent(name, 1).key);
        assert_eq!(answer, Ok(Reply::Registered { agent, operator }));
    }
    assert_eq!(world.desk.operator(&operator).unwrap().name.as_deref(), Some("operator 1"));
    let names = world.facts.iter().filter_map(|fact| match fact {
        Fact::Desk(DeskFact::AgentRegistered { operator_name, .. }) => Some(operator_name.as_deref()),
        _ => None,
    });
    let names: Vec<_> = names.collect();
    assert_eq!(names, [Some("operator 1"), None], "a name that is not used is not kept anywhere");
}

#[test]
fn a_suspended_operator_registers_nobody() {
    let mut world = World::new();
    world.register("ada", 1);
    world.govern(Command::Governance(GovernanceCommand::SuspendOperator {
        operator: OperatorId::from_bytes([1; 16]),
        reason: "r".to_string(),
    }));
    for name in ["ada", "bob"] {
        let answer = world.wish(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new_agent(name, 1))));
        assert_eq!(answer, Err(Rejection::AgentSuspended), "{name}");
    }
    world.register("bob", 2);
}

#[test]
fn a_filing_is_refused_in_the_documented_order() {
    let mut world = World::new();
    let (ada, bob) = (world.register("ada", 1), world.register("bob", 2));
    let nobody = AgentId::from_bytes([9; 16]);
    let mismatch = Filing { division: Division::Pure, season_id: "s9".to_string(), ..filing() };
    let other_season = Filing { season_id: "s9".to_string(), ..filing() };
    let bad_season = Filing { season_id: "No Season".to_string(), ..filing() };
    for (who, agent, filing, rejection) in [
        (ada, nobody, filing(), Rejection::AgentNotFound),
        (ada, bob, mismatch.clone(), Rejection::NotYourAgent),
        (ada, ada, mismatch.clone(), Rejection::DivisionMismatch),
        (ada, ada, other_season, Rejection::SeasonNotFound),
        (ada, ada, bad_season, Rejection::SeasonNotFound),
    ] {
        let answer =
            world.wish(Caller::Agent(who), Command::Desk(DeskCommand::FileHomologation { agent, filing }));
        assert_eq!(answer, Err(rejection));
    }
    world.govern(Command::Governance(GovernanceCommand::SuspendAgent {
        handle: handle("ada"),
        reason: "r".to_string(),
    }));
    let answer = world.wish(
        Caller::Agent(ada),
        Command::Desk(DeskCommand::FileHomologation { agent: nobody, filing: mismatch }),
    );
    assert_eq!(answer, Err(Rejection::AgentSuspended), "suspension is looked at first");
}

#[test]
fn division_pure_takes_pure_agents_and_open_takes_both() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    for (division, tool_access) in [
        (Division::Pure, ToolAccess::Pure),
        (Division::Open, ToolAccess::Pure),
        (Division::Open, ToolAccess::EngineAssisted),
    ] {
        assert!(world.file(ada, Filing { division, tool_access, ..filing() }).is_ok());
    }
}

#[test]
fn the_same_filing_again_changes_nothing() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    let first = world.file(ada, filing()).unwrap();
    let Reply::Homologated { id, hash, unchanged: false, voided_previous: None, .. } = first else {
        panic!("{first:?}");
    };
    let facts = world.facts.len();
    // Naming the season instead of saying `current` files the same.
    for season_id in ["current", "s1"] {
        let again = world.file(ada, Filing { season_id: season_id.to_string(), ..filing() });
        let Ok(Reply::Homologated { id: same, hash: equal, unchanged: true, voided_previous: None, .. }) =
            again
        else {
            panic!("{again:?}");
        };
        assert_eq!((same, equal), (id, hash));
    }
    assert_eq!(world.facts.len(), facts);
}

#[test]
fn every_changed_field_makes_another_entry_and_voids_the_old_one() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    world.file(ada, filing()).unwrap();
    for (field, changed) in [
        ("model_id", Filing { model_id: "model-2".to_string(), ..filing() }),
        ("adapter_kind", Filing { adapter_kind: AdapterKind::Other, ..filing() }),
        ("endpoint_url", Filing { endpoint_url: None, ..filing() }),
        ("system_prompt_sha256", Filing { system_prompt_sha256: Digest::of(b"x"), ..filing() }),
        ("config_sha256", Filing { config_sha256: Digest::of(b"x"), ..filing() }),
        ("tool_access", Filing { tool_access: ToolAccess::Pure, ..filing() }),
    ] {
        let before = world.desk.standing(&ada, &season("s1"), Division::Open).unwrap().id;
        let answer = world.file(ada, changed).unwrap();
        let Reply::Homologated { id, unchanged: false, voided_previous, .. } = answer else {
            panic!("{field}")
        };
        assert_eq!(voided_previous, Some(before), "{field}");
        assert_eq!(world.desk.standing(&ada, &season("s1"), Division::Open).unwrap().id, id, "{field}");
        assert_eq!(world.desk.homologation(&before), None, "no game holds the old one");
    }
    assert_eq!(world.desk.standing_entries(&ada).count(), 1);
}

#[test]
fn an_agent_can_have_standing_entries_in_both_divisions() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    world.file(ada, filing()).unwrap();
    let pure = Filing { division: Division::Pure, tool_access: ToolAccess::Pure, ..filing() };
    world.file(ada, pure).unwrap();
    let divisions: Vec<_> = world.desk.standing_entries(&ada).map(|entry| entry.division).collect();
    assert_eq!(divisions, [Division::Pure, Division::Open]);
}

#[test]
fn the_hash_is_that_of_the_published_canonical_text() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    world.file(ada, filing()).unwrap();
    let text = format!(
        "{{\"adapter_kind\":\"api\",\"agent_id\":\"{ada}\",\"config_sha256\":\"{}\",\"division\":\"open\",\
         \"endpoint_url\":\"https://agent.example/run\",\"model_id\":\"model-1\",\"season_id\":\"s1\",\
         \"system_prompt_sha256\":\"{}\",\"tool_access\":\"engine-assisted\"}}",
        Digest::of(b"config"),
        Digest::of(b"prompt"),
    );
    let entry = world.desk.standing(&ada, &season("s1"), Division::Open).unwrap();
    assert_eq!(entry.hash, Digest::of(text.as_bytes()));
    assert_eq!(entry.endpoint_url_sha256, Some(Digest::of(b"https://agent.example/run")));
    let Some(Fact::Desk(DeskFact::HomologationFiled { agent, filing, hash, .. })) = world.facts.last() else {
        panic!("the filing is a fact");
    };
    let named = season(&filing.season_id);
    assert_eq!(filing_hash(*agent, &named, filing), *hash, "the fact alone explains its hash");
}

#[test]
fn refiling_takes_the_agent_out_of_that_divisions_lobbies_only() {
    let mut world = World::new();
    let ada = world.player("ada", 1);
    let pure = Filing { division: Division::Pure, tool_access: ToolAccess::Pure, ..filing() };
    world.file(ada, pure.clone()).unwrap();
    world.join(ada).unwrap();
    let pure_lobby = JoinLobby { division: Division::Pure, ..asked() };
    world.wish(Caller::Agent(ada), Command::Desk(DeskCommand::JoinLobby(pure_lobby))).unwrap();
    let since = world.facts.len();
    world.file(ada, Filing { model_id: "model-2".to_string(), ..pure }).unwrap();
    assert_eq!(world.kinds_since(since), ["left", "filed"]);
    assert_eq!(world.desk.lobbies_of(&ada).collect::<Vec<_>>(), [lobby()]);
}

#[test]
fn leaves_are_canonical_and_say_what_was_registered() {
    let mut world = World::new();
    let ada = world.player("ada", 1);
    let leaves: Vec<&str> = world.facts.iter().filter_map(Fact::leaf).collect();
    for leaf in &leaves {
        let parsed = parse(leaf.as_bytes()).unwrap();
        assert_eq!(canonical(&parsed.value), **leaf);
    }
    assert!(leaves.iter().any(|leaf| leaf.contains("\"registration\"") && leaf.contains(&ada.to_string())));
    assert!(leaves.iter().any(|leaf| leaf.contains("\"homologation\"") && leaf.contains("\"voided\":null")));
    assert!(
        !leaves.iter().any(|leaf| leaf.contains("agent.example")),
        "the endpoint's address is not published"
    );
}
