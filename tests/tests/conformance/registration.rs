//! POST /api/agents, and the profile that follows from it.

use hall_tests::{Agent, Hall, json};
use hall_wire::text::encode_hex;

#[test]
fn a_registration_answers_identifiers_and_what_to_do_next() {
    let hall = Hall::start();
    let ada = Agent::new("ada");
    let reply = hall.post(&ada, "/api/agents", &ada.registration());
    assert_eq!(reply.status, 200);
    let data = reply.data();
    crate::has_exactly(&data, "agent_id handle operator_id next");
    assert_eq!(data["agent_id"], ada.id());
    assert_eq!(data["handle"], ada.handle);
    let operator = data["operator_id"].as_str().unwrap();
    assert!(operator.starts_with("o_") && operator.len() == 28, "{operator}");
    let body = reply.json();
    assert_eq!(body["metadata"]["untrusted_fields"], json!(["data.handle"]));
    let profile = hall.get(&format!("/api/agents/{}", ada.handle)).data();
    crate::has_exactly(&profile, "agent homologations ratings record");
    let agent = &profile["agent"];
    crate::has_exactly(
        agent,
        "id handle operator_id operator_name pubkey_ed25519 model_id adapter_kind status created_at",
    );
    assert_eq!(agent["id"], ada.id());
    assert_eq!(agent["pubkey_ed25519"], ada.key.public().to_string());
    assert_eq!(agent["operator_id"], operator);
    assert_eq!(agent["operator_name"], ada.registration()["operator_name"]);
    assert_eq!(agent["model_id"], ada.registration()["model_id"]);
    assert_eq!(agent["adapter_kind"], "scaffold");
    assert_eq!(agent["status"], "active");
    crate::is_time(&agent["created_at"]);
    assert_eq!(profile["homologations"], json!([]));
    assert_eq!(profile["ratings"], json!([]));
    assert_eq!(profile["record"], json!({ "wins": 0, "losses": 0, "draws": 0 }));
}

#[test]
fn the_published_key_gets_the_published_agent_id() {
    let hall = Hall::start();
    let mut agent = Agent::new("vector");
    let seed =
        hall_wire::text::decode_hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
    agent.key = hall_wire::key::PrivateKey::from_seed(&seed.unwrap());
    let data = hall.post(&agent, "/api/agents", &agent.registration()).data();
    assert_eq!(data["agent_id"], "a_2vdats26ppvypw33qjws4v08q6");
}

