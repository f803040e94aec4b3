//! Keys that sign notes, as people write them on a command line or in settings.

use hall_verify::note::{Algorithm, VerifierKey};

/// Reads the key of a log.
///
/// # Errors
/// It is not a key, or it is a witness's; the error is a text for the person who wrote it.
pub fn log_key(text: &str) -> Result<VerifierKey, String> {
    of(text, Algorithm::Ed25519, "it is the key of a witness, not of a log")
}

/// Reads the key of a witness.
///
/// # Errors
/// It is not a key, or it is a log's; the error is a text for the person who wrote it.
pub fn witness_key(text: &str) -> Result<VerifierKey, String> {
    of(text, Algorithm::CosignatureV1, "it is not a witness's key, whose algorithm is 4 (cosignature/v1)")
}

fn of(text: &str, algorithm: Algorithm, otherwise: &str) -> Result<VerifierKey, String> {
    let key = VerifierKey::parse(text).map_err(|problem| problem.to_string())?;
    if key.algorithm() == algorithm { Ok(key) } else { Err(otherwise.to_owned()) }
}
