//! Signatures, hashes and formats against the vectors that all clients share. A program that shares no code with this
//! one made them with third-party libraries.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_client::doorbell::{Doorbell, RingProblem, open_ring, ring_key};
use hall_client::play::MoveRef;
use hall_client::wire::json::{Value, canonical, parse};
use hall_client::wire::key::PrivateKey;
use hall_client::wire::message::{self, Challenge};
use hall_client::wire::note;
use hall_client::wire::roll::{Rolls, Seed};
use hall_client::wire::text::decode_hex;
use hall_client::wire::{AgentId, Digest, GameId, Handle, RingId, Signature};
use hall_client::{Choice, Key, KeyError, Origin, SignedMove, auth_headers};

#[test]
fn values_have_the_canonical_form_that_every_client_computes() {
    for vector in list(&vectors()["canonical_json"]) {
        let parsed = parse(text(&vector["json"]).as_bytes()).unwrap();
        assert!(parsed.numbers.is_empty(), "{}", vector["name"]);
        let form = canonical(&parsed.value);
        assert_eq!(form, text(&vector["canonical"]), "{}", vector["name"]);
        assert_eq!(Digest::of(form.as_bytes()).to_hex(), text(&vector["sha256"]), "{}", vector["name"]);
    }
}

#[test]
fn texts_on_which_parsers_disagree_are_refused() {
    for vector in list(&vectors()["refused_json"]) {
        let refused = parse(&bytes(&vector["hex"])).map_or(true, |parsed| !parsed.numbers.is_empty());
        assert!(refused, "{}", vector["name"]);
    }
}

#[test]
fn the_identifier_of_an_agent_follows_from_its_key() {
    for vector in list(&vectors()["identities"]) {
        let key = key(&vector["seed"]);
        assert_eq!(key.public().to_string(), text(&vector["public_key"]));
        assert_eq!(key.agent_id().to_string(), text(&vector["agent_id"]));
    }
}

#[test]
fn invalid_handles_and_identifiers_are_refused() {
    let vectors = vectors();
    let (handles, ids) = (&vectors["handles"], &vectors["game_ids"]);
    assert!(list(&handles["good"]).iter().all(|good| Handle::parse(text(good)).is_some()));
    assert!(list(&handles["bad"]).iter().all(|bad| Handle::parse(text(bad)).is_none()));
    for good in list(&ids["good"]) {
        let id = GameId::from_bytes(decode_hex(text(&good["hex"])).unwrap());
        assert_eq!(id.to_string(), text(&good["text"]));
        assert_eq!(GameId::parse(text(&good["text"])), Some(id));
    }
    assert!(list(&ids["bad"]).iter().all(|bad| GameId::parse(text(bad)).is_none()));
}

#[test]
fn one_hall_has_one_written_form() {
    let origins = &vectors()["origins"];
    for good in list(&origins["good"]) {
        let origin = Origin::parse(text(&good["text"])).unwrap();
        assert_eq!(origin.to_string(), text(&good["origin"]));
        assert_eq!(origin.folder_name(), text(&good["folder"]));
    }
    for bad in list(&origins["bad"]) {
        assert!(Origin::parse(text(bad)).is_err(), "{bad}");
    }
}

#[cfg(unix)]
#[test]
fn key_files_of_all_clients_have_the_same_format() {
    use std::os::unix::fs::OpenOptionsExt as _;
    let vector = &vectors()["key_file"];
    let folder = tempfile::tempdir().unwrap();
    let (given, written) = (folder.path().join("given.json"), folder.path().join("written.json"));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&given).unwrap();
    std::io::Write::write_all(&mut file, text(&vector["text"]).as_bytes()).unwrap();
    let hall = Origin::parse(text(&vector["hall"])).unwrap();
    let key = Key::load(&given, &hall).unwrap();
    assert_eq!(key.operator_token(), text(&vector["operator_token"]));
    key.save(&written, &hall_client::SystemRandomness).unwrap();
    assert_eq!(std::fs::read_to_string(&written).unwrap(), text(&vector["text"]));
    for other in list(&vector["other_halls"]) {
        let error = Key::load(&given, &Origin::parse(text(other)).unwrap()).unwrap_err();
        assert!(matches!(error, KeyError::OtherHall { .. }), "{other}: {error}");
    }
}

#[test]
fn the_headers_of_requests_are_signed_as_the_specification_says() {
    for vector in list(&vectors()["requests"]) {
        let handle = Handle::parse(text(&vector["handle"])).unwrap();
        let challenge = Challenge::parse(text(&vector["challenge"])).unwrap();
        let method = text(&vector["method"]);
        let path = text(&vector["target"]).split('?').next().unwrap();
        let body = vector["body"].as_str().map(str::as_bytes);
        let digest = body.map(Digest::of);
        assert_eq!(
            message::auth(&handle, &challenge, method, path, digest.as_ref()),
            text(&vector["message"])
        );
        let headers = auth_headers(&key(&vector["seed"]), &handle, &challenge, method, path, body);
        assert_eq!(
            headers.each_ref().map(|(name, _)| *name),
            ["x-svc-agent", "x-svc-challenge", "x-svc-signature"]
        );
        let values = headers.map(|(_, value)| value);
        assert_eq!(values, [&vector["handle"], &vector["challenge"], &vector["signature"]].map(text));
    }
}

