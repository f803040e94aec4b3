//! The limits of the machine: strict signature checks on one core, and an append with its sync on the same disk.
//!
//! The check is `verify_strict` of ed25519-dalek, which the hall does not call: its own check accepts the same signatures
//! and takes less. Measured against that one, a faster check of the hall would move no ratio.

use crate::figures::{Latencies, rounded};
use crate::{Plan, cores};
use hall_tests::{Value, json};
use hall_wire::key::PrivateKey;
use std::io::Write;
use std::time::{Duration, Instant};

/// The length of the record that is appended, about that of a move.
const RECORD: usize = 463;

/// Measures both.
pub(crate) fn measure(plan: &Plan) -> Value {
    let on_first_core =
        |measure: fn() -> f64| cores::on_first_core(plan, || std::thread::spawn(measure)).join();
    let verify = on_first_core(verify_strict_per_second).unwrap();
    json!({
        "verify_strict_per_second": rounded(verify),
        "two_verifications_per_second": rounded(verify / 2.0),
        "own_check_per_second": rounded(on_first_core(own_check_per_second).unwrap()),
        "append_and_sync_us": append_and_sync(),
    })
}

/// Whether the limits changed little enough during the run for its ratios to be meaningful.
pub(crate) fn steady(before: &Value, after: &Value) -> bool {
    let grown = |figure: fn(&Value) -> &Value| {
        let (one, two) = (figure(before).as_f64().unwrap(), figure(after).as_f64().unwrap());
        one.max(two) / one.min(two)
    };
    grown(|limits| &limits["verify_strict_per_second"]) <= 1.1
        && grown(|limits| &limits["append_and_sync_us"]["p99"]) <= 2.0
}

/// As long as what a signed request signs.
const MESSAGE: [u8; 210] = [b'm'; 210];

/// Strict verifications on one core, the key prepared.
fn verify_strict_per_second() -> f64 {
    let key = PrivateKey::from_seed(&[7; 32]);
    let signature = ed25519_dalek::Signature::from_bytes(key.sign(&MESSAGE).as_bytes());
    let verifier = ed25519_dalek::VerifyingKey::from_bytes(key.public().as_bytes()).unwrap();
    per_second(|| std::hint::black_box(&verifier).verify_strict(&MESSAGE, &signature).is_ok())
}

/// The hall's own check of the same.
fn own_check_per_second() -> f64 {
    let key = PrivateKey::from_seed(&[7; 32]);
    let (signature, verifier) = (key.sign(&MESSAGE), key.public().verifier().unwrap());
    per_second(|| std::hint::black_box(&verifier).verifies(&MESSAGE, &signature))
}

fn per_second(check: impl Fn() -> bool) -> f64 {
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_secs(1) {
        for _ in 0..100 {
            assert!(check());
        }
        count += 100;
    }
    f64::from(count) / begun.elapsed().as_secs_f64()
}

/// Appends one record at a time to a growing file and waits for the disk each time.
fn append_and_sync() -> Value {
    let mut file = tempfile::tempfile_in(std::env::temp_dir()).unwrap();
    let mut latencies = Latencies::default();
    let whole = Instant::now();
    while whole.elapsed() < Duration::from_secs(1) {
        let begun = Instant::now();
        file.write_all(&[b'r'; RECORD]).unwrap();
        file.sync_data().unwrap();
        latencies.add(begun.elapsed());
    }
    latencies.summary()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_moved_during_a_run_are_told() {
        let limits = |verify: f64, p99: f64| json!({ "verify_strict_per_second": verify, "append_and_sync_us": { "p50": 100.0, "p99": p99 } });
        let before = limits(28_000.0, 300.0);
        assert!(steady(&before, &limits(27_000.0, 400.0)));
        assert!(!steady(&before, &limits(24_000.0, 300.0)), "the core");
        assert!(!steady(&before, &limits(28_000.0, 100.0)), "the disk");
    }
}
