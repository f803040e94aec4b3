//! The kinds of load: as fast as possible, at a given rate, moves, views and public reads.

use crate::Plan;
use crate::connection::Connection;
use crate::figures::{Latencies, ratio, rounded, spread};
use crate::fleet::{CONNECTIONS, Fleet, Pair};
use crate::server::{CpuClock, Server};
use hall_tests::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

/// Moves on all connections as fast as the answers arrive, for one round.
pub(crate) async fn saturate(plan: &Plan, server: &Server, fleet: &mut Fleet) -> Measured {
    let until = Instant::now() + plan.round;
    let measured = drive(&server.clock(), fleet, move |mut pair| async move {
        let mut latencies = Latencies::default();
        while Instant::now() < until {
            let begun = Instant::now();
            if !pair.make_move().await {
                break;
            }
            latencies.add(begun.elapsed());
        }
        (pair, latencies)
    })
    .await;
    fleet.moves_made += measured.count;
    measured
}

/// Moves at a given rate for one round. A latency counts from when the move should have been sent, so that a
/// stall shows in all moves that it delays.
pub(crate) async fn at_rate(plan: &Plan, server: &Server, fleet: &mut Fleet, per_second: f64) -> Measured {
    at_rate_telling(plan, server, fleet, per_second, |_, _| ()).await
}

/// The same; `tell` gets game and turn of each move when it is sent.
pub(crate) async fn at_rate_telling(
    plan: &Plan,
    server: &Server,
    fleet: &mut Fleet,
    per_second: f64,
    tell: impl Fn(&str, usize) + Clone + Send + Sync + 'static,
) -> Measured {
    let mut paces =
        pace(Duration::from_secs_f64(1.0 / per_second), plan.round, fleet.pairs.len()).into_iter();
    let measured = drive(&server.clock(), fleet, move |mut pair| {
        let (mut pace, tell) = (paces.next().unwrap(), tell.clone());
        async move {
            let mut latencies = Latencies::default();
            while let Some(due) = pace.recv().await {
                if !pair.make_move_telling(&tell).await {
                    break;
                }
                latencies.add(due.elapsed());
            }
            (pair, latencies)
        }
    })
    .await;
    fleet.moves_made += measured.count;
    measured
}

/// Moves at the rate that takes the hall this share of one core's time, for one round. Half as many moves as at most
/// take more than half of the time, because fewer of them share a write. The rate is found in shorter rounds, from `rate`
/// on.
pub(crate) async fn at_share(
    plan: &Plan,
    server: &Server,
    fleet: &mut Fleet,
    games: usize,
    share: f64,
    mut rate: f64,
) -> Value {
    let shorter = Plan { round: plan.round / 2, ..plan.clone() };
    for _ in 0..2 {
        fleet.provide(server, games, &shorter).await;
        rate *= share / at_rate(&shorter, server, fleet, rate).await.share_of_a_core();
    }
    fleet.provide(server, games, plan).await;
    let measured = at_rate(plan, server, fleet, rate).await;
    let used = measured.share_of_a_core();
    let mut report = measured.report();
    report["share_of_a_core"] = json!(ratio(used, 1.0));
    report
}

/// Tells the connections in turn that a move is due. It uses a separate thread, because the runtime's timer
/// has a resolution of milliseconds, and a move takes less.
fn pace(period: Duration, round: Duration, connections: usize) -> Vec<UnboundedReceiver<Instant>> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..connections).map(|_| unbounded_channel()).unzip();
    std::thread::spawn(move || {
        let begun = Instant::now();
        let mut due = begun;
        for sender in senders.iter().cycle() {
            if due > begun + round {
                return;
            }
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            // A connection without another move has left.
            let _ = sender.send(due);
            due += period;
        }
    });
    receivers
}

/// Views of the agent to move, as fast as the answers come.
pub(crate) async fn views(plan: &Plan, server: &Server, fleet: &mut Fleet) -> Value {
    let mut rounds = Vec::new();
    let plies: Vec<usize> =
        fleet.pairs.iter().flat_map(|pair| pair.games.iter().map(|game| game.turn)).collect();
    for _ in 0..plan.rounds {
        let until = Instant::now() + plan.round / 2;
        let measured = drive(&server.clock(), fleet, move |mut pair| async move {
            let mut latencies = Latencies::default();
            while Instant::now() < until {
                let begun = Instant::now();
                pair.look().await;
                latencies.add(begun.elapsed());
            }
            (pair, latencies)
        })
        .await;
        rounds.push(json!({
            "views_per_second": measured.per_second(),
            "server_cpu_us_per_view": measured.cpu_us(),
            "latency_us": measured.latencies.summary(),
        }));
    }
    json!({
        "mean_ply": plies.iter().sum::<usize>() / plies.len().max(1),
        "views_per_second": spread(&rounds, "views_per_second"),
        "server_cpu_us_per_view": spread(&rounds, "server_cpu_us_per_view"),
        "latency_us": rounds.last().map(|round| round["latency_us"].clone()),
    })
}

