//! The monitor against a test log, which can be made to lie.

use super::follow::{Follower, MonitorError, Update};
use super::log_client::LogClient;
use super::store::Store;
use hall_wire::Digest;
use hall_wire::key::PrivateKey;
use hall_wire::merkle::{Frontier, Nodes, consistency_path, leaf_hash};
use hall_wire::message::key_succession;
use hall_wire::note::{Checkpoint, verifier_key};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Longer than a test takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A served log: its leaves, and the signed checkpoint.
struct Log {
    leaves: Vec<String>,
    origin: String,
    key: PrivateKey,
    /// Served instead of the true checkpoint.
    lie: Option<String>,
    /// Leaves whose served form differs from the signed one.
    forged: BTreeMap<usize, String>,
    /// How many more answers say that the hall is busy.
    busy: usize,
    /// How many more answers lack the last leaf.
    behind: usize,
    /// Answers served instead of the true ones, by path.
    instead: BTreeMap<String, (u16, Vec<u8>)>,
}

struct Stored(BTreeMap<(u32, u64), Digest>);

impl Nodes for Stored {
    type Error = Infallible;

    fn node(&self, height: u32, index: u64) -> Result<Digest, Infallible> {
        Ok(self.0[&(height, index)])
    }
}

impl Log {
    fn tree(&self) -> (Frontier, Stored) {
        let (mut frontier, mut nodes) = (Frontier::default(), BTreeMap::new());
        for leaf in &self.leaves {
            frontier.push(leaf_hash(leaf.as_bytes()), |height, index, node| {
                nodes.insert((height, index), node);
            });
        }
        (frontier, Stored(nodes))
    }

    fn note(&self) -> String {
        let (tree, _) = self.tree();
        Checkpoint { origin: &self.origin, size: tree.size(), root: tree.root() }.signed(&self.key)
    }

    fn public(&self) -> String {
        verifier_key(&self.origin, &self.key.public())
    }

    /// Another key takes the place of the log's, which signs it.
    fn replace_key(&mut self) {
        let old = std::mem::replace(&mut self.key, PrivateKey::from_seed(&[2; 32]));
        self.origin = "hall.example/2".to_owned();
        let public = self.public();
        let signature = old.sign(key_succession("log", &public).as_bytes());
        let leaf = serde_json::json!({
            "kind": "key", "use": "log", "public_key": public, "signature": signature.to_string(),
        });
        self.leaves.push(leaf.to_string());
    }

    fn answer(&mut self, path: &str) -> (u16, Vec<u8>) {
        if self.busy > 0 {
            self.busy -= 1;
            return (503, Vec::new());
        }
        if path == "/log/checkpoint" && self.behind > 0 {
            self.behind -= 1;
            let last = self.leaves.pop().unwrap();
            let note = self.note();
            self.leaves.push(last);
            return (200, note.into_bytes());
        }
        if let Some(answer) = self.instead.get(path) {
            return answer.clone();
        }
        if path == "/log/checkpoint" {
            return (200, self.lie.clone().unwrap_or_else(|| self.note()).into_bytes());
        }
        if path == "/api/official" {
            let key = self.public();
            let answer = serde_json::json!({ "data": { "official": { "log": { "public_key": key } } } });
            return (200, answer.to_string().into_bytes());
        }
        if let Some(query) = path.strip_prefix("/api/checkpoint/consistency?from=") {
            let (from, to) = query.split_once("&to=").unwrap();
            let path = consistency_path(&self.tree().1, from.parse().unwrap(), to.parse().unwrap()).unwrap();
            return (200, serde_json::json!({ "data": { "path": path } }).to_string().into_bytes());
        }
        let tile = hall_verify::tile::Tile::parse(path.strip_prefix("/log/").unwrap()).unwrap();
        let first = usize::try_from(tile.index()).unwrap() * 256;
        let leaves = (first..first + usize::from(tile.width()))
            .map(|index| self.forged.get(&index).unwrap_or(&self.leaves[index]));
        let bundle = leaves.flat_map(|leaf| {
            let length = u16::try_from(leaf.len()).unwrap().to_be_bytes();
            length.into_iter().chain(leaf.bytes()).collect::<Vec<u8>>()
        });
        (200, bundle.collect())
    }
}

