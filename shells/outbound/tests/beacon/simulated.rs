//! The same loop over a simulated network.

use crate::relay::{Relay, url};
use hall_client::{Dialer, DialerConnector};
use hall_outbound::beacon::{RelayLimits, Relays, RoundReport, RoundSchedule, run};
use hall_outbound::fixtures::quicknet::{id, quicknet_from};
use hall_wire::Timestamp;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use turmoil::net::{TcpListener, TcpStream};

#[derive(Clone)]
struct Network;

impl Dialer for Network {
    type Stream = TcpStream;

    async fn dial(&self, host: String, port: u16) -> io::Result<TcpStream> {
        TcpStream::connect((host, port)).await
    }
}

fn now() -> Timestamp {
    let elapsed = turmoil::sim_elapsed().unwrap_or_default();
    Timestamp::from_millis(i64::try_from(elapsed.as_millis()).unwrap())
}

/// A world of a hall and two relays, one cut off for 8 s and the other permanently; returns the events of the loop
/// with their times.
fn world(seed: u64) -> Vec<String> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut sim = turmoil::Builder::new()
        .rng_seed(seed)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(300))
        .simulation_duration(Duration::from_secs(30))
        .build();
    for name in ["near", "far"] {
        sim.host(name, || async {
            let relay = Relay::honest();
            let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 80)).await?;
            loop {
                let (stream, _) = listener.accept().await?;
                let relay = Arc::clone(&relay);
                tokio::spawn(async move { relay.speak(stream).await });
            }
        });
    }
    let telling = Arc::clone(&told);
    sim.client("hall", async move {
        let urls = vec![url("http://near"), url("http://far")];
        let relays = Relays::over(urls, RelayLimits::default(), DialerConnector::new(Network))?;
        // Round 42 is due at 1 s, round 123 at 244 s, which nobody waits for.
        let chain = quicknet_from(Timestamp::from_millis(1_000 - 41 * 3_000));
        let (wanting, wanted) = watch::channel([id(42), id(123)].into());
        let beacon = run(RoundSchedule::new([chain]), relays, now, wanted, move |report| {
            let what = match report {
                RoundReport::Verified(round) => format!("{:?}: {}", now(), round.signature()),
                RoundReport::Failed { error, .. } => format!("{:?}: {error}", now()),
                RoundReport::Unknown(id) => format!("{:?}: {id}", now()),
            };
            telling.lock().unwrap().push(what);
        });
        let leave = async move {
            turmoil::partition("hall", "near");
            turmoil::partition("hall", "far");
            tokio::time::sleep(Duration::from_secs(8)).await;
            turmoil::repair("hall", "far");
            tokio::time::sleep(Duration::from_secs(12)).await;
            drop(wanting);
        };
        tokio::join!(beacon, leave);
        Ok(())
    });
    sim.run().unwrap();
    told.lock().unwrap().clone()
}

#[test]
fn a_partitioned_hall_gets_its_round_when_one_relay_returns() {
    let told = world(7);
    let verified = told
        .iter()
        .position(|line| line.ends_with(hall_outbound::fixtures::quicknet::signature(42)))
        .unwrap();
    assert!(verified > 1, "both were cut off at first: {told:#?}");
    let (failed, repeated) = told.split_at(verified);
    assert!(failed.iter().all(|line| line.contains("http://near ")), "{told:#?}");
    assert!(
        repeated.iter().all(|line| line.ends_with(hall_outbound::fixtures::quicknet::signature(42))),
        "{told:#?}"
    );
    assert!(told[verified].as_str() > "1970-01-01T00:00:08", "{told:#?}");
}

#[test]
fn the_same_seed_gives_the_same_history() {
    for seed in 1..=3 {
        assert_eq!(world(seed), world(seed), "seed {seed}");
    }
    assert_ne!(world(1), world(2));
}
