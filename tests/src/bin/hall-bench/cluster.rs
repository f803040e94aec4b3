//! A hall on several machines, against one node on the same database and against a hall on a disk of its own.
//!
//! All three live at the same time and are loaded in turn, round by round, so that whatever else the machine does reaches
//! them alike. The figures are processor time, and the ratios those of one round.

use crate::connection::Metrics;
use crate::figures::{Latencies, median, ratio, rounded, spread};
use crate::fleet::Fleet;
use crate::postgres::Postgres;
use crate::server::{CpuClock, Server};
use crate::{LIGHT_LOAD, Plan, cores, load, note, script};
use hall_tests::{Request, Settings, Value, eventually, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Connections in all, each with one request in flight.
const PAIRS: usize = 360;
const GAMES: usize = 720;
/// No round reaches more moves per second.
const MOST_PER_SECOND: f64 = 8_000.0;
/// How long nodes may take to find their leader.
const START: Duration = Duration::from_secs(30);
/// Followers of the hall that is computed.
const COMPUTED: f64 = 3.0;
/// What a commit takes at least in the rounds with slow commits: the most that the server takes for `commit_delay`.
const SLOW_COMMIT_US: usize = 100_000;

/// Measures all of it.
pub(crate) async fn measure(plan: &Plan, followers: usize) -> Value {
    let postgres = Postgres::start(&["single", "several"]);
    let keys = hall_tests::hall::folder();
    let database = |name: &str| {
        Settings::default()
            .set("storage.engine=postgres")
            .set(&format!("storage.postgres={}", postgres.connection(name)))
            .set(&format!("keys.path={}", keys.path().join(name).display()))
    };
    note("a hall on a disk, a node on a database, and a leader with its followers start");
    let mut fjall = Setup::default();
    fjall.start(plan, "hall", Settings::default());
    let mut single = Setup::default();
    single.start(plan, "hall", database("single"));
    let mut several = Setup::default();
    several.start(plan, "leader", database("several"));
    for number in 1..=followers {
        several.start(plan, &format!("follower-{number}"), database("several"));
    }
    let script = script::find(&fjall.halls[0].server, script::CHESS);
    for (setup, entrances) in [(&mut fjall, 0..1), (&mut single, 0..1), (&mut several, 1..1 + followers)] {
        setup.enter(&script, entrances).await;
    }

    let mut full = [Vec::new(), Vec::new(), Vec::new()];
    let mut light = [Latencies::default(), Latencies::default(), Latencies::default()];
    let mut alone = Vec::new();
    for number in 1..=plan.rounds {
        note(&format!("round {number} of {}", plan.rounds));
        for (place, setup) in [&mut fjall, &mut single, &mut several].into_iter().enumerate() {
            full[place].push(setup.round(plan, &postgres, Load::Full, usize::MAX).await.0);
        }
        for (place, setup) in [&mut fjall, &mut single, &mut several].into_iter().enumerate() {
            light[place].merge(setup.round(plan, &postgres, Load::Light, usize::MAX).await.1);
        }
        alone.push(several.round(plan, &postgres, Load::Full, 1).await.0);
    }
    note("slow commits");
    postgres.ask("postgres", &format!("alter system set commit_delay = {SLOW_COMMIT_US}"));
    postgres.ask("postgres", "alter system set commit_siblings = 0");
    postgres.ask("postgres", "select pg_reload_conf()");
    let mut slow = Vec::new();
    for _ in 0..plan.rounds {
        slow.push(several.round(plan, &postgres, Load::Full, usize::MAX).await.0);
    }
    assert_eq!(several.metrics().await.value("hall_node_leads"), 1, "the leader has led all the time");

    let [of_fjall, of_single, of_several] = &full;
    let [fjall_latency, single_latency, several_latency] = light.map(Latencies::summary);
    let names: Vec<String> = (1..=followers).map(|number| format!("follower-{number}")).collect();
    let costs = Costs::new(of_single, of_several, &alone, &names);
    let latency =
        |name: &str| ratio(several_latency[name].as_f64().unwrap(), single_latency[name].as_f64().unwrap());
    json!({
        "machine": cores::describe(false),
        "connections": PAIRS,
        "live_games": GAMES,
        "full_load": {
            "hall_on_a_disk": table(of_fjall),
            "node_on_a_database": table(of_single),
            "leader_and_followers": table(of_several),
            "leader_and_followers_with_load_at_the_first_alone": table(&alone),
            "leader_and_followers_with_slow_commits": table(&slow),
        },
        "light_load_latency_us": {
            "moves_asked_per_second": LIGHT_LOAD,
            "hall_on_a_disk": fjall_latency,
            "node_on_a_database": single_latency,
            "through_followers": several_latency,
        },
        "costs_us_per_move": costs.report(),
        "held_against": {
            "leader_to_whole_move_of_a_single_node": held(costs.leader_share, "at most 0.35"),
            "moves_of_three_followers_to_a_single_node": held(costs.factor(COMPUTED), "at least 2.5"),
            "records_per_commit_with_slow_commits": held(figure(&slow, "records_per_commit"), "at least 100"),
            "light_load_p99_through_followers_to_a_single_node": held(latency("p99"), "at most 3"),
        },
        "light_load_p50_through_followers_to_a_single_node": latency("p50"),
        "moves_of_these_followers_to_a_single_node": {
            "computed_from_their_costs": ratio(costs.single, costs.leader.max(costs.follower)),
            "measured_on_the_cores_of_this_machine":
                ratio(figure(of_several, "moves_per_second"), figure(of_single, "moves_per_second")),
        },
    })
}

fn held(measured: f64, limit: &str) -> Value {
    json!({ "measured": ratio(measured, 1.0), "limit": limit })
}

/// The median of a figure over rounds.
fn figure(rounds: &[Value], name: &str) -> f64 {
    median(rounds.iter().map(|round| round[name].as_f64().unwrap()))
}

/// All figures of rounds, with their spreads. Threads that do nothing are left out.
fn table(rounds: &[Value]) -> Value {
    let used =
        |name: &&String| rounds.iter().all(|round| round[*name].as_f64().is_some_and(|used| used > 0.0));
    let names = rounds[0].as_object().unwrap().keys().filter(used);
    names.map(|name| (name.clone(), spread(rounds, name))).collect::<serde_json::Map<_, _>>().into()
}

/// What a move costs whom, in microseconds of processor time.
struct Costs {
    single: f64,
    leader: f64,
    leader_share: f64,
    /// Of one follower among those that were measured, for each move of the hall.
    follower: f64,
    /// Of a follower, for a move that arrives there.
    arriving: f64,
    /// Of a follower, for a move that arrives anywhere.
    applied: f64,
    database: f64,
    database_of_single: f64,
}

impl Costs {
    fn new(single: &[Value], several: &[Value], alone: &[Value], followers: &[String]) -> Self {
        let of = |rounds: &[Value], names: &[String]| {
            names.iter().map(|name| figure(rounds, name)).sum::<f64>() / names.len() as f64
        };
        let follower = of(several, followers);
        let applied = of(alone, &followers[1..]);
        let shares = several
            .iter()
            .zip(single)
            .map(|(several, single)| several["leader"].as_f64().unwrap() / single["hall"].as_f64().unwrap());
        Self {
            single: figure(single, "hall"),
            leader: figure(several, "leader"),
            leader_share: median(shares),
            follower,
            arriving: (follower - applied) * followers.len() as f64,
            applied,
            database: figure(several, "database"),
            database_of_single: figure(single, "database"),
        }
    }

    /// How many times the moves of a single node a leader with so many followers carries, each on a core of its own: as many
    /// as the leader decides, and as the followers verify and apply.
    fn factor(&self, followers: f64) -> f64 {
        self.single / self.leader.max(self.arriving / followers + self.applied)
    }

    fn report(&self) -> Value {
        json!({
            "single_node": rounded(self.single),
            "database_of_single_node": rounded(self.database_of_single),
            "leader": rounded(self.leader),
            "database": rounded(self.database),
            "follower_of_these_for_each_move_of_the_hall": rounded(self.follower),
            "follower_for_a_move_that_arrives_there": rounded(self.arriving),
            "follower_for_a_move_that_arrives_anywhere": rounded(self.applied),
        })
    }
}

#[derive(Clone, Copy)]
enum Load {
    /// As fast as the answers arrive.
    Full,
    /// So few that none waits for another.
    Light,
}

/// One hall: its processes, the first of which writes.
#[derive(Default)]
struct Setup {
    halls: Vec<Running>,
    entrances: Vec<Entrance>,
}

/// A process of a hall.
struct Running {
    name: String,
    server: Arc<Server>,
    metrics: SocketAddr,
}

/// A process that gets requests, and those who send them.
struct Entrance {
    number: usize,
    server: Arc<Server>,
    fleet: Fleet,
}

impl Setup {
    /// Starts a process, and waits until what arrives there is decided.
    fn start(&mut self, plan: &Plan, name: &str, settings: Settings) {
        let metrics = hall_tests::hall::free_address();
        let settings =
            settings.set(&format!("server.admin_listen={metrics}")).set(&format!("cluster.name={name}"));
        let server = Server::with(plan, settings);
        eventually("the node leads or has a leader", START, || {
            let reply = server.hall().connect().ask(&Request::get("/readyz")).unwrap();
            reply.text().contains(r#""status":"ready""#).then_some(())
        });
        self.halls.push(Running { name: name.to_owned(), server: Arc::new(server), metrics });
    }

    /// Has agents enter at these processes.
    async fn enter(&mut self, script: &[String], entrances: std::ops::Range<usize>) {
        let count = entrances.len();
        for number in entrances {
            let server = Arc::clone(&self.halls[number].server);
            let prefix = format!("bench-{number}");
            let fleet = Fleet::enter_as(&prefix, &server, script, PAIRS / count).await;
            self.entrances.push(Entrance { number, server, fleet });
        }
    }

    async fn metrics(&self) -> Metrics {
        Metrics::read(self.halls[0].metrics).await
    }

    /// Loads the first so many entrances for one round.
    async fn round(
        &mut self,
        plan: &Plan,
        postgres: &Postgres,
        load: Load,
        entrances: usize,
    ) -> (Value, Latencies) {
        let games = GAMES / self.entrances.len();
        let loaded = entrances.min(self.entrances.len());
        let plies = plan.round.as_secs_f64() * MOST_PER_SECOND / (games * loaded) as f64;
        for Entrance { server, fleet, .. } in &mut self.entrances {
            fleet.provide_to(server, games, plies.ceil() as usize + 4).await;
        }
        let before = self.usage(postgres).await;
        let mut tasks = JoinSet::new();
        for mut entrance in self.entrances.drain(..loaded) {
            let plan = plan.clone();
            tasks.spawn(async move {
                let Entrance { server, fleet, .. } = &mut entrance;
                let measured = match load {
                    Load::Full => load::saturate(&plan, server, fleet).await,
                    Load::Light => load::at_rate(&plan, server, fleet, LIGHT_LOAD / loaded as f64).await,
                };
                (entrance, measured.latencies)
            });
        }
        let mut latencies = Latencies::default();
        for (entrance, of_entrance) in tasks.join_all().await {
            self.entrances.push(entrance);
            latencies.merge(of_entrance);
        }
        self.entrances.sort_by_key(|entrance| entrance.number);
        let after = self.usage(postgres).await;
        (after.since(&before, latencies.count() as f64), latencies)
    }

    async fn usage(&self, postgres: &Postgres) -> Usage {
        let metrics = self.metrics().await;
        let halls = self.halls.iter().map(|hall| (hall.name.clone(), hall.server.clock().used()));
        let others = [
            ("database".to_owned(), postgres.used()),
            ("database process that appends".to_owned(), postgres.used_by_appends()),
            ("generator".to_owned(), CpuClock::of(std::process::id()).used()),
        ];
        let threads = self.halls.iter().flat_map(|hall| {
            let threads = hall.server.clock().by_thread().into_iter();
            threads.map(|(thread, used)| (format!("{} thread {thread}", hall.name), used))
        });
        Usage {
            at: Instant::now(),
            used: halls.chain(others).chain(threads).collect(),
            commits: metrics.value("hall_commits_total"),
            records: metrics.value("hall_records_total"),
            logged_bytes: postgres.logged_bytes(),
            stored_bytes: postgres.stored_bytes(),
        }
    }
}

/// What was used up to a moment.
struct Usage {
    at: Instant,
    /// Processor time by process, and by thread of each hall.
    used: BTreeMap<String, Duration>,
    commits: u64,
    records: u64,
    logged_bytes: f64,
    stored_bytes: f64,
}

impl Usage {
    /// Per move in microseconds, and the other figures of the time between.
    fn since(&self, before: &Self, moves: f64) -> Value {
        let mut figures = serde_json::Map::new();
        for (name, used) in &self.used {
            let used = used.saturating_sub(before.used.get(name).copied().unwrap_or_default());
            figures.insert(name.clone(), json!(used.as_secs_f64() * 1e6 / moves));
        }
        let took = self.at.duration_since(before.at).as_secs_f64();
        figures.insert("moves_per_second".to_owned(), json!(moves / took));
        let commits = (self.commits - before.commits) as f64;
        figures.insert("commits_per_second".to_owned(), json!(commits / took));
        let records = (self.records - before.records) as f64;
        figures.insert("records_per_commit".to_owned(), json!(records / commits));
        let logged = (self.logged_bytes - before.logged_bytes) / moves;
        figures.insert("bytes_in_the_log_of_the_database".to_owned(), json!(logged));
        let stored = (self.stored_bytes - before.stored_bytes) / moves;
        figures.insert("bytes_in_the_database".to_owned(), json!(stored));
        figures.into()
    }
}
