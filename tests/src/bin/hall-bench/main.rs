//! Drives a hall over real sockets with signed requests and prints what it measured as JSON.
//!
//! `cargo build --profile dist -p hall -p hall-tests && target/dist/hall-bench [--quick | --large | --rings | --readers [N] | --compare OTHER | --game GAME | --cluster] [--free]`
//!
//! It measures the program `hall` that lies beside it.
//!
//! The hall is pinned to the first core and the load generator to the second, as far as there are two; `--free`
//! leaves both to the system. `--quick` takes less than a minute; `--large` also starts a hall again that has 20,000
//! live games and a million moves behind it, which takes minutes to fill. `--rings` measures doorbells and nothing else.
//! `--readers` measures what 20,000 readers of event streams cost, or as many as it is told, and nothing else; the limit
//! of open files (`ulimit -n`) must be higher.
//! `--compare` measures the program against another build of it and nothing else: the one of a revision, which it builds, or
//! the one at a path. Both are under load in turn, and the ratios say how much a change costs or gains.
//! `--game GAME` measures full load of a game and nothing else, for a comparison with other servers (`tests/peers`).
//! `--cluster` measures a hall on several machines and nothing else: a leader with two followers, or as many as
//! `--followers N` says, over a PostgreSQL server that it starts from Debian's binaries; nothing is pinned then. With
//! `--quick` its rounds are shorter.
//!
//! In the same run the limits are measured that the figures are held against: strict
//! Ed25519 verifications, an append with its sync on the same disk, and a bare answer of the same HTTP library.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a measuring program: it stops at the first surprise, and its figures are rounded anyway"
)]

mod abuse;
mod bare;
mod bells;
mod cluster;
mod compare;
mod connection;
mod cores;
mod figures;
mod fleet;
mod limits;
mod load;
mod memory;
mod postgres;
mod readers;
mod rings;
mod script;
mod server;

use crate::fleet::Fleet;
use crate::server::Server;
use hall_tests::{Value, json};
use std::time::{Duration, Instant};

/// Moves per second at which none waits for another, so that the latency is that of a single move.
const LIGHT_LOAD: f64 = 200.0;

/// Shares of a core's time at which the tail is measured.
const HALF_OF_THE_CORE: f64 = 0.5;
const MOST_OF_THE_CORE: f64 = 0.8;

/// Live games where one game alone is measured: so many that short ones do not end within a round.
const SIDE_BY_SIDE: usize = 1_280;

/// How long and how large a run is.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Live games at which everything is measured, ascending.
    levels: Vec<usize>,
    /// Rounds of each measurement.
    rounds: usize,
    /// Length of a round.
    round: Duration,
    /// Games brought to ply 40 for measuring memory.
    memory_games: usize,
    /// Agents registered for measuring memory.
    idle_agents: usize,
    /// Refused requests of each kind.
    refusals: usize,
    /// Live games, and plies of each, of the hall whose restart is timed; none for a run without it.
    large: Option<(usize, usize)>,
    /// Whether nothing is measured but the levels and the restart of a large hall.
    only_levels: bool,
    /// Whether doorbells are measured, and nothing else.
    rings: bool,
    /// How many readers of event streams are measured, and nothing else; none for a run without them.
    readers: Option<usize>,
    /// What the program is compared with, and nothing else measured; none for a run without that.
    compared: Option<String>,
    /// The game of which full load is measured, and nothing else; none for a run without that.
    game: Option<String>,
    /// How many followers the hall on several machines has that is measured, and nothing else; none for one machine.
    followers: Option<usize>,
    /// Whether programs are pinned to cores.
    pinned: bool,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, port] = words.as_slice()
        && first == "--serve-bare"
    {
        return bare::serve(port.parse().unwrap());
    }
    let Some(plan) = Plan::from_words(&words) else {
        eprintln!(
            "usage: hall-bench [--quick | --large | --live GAMES[,GAMES...] | --restart GAMES,PLIES | --rings | --readers [N]"
        );
        eprintln!("                   | --compare REVISION_OR_PROGRAM | --game GAME] [--free]");
        eprintln!("       hall-bench --cluster [--followers N] [--quick]");
        std::process::exit(2);
    };
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut report = runtime.block_on(async {
        if let Some(followers) = plan.followers {
            cluster::measure(&plan, followers).await
        } else if let Some(readers) = plan.readers {
            readers::measure(&plan, readers).await
        } else if let Some(other) = &plan.compared {
            compare::measure(&plan, other).await
        } else if let Some(game) = &plan.game {
            full_load_of(&plan, game).await
        } else if plan.rings {
            rings::measure(&plan).await
        } else {
            measure(&plan).await
        }
    });
    report["seconds"] = json!(begun.elapsed().as_secs());
    println!("{report:#}");
}

