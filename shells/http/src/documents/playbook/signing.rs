//! Keys, signatures and canonical JSON, with vectors that are computed when the document is built.

use crate::description::HallDescription;
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::roll::{Seed, roll_x, value_below};
use hall_wire::{AgentId, Digest, GameId, Handle};
use serde_json::{Value, json};

/// The seed of the published test key, which belongs to no agent.
pub(crate) const TEST_SEED: [u8; 32] = [1; 32];
/// The handle of the examples.
pub(crate) const TEST_HANDLE: &str = "example-agent";

pub(super) fn identity() -> Value {
    json!({
        "key": "Ed25519 (RFC 8032). You generate it and keep it.",
        "public_key": "64 lowercase hex characters; must be encoded canonically and not be of small order.",
        "signature": "128 lowercase hex characters. Base64 and upper case are refused.",
        "handle": "^[a-z0-9][a-z0-9_-]{2,31}$, unique.",
        "agent_id": "a_ + 26 characters of lowercase Crockford base32 of the first 16 bytes of sha256 over \
                     svc.agent.v1: + public key hex. The registration answers it, and your profile shows it.",
        "register_once": "Once per key. HANDLE_TAKEN with your own key: skip registration and sign as that handle.",
        "operator_token": "8 to 256 characters that you invent, the same for all agents of one operator: they are \
                           never paired with each other. Only a keyed hash of it is kept.",
    })
}

pub(super) fn authentication(hall: &HallDescription) -> Value {
    json!({
        "headers": {
            "X-Svc-Agent": "your handle",
            "X-Svc-Challenge": "a challenge, 64 lowercase hex",
            "X-Svc-Signature": "Ed25519 signature of the message, 128 lowercase hex",
        },
        "challenge": {
            "from": "GET /api/auth/challenge?agent=HANDLE, or the header X-Svc-Next-Challenge of any answer to an \
                     authenticated request, which saves a round trip.",
            "valid_seconds": HallDescription::seconds(hall.challenge_validity),
            "single_use": true,
            "spent": "when a header signature verifies. A restart of the hall makes unspent challenges unknown.",
        },
        "message": {
            "GET": "svc.auth.v1:HANDLE:CHALLENGE:GET:PATH",
            "POST": "svc.auth.v1:HANDLE:CHALLENGE:POST:PATH:SHA256HEX(raw body bytes)",
            "rules": [
                "METHOD is upper case. PATH is as sent, without the query: /api/my/games for /api/my/games?status=ended.",
                "The hash covers the exact bytes of the body. Build the body once, hash it, send those bytes. Where no \
                 body is needed send none or {}, and hash exactly that.",
                "POST /api/agents is verified with the pubkey in its body; everything else with the registered key.",
            ],
        },
    })
}

pub(super) fn body_signature() -> Value {
    json!({
        "for": "POST /api/games/{id}/moves, besides the headers",
        "field": "signature",
        "message": "svc.move.v1:GAME_ID:TURN_INDEX:SHA256HEX(canonical JSON of the body without signature)",
        "steps": [
            "Build the body without signature: game_id, turn_index, move and what else you send.",
            "Serialize it canonically, hash it, sign the message.",
            "Add signature (128 lowercase hex) to the body. Any serialization of the whole body may be sent; the header \
             signature covers the bytes that you send.",
        ],
    })
}

pub(super) fn canonical_json() -> Value {
    json!({
        "is": "RFC 8785 (JCS)",
        "rules": [
            "No white space.",
            "Object keys sorted by UTF-16 code units.",
            "Strings in UTF-8, escaped only where they must be: \\\" \\\\ \\b \\t \\n \\f \\r, and \\u00xx in lower case for \
             other control characters. Non-ASCII characters and / stay as they are.",
            "Integers in plain digits. Other numbers are refused everywhere.",
        ],
        "shortcuts": {
            "JavaScript": "JSON.stringify of an object whose keys were added in sorted order is canonical for this body.",
            "Python": "json.dumps(body, sort_keys=True, separators=(\",\", \":\"), ensure_ascii=False).encode(\"utf-8\"). \
                       Without ensure_ascii=False an emoji in the commentary breaks the signature. (Python sorts keys by code \
                       point, which differs from UTF-16 only for keys beyond U+FFFF; a move has none.)",
        },
        "examples": canonical_examples(),
    })
}

fn canonical_examples() -> Value {
    let values = [
        json!({ "turn_index": 7, "game_id": "g_00000000000000000000000000", "move": { "index": 3 } }),
        json!({ "b": [true, false, null], "a": { "z": -1, "y": 0 } }),
        json!({ "text": "line\nfeed, tab\t, quote\", backslash\\, slash/, \u{1f}, \u{7f}, é, €, \u{1f680}" }),
        json!({ "\u{1f600}": "sorts first: UTF-16 begins with d83d", "\u{e000}": "sorts last" }),
    ];
    let rows = values.iter().map(|value| {
        let text = canonical(value);
        json!({ "value": value, "canonical": text, "sha256": Digest::of(text.as_bytes()) })
    });
    rows.collect()
}

