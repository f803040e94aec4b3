//! How long the check of a game of 80 turns takes, in its parts: `cargo run --release -p hall-verify --example parts`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a measurement")]

#[path = "../tests/support/mod.rs"]
mod support;

use hall_verify::replay::{RoundCache, Trust, verify_with};
use hall_wire::key::PrivateKey;
use std::time::{Duration, Instant};
use support::log::{add_log, log_key};
use support::played::played;

const TURNS: usize = 80;
const TIMES: u32 = 50;

fn main() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut replay = played(TURNS, |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    });
    add_log(&mut replay);
    let bytes = replay.to_string().into_bytes();
    let trust = Trust { log_keys: vec![log_key().1], ..Trust::default() };
    let signatures = replay["moves"].as_array().unwrap().len() + 1;
    let whole = time(|| {
        let report = verify_with(&bytes, &trust, &mut RoundCache::default()).unwrap();
        assert!(report.holds(), "{:?}", report.first_failing());
    });
    let (key, message) =
        (PrivateKey::from_seed(&[1; 32]), b"svc.move.v1:some game:7:some hash of a body, in hexadecimal");
    let (signature, verifier) = (key.sign(message), key.public().verifier().unwrap());
    let signing = time(|| (0..signatures).for_each(|_| assert!(verifier.verifies(message, &signature))));
    let parsing = time(|| assert!(hall_wire::json::parse(&bytes).is_ok()));
    println!("{} turns, {} bytes, {signatures} signatures", signatures - 2, bytes.len());
    println!("the whole check   {whole:>10.2?}");
    println!("signatures        {signing:>10.2?}");
    println!("reading JSON      {parsing:>10.2?}");
    println!("the rest          {:>10.2?}", whole.saturating_sub(signing + parsing));
}

/// The mean of some runs.
fn time(work: impl Fn()) -> Duration {
    work();
    let begun = Instant::now();
    (0..TIMES).for_each(|_| work());
    begun.elapsed() / TIMES
}