impl Plan {
    fn from_words(words: &[String]) -> Option<Self> {
        let mut plan = Self {
            levels: vec![100, 1_000, 10_000],
            rounds: 3,
            round: Duration::from_secs(4),
            memory_games: 4_000,
            idle_agents: 20_000,
            refusals: 200_000,
            large: None,
            only_levels: false,
            rings: false,
            readers: None,
            compared: None,
            game: None,
            followers: None,
            pinned: cores::count() >= 2,
        };
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => {
                    plan.levels = vec![100, 1_000];
                    plan.round = Duration::from_millis(1_200);
                    plan.memory_games = 400;
                    plan.idle_agents = 2_000;
                    plan.refusals = 20_000;
                }
                "--large" => plan.large = Some((20_000, 50)),
                "--live" => {
                    plan.levels =
                        words.next()?.split(',').map(|games| games.parse().ok()).collect::<Option<_>>()?;
                    plan.only_levels = true;
                }
                "--restart" => {
                    let (games, plies) = words.next()?.split_once(',')?;
                    plan.large = Some((games.parse().ok()?, plies.parse().ok()?));
                    plan.levels.clear();
                    plan.only_levels = true;
                }
                "--rings" => plan.rings = true,
                "--readers" => {
                    let told = words.peek().and_then(|word| word.parse().ok());
                    plan.readers = Some(told.unwrap_or(20_000));
                    words.next_if(|_| told.is_some());
                }
                "--compare" => plan.compared = Some(words.next()?.clone()),
                "--game" => plan.game = Some(words.next()?.clone()),
                "--cluster" => {
                    plan.followers.get_or_insert(2);
                    plan.pinned = false;
                }
                "--followers" if plan.followers.is_some() => {
                    plan.followers = Some(words.next()?.parse().ok().filter(|count| *count > 1)?);
                }
                "--free" => plan.pinned = false,
                _ => return None,
            }
        }
        Some(plan)
    }
}

async fn measure(plan: &Plan) -> Value {
    note("limits");
    let before = limits::measure(plan);
    let bare = bare::measure(plan).await;
    let server = Server::start(plan);
    let script = script::find(&server, script::CHESS);
    let mut fleet = Fleet::enter(&server, &script, fleet::CONNECTIONS).await;
    let mut levels = Vec::new();
    for games in &plan.levels {
        note(&format!("{games} live games"));
        levels.push(level(plan, &server, &mut fleet, *games).await);
    }
    if plan.only_levels {
        drop((fleet, server));
        return json!({
            "machine": cores::describe(plan.pinned),
            "limits": { "before": before, "after": limits::measure(plan) },
            "levels": levels,
            "large_restart": large_restart(plan, &script).await,
        });
    }
    note("views, health and restart");
    let views = load::views(plan, &server, &mut fleet).await;
    let health = load::health(plan, &server).await;
    let moves = fleet.moves_made;
    drop(fleet);
    let (server, restart) = server.kill_and_time_restart();
    drop(server);
    note("memory");
    let memory = memory::measure(plan, &script).await;
    note("refused requests");
    let abuse = abuse::measure(plan).await;
    let large = large_restart(plan, &script).await;
    let after = limits::measure(plan);
    let mut ratios = ratios(&before, &bare, &levels, &views, &health);
    let (verify, cpu) = (&before["verify_strict_per_second"], &health["server_cpu_us_per_request"]["median"]);
    ratios["refusals"] = abuse::ratios(&abuse, verify.as_f64().unwrap(), cpu.as_f64().unwrap());
    json!({
        "machine": cores::describe(plan.pinned),
        "limits": { "before": before, "after": after, "steady": limits::steady(&before, &after), "bare_salvo": bare },
        "levels": levels,
        "views": views,
        "health": health,
        "scripted_plies": script.len(),
        "restart": { "live_games": plan.levels.last(), "moves_in_journal": moves, "ready_after_ms": restart.as_millis() },
        "large_restart": large,
        "memory": memory,
        "refusals": abuse,
        "ratios": ratios,
    })
}

/// The restart of a large hall, if it is asked for.
async fn large_restart(plan: &Plan, script: &[String]) -> Value {
    match plan.large {
        Some((games, plies)) => memory::large_restart(plan, script, games, plies).await,
        None => Value::Null,
    }
}