/// Serves a log, and returns its address.
async fn serve(log: Arc<Mutex<Log>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4_096];
            let read = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) = log.lock().unwrap().answer(&path);
            let mut head = String::new();
            write!(
                head,
                "HTTP/1.1 {status} OK\r\nRetry-After: 0\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            )
            .unwrap();
            let _ = stream.write_all(&[head.into_bytes(), body].concat()).await;
        }
    });
    url
}

struct Watched {
    log: Arc<Mutex<Log>>,
    url: String,
    folder: tempfile::TempDir,
}

impl Watched {
    async fn of(leaves: usize) -> Self {
        let leaves = (0..leaves).map(leaf).collect();
        let (origin, key) = ("hall.example".to_owned(), PrivateKey::from_seed(&[1; 32]));
        let (forged, instead) = (BTreeMap::new(), BTreeMap::new());
        let log =
            Arc::new(Mutex::new(Log { leaves, origin, key, lie: None, forged, busy: 0, behind: 0, instead }));
        let url = serve(Arc::clone(&log)).await;
        Self { log, url, folder: tempfile::tempdir().unwrap() }
    }

    async fn follower(&self) -> Follower {
        self.patient_follower(Duration::ZERO).await
    }

    async fn patient_follower(&self, patience: Duration) -> Follower {
        let kept = Store::open(self.folder.path()).unwrap();
        Follower::begin(LogClient::new(&self.url), kept, None, patience).await.unwrap()
    }

    /// Looks once, like a newly started monitor.
    async fn round(&self) -> Result<Update, MonitorError> {
        let mut follower = self.follower().await;
        let seen = follower.look().await?;
        follower.reread().await?;
        Ok(seen)
    }

    /// The evidence that was written.
    fn evidence(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("evidence")).collect()
    }

    fn change(&self, change: impl FnOnce(&mut Log)) {
        change(&mut self.log.lock().unwrap());
    }
}

fn leaf(number: usize) -> String {
    format!("{{\"kind\":\"other\",\"number\":{number}}}")
}

fn alarm(looked: Result<Update, MonitorError>) -> (String, String) {
    let (why, evidence, _) = alarm_with_leaves(looked);
    (why, evidence)
}

/// The reason, the evidence, and the served leaves kept beside it.
fn alarm_with_leaves(looked: Result<Update, MonitorError>) -> (String, String, Option<Vec<u8>>) {
    match looked {
        Err(MonitorError::Alarm(alarm)) => {
            let leaves = std::fs::read(alarm.evidence.with_extension("leaves")).ok();
            (alarm.why, std::fs::read_to_string(alarm.evidence).unwrap(), leaves)
        }
        other => panic!("no alarm: {other:?}"),
    }
}

#[tokio::test]
async fn an_honest_log_is_followed_across_tiles_and_restarts() {
    let watched = Watched::of(3).await;
    let mut follower = watched.follower().await;
    assert_eq!(follower.look().await.unwrap().leaves.len(), 3);
    for (more, seen) in [(0, 0), (250, 250), (3, 3), (300, 300)] {
        watched.change(|log| log.leaves.extend((0..more).map(leaf)));
        follower = watched.follower().await;
        let looked = follower.look().await.unwrap();
        assert_eq!((looked.leaves.len(), looked.size), (seen, follower.size()));
    }
    assert_eq!(follower.size(), 556);
}

#[tokio::test]
async fn a_long_log_is_followed_in_parts_and_a_part_that_was_seen_is_not_told_again() {
    let watched = Watched::of(700).await;
    let mut follower = watched.follower().await;
    follower.at_once = 256;
    watched.change(|log| drop(log.instead.insert("/log/tile/entries/001".to_owned(), (500, Vec::new()))));
    let seen = follower.look().await.unwrap();
    assert_eq!((seen.leaves.len(), seen.size, seen.has_more), (256, 256, true));
    assert!(matches!(follower.look().await, Err(MonitorError::Unreachable(_))));
    watched.change(|log| {
        log.instead.clear();
        log.instead.insert("/log/tile/entries/000".to_owned(), (500, Vec::new()));
        log.leaves.push(leaf(700));
    });
    for (first, size, has_more) in [(256, 512, true), (512, 701, false), (701, 701, false)] {
        follower = watched.follower().await;
        follower.at_once = 256;
        let seen = follower.look().await.unwrap();
        assert_eq!(seen.leaves.first().map(|(index, _)| *index), (first < size).then_some(first));
        assert_eq!((seen.size, seen.has_more), (size, has_more));
    }
    assert_eq!(watched.follower().await.size(), 701, "all of it is kept");
}

