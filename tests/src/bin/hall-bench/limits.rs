//! The limits of the machine: strict signature checks on one core, and an append with its sync on the same disk.

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
    let verify = cores::on_first_core(plan, || std::thread::spawn(verify_strict_per_second)).join().unwrap();
    json!({
        "verify_strict_per_second": rounded(verify),
        "two_verifications_per_second": rounded(verify / 2.0),
        "append_and_sync_us": append_and_sync(),
    })
}

/// Whether the limits changed little enough during the run for its ratios to be meaningful.
pub(crate) fn steady(before: &Value, after: &Value) -> bool {
    let moved = |figure: fn(&Value) -> &Value| {
        let (one, two) = (figure(before).as_f64().unwrap(), figure(after).as_f64().unwrap());
        (one - two).abs() / one
    };
    moved(|limits| &limits["verify_strict_per_second"]) <= 0.1
}

/// Strict verifications of a message as long as a signed request's, on one core, the key prepared.
fn verify_strict_per_second() -> f64 {
    let key = PrivateKey::from_seed(&[7; 32]);
    let message = [b'm'; 210];
    let signature = key.sign(&message);
    let verifier = key.public().verifier().unwrap();
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_secs(1) {
        for _ in 0..100 {
            assert!(std::hint::black_box(&verifier).verifies(&message, &signature));
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
