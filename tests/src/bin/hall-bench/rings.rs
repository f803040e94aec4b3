//! The time from a turn to its ring, and the cost of a thousand dead endpoints for moves.
//!
//! A turn counts from when the move that begins it is sent, so the figure includes the latency of the move. The same
//! run measures a bare POST over a new connection between the same two ends, and moves without any doorbell, before
//! and after.

use crate::bells::{Bells, Mood};
use crate::connection::Metrics;
use crate::figures::{Latencies, ratio};
use crate::fleet::Fleet;
use crate::server::Server;
use crate::{LIGHT_LOAD, Plan, cores, load, note, script};
use hall_tests::{Settings, Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const AGENTS: usize = 1_000;
const GAMES: usize = 1_000;
/// How long after its last move the rings of a round may arrive.
const RING_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval at which the hall is asked how many turns wait to be rung for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Measures all of it.
pub(crate) async fn measure(plan: &Plan) -> Value {
    let plan = &Plan { round: Duration::from_secs(10), ..plan.clone() };
    let folder = hall_tests::hall::folder();
    let certificate = folder.path().join("endpoints.pem");
    let metrics = hall_tests::hall::free_address();
    let bells = Bells::open(&certificate).await;
    let settings = Settings::default()
        .set("doorbell.allow_private_addresses=true")
        .set(&format!("doorbell.ports={}", bells.port()))
        .set(&format!("doorbell.ca_file={}", certificate.display()))
        .set(&format!("server.admin_listen={metrics}"));
    let server = Server::with(plan, settings);
    let script = script::find(&server, script::CHESS);
    note(&format!("{AGENTS} agents, {GAMES} live games"));
    let mut fleet = Fleet::enter(&server, &script, AGENTS / 2).await;
    let mut rounds = Rounds { plan, server: &server, bells: &bells, metrics };
    let none = rounds.moves("moves without doorbells", &mut fleet).await;
    note("verifying doorbells");
    let mut number = 0;
    for pair in &fleet.pairs {
        for agent in &pair.agents {
            let hall = server.hall();
            assert_eq!(
                hall.post(agent, "/api/doorbell", &json!({ "url": bells.url(number, agent) })).status,
                200
            );
            assert_eq!(hall.post_bytes(agent, "/api/doorbell/verify", b"").status, 200);
            number += 1;
        }
    }
    let bare = bells.bare(500).await.summary();
    let alive = rounds.rung("all endpoints answer", Mood::Alive, &mut fleet).await;
    let half = rounds.rung("half of the endpoints are dead", Mood::HalfDead, &mut fleet).await;
    let dead = rounds.rung("all endpoints are dead", Mood::Dead, &mut fleet).await;
    for agent in fleet.pairs.iter().flat_map(|pair| &pair.agents) {
        assert_eq!(server.hall().post_bytes(agent, "/api/doorbell/disable", b"").status, 200);
    }
    let again = rounds.moves("moves without doorbells, once more", &mut fleet).await;
    let figure = |value: &Value, name: &str| value["move_latency_us"][name].as_f64().unwrap();
    let against = |round: &Value, name: &str| {
        ratio(figure(round, name), f64::midpoint(figure(&none, name), figure(&again, name)))
    };
    let ring = |round: &Value, name: &str| {
        let least = bare["p50"].as_f64().unwrap() + figure(&none, "p50");
        ratio(round["turn_to_ring_us"][name].as_f64().unwrap(), least)
    };
    let pair = |of: &dyn Fn(&str) -> f64| json!({ "p50": of("p50"), "p99": of("p99") });
    json!({
        "machine": cores::describe(plan.pinned),
        "agents": AGENTS,
        "live_games": GAMES,
        "moves_asked_per_second": LIGHT_LOAD,
        "bare_https_post_us": bare,
        "without_doorbells": none,
        "all_alive": alive,
        "half_dead": half,
        "all_dead": dead,
        "without_doorbells_again": again,
        "ratios": {
            "turn_to_ring_against_bare_post_and_move_p50": { "all_alive": pair(&|name| ring(&alive, name)), "half_dead": pair(&|name| ring(&half, name)) },
            "moves_against_those_without_doorbells": {
                "all_alive": pair(&|name| against(&alive, name)),
                "half_dead": pair(&|name| against(&half, name)),
                "all_dead": pair(&|name| against(&dead, name)),
            },
            "without_doorbells_again_against_before": pair(&|name| ratio(figure(&again, name), figure(&none, name))),
        },
    })
}

struct Rounds<'a> {
    plan: &'a Plan,
    server: &'a Server,
    bells: &'a Bells,
    metrics: SocketAddr,
}