/// The hall's own shortest answer.
pub(crate) async fn health(plan: &Plan, server: &Server) -> Value {
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        rounds.push(gets(plan, server.address(), &server.clock(), "/healthz").await);
    }
    json!({
        "requests_per_second": spread(&rounds, "requests_per_second"),
        "server_cpu_us_per_request": spread(&rounds, "server_cpu_us_per_request"),
    })
}

/// One public path on all connections, as fast as the answers come.
pub(crate) async fn gets(plan: &Plan, address: SocketAddr, clock: &CpuClock, path: &str) -> Value {
    let request = format!("GET {path} HTTP/1.1\r\nHost: hall\r\n\r\n");
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(address).await);
    }
    let (begun, cpu) = (Instant::now(), clock.used());
    let until = begun + plan.round / 4;
    let mut tasks = JoinSet::new();
    for mut connection in connections {
        let request = request.clone();
        tasks.spawn(async move {
            let mut count = 0_usize;
            while Instant::now() < until {
                assert_eq!(connection.ask(request.as_bytes()).await.status, 200);
                count += 1;
            }
            count
        });
    }
    let count = tasks.join_all().await.into_iter().sum::<usize>();
    let (took, cpu) = (begun.elapsed(), clock.used() - cpu);
    json!({
        "requests_per_second": count as f64 / took.as_secs_f64(),
        "server_cpu_us_per_request": cpu.as_secs_f64() * 1e6 / count as f64,
    })
}

/// The result of a load.
pub(crate) struct Measured {
    /// Requests answered.
    count: usize,
    /// From the first request to the last answer.
    took: Duration,
    /// Processor time of the hall.
    cpu: Duration,
    /// The time to each answer.
    pub(crate) latencies: Latencies,
}

impl Measured {
    /// The result of moves.
    pub(crate) fn report(self) -> Value {
        json!({
            "moves_per_second": rounded(self.per_second()),
            "server_cpu_us_per_move": rounded(self.cpu_us()),
            "latency_us": self.latencies.summary(),
        })
    }

    fn per_second(&self) -> f64 {
        self.count as f64 / self.took.as_secs_f64()
    }

    fn share_of_a_core(&self) -> f64 {
        self.cpu.as_secs_f64() / self.took.as_secs_f64()
    }

    fn cpu_us(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.count as f64
    }
}

/// Runs one task for each pair and returns the pairs to the fleet.
async fn drive<T>(clock: &CpuClock, fleet: &mut Fleet, mut task: impl FnMut(Pair) -> T) -> Measured
where
    T: Future<Output = (Pair, Latencies)> + Send + 'static,
{
    let (begun, cpu) = (Instant::now(), clock.used());
    let mut tasks = JoinSet::new();
    for pair in fleet.pairs.drain(..) {
        tasks.spawn(task(pair));
    }
    let mut latencies = Latencies::default();
    for (pair, own) in tasks.join_all().await {
        fleet.pairs.push(pair);
        latencies.merge(own);
    }
    Measured { count: latencies.count(), took: begun.elapsed(), cpu: clock.used() - cpu, latencies }
}

impl Pair {
    /// Makes the next move of the next game that has one ready; false if none has.
    pub(crate) async fn make_move(&mut self) -> bool {
        self.make_move_telling(|_, _| ()).await
    }

    /// The same; `tell` gets game and turn when it is sent.
    async fn make_move_telling(&mut self, tell: impl Fn(&str, usize)) -> bool {
        for _ in 0..self.games.len() {
            let Some(mut game) = self.games.pop_front() else { return false };
            let Some(body) = game.bodies.pop_front() else {
                self.games.push_back(game);
                continue;
            };
            let mover = game.mover(game.turn);
            let request = self.request(mover, "POST", &format!("/api/games/{}/moves", game.id), Some(&body));
            tell(&game.id, game.turn);
            let answer = self.connection.ask(request.as_bytes()).await;
            assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(answer.body));
            self.challenges[mover] = answer.next_challenge.unwrap();
            game.turn += 1;
            self.made_by_first += usize::from(mover == 0);
            self.games.push_back(game);
            return true;
        }
        false
    }

    /// Reads the view of the next game, as the agent to move.
    async fn look(&mut self) {
        self.games.rotate_left(1);
        let game = &self.games[0];
        let mover = game.mover(game.turn);
        let request = self.request(mover, "GET", &format!("/api/games/{}/view", game.id), None);
        let answer = self.connection.ask(request.as_bytes()).await;
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(answer.body));
        self.challenges[mover] = answer.next_challenge.unwrap();
    }
}
