//! The texts that are signed or hashed, against the letters of the specification (5.2, 5.7, 5.11).

use super::Comparison;
use crate::dice::Dice;
use hall_wire::draw::{Seed, draw_x};
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, GameId, Handle, PublicKey, RingId, key::PrivateKey};
use sha2::{Digest as _, Sha256};

/// Writes every text, and `auth` by what is given for it.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    auth: impl Fn(&Handle, &Challenge, &str, &str, Option<&Digest>) -> String,
) {
    let Some(handle) = Handle::parse(&format!("h{}_-x", dice.below(1 << 40))) else { return };
    let bytes: [u8; 32] = dice.bytes();
    let (challenge, hex) = (Challenge::from_bytes(bytes), hexadecimal(&bytes));
    let path = format!("/api/games/{}/moves", dice.below(1_000));
    let raw: [u8; 40] = dice.bytes();
    let (digest, sha) = (Digest::of(&raw), sha256(&raw));
    let own: [u8; 16] = dice.bytes();
    let (game, id) = (GameId::from_bytes(own), format!("g_{}", base32(own)));
    let turn = u32::try_from(dice.below(1 << 32)).unwrap_or(0);
    let public: PublicKey = PrivateKey::from_seed(&dice.bytes()).public();
    let key = hexadecimal(public.as_bytes());
    let mut same = |part, expected: String, found: String| {
        out.same(part, || format!("{handle} {hex} {sha} {id} {turn} {key}"), expected, found);
    };
    same("message: digest", sha.clone(), digest.to_string());
    same("message: digest of parts", sha.clone(), Digest::of_parts(&[&raw[..7], &[], &raw[7..]]).to_string());
    for method in ["GET", "HEAD"] {
        let expected = format!("svc.auth.v1:{handle}:{hex}:{method}:{path}");
        same("message: auth", expected, auth(&handle, &challenge, method, &path, None));
    }
    let expected = format!("svc.auth.v1:{handle}:{hex}:POST:{path}:{sha}");
    same("message: auth", expected, auth(&handle, &challenge, "POST", &path, Some(&digest)));
    let expected = format!("svc.move.v1:{id}:{turn}:{sha}");
    same("message: move", expected, message::game_move(&game, turn, &digest));
    let url = format!("https://a.example{path}?x=%41");
    let expected = format!("svc.doorbell-endpoint.v1:{handle}:{hex}:{url}");
    same("message: doorbell", expected, message::doorbell_endpoint(&handle, &challenge, &url));
    same("message: official", format!("svc.official.v1:{sha}"), message::official(&digest));
    let expected = sha256(format!("svc.state.v1:{id}:{turn}:{url}").as_bytes());
    same("message: state", expected, message::state_hash(&game, turn, &url).to_string());
    let expected = sha256(format!("svc.seat.v1:{id}:{handle}").as_bytes());
    same("message: seat", expected, message::seat_hash(&game, &handle).to_string());
    let agent = half(&sha256(format!("svc.agent.v1:{key}").as_bytes()));
    let agent_id = AgentId::of_key(&public);
    same("message: agent", format!("a_{}", base32(agent)), agent_id.to_string());
    let ring = half(&sha256(format!("svc.ring.v1:a_{}:{id}:{turn}", base32(agent)).as_bytes()));
    same("message: ring", format!("e_{}", base32(ring)), RingId::of_turn(&agent_id, &game, turn).to_string());
    let seed = Seed::from_bytes(bytes);
    let expected = sha256(format!("svc.seed.v1:{id}:{hex}").as_bytes());
    same("message: commitment", expected, seed.commitment(&game).to_string());
    for randomness in ["", sha.as_str()] {
        let all = sha256(format!("svc.random.v1:{id}:{turn}:7:{hex}:{randomness}").as_bytes());
        let expected: String = all.chars().take(16).collect();
        same("message: draw", expected, format!("{:016x}", draw_x(&game, turn, 7, &seed, randomness)));
    }
}

/// Two lowercase digits a byte.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The first 16 bytes that a hash begins with.
fn half(hex: &str) -> [u8; 16] {
    u128::from_str_radix(hex.get(..32).unwrap_or_default(), 16).unwrap_or(0).to_be_bytes()
}

/// The bytes as one number in base 32, in 26 digits without i, l, o and u.
pub(super) fn base32(bytes: [u8; 16]) -> String {
    let digits: Vec<char> = "0123456789abcdefghjkmnpqrstvwxyz".chars().collect();
    let mut number = u128::from_be_bytes(bytes);
    let mut text: Vec<char> = Vec::new();
    for _ in 0..26 {
        text.extend(usize::try_from(number % 32).ok().and_then(|digit| digits.get(digit)));
        number /= 32;
    }
    text.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_its_parts_in_another_order_differs() {
        let mut out = Comparison::default();
        compare(&mut Dice::of(1, "messages", 0), &mut out, message::auth);
        assert_eq!(out.differences, []);
        compare(&mut Dice::of(1, "messages", 0), &mut out, |handle, challenge, method, path, body| {
            message::auth(handle, challenge, path, method, body)
        });
        assert_eq!(out.differences.len(), 3);
    }
}