impl Rounds<'_> {
    async fn moves(&mut self, what: &str, fleet: &mut Fleet) -> Value {
        note(what);
        self.provide(fleet).await;
        let measured = load::at_rate(self.plan, self.server, fleet, LIGHT_LOAD).await.report();
        json!({ "moves_per_second": measured["moves_per_second"], "move_latency_us": measured["latency_us"] })
    }

    /// Moves while these endpoints answer, and the results of the rings.
    async fn rung(&mut self, what: &str, mood: Mood, fleet: &mut Fleet) -> Value {
        note(what);
        self.provide(fleet).await;
        self.bells.be(mood);
        let before = Counters::read(self.metrics).await;
        let (most, watching) = self.watch();
        let made = fleet.moves_made;
        let bells = self.bells.clone();
        let begun = move |game: &str, turn: usize| {
            // The turn after the one that is answered; whether the endpoint of its agent is alive is checked below.
            bells.begin(game, u64::try_from(turn + 1).unwrap());
        };
        let measured = load::at_rate_telling(self.plan, self.server, fleet, LIGHT_LOAD, begun).await.report();
        let made = fleet.moves_made - made;
        let living = match mood {
            Mood::Alive => made,
            Mood::HalfDead => fleet.pairs.iter().map(|pair| pair.made_by_first).sum(),
            Mood::Dead => 0,
        };
        let (taken, missing) = self.bells.taken(RING_TIMEOUT, living).await;
        watching.abort();
        let after = Counters::read(self.metrics).await;
        json!({
            "moves_per_second": measured["moves_per_second"],
            "move_latency_us": measured["latency_us"],
            "turn_to_ring_us": rings(taken),
            "rings_expected": living,
            "rings_missing": missing,
            "attempts_failed": after.failed - before.failed,
            "turns_dropped": after.dropped - before.dropped,
            "most_turns_queued": most.load(Ordering::Relaxed),
        })
    }

    async fn provide(&self, fleet: &mut Fleet) {
        let plies = (self.plan.round.as_secs_f64() * LIGHT_LOAD / GAMES as f64).ceil() as usize + 4;
        fleet.provide_to(self.server, GAMES, plies).await;
        fleet.pairs.iter_mut().for_each(|pair| pair.made_by_first = 0);
    }

    /// Looks at the queue until it is told to stop.
    fn watch(&self) -> (Arc<AtomicU64>, tokio::task::JoinHandle<()>) {
        let (most, metrics) = (Arc::new(AtomicU64::new(0)), self.metrics);
        let seen = Arc::clone(&most);
        let watching = tokio::spawn(async move {
            loop {
                seen.fetch_max(Counters::read(metrics).await.queued, Ordering::Relaxed);
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        });
        (most, watching)
    }
}

fn rings(taken: Latencies) -> Value {
    if taken.count() == 0 { Value::Null } else { taken.summary() }
}

/// The metrics of the hall about its rings.
struct Counters {
    queued: u64,
    failed: u64,
    dropped: u64,
}

impl Counters {
    async fn read(metrics: SocketAddr) -> Self {
        let metrics = Metrics::read(metrics).await;
        Self {
            queued: metrics.value("hall_ring_turns"),
            failed: metrics.value("hall_rings_failed_total"),
            dropped: metrics.value("hall_rings_dropped_total"),
        }
    }
}
