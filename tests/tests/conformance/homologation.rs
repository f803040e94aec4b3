//! POST /api/agents/{id}/homologate: filings, standing entries and the consequences of a change.

use hall_tests::{Agent, Game, Hall, Reply, Value, json};
use hall_wire::Digest;
use hall_wire::json::canonical;

#[test]
fn a_filing_is_answered_with_its_entry_and_hash() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let data = file(&hall, &ada, &ada.filing("open")).data();
    crate::has_exactly(&data, "homologation_id hash division season_id voided_previous unchanged");
    assert!(data["homologation_id"].as_str().is_some_and(|id| id.starts_with("h_") && id.len() == 28));
    assert_eq!(data["division"], "open");
    assert_eq!(data["season_id"], "s1");
    assert_eq!(data["voided_previous"], Value::Null);
    assert_eq!(data["unchanged"], false);
    let mut hashed = ada.filing("open");
    hashed["season_id"] = "s1".into();
    hashed["agent_id"] = ada.id().into();
    assert_eq!(data["hash"], Digest::of(canonical(&hashed).as_bytes()).to_hex());
}

#[test]
fn filing_the_same_again_answers_the_same_entry() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let first = file(&hall, &ada, &ada.filing("open")).data();
    let mut named = ada.filing("open");
    named["season_id"] = "s1".into();
    for filing in [ada.filing("open"), named] {
        let again = file(&hall, &ada, &filing).data();
        assert_eq!(again["homologation_id"], first["homologation_id"]);
        assert_eq!(again["hash"], first["hash"]);
        assert_eq!(again["unchanged"], true);
        assert_eq!(again["voided_previous"], Value::Null);
    }
    assert_eq!(entries(&hall, &ada).len(), 1);
}

#[test]
fn changing_any_field_voids_the_entry_and_makes_a_new_one() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let mut filing = ada.filing("open");
    let mut standing = file(&hall, &ada, &filing).data()["homologation_id"].clone();
    let changes = [
        ("model_id", json!("another quill model")),
        ("adapter_kind", json!("other")),
        ("endpoint_url", Value::Null),
        ("endpoint_url", json!("https://other.example/quill")),
        ("system_prompt_sha256", json!("1".repeat(64))),
        ("config_sha256", json!("2".repeat(64))),
        ("tool_access", json!("engine-assisted")),
    ];
    for (count, (field, value)) in (2..).zip(changes) {
        filing[field] = value;
        let data = file(&hall, &ada, &filing).data();
        assert_eq!(data["voided_previous"], standing, "{field}");
        assert_eq!(data["unchanged"], false, "{field}");
        standing = data["homologation_id"].clone();
        let entries = entries(&hall, &ada);
        assert_eq!(entries.len(), count, "{field}");
        let open: Vec<&Value> = entries.iter().filter(|entry| entry["voided_at"].is_null()).collect();
        assert_eq!(open.len(), 1, "{field}: one standing entry");
        assert_eq!(open[0]["id"], standing, "{field}");
    }
    let back = file(&hall, &ada, &ada.filing("open")).data();
    assert_eq!(back["unchanged"], false, "going back is a change too");
    assert_eq!(entries(&hall, &ada).len(), 9);
}

#[test]
fn the_profile_shows_the_filed_fields_but_not_the_address() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let id = file(&hall, &ada, &ada.filing("open")).data()["homologation_id"].clone();
    let entry = &entries(&hall, &ada)[0];
    crate::has_exactly(entry, "id season_id division hash fields created_at voided_at");
    assert_eq!(entry["id"], id);
    crate::is_time(&entry["created_at"]);
    let fields = &entry["fields"];
    assert!(fields.get("endpoint_url").is_none(), "{fields}");
    let url = ada.filing("open")["endpoint_url"].as_str().unwrap().to_owned();
    assert_eq!(fields["endpoint_url_sha256"], Digest::of(url.as_bytes()).to_hex());
    for field in ["model_id", "adapter_kind", "system_prompt_sha256", "config_sha256", "tool_access"] {
        assert_eq!(fields[field], ada.filing("open")[field], "{field}");
    }
    let mut without = ada.filing("open");
    without["endpoint_url"] = Value::Null;
    assert_eq!(file(&hall, &ada, &without).status, 200);
    let entries = entries(&hall, &ada);
    let standing = entries.iter().find(|entry| entry["voided_at"].is_null()).unwrap();
    assert_eq!(standing["fields"]["endpoint_url_sha256"], Value::Null);
}

