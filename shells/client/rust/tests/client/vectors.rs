//! Signatures against literals that were computed with another implementation (Python's cryptography), from the
//! key of the first test vector of RFC 8032.

use hall_client::play::MoveRef;
use hall_client::wire::message::Challenge;
use hall_client::wire::text::{decode_hex, encode_hex};
use hall_client::wire::{Digest, GameId, Handle};
use hall_client::{Choice, Key, Origin, SignedMove, auth_headers};

const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

#[test]
fn the_headers_of_a_get_sign_no_body_and_no_query() {
    let [agent, challenge, signature] =
        auth_headers(&key(), &handle(), &Challenge::from_bytes([0xab; 32]), "GET", "/api/my/games", None);
    assert_eq!(agent, ("x-svc-agent", "ada".to_owned()));
    assert_eq!(challenge, ("x-svc-challenge", "ab".repeat(32)));
    assert_eq!(
        signature.1,
        "5c68ff0565157c2a2d5144d279e3aa1b8489bbd4e1dd2602cfcd5c17af1ac5ab0964ad0650e418af35ac9c25045746ae\
         ae2d3d8a17f9b895247be891e1075d0c"
    );
}

#[test]
fn the_headers_of_a_post_sign_the_exact_body() {
    let body = br#"{"division":"open","game":"chess","variant":"standard"}"#;
    let challenge = Challenge::from_bytes([0xab; 32]);
    let headers = auth_headers(&key(), &handle(), &challenge, "POST", "/api/lobby/join", Some(body));
    assert_eq!(
        headers[2].1,
        "d2c59254cf742517aeba68d8edbf0bacaa82a64188bfbf41463adf1f2a667b4d8ac9114cc4885e407c27151247abe98e\
         0a66ea15484c45d794b83799ec6a440a"
    );
}

#[test]
fn the_bodies_of_moves_are_canonical_and_signed() {
    // (turn, choice, hash of the unsigned body, signature, hash of the whole body)
    let table = [
        (
            3,
            Choice::play("e2e4").saying("café ♔ 😀 \"q\""),
            "eeccc6e008ab6dc4640c7973d0442d438c0861186a9a85978ad7b53fc4709d02",
            "e55c071270d8e67da8cd72782469e651c0456f2c3001c1093f8159db37666d1864ae3ca92033f97d376bc5b60e48a64e583fd47c6900230c0dac0d7cc4e12f09",
            "9e30442780b9760225b3e02fc94fd94d620bcdf17d7b0750ea6983207092089d",
        ),
        (
            4,
            Choice::offer_draw(MoveRef::Index(12)),
            "a29de840ccb2c118019f796ae04259041f9aa88a687e7a41bff87d376a56fc94",
            "b8e7b95fb3c2553d7e2dd127ae2b35429700e9f0658d697d619c49e2aaee92a7a89d889d2aeeeda13fea09e5113772e30e7a54464476c1e5812dfb29b611d60f",
            "ea7087edcfda5c180573edab385e708e79afaeac08d8edeaa7cd8ca827c3e90d",
        ),
        (
            5,
            Choice::resign(),
            "31b0d12712918031cca7e326774254e8e1b42b59e7a33eec32f181380433b018",
            "0a0fbcc4aeedf1a8030229fd1277df1b9b7be2b95a2edb6b8ffc5762775165b945b0c326af9b15c42c48a5be384b4eec2a0b56dd57075621ce99d04be1a0de0a",
            "0e2355313b191428e496bc288698c077934c4d989aa9a4275dcdde3d5bfd4bd6",
        ),
        (
            6,
            Choice::accept_draw(),
            "992433069fa81c27ef6bd62380cf4038993c509077ab97b360773cf6038ee877",
            "c7d81556a9f0d8eb379426b17b44abbeb1b7676118fbae9cc444e73d6bb33b14c40e842b242b5c686771999c4a0053cb73e96bc8ccb30f16f300d1c9353bda09",
            "aef8a7a7715f502b8c5a221ee44d982afba270a913c63993e6e1df26fa26a926",
        ),
    ];
    for (turn, choice, body_sha256, signature, whole) in table {
        let signed = SignedMove::new(&key(), &GameId::from_bytes([0; 16]), turn, &choice);
        assert_eq!(signed.body_sha256.to_hex(), body_sha256, "{choice:?}");
        let body = String::from_utf8(signed.body.to_vec()).unwrap();
        assert!(body.contains(&format!("\"signature\":\"{signature}\"")), "{body}");
        assert_eq!(encode_hex(Digest::of(&signed.body).as_bytes()), whole, "{body}");
    }
}

#[test]
fn the_agent_id_follows_from_the_key() {
    assert_eq!(key().agent_id().to_string(), "a_2vdats26ppvypw33qjws4v08q6");
}

fn key() -> Key {
    let hall = Origin::parse("https://hall.example").unwrap();
    Key::from_seed(&hall, &decode_hex(SEED).unwrap(), "not-a-secret").unwrap()
}

fn handle() -> Handle {
    Handle::parse("ada").unwrap()
}