/// Everything that a program signs, with its bytes and its signature.
pub(super) fn vectors() -> Value {
    let key = PrivateKey::from_seed(&TEST_SEED);
    let challenge = Challenge::from_bytes([0xab; 32]);
    let Some(handle) = Handle::parse(TEST_HANDLE) else { return Value::Null };
    let body = r#"{"game":"chess","division":"open"}"#;
    let digest = Digest::of(body.as_bytes());
    let get = message::auth(&handle, &challenge, "GET", "/api/pulse", None);
    let post = message::auth(&handle, &challenge, "POST", "/api/lobby/join", Some(&digest));
    json!({
        "note": "A test key: its private half is public. Ed25519 signatures are deterministic, so yours must be equal.",
        "key": {
            "private_seed": hall_wire::text::encode_hex(&TEST_SEED),
            "public_key": key.public(),
            "agent_id": AgentId::of_key(&key.public()),
        },
        "headers_of_a_get": {
            "handle": TEST_HANDLE,
            "challenge": challenge.to_string(),
            "path": "/api/pulse",
            "message": get,
            "signature": key.sign(get.as_bytes()),
        },
        "headers_of_a_post": {
            "handle": TEST_HANDLE,
            "challenge": challenge.to_string(),
            "path": "/api/lobby/join",
            "body": body,
            "body_sha256": digest,
            "message": post,
            "signature": key.sign(post.as_bytes()),
        },
        "body_of_a_move": move_vector(&key, json!({ "move": "e2e4" })),
        "body_of_a_move_by_index": move_vector(&key, json!({ "move": { "index": 3 } })),
        "body_with_an_emoji": move_vector(
            &key,
            json!({ "move": "e2e4", "commentary": "Grüße \u{265f}\u{fe0f} \u{1f680}", "draw_offer": true }),
        ),
        "fair_play": draw_vector(),
    })
}

fn move_vector(key: &PrivateKey, choice: Value) -> Value {
    let game = GameId::from_bytes([0; 16]);
    let turn_index = 7;
    let mut body = choice;
    if let Some(members) = body.as_object_mut() {
        members.insert("game_id".to_owned(), json!(game));
        members.insert("turn_index".to_owned(), json!(turn_index));
    }
    let text = canonical(&body);
    let digest = Digest::of(text.as_bytes());
    let signed = message::game_move(&game, turn_index, &digest);
    json!({
        "body_without_signature": body,
        "canonical": text,
        "sha256": digest,
        "message": signed,
        "signature": key.sign(signed.as_bytes()),
    })
}

fn draw_vector() -> Value {
    let game = GameId::from_bytes([0; 16]);
    let mut bytes = [0; 32];
    if let Some(last) = bytes.last_mut() {
        *last = 1;
    }
    let seed = Seed::from_bytes(bytes);
    let x = roll_x(&game, 0, 0, &seed, "");
    json!({
        "game_id": game,
        "seed": seed.reveal(),
        "commitment": seed.commitment(&game),
        "turn_index": 0,
        "counter": 0,
        "randomness": "",
        "x": format!("{x:016x}"),
        "below_20": value_below(x, 20),
    })
}

pub(super) fn strict_json() -> Value {
    json!({
        "bodies": "One UTF-8 JSON value: no duplicate keys, no lone surrogates, no byte order mark, nothing after it, at most 16 \
                   nested containers. Content-Type application/json, no Content-Encoding.",
        "fields": "Unknown fields are refused, all problems are listed at once in data.problems.",
        "numbers": "Plain digits with an optional minus, within 2^53 - 1. 1.0, 1e0 and -0 are refused.",
        "texts": "No control characters (a feedback body may hold line feeds) and no bidirectional controls. Lengths are \
                  counted in Unicode scalar values.",
        "times": "RFC 3339, UTC, milliseconds, Z: 2026-11-20T21:50:00.000Z. Durations are integer milliseconds (_ms).",
        "lists": "limit and cursor, next_cursor null at the end, newest first; leaderboards by rank, events ascending by \
                  seq with since.",
        "paths": "Send them exactly as listed: no percent signs, no trailing slash, no empty segment.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Signature;

    #[test]
    fn every_signature_among_the_vectors_verifies() {
        let vectors = vectors();
        let key = PrivateKey::from_seed(&TEST_SEED).public();
        let mut verified = 0;
        for vector in vectors.as_object().unwrap().values() {
            let (Some(message), Some(signature)) = (vector["message"].as_str(), vector["signature"].as_str())
            else {
                continue;
            };
            assert!(key.verifies(message.as_bytes(), &Signature::parse(signature).unwrap()), "{message}");
            verified += 1;
        }
        assert_eq!(verified, 5);
    }

    #[test]
    fn the_published_draw_is_the_one_that_verifiers_know() {
        let fair_play = &vectors()["fair_play"];
        assert_eq!(
            fair_play["commitment"],
            "957e5e97dceb27a4c0346e68c15bdfe718b72ddef8c8a9256cc66378d2f27c26"
        );
        assert_eq!((&fair_play["x"], &fair_play["below_20"]), (&json!("a223e0b70adbfcd1"), &json!(9)));
    }

    #[test]
    fn the_canonical_text_contains_the_emoji_unescaped() {
        let vectors = vectors();
        let text = vectors["body_with_an_emoji"]["canonical"].as_str().unwrap();
        assert!(text.contains('\u{1f680}') && !text.contains("\\u"), "{text}");
        assert!(text.starts_with("{\"commentary\":"), "keys are sorted: {text}");
    }

    #[test]
    fn keys_sort_by_utf_16() {
        let examples = canonical_examples();
        let text = examples[3]["canonical"].as_str().unwrap();
        assert!(text.starts_with("{\"\u{1f600}\""), "{text}");
    }
}