#[test]
fn division_pure_needs_pure_tools_and_open_accepts_both() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let mut filing = ada.filing("pure");
    filing["tool_access"] = "engine-assisted".into();
    assert_eq!(file(&hall, &ada, &filing).verdict(), "422 DIVISION_MISMATCH");
    assert_eq!(entries(&hall, &ada).len(), 0);
    for (division, tools) in [("pure", "pure"), ("open", "engine-assisted"), ("open", "pure")] {
        let mut filing = ada.filing(division);
        filing["tool_access"] = tools.into();
        assert_eq!(file(&hall, &ada, &filing).status, 200, "{division} {tools}");
    }
    let standing = entries(&hall, &ada).iter().filter(|entry| entry["voided_at"].is_null()).count();
    assert_eq!(standing, 2, "one in each division");
}

#[test]
fn only_an_open_season_accepts_filings() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    for season in ["s2", "S1", "currents", ""] {
        let mut filing = ada.filing("open");
        filing["season_id"] = season.into();
        let verdict = file(&hall, &ada, &filing).verdict();
        assert!(verdict == "404 SEASON_NOT_FOUND" || verdict == "422 INVALID_BODY", "{season:?}: {verdict}");
    }
}

#[test]
fn a_changed_filing_takes_the_agent_out_of_the_lobbies_of_that_division() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    for division in ["open", "pure"] {
        assert_eq!(hall.join(&ada, division).status, 201);
    }
    let mut filing = ada.filing("open");
    assert_eq!(file(&hall, &ada, &filing).data()["unchanged"], true);
    assert_eq!(hall.join(&ada, "open").verdict(), "409 ALREADY_IN_LOBBY", "an unchanged one does not");
    filing["config_sha256"] = "3".repeat(64).into();
    assert_eq!(file(&hall, &ada, &filing).data()["unchanged"], false);
    let leave = |division: &str| json!({ "game": "chess", "division": division });
    assert_eq!(hall.post(&ada, "/api/lobby/leave", &leave("open")).verdict(), "409 NOT_IN_LOBBY");
    assert_eq!(
        hall.post(&ada, "/api/lobby/leave", &leave("pure")).status,
        200,
        "the other division is untouched"
    );
    let bob = hall.enter("bob");
    assert_eq!(hall.join(&bob, "open").data()["paired"], false, "nobody waits there any more");
}

#[test]
fn a_live_game_keeps_its_starting_entry_and_counts_for_the_opponent() {
    let hall = Hall::start();
    let game = Game::new(&hall, "keep");
    let seats = game.record(&hall)["seats"].clone();
    let mut filing = game.white().filing("open");
    filing["config_sha256"] = "4".repeat(64).into();
    let data = file(&hall, game.white(), &filing).data();
    assert_eq!(data["voided_previous"], seats[0]["homologation_id"]);
    assert_eq!(game.record(&hall)["seats"], seats);
    let verdict = game.act(&hall, 0, 0, json!({ "resign": true })).data()["verdict"].clone();
    assert_eq!(verdict["result"]["winners"], json!(["p1"]));
    let record = |agent: &Agent| hall.get(&format!("/api/agents/{}", agent.handle)).data()["record"].clone();
    assert_eq!(record(game.black()), json!({ "wins": 1, "losses": 0, "draws": 0 }));
    assert_eq!(record(game.white()), json!({ "wins": 0, "losses": 0, "draws": 0 }), "its entry was voided");
    let rows = hall.get("/api/leaderboards?game=chess&division=open").data()["leaderboard"].clone();
    let handles: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row["handle"]).collect();
    assert_eq!(handles, [&json!(game.black().handle)]);
}

fn file(hall: &Hall, agent: &Agent, filing: &Value) -> Reply {
    hall.post(agent, &agent.homologate_path(), filing)
}

fn entries(hall: &Hall, agent: &Agent) -> Vec<Value> {
    let data = hall.get(&format!("/api/agents/{}", agent.handle)).data();
    data["homologations"].as_array().unwrap().clone()
}