#[tokio::test]
async fn a_part_of_a_long_log_that_is_not_its_signed_beginning_raises_an_alarm() {
    let watched = Watched::of(700).await;
    let mut follower = watched.follower().await;
    follower.at_once = 256;
    follower.look().await.unwrap();
    watched.change(|log| drop(log.forged.insert(300, leaf(99))));
    let (why, _, leaves) = alarm_with_leaves(follower.look().await);
    assert!(why.contains("root that was signed"), "{why}");
    assert!(leaves.is_some());
}

#[tokio::test]
async fn a_log_that_forks_behind_the_part_that_was_seen_raises_an_alarm_after_a_restart_too() {
    for restarts in [false, true] {
        let watched = Watched::of(700).await;
        let mut follower = watched.follower().await;
        follower.at_once = 256;
        follower.look().await.unwrap();
        watched.change(|log| {
            log.leaves[600] = leaf(99);
            log.leaves.push(leaf(700));
        });
        if restarts {
            follower = watched.follower().await;
            follower.at_once = 256;
        }
        let (why, evidence) = alarm(follower.look().await);
        assert!(why.contains("consistency"), "{why}");
        assert_eq!(evidence.matches("hall.example\n").count(), 2, "both notes are kept: {evidence}");
    }
}

#[tokio::test]
async fn a_shorter_checkpoint_in_the_middle_of_a_long_log_is_compared_with_what_was_seen() {
    for (size, place, reason) in
        [(300, None, "shorter"), (300, Some(3), "different roots"), (600, None, "shorter")]
    {
        let watched = Watched::of(700).await;
        let mut follower = watched.follower().await;
        follower.at_once = 512;
        follower.look().await.unwrap();
        watched.change(|log| {
            log.leaves.truncate(size);
            place.into_iter().for_each(|place: usize| log.leaves[place] = leaf(99));
        });
        let (why, _) = alarm(follower.look().await);
        assert!(why.contains(reason), "{why}");
    }
}

#[tokio::test]
async fn a_hall_that_is_busy_is_asked_again_and_not_for_ever() {
    let watched = Watched::of(10).await;
    let mut follower = watched.follower().await;
    watched.change(|log| log.busy = 4);
    assert_eq!(follower.look().await.unwrap().size, 10);
    watched.change(|log| log.busy = 5);
    assert!(matches!(follower.look().await, Err(MonitorError::Unreachable(_))));
    assert_eq!(follower.look().await.unwrap().size, 10);
}

#[tokio::test]
async fn a_log_that_shrinks_raises_an_alarm() {
    let watched = Watched::of(10).await;
    let mut follower = watched.follower().await;
    follower.look().await.unwrap();
    watched.change(|log| log.leaves.truncate(9));
    let (why, evidence) = alarm(follower.look().await);
    assert!(why.contains("shorter"), "{why}");
    assert_eq!(evidence.matches("hall.example\n").count(), 2, "both notes are kept: {evidence}");
}

#[tokio::test]
async fn a_machine_that_lacks_the_newest_leaves_for_a_moment_raises_no_alarm() {
    let watched = Watched::of(10).await;
    let mut follower = watched.patient_follower(TIMEOUT).await;
    follower.look().await.unwrap();
    watched.change(|log| log.behind = 2);
    let seen = follower.look().await.unwrap();
    assert_eq!((seen.leaves.len(), seen.size), (0, 10));
    assert_eq!(watched.evidence(), [""; 0]);
}