/// Everything measured with this many live games, after a round that does not count: keys that are used much get their
/// tables in it.
async fn level(plan: &Plan, server: &Server, fleet: &mut Fleet, games: usize) -> Value {
    fleet.provide(server, games, plan).await;
    load::saturate(plan, server, fleet).await;
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        fleet.provide(server, games, plan).await;
        rounds.push(load::saturate(plan, server, fleet).await.report());
    }
    let rate = figures::median(rounds.iter().map(|round| round["moves_per_second"].as_f64().unwrap()));
    fleet.provide(server, games, plan).await;
    let half_load = load::at_rate(plan, server, fleet, rate / 2.0).await.report();
    let half = load::at_share(plan, server, fleet, games, HALF_OF_THE_CORE, rate * 0.3).await;
    let most = load::at_share(plan, server, fleet, games, MOST_OF_THE_CORE, rate * 0.5).await;
    fleet.provide(server, games, plan).await;
    let light = load::at_rate(plan, server, fleet, LIGHT_LOAD).await.report();
    json!({
        "live_games": games,
        "memory_bytes": server.settled_memory(),
        "moves_per_second": figures::spread(&rounds, "moves_per_second"),
        "server_cpu_us_per_move": figures::spread(&rounds, "server_cpu_us_per_move"),
        "saturated_latency_us": rounds.last().map(|round| round["latency_us"].clone()),
        "half_load": half_load,
        "half_of_the_core": half,
        "four_fifths_of_the_core": most,
        "light_load": light,
    })
}

/// Full load of one game.
async fn full_load_of(plan: &Plan, game: &str) -> Value {
    note(&format!("{game}, {SIDE_BY_SIDE} live games"));
    let server = Server::start(plan);
    let script = script::find(&server, game);
    let mut fleet = Fleet::enter_for(game, &server, &script, fleet::CONNECTIONS).await;
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        fleet.provide(&server, SIDE_BY_SIDE, plan).await;
        rounds.push(load::saturate(plan, &server, &mut fleet).await.report());
    }
    json!({
        "machine": cores::describe(plan.pinned),
        "game": game,
        "live_games": SIDE_BY_SIDE,
        "connections": fleet::CONNECTIONS,
        "scripted_plies": script.len(),
        "moves_per_second": figures::spread(&rounds, "moves_per_second"),
        "server_cpu_us_per_move": figures::spread(&rounds, "server_cpu_us_per_move"),
        "latency_us": rounds.last().map(|round| round["latency_us"].clone()),
    })
}

/// The figures against the limits of the same run.
fn ratios(limits: &Value, bare: &Value, levels: &[Value], views: &Value, health: &Value) -> Value {
    let verify = limits["verify_strict_per_second"].as_f64().unwrap();
    let sync = &limits["append_and_sync_us"];
    let figure = |value: &Value| value["median"].as_f64().unwrap();
    let per_level: Vec<Value> = levels
        .iter()
        .map(|level| {
            let to_sync = |load: &str, at: &str, limit: &str| {
                figures::ratio(level[load]["latency_us"][at].as_f64().unwrap(), sync[limit].as_f64().unwrap())
            };
            json!({
                "live_games": level["live_games"],
                "moves_to_two_verifications": figures::ratio(figure(&level["moves_per_second"]), verify / 2.0),
                "half_load_p99_to_sync_p99": to_sync("half_load", "p99", "p99"),
                "half_of_the_core_p50_to_sync_p50": to_sync("half_of_the_core", "p50", "p50"),
                "half_of_the_core_p99_to_sync_p99": to_sync("half_of_the_core", "p99", "p99"),
                "half_of_the_core_p999_to_sync_p99": to_sync("half_of_the_core", "p999", "p99"),
                "four_fifths_of_the_core_p99_to_sync_p99": to_sync("four_fifths_of_the_core", "p99", "p99"),
            })
        })
        .collect();
    let cpu = |level: Option<&Value>| figure(&level.unwrap()["server_cpu_us_per_move"]);
    json!({
        "levels": per_level,
        "cpu_per_move_most_games_to_fewest": figures::ratio(cpu(levels.last()), cpu(levels.first())),
        "views_to_one_verification": figures::ratio(figure(&views["views_per_second"]), verify),
        "health_cpu_to_bare_salvo_cpu": figures::ratio(figure(&health["server_cpu_us_per_request"]), figure(&bare["server_cpu_us_per_request"])),
    })
}

/// Reports the progress of the run on the error stream.
pub(crate) fn note(what: &str) {
    eprintln!("measuring: {what}");
}
