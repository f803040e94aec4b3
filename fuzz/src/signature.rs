//! The hall's two checks of signatures, which skip a step of the library's strict one, against that one.

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::{EdwardsPoint, Scalar};
use ed25519_dalek::VerifyingKey;
use hall_wire::{PublicKey, Signature};
use sha2::{Digest as _, Sha512};

const MESSAGE: &[u8] = b"message";

/// Makes a key and a signature from the first four bytes, with points of small order added to both, so that its equation
/// holds for one of eight such pairs at least; the bytes behind them are combined with the key and the signature.
///
/// # Panics
/// If the hall accepts what the strict check of the library refuses, or the other way round.
pub fn signatures(bytes: &[u8]) {
    let at = |place: usize| bytes.get(place).copied().unwrap_or(0);
    let torsion = |place: usize| EIGHT_TORSION.get(usize::from(at(place) % 8)).copied().unwrap_or_default();
    let (a, r) = (scalar(at(0)), scalar(at(1)));
    let mut key = encoded(a, torsion(2));
    let mut signature = [0; 64];
    let (point, s) = signature.split_at_mut(32);
    point.copy_from_slice(&encoded(r, torsion(3)));
    let hash = Sha512::new().chain_update(&*point).chain_update(key).chain_update(MESSAGE).finalize();
    s.copy_from_slice((r + Scalar::from_bytes_mod_order_wide(&hash.into()) * a).as_bytes());
    let changes = bytes.get(4..).unwrap_or_default();
    signature.iter_mut().chain(&mut key).zip(changes).for_each(|(byte, change)| *byte ^= change);

    let strict = VerifyingKey::from_bytes(&key).is_ok_and(|library| {
        library.verify_strict(MESSAGE, &ed25519_dalek::Signature::from_bytes(&signature)).is_ok()
    });
    let Some(known) = PublicKey::from_bytes(key) else { return };
    let signature = Signature::from_bytes(signature);
    assert_eq!(known.verifies(MESSAGE, &signature), strict, "key {key:?}, signature {signature}");
    let by_table = known.verifier().is_some_and(|key| key.with_table().verifies(MESSAGE, &signature));
    assert_eq!(by_table, strict, "by the table of key {key:?}, signature {signature}");
}

/// Nothing for one value of eight: then the point that is multiplied by it is of small order.
fn scalar(seed: u8) -> Scalar {
    if seed.is_multiple_of(8) {
        return Scalar::ZERO;
    }
    Scalar::from_bytes_mod_order_wide(&Sha512::digest([seed]).into())
}

fn encoded(scalar: Scalar, torsion: EdwardsPoint) -> [u8; 32] {
    (ED25519_BASEPOINT_POINT * scalar + torsion).compress().to_bytes()
}