#[test]
fn the_bodies_of_moves_are_canonical_and_signed() {
    for vector in list(&vectors()["moves"]) {
        let body = &vector["body"];
        let game = GameId::parse(text(&body["game_id"])).unwrap();
        let turn_index = u32::try_from(body["turn_index"].as_u64().unwrap()).unwrap();
        let signed = SignedMove::new(&key(&vector["seed"]), &game, turn_index, &choice(body));
        assert_eq!(canonical(body), text(&vector["canonical"]));
        assert_eq!(signed.body_sha256.to_hex(), text(&vector["body_sha256"]), "{body}");
        assert_eq!(message::game_move(&game, turn_index, &signed.body_sha256), text(&vector["message"]));
        assert_eq!(String::from_utf8(signed.body.to_vec()).unwrap(), text(&vector["sent"]));
    }
}

#[test]
fn draws_can_be_recomputed_by_anybody() {
    for vector in list(&vectors()["draws"]) {
        let game = GameId::parse(text(&vector["game_id"])).unwrap();
        let seed = Seed::parse(text(&vector["seed"])).unwrap();
        assert_eq!(seed.commitment(&game).to_hex(), text(&vector["commitment"]));
        let turn_index = u32::try_from(vector["turn_index"].as_u64().unwrap()).unwrap();
        let mut rolls = Rolls::new(game, turn_index, &seed, text(&vector["randomness"]));
        for bound in list(&vector["bounds"]) {
            rolls.below(text(bound).parse().unwrap());
        }
        let taken = rolls.taken();
        assert_eq!(taken.len(), list(&vector["draws"]).len());
        for (roll, told) in taken.iter().zip(list(&vector["draws"])) {
            assert_eq!(u64::from(roll.counter), told["counter"].as_u64().unwrap());
            assert_eq!(roll.n.to_string(), text(&told["n"]));
            assert_eq!(format!("{:016x}", roll.x), text(&told["x"]));
            assert_eq!(roll.value.map(|value| value.to_string()).as_deref(), told["value"].as_str());
        }
    }
}

#[test]
fn checkpoints_are_written_as_signed_notes() {
    let log = &vectors()["log"];
    let (origin, private) = (text(&log["origin"]), private(&log["seed"]));
    assert_eq!(note::verifier_key(origin, &private.public()), text(&log["verifier_key"]));
    let (size, root) = (log["size"].as_u64().unwrap(), Digest::parse(text(&log["root"])).unwrap());
    assert_eq!(note::Checkpoint { origin, size, root }.signed(&private), text(&log["notes"][0]["note"]));
}

#[test]
fn official_addresses_are_signed_with_the_log_key() {
    let vectors = vectors();
    let vector = &vectors["official"];
    let mut document = vector["document"].clone();
    let signature = document.as_object_mut().unwrap().remove("signature").unwrap();
    let message = message::official(&Digest::of(canonical(&document).as_bytes()));
    assert_eq!(message, text(&vector["message"]));
    let log_key = private(&vectors["log"]["seed"]).public();
    assert!(log_key.verifies(message.as_bytes(), &Signature::parse(text(&signature)).unwrap()));
}

#[test]
fn rings_are_signed_as_standard_webhooks() {
    let vector = &vectors()["rings"];
    let private = private(&vector["seed"]);
    assert_eq!(format!("whpk_{}", STANDARD.encode(private.public().as_bytes())), text(&vector["key"]));
    let payload = &vector["payload"];
    let game = GameId::parse(text(&payload["game_id"])).unwrap();
    let agent = AgentId::of_key(&key(&vectors()["doorbell"]["seed"]).public());
    assert_eq!(RingId::of_turn(&agent, &game, 12).to_string(), text(&payload["event_id"]));
    let sent = &vector["good"][0];
    assert_eq!(canonical(payload), text(&sent["body"]));
    let signature = STANDARD.encode(private.sign(text(&vector["signed"]).as_bytes()).as_bytes());
    assert_eq!(format!("v1a,{signature}"), text(&sent["headers"]["webhook-signature"]));
}

#[test]
fn a_doorbell_is_verified_by_the_agents_own_signature() {
    let vector = &vectors()["doorbell"];
    let handle = Handle::parse(text(&vector["handle"])).unwrap();
    let challenge = Challenge::parse(text(&vector["challenge"])).unwrap();
    let message = message::doorbell_endpoint(&handle, &challenge, text(&vector["url"]));
    assert_eq!(message, text(&vector["message"]));
    assert_eq!(key(&vector["seed"]).sign(&message).to_string(), text(&vector["signature"]));
}

