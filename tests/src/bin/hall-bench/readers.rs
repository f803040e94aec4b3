//! What readers of event streams cost: the latency of moves beside them, and the memory of each.
//!
//! The readers are spread evenly over the live games. Rounds without them come before and after those with them, because
//! what is asked for is a small difference. What a reader does with an event is not the hall's, but takes time of the core that
//! it shares with the load; so events wait in its socket until a round is over.

use crate::figures::{median, ratio};
use crate::fleet::{CONNECTIONS, Fleet};
use crate::server::Server;
use crate::{LIGHT_LOAD, Plan, cores, load, note, script};
use hall_tests::{Settings, Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

const GAMES: usize = 1_000;
/// How long the last event may take to its readers.
const LAST_EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Measures so many readers.
pub(crate) async fn measure(plan: &Plan, count: usize) -> Value {
    let settings = Settings::default()
        .set(&format!("server.max_connections={}", 2 * count + 1_000))
        .set(&format!("server.max_streams={}", count + 1_000))
        .set("server.max_streams_per_client=0")
        .set("server.max_connections_per_client=0");
    let server = Server::with(plan, settings);
    let script = script::find(&server, script::CHESS);
    note(&format!("{GAMES} live games"));
    let mut fleet = Fleet::enter(&server, &script, CONNECTIONS).await;
    let before = rounds("moves without readers", plan, &server, &mut fleet, None).await;
    note(&format!("{count} readers come"));
    let games: Vec<String> =
        fleet.pairs.iter().flat_map(|pair| pair.games.iter().map(|game| game.id.clone())).collect();
    let without = server.settled_memory();
    let readers = Readers::open(server.address(), &games, count).await;
    let with = server.settled_memory();
    let (made, told) = (fleet.moves_made, readers.told());
    let beside = rounds("moves beside them", plan, &server, &mut fleet, Some(&readers)).await;
    let expected = (fleet.moves_made - made) * count / GAMES;
    let told = readers.wait_for(told + expected).await - told;
    drop(readers);
    let after = rounds("moves without readers, once more", plan, &server, &mut fleet, None).await;
    let p99 =
        |rounds: &[Value]| median(rounds.iter().map(|round| round["latency_us"]["p99"].as_f64().unwrap()));
    let cpu = |rounds: &[Value]| {
        median(rounds.iter().map(|round| round["server_cpu_us_per_move"].as_f64().unwrap()))
    };
    let calm = f64::midpoint(p99(&before), p99(&after));
    json!({
        "machine": cores::describe(plan.pinned),
        "live_games": GAMES,
        "readers": count,
        "moves_asked_per_second": LIGHT_LOAD,
        "bytes_per_reader": ratio(with.saturating_sub(without) as f64, count as f64),
        "events_read": told,
        "events_expected_at_least": expected,
        "without_readers": before,
        "with_readers": beside,
        "without_readers_again": after,
        "ratios": {
            "p99_of_moves_with_readers_to_without": ratio(p99(&beside), calm),
            "p99_without_readers_again_to_before": ratio(p99(&after), p99(&before)),
        },
        "server_cpu_us_per_event_read": ratio(
            (cpu(&beside) - f64::midpoint(cpu(&before), cpu(&after))) * GAMES as f64,
            count as f64,
        ),
    })
}

async fn rounds(
    what: &str,
    plan: &Plan,
    server: &Server,
    fleet: &mut Fleet,
    readers: Option<&Readers>,
) -> Vec<Value> {
    note(what);
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        fleet.provide(server, GAMES, plan).await;
        readers.inspect(|readers| readers.hold_up(true));
        rounds.push(load::at_rate(plan, server, fleet, LIGHT_LOAD).await.report());
        readers.inspect(|readers| readers.hold_up(false));
    }
    rounds
}

/// Readers of event streams, until they are dropped.
struct Readers {
    told: Arc<AtomicUsize>,
    held_up: Arc<(Mutex<bool>, Condvar)>,
    _leave: oneshot::Sender<()>,
}

impl Readers {
    /// Opens the streams of these games in turn, and waits until each has told of the beginning of its game.
    async fn open(hall: SocketAddr, games: &[String], count: usize) -> Self {
        let told = Arc::new(AtomicUsize::new(0));
        let (leave, left) = oneshot::channel();
        let (came, here) = oneshot::channel();
        let (games, counter) = (games.to_vec(), Arc::clone(&told));
        let held_up = Arc::<(Mutex<bool>, Condvar)>::default();
        let gate = Arc::clone(&held_up);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let mut reading = JoinSet::new();
                for game in games.iter().cycle().take(count) {
                    let stream = open(hall, game).await;
                    reading.spawn(read(stream, Arc::clone(&counter), Arc::clone(&gate)));
                }
                came.send(()).unwrap();
                let _ = left.await;
                reading.shutdown().await;
            });
        });
        here.await.unwrap();
        Self { told, held_up, _leave: leave }
    }

    /// Whether the thread that reads stands still at the next event.
    fn hold_up(&self, is_held_up: bool) {
        let (held_up, changed) = &*self.held_up;
        *held_up.lock().unwrap() = is_held_up;
        changed.notify_all();
    }

    /// Events that were read so far, by all together.
    fn told(&self) -> usize {
        self.told.load(Ordering::Relaxed)
    }

    /// Waits until so many were read, up to a limit; how many were.
    async fn wait_for(&self, count: usize) -> usize {
        let begun = std::time::Instant::now();
        while self.told() < count && begun.elapsed() < LAST_EVENT_TIMEOUT {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.told()
    }
}

/// Asks for the events of a game, and reads until the first has come.
async fn open(hall: SocketAddr, game: &str) -> TcpStream {
    let mut stream = TcpStream::connect(hall).await.unwrap();
    let request =
        format!("GET /api/games/{game}/events HTTP/1.1\r\nHost: hall\r\nAccept: text/event-stream\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    while events(&seen) == 0 {
        assert!(stream.read_buf(&mut seen).await.unwrap() > 0, "{}", String::from_utf8_lossy(&seen));
        assert!(seen.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&seen));
    }
    stream
}

async fn read(mut stream: TcpStream, told: Arc<AtomicUsize>, gate: Arc<(Mutex<bool>, Condvar)>) {
    let mut bytes = vec![0; 4 * 1024];
    // The end of what was read before: the beginning of an event may be split between two reads.
    let mut kept = 0;
    while let Ok(count) = stream.read(&mut bytes[kept..]).await
        && count > 0
    {
        let (held_up, changed) = &*gate;
        drop(changed.wait_while(held_up.lock().unwrap(), |held_up| *held_up).unwrap());
        let end = kept + count;
        told.fetch_add(events(&bytes[..end]), Ordering::Relaxed);
        kept = end.min(BEGINNING.len() - 1);
        bytes.copy_within(end - kept..end, 0);
    }
}

/// How an event begins in a stream.
const BEGINNING: &[u8] = b"\ndata:";

/// Events that begin in these bytes.
fn events(bytes: &[u8]) -> usize {
    bytes.windows(BEGINNING.len()).filter(|window| *window == BEGINNING).count()
}