#[tokio::test]
async fn a_shorter_log_with_another_leaf_raises_an_alarm_at_once() {
    let watched = Watched::of(10).await;
    let mut follower = watched.patient_follower(TIMEOUT).await;
    follower.look().await.unwrap();
    watched.change(|log| {
        log.leaves.truncate(9);
        log.leaves[8] = leaf(99);
    });
    let (why, _) = alarm(follower.look().await);
    assert!(why.contains("different roots"), "{why}");
}

#[tokio::test]
async fn a_forked_log_raises_an_alarm_even_after_a_restart() {
    for (place, more) in [(0, 0), (9, 0), (0, 7), (9, 7)] {
        let watched = Watched::of(10).await;
        watched.follower().await.look().await.unwrap();
        watched.change(|log| {
            log.leaves[place] = leaf(99);
            log.leaves.extend((0..more).map(leaf));
        });
        alarm(watched.follower().await.look().await);
    }
}

#[tokio::test]
async fn leaves_that_differ_from_the_signed_ones_raise_an_alarm() {
    let watched = Watched::of(10).await;
    watched.change(|log| {
        let signed = log.note();
        log.leaves[5] = leaf(99);
        log.lie = Some(signed);
    });
    let (why, evidence, leaves) = alarm_with_leaves(watched.follower().await.look().await);
    assert!(why.contains("do not make the root"), "{why}");
    assert!(evidence.contains("leaves 0 to 9"), "{evidence}");
    let served = watched.log.lock().unwrap().answer("/log/tile/entries/000.p/10").1;
    assert_eq!(leaves, Some(served), "anybody who doubts the alarm can hash the served bytes");
}

#[tokio::test]
async fn answers_without_the_signature_of_the_log_raise_no_alarm() {
    let page = |text: &str| (200, text.as_bytes().to_vec());
    let stranger = PrivateKey::from_seed(&[9; 32]);
    for seen in [false, true] {
        let watched = Watched::of(10).await;
        let mut follower = watched.follower().await;
        if seen {
            follower.look().await.unwrap();
        }
        let note = watched.log.lock().unwrap().note();
        let root = Digest::of(b"another");
        let of_stranger = |size| Checkpoint { origin: "hall.example", size, root }.signed(&stranger);
        for answer in [
            (404, b"not found".to_vec()),
            (502, b"bad gateway".to_vec()),
            (200, vec![0xff, 0xfe]),
            page("<html><body>Sign in to this network</body></html>\n"),
            page(""),
            page(note.split_once("\n\n").unwrap().0),
            page(&note.replacen("hall.example\n10\n", "hall.example\n9\n", 1)),
            page(&of_stranger(1)),
            page(&of_stranger(10)),
        ] {
            let words = String::from_utf8_lossy(&answer.1).into_owned();
            watched.change(|log| drop(log.instead.insert("/log/checkpoint".to_owned(), answer)));
            let looked = follower.look().await;
            assert!(matches!(looked, Err(MonitorError::Unreachable(_))), "{words}: {looked:?}");
        }
        assert_eq!(watched.evidence(), [""; 0]);
        watched.change(|log| log.instead.clear());
        assert_eq!(follower.look().await.unwrap().leaves.len(), if seen { 0 } else { 10 });
    }
}

#[tokio::test]
async fn a_web_page_instead_of_leaves_raises_no_alarm() {
    let watched = Watched::of(10).await;
    let page = (200, b"<html>busy</html>".to_vec());
    watched.change(|log| drop(log.instead.insert("/log/tile/entries/000.p/10".to_owned(), page)));
    assert!(matches!(watched.round().await, Err(MonitorError::Unreachable(_))));
    assert_eq!(watched.evidence(), [""; 0]);
}

#[tokio::test]
async fn an_old_leaf_changed_in_the_bundle_of_new_ones_raises_an_alarm() {
    let watched = Watched::of(10).await;
    watched.round().await.unwrap();
    watched.change(|log| {
        log.leaves.push(leaf(10));
        log.forged.insert(3, leaf(99));
    });
    let (why, evidence, leaves) = alarm_with_leaves(watched.round().await);
    assert!(why.contains("leaf 3") && why.contains("other content"), "{why}");
    let notes = ["hall.example\n10\n", "hall.example\n11\n"];
    assert!(notes.iter().all(|note| evidence.contains(note)), "the notes before and now: {evidence}");
    let shown = |hash: Digest| evidence.contains(&hash.to_hex());
    assert!(shown(leaf_hash(leaf(3).as_bytes())) && shown(leaf_hash(leaf(99).as_bytes())), "{evidence}");
    assert_eq!(leaves, Some(watched.log.lock().unwrap().answer("/log/tile/entries/000.p/11").1));
}