#[test]
fn rings_are_accepted_only_from_the_hall_and_in_time() {
    let told = &vectors()["rings"];
    let keys = [ring_key(text(&told["key"])).unwrap()];
    let open = |vector: &Value| {
        let header = |name: &str| vector["headers"][name].as_str();
        open_ring(header, text(&vector["body"]).as_bytes(), &keys, vector["now"].as_u64().unwrap())
    };
    for vector in list(&told["good"]) {
        let ring = open(vector).unwrap();
        assert_eq!(ring.event_id.to_string(), text(&told["payload"]["event_id"]), "{}", vector["name"]);
        assert_eq!(ring.game_id.to_string(), text(&told["payload"]["game_id"]));
        assert_eq!(u64::from(ring.turn_index), told["payload"]["turn_index"].as_u64().unwrap());
        assert_eq!(ring.deadline_utc.unwrap().to_string(), text(&told["payload"]["deadline_utc"]));
    }
    for vector in list(&told["bad"]) {
        assert!(open(vector).is_err(), "{}", vector["name"]);
    }
    for bad in list(&told["bad_keys"]) {
        assert_eq!(ring_key(text(bad)), Err(RingProblem::Key), "{bad}");
    }
}

#[test]
fn an_event_rings_once_and_both_keys_count_during_a_change() {
    let vectors = vectors();
    let told = &vectors["rings"];
    let mut bell = doorbell(&vectors["doorbell"], &[text(&told["old_key"]), text(&told["key"])]);
    let mut ring = |vector: &Value| {
        let header = |name: &str| vector["headers"][name].as_str();
        bell.answer("POST", header, text(&vector["body"]).as_bytes(), vector["now"].as_u64().unwrap())
    };
    let (first, again) = (ring(&told["good"][0]), ring(&told["good"][1]));
    assert_eq!((first.status, first.ring.is_some()), (204, true));
    assert_eq!((again.status, again.ring), (204, None));
    let forged = ring(&told["bad"][0]);
    assert_eq!((forged.status, forged.refused), (401, Some(RingProblem::Time.into())));
}

#[test]
fn an_endpoint_signs_only_for_its_own_agent_and_address() {
    let vector = &vectors()["doorbell"];
    let mut bell = doorbell(vector, &[]);
    let mut ask = |method: &str, agent: &str, challenge: &str| {
        let header = |name: &str| match name {
            "x-svc-agent" => Some(agent),
            "x-svc-challenge" => Some(challenge),
            _ => None,
        };
        bell.answer(method, header, b"", 0)
    };
    let signed = ask("GET", text(&vector["handle"]), text(&vector["challenge"]));
    let header = ("X-Svc-Doorbell-Signature", text(&vector["signature"]).to_owned());
    assert_eq!((signed.status, signed.header), (200, Some(header)));
    for refused in list(&vector["refused"]) {
        let reply = ask("GET", text(&refused["agent"]), text(&refused["challenge"]));
        assert_eq!((reply.status, reply.header), (400, None), "{}", refused["name"]);
    }
    assert_eq!(ask("PUT", "ada", "").status, 405);
}

/// The endpoint of the vectors' agent.
fn doorbell(vector: &Value, ring_keys: &[&str]) -> Doorbell {
    let handle = Handle::parse(text(&vector["handle"])).unwrap();
    Doorbell::new(key(&vector["seed"]), handle, text(&vector["url"]), ring_keys).unwrap()
}

/// The choice in the body of a move.
fn choice(body: &Value) -> Choice {
    let chosen = body.get("move").map(|chosen| match chosen["index"].as_u64() {
        Some(index) => MoveRef::Index(u32::try_from(index).unwrap()),
        None => MoveRef::Notation(text(chosen).to_owned()),
    });
    let choice = match chosen {
        Some(chosen) if body.get("draw_offer").is_some() => Choice::offer_draw(chosen),
        Some(MoveRef::Notation(notation)) => Choice::play(notation),
        Some(MoveRef::Index(index)) => Choice::index(index),
        None if body.get("resign").is_some() => Choice::resign(),
        None => Choice::accept_draw(),
    };
    match body.get("commentary") {
        Some(commentary) => choice.saying(text(commentary)),
        None => choice,
    }
}

fn vectors() -> Value {
    parse(include_bytes!("../../../vectors.json")).unwrap().value
}

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().unwrap();
    assert!(!list.is_empty());
    list
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = text(hex).as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn key(seed: &Value) -> Key {
    let hall = Origin::parse("https://hall.example").unwrap();
    Key::from_seed(&hall, &decode_hex(text(seed)).unwrap(), "not a secret").unwrap()
}

fn private(seed: &Value) -> PrivateKey {
    PrivateKey::from_seed(&decode_hex(text(seed)).unwrap())
}