#[test]
fn optional_fields_may_be_left_out_and_limits_are_met_exactly() {
    let hall = Hall::start();
    let short = Agent { handle: "abc".to_owned(), ..Agent::of_operator("short", "12345678") };
    let long = Agent {
        handle: "a2345678901234567890123456789_-2".to_owned(),
        ..Agent::of_operator("long", &"\u{1f600}".repeat(256))
    };
    for agent in [&short, &long] {
        let mut body = agent.registration();
        for field in ["adapter_kind", "operator_name"] {
            body.as_object_mut().unwrap().remove(field);
        }
        body["model_id"] = "\u{1f600}".repeat(128).into();
        let reply = hall.post(agent, "/api/agents", &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let profile = hall.get("/api/agents/abc").data();
    assert_eq!(profile["agent"]["operator_name"], json!(null));
    assert_eq!(profile["agent"]["adapter_kind"], json!(null));
}

#[test]
fn a_registration_is_signed_by_the_key_in_its_body_for_the_handle_in_its_body() {
    let hall = Hall::start();
    let (ada, bob) = (Agent::new("ada"), Agent::new("bob"));
    let body = ada.registration().to_string();
    let mut by_bob = hall.draft(&ada, "POST", "/api/agents", Some(body.as_bytes()));
    by_bob.key = bob.key.clone();
    assert_eq!(hall.send(&by_bob.request()).verdict(), "401 SIG_INVALID");
    let of_bob = hall.draft(&bob, "POST", "/api/agents", Some(body.as_bytes()));
    assert_eq!(hall.send(&of_bob.request()).verdict(), "401 AUTH_HANDLE_MISMATCH");
    let mut of_nobody = hall.draft(&ada, "POST", "/api/agents", Some(body.as_bytes()));
    of_nobody.challenge = "1".repeat(64);
    of_nobody.signed_challenge = "1".repeat(64);
    assert_eq!(hall.send(&of_nobody.request()).verdict(), "401 CHALLENGE_UNKNOWN");
    assert_eq!(hall.get(&format!("/api/agents/{}", ada.handle)).verdict(), "404 AGENT_NOT_FOUND");
    hall.admit(&ada);
}

#[test]
fn a_handle_has_one_key_and_a_key_one_handle_permanently() {
    let hall = Hall::start();
    let (ada, bob) = (hall.register("ada"), hall.register("bob"));
    let again = hall.post(&ada, "/api/agents", &ada.registration());
    assert_eq!(again.verdict(), "409 HANDLE_TAKEN");
    let impostor = Agent { key: Agent::new("eve").key, ..ada.clone() };
    assert_eq!(hall.post(&impostor, "/api/agents", &impostor.registration()).verdict(), "409 HANDLE_TAKEN");
    let alias = Agent { handle: "other-quill".to_owned(), ..ada.clone() };
    assert_eq!(
        hall.post(&alias, "/api/agents", &alias.registration()).verdict(),
        "409 KEY_ALREADY_REGISTERED"
    );
    let swapped = Agent { key: ada.key.clone(), ..bob.clone() };
    assert_eq!(
        hall.post(&swapped, "/api/agents", &swapped.registration()).verdict(),
        "409 HANDLE_TAKEN",
        "first"
    );
    let hall = hall.restart();
    assert_eq!(hall.post(&impostor, "/api/agents", &impostor.registration()).verdict(), "409 HANDLE_TAKEN");
    assert_eq!(
        hall.post(&alias, "/api/agents", &alias.registration()).verdict(),
        "409 KEY_ALREADY_REGISTERED"
    );
    assert_eq!(hall.ask(&ada, "/api/my/games").status, 200);
}

#[test]
fn a_token_names_one_operator_and_no_answer_reveals_whether_it_was_known() {
    let hall = Hall::start();
    let (one, two) =
        (Agent::of_operator("one", "a common token"), Agent::of_operator("two", "a common token"));
    let three = Agent::of_operator("three", "another token");
    let data: Vec<_> = [&one, &two, &three]
        .map(|agent| hall.post(agent, "/api/agents", &agent.registration()).data())
        .to_vec();
    assert_eq!(data[0]["operator_id"], data[1]["operator_id"]);
    assert_ne!(data[0]["operator_id"], data[2]["operator_id"]);
    let next = |number: usize, agent: &Agent| data[number]["next"].to_string().replace(&agent.id(), "ID");
    assert_eq!(next(0, &one), next(1, &two), "no hint that the operator was linked");
    let other = Hall::start();
    let elsewhere = other.post(&one, "/api/agents", &one.registration()).data();
    assert_ne!(elsewhere["operator_id"], data[0]["operator_id"], "the hash is keyed by a secret of the hall");
}

#[test]
fn the_operator_token_is_never_written() {
    let hall = Hall::with(hall_tests::Settings::default());
    let token = "canary-4f1d9c-operator-token";
    let agent = Agent::of_operator("ada", token);
    hall.admit(&agent);
    hall.homologate(&agent);
    let twice = hall.post(&agent, "/api/agents", &agent.registration());
    assert!(!twice.text().contains(token));
    let mut broken = agent.registration();
    broken["surprise"] = json!(1);
    let refused = hall.post(&agent, "/api/agents", &broken);
    assert!(!refused.text().contains(token));
    assert!(
        !hall
            .post_bytes(&agent, "/api/agents", format!("{{\"operator_token\":\"{token}\"").as_bytes())
            .text()
            .contains(token)
    );
    assert!(!hall.get(&format!("/api/agents/{}", agent.handle)).text().contains(token));
    let hall = hall.kill_and_restart();
    let (folder, _) = hall.stop();
    let hashed = hall_wire::Digest::of(token.as_bytes());
    let spellings = [
        token.as_bytes().to_vec(),
        hashed.to_hex().into_bytes(),
        hashed.as_bytes().to_vec(),
        encode_hex(token.as_bytes()).into_bytes(),
    ];
    let mut files = 0;
    visit(folder.path(), &mut |path, bytes| {
        files += 1;
        for spelling in &spellings {
            let found = bytes.windows(spelling.len()).any(|window| window == spelling);
            assert!(!found, "the token or its plain hash is in {}", path.display());
        }
    });
    assert!(files > 1, "there are a log and data");
}

fn visit(folder: &std::path::Path, look: &mut dyn FnMut(&std::path::Path, &[u8])) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            visit(&path, look);
        } else if kind.is_file() {
            look(&path, &std::fs::read(&path).unwrap());
        }
    }
}