#[tokio::test]
async fn each_look_rereads_one_old_bundle_and_all_of_them_in_turn_across_restarts() {
    for forged in [0, 255, 256, 511, 600, 767] {
        let watched = Watched::of(800).await;
        watched.round().await.unwrap();
        watched.change(|log| drop(log.forged.insert(forged, leaf(9_999))));
        let mut rounds = Vec::new();
        for _ in 0..3 {
            rounds.push(watched.round().await);
        }
        let alarms = rounds.into_iter().filter(Result::is_err).collect::<Vec<_>>();
        assert_eq!(alarms.len(), 1, "three full bundles, each of them once: {alarms:?}");
        let (why, _, leaves) = alarm_with_leaves(alarms.into_iter().next().unwrap());
        assert!(why.contains(&format!("leaf {forged} ")), "{why}");
        assert!(leaves.is_some());
    }
}

#[tokio::test]
async fn an_unavailable_old_bundle_raises_no_alarm_and_delays_no_other() {
    let watched = Watched::of(520).await;
    watched.round().await.unwrap();
    watched.change(|log| {
        log.instead.insert("/log/tile/entries/001".to_owned(), (404, Vec::new()));
    });
    let first = watched.round().await;
    assert!(matches!(first, Err(MonitorError::Unreachable(_))), "{first:?}");
    watched.round().await.unwrap();
}

#[tokio::test]
async fn a_checkpoint_of_another_key_raises_an_alarm() {
    let watched = Watched::of(2).await;
    let mut follower = watched.follower().await;
    follower.look().await.unwrap();
    watched.change(|log| {
        log.key = PrivateKey::from_seed(&[2; 32]);
        log.leaves.push(leaf(2));
    });
    let (why, _) = alarm(follower.look().await);
    assert!(why.contains("not signed"), "{why}");
}

#[tokio::test]
async fn a_key_signed_by_the_old_one_is_trusted_from_then_on() {
    let watched = Watched::of(2).await;
    let mut follower = watched.follower().await;
    follower.look().await.unwrap();
    watched.change(Log::replace_key);
    let seen = follower.look().await.unwrap();
    assert_eq!(seen.keys.len(), 1);
    watched.change(|log| log.leaves.push(leaf(7)));
    let mut follower = watched.follower().await;
    assert_eq!(follower.key().name(), "hall.example/2");
    follower.look().await.unwrap();
}

#[tokio::test]
async fn a_long_log_whose_key_was_replaced_is_followed_in_parts_and_the_key_changes_with_its_leaf() {
    let watched = Watched::of(600).await;
    let mut follower = watched.follower().await;
    follower.at_once = 256;
    watched.change(|log| {
        log.replace_key();
        log.leaves.extend((601..900).map(leaf));
    });
    for (size, named, replaced) in [
        (256, "hall.example", 0),
        (512, "hall.example", 0),
        (768, "hall.example/2", 1),
        (900, "hall.example/2", 0),
    ] {
        let seen = follower.look().await.unwrap();
        assert_eq!((seen.size, seen.has_more, seen.keys.len()), (size, size < 900, replaced));
        assert_eq!(follower.key().name(), named, "{size} leaves");
    }
}

#[tokio::test]
async fn an_unreachable_hall_raises_no_alarm() {
    let watched = Watched::of(2).await;
    let mut follower = watched.follower().await;
    follower.look().await.unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let kept = Store::open(watched.folder.path()).unwrap();
    let served = LogClient::new(&format!("http://{nobody}"));
    let mut alone = Follower::begin(served, kept, None, Duration::ZERO).await.unwrap();
    assert!(matches!(alone.look().await, Err(MonitorError::Unreachable(_))));
}
