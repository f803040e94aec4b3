//! The texts that are signed or hashed, against the letters of the specification (5.2, 5.7, 5.11).

use crate::{holds, same};
use hall_wire::message::{self, Challenge};
use hall_wire::roll::{Seed, roll_x};
use hall_wire::{AgentId, Digest, GameId, Handle, PublicKey, RingId, key::PrivateKey};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

/// What the texts are made of.
#[derive(Clone, Debug)]
struct Parts {
    handle: String,
    path: String,
    turn: u32,
    game: [u8; 16],
    challenge: [u8; 32],
    key: [u8; 32],
    body: [u8; 32],
}

fn parts() -> impl Strategy<Value = Parts> {
    let bytes = (any::<[u8; 16]>(), any::<[u8; 32]>(), any::<[u8; 32]>(), any::<[u8; 32]>());
    ("h[0-9]{1,12}_-x", "/api/games/[0-9]{1,3}/moves", any::<u32>(), bytes).prop_map(
        |(handle, path, turn, (game, challenge, key, body))| Parts {
            handle,
            path,
            turn,
            game,
            challenge,
            key,
            body,
        },
    )
}

/// Writes every text, and `auth` by what is given for it.
fn compare(
    Parts { handle, path, turn, game, challenge, key, body }: Parts,
    auth: impl Fn(&Handle, &Challenge, &str, &str, Option<&Digest>) -> String,
) -> Result<(), TestCaseError> {
    let handle = Handle::parse(&handle).unwrap();
    let (hex, seed) = (hexadecimal(&challenge), Seed::from_bytes(challenge));
    let challenge = Challenge::from_bytes(challenge);
    let (digest, sha) = (Digest::of(&body), sha256(&body));
    let (id, game) = (format!("g_{}", base32(game)), GameId::from_bytes(game));
    let public: PublicKey = PrivateKey::from_seed(&key).public();
    let key = hexadecimal(public.as_bytes());
    same("digest", sha.clone(), digest.to_string())?;
    same("digest of parts", sha.clone(), Digest::of_parts(&[&body[..7], &[], &body[7..]]).to_string())?;
    for method in ["GET", "HEAD"] {
        let expected = format!("svc.auth.v1:{handle}:{hex}:{method}:{path}");
        same("auth", expected, auth(&handle, &challenge, method, &path, None))?;
    }
    let expected = format!("svc.auth.v1:{handle}:{hex}:POST:{path}:{sha}");
    same("auth", expected, auth(&handle, &challenge, "POST", &path, Some(&digest)))?;
    let expected = format!("svc.move.v1:{id}:{turn}:{sha}");
    same("move", expected, message::game_move(&game, turn, &digest))?;
    let url = format!("https://a.example{path}?x=%41");
    let expected = format!("svc.doorbell-endpoint.v1:{handle}:{hex}:{url}");
    same("doorbell", expected, message::doorbell_endpoint(&handle, &challenge, &url))?;
    same("official", format!("svc.official.v1:{sha}"), message::official(&digest))?;
    let expected = sha256(format!("svc.state.v1:{id}:{turn}:{url}").as_bytes());
    same("state", expected, message::state_hash(&game, turn, &url).to_string())?;
    let expected = sha256(format!("svc.seat.v1:{id}:{handle}").as_bytes());
    same("seat", expected, message::seat_hash(&game, &handle).to_string())?;
    let agent = half(&sha256(format!("svc.agent.v1:{key}").as_bytes()));
    let agent_id = AgentId::of_key(&public);
    same("agent", format!("a_{}", base32(agent)), agent_id.to_string())?;
    let ring = half(&sha256(format!("svc.ring.v1:a_{}:{id}:{turn}", base32(agent)).as_bytes()));
    same("ring", format!("e_{}", base32(ring)), RingId::of_turn(&agent_id, &game, turn).to_string())?;
    let expected = sha256(format!("svc.seed.v1:{id}:{hex}").as_bytes());
    same("commitment", expected, seed.commitment(&game).to_string())?;
    for randomness in ["", sha.as_str()] {
        let all = sha256(format!("svc.random.v1:{id}:{turn}:7:{hex}:{randomness}").as_bytes());
        same("draw", &all[..16], &format!("{:016x}", roll_x(&game, turn, 7, &seed, randomness)))?;
    }
    Ok(())
}

/// Two lowercase digits a byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The first 16 bytes of a hash.
fn half(hex: &str) -> [u8; 16] {
    u128::from_str_radix(&hex[..32], 16).unwrap().to_be_bytes()
}

/// The bytes as one number in base 32, in 26 digits without i, l, o and u.
pub(crate) fn base32(bytes: [u8; 16]) -> String {
    let number = u128::from_be_bytes(bytes);
    let digit = |place: u32| usize::try_from(number >> (5 * place) & 31).unwrap();
    (0..26).rev().map(|place| char::from(b"0123456789abcdefghjkmnpqrstvwxyz"[digit(place)])).collect()
}

proptest! {
    #[test]
    fn every_message_matches_the_specification(parts in parts()) {
        compare(parts, message::auth)?;
    }
}

#[test]
fn a_message_with_reordered_parts_is_noticed() {
    assert!(!holds(1, parts(), |parts| {
        compare(parts, |handle, challenge, method, path, body| {
            message::auth(handle, challenge, path, method, body)
        })
    }));
}
