//! The admin protocol against a real hall in a temporary folder.

use super::client::ask;
use super::lines::Last;
use super::request::{
    AgentFilter, GameFilter, GameFormat, GameState, OperatorFilter, Purpose, Request, Verdict,
};
use super::socket;
use crate::hall::RunningHall;
use crate::keys::{HallSecrets, KeyFiles};
use crate::settings::{Settings, Values};
use crate::start_failure::StartFailure;
use hall_driver::JournalEntry;
use hall_games::STANDARD;
use hall_tools::agent::{Style, Table, play_in_house};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_writes_the_docket_and_opens_and_closes_seasons() {
    let hall = Hall::start().await;
    let add = |kind: &str, subject: &str| Request::DocketAdd {
        kind: kind.to_owned(),
        subject: subject.to_owned(),
        reason: "It was wrong.".to_owned(),
        disposition: None,
    };
    // The hall itself opened the season s1, with a docket entry.
    assert_eq!(hall.done(add("rule_change", "Castling")).await, json!({ "docket_id": 2 }));
    assert_eq!(hall.refused(add("gossip", "Castling")).await, "BAD_REQUEST");
    assert_eq!(hall.refused(add("note", "two\nlines")).await, "BAD_REQUEST");
    let open = |season: &str| Request::SeasonOpen { season: season.to_owned() };
    let close = |season: &str| Request::SeasonClose { season: season.to_owned() };
    for (request, refused) in [
        (open("s2"), Some("SEASON_OPEN")),
        (close("s2"), Some("SEASON_NOT_FOUND")),
        (close("s1"), None),
        (open("s1"), Some("SEASON_NAME_USED")),
        (open("current"), Some("BAD_REQUEST")),
        (open("s2"), None),
    ] {
        match refused {
            Some(code) => assert_eq!(hall.refused(request).await, code),
            None => assert_eq!(hall.done(request).await, json!({ "done": true })),
        }
    }
    let stats = hall.done(Request::Stats {}).await;
    assert_eq!((&stats["open_season"], &stats["docket_entries"]), (&json!("s2"), &json!(4)));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_and_operators_are_suspended_and_restored() {
    let hall = Hall::start().await;
    let playing = hall.agents(["ada", "bob"], NEVER);
    hall.until_games(|live, _| live > 0).await;
    let reason = || "A test.".to_owned();
    let agent = |handle: &str| Request::AgentSuspend { handle: handle.to_owned(), reason: reason() };
    let restore = |handle: &str| Request::AgentRestore { handle: handle.to_owned(), reason: reason() };
    assert_eq!(hall.refused(agent("nobody")).await, "AGENT_NOT_FOUND");
    assert_eq!(hall.refused(restore("ada")).await, "NOTHING_TO_CHANGE");
    assert_eq!(hall.done(agent("ada")).await, json!({ "done": true }));
    assert_eq!(hall.refused(agent("ada")).await, "NOTHING_TO_CHANGE");
    assert_eq!(hall.done(restore("ada")).await, json!({ "done": true }));
    let bob = hall_wire::Handle::parse("bob").unwrap();
    let operator = hall.look(|hall| hall.desk().agent_by_handle(&bob).unwrap().operator.to_string()).await;
    let suspend = Request::OperatorSuspend { operator: operator.clone(), reason: reason() };
    assert_eq!(hall.done(suspend).await, json!({ "done": true }));
    let restored = Request::OperatorRestore { operator, reason: reason() };
    assert_eq!(hall.done(restored).await, json!({ "done": true }));
    drop(playing);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_game_can_be_settled_and_an_ended_one_cannot() {
    let hall = Hall::start().await;
    let _playing = hall.agents(["ada", "bob"], NEVER);
    hall.until_games(|live, _| live > 0).await;
    let game = hall.live().await.pop_first();
    let adjudicate = |verdict| Request::GameAdjudicate {
        game: game.clone().unwrap(),
        verdict,
        reason: "A test.".to_owned(),
    };
    assert_eq!(hall.refused(adjudicate(Verdict::Winner("p7".to_owned()))).await, "PLAYER_UNKNOWN");
    assert_eq!(hall.refused(adjudicate(Verdict::Winner("white".to_owned()))).await, "BAD_REQUEST");
    let vacate = Request::GameVacate {
        game: game.clone().unwrap(),
        player: "p0".to_owned(),
        reason: "No.".to_owned(),
    };
    assert_eq!(hall.refused(vacate).await, "SEAT_NEEDED", "a table of two needs both");
    assert_eq!(hall.done(adjudicate(Verdict::Draw)).await, json!({ "done": true }));
    let again = hall.refused(adjudicate(Verdict::Abort)).await;
    assert!(again == "GAME_NOT_LIVE" || again == "GAME_NOT_FOUND", "{again}");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_is_over_when_the_last_live_game_has_ended() {
    let hall = Hall::start().await;
    assert_eq!(hall.refused(Request::Resume {}).await, "NOTHING_TO_CHANGE");
    let _playing = hall.agents(["ada", "bob"], NEVER);
    hall.until_games(|live, _| live > 0).await;
    let drained = hall.done(Request::Drain { wait: false }).await;
    assert_eq!((&drained["draining"], &drained["live_games"]), (&json!(true), &json!(1)));
    assert_eq!(hall.done(Request::Stats {}).await["draining"], true);
    let game = hall.live().await.pop_first().unwrap();
    let adjudicate = Request::GameAdjudicate { game, verdict: Verdict::Draw, reason: "A test.".to_owned() };
    let (waited, settled) = tokio::join!(hall.ask(Request::Drain { wait: true }), hall.done(adjudicate));
    assert_eq!(settled, json!({ "done": true }));
    let (last, items) = waited;
    assert_eq!(last.data.unwrap()["live_games"], 0);
    // The settlement may have been first.
    assert!(items.is_empty() || items == "1 live game\n", "{items}");
    assert_eq!(hall.done(Request::Resume {}).await, json!({ "draining": false }));
    assert_eq!(hall.done(Request::Stats {}).await["draining"], false);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_operators_and_games_are_listed_by_filters() {
    let hall = Hall::start().await;
    let mut playing = hall.agents(["ada", "bob"], NEVER);
    hall.until_games(|live, _| live > 0).await;
    let agents = |filter: AgentFilter| Request::Agents(filter);
    let all = AgentFilter {
        operator: None,
        prefix: None,
        suspended: false,
        waiting: false,
        playing: false,
        limit: 100,
    };
    let handles = |listed: &[Value]| -> Vec<String> {
        listed.iter().map(|item| item["handle"].as_str().unwrap().to_owned()).collect()
    };
    let mut both = handles(&hall.items(agents(all.clone())).await);
    both.sort();
    assert_eq!(both, ["ada", "bob"]);
    let ada = hall.items(agents(AgentFilter { prefix: Some("ad".to_owned()), ..all.clone() })).await;
    assert_eq!(handles(&ada), ["ada"]);
    assert_eq!((&ada[0]["live_games"], &ada[0]["status"]), (&json!(1), &json!("active")));
    for none in [
        AgentFilter { suspended: true, ..all.clone() },
        AgentFilter { operator: Some("o_00000000000000000000000000".to_owned()), ..all.clone() },
        AgentFilter { limit: 0, ..all.clone() },
    ] {
        assert_eq!(hall.items(agents(none)).await, Vec::<Value>::new());
    }
    let wrong = AgentFilter { operator: Some("nobody".to_owned()), ..all };
    assert_eq!(hall.refused(agents(wrong)).await, "BAD_REQUEST");
    let operators = hall.items(Request::Operators(OperatorFilter { suspended: false, limit: 100 })).await;
    assert_eq!(operators.len(), 2);
    assert_eq!((&operators[0]["agents"], &operators[0]["live_games"]), (&json!(1), &json!(1)));

    let games = |status, agent: Option<&str>, reason: Option<&str>| {
        let (agent, reason) = (agent.map(str::to_owned), reason.map(str::to_owned));
        Request::Games(GameFilter { status, agent, game: None, division: None, reason, limit: 100 })
    };
    let live = hall.items(games(GameState::Live, Some("ada"), None)).await;
    assert_eq!(live.len(), 1);
    assert_eq!(live[0]["ended_at"], Value::Null);
    assert_eq!(hall.refused(games(GameState::Live, Some("nobody"), None)).await, "AGENT_NOT_FOUND");
    let game = live[0]["game_id"].as_str().unwrap().to_owned();
    let adjudicate =
        Request::GameAdjudicate { game: game.clone(), verdict: Verdict::Draw, reason: "A test.".to_owned() };
    playing.shutdown().await;
    hall.done(adjudicate).await;
    for agent in [None, Some("bob")] {
        let ended = hall.items(games(GameState::Ended, agent, Some("adjudicated"))).await;
        assert_eq!(ended.len(), 1, "{agent:?}");
        assert_eq!(ended[0]["game_id"], json!(game));
    }
    assert_eq!(hall.items(games(GameState::Ended, None, Some("strikes"))).await, Vec::<Value>::new());
    assert_eq!(hall.refused(games(GameState::Live, None, Some("strikes"))).await, "BAD_REQUEST");
    for (limit, searched_all) in [(2, true), (1, false)] {
        let Request::Games(filter) = games(GameState::Ended, None, None) else { unreachable!() };
        let answer = hall.done(Request::Games(GameFilter { limit, ..filter })).await;
        assert_eq!(answer, json!({ "shown": 1, "searched_all": searched_all }), "{limit}");
    }

    for (game, division) in [(Some("snap"), None), (None, Some("purple"))] {
        let Request::Games(filter) = games(GameState::Ended, None, None) else { unreachable!() };
        let [game, division] = [game, division].map(|word| word.map(str::to_owned));
        let asked = Request::Games(GameFilter { game, division, ..filter });
        assert_eq!(hall.refused(asked).await, "BAD_REQUEST");
    }

    let report = hall.done(Request::AgentShow { handle: "ada".to_owned() }).await;
    assert_eq!(report["handle"], "ada");
    assert_eq!((&report["record"]["draws"], &report["doorbell"]), (&json!(1), &json!("none")));
    assert_eq!((&report["live"], &report["ended_lately"][0]["game_id"]), (&json!([]), &json!(game)));
    // This hall has no quota of joins.
    assert_eq!((&report["joins_left_today"], &report["feedback_left_today"]), (&Value::Null, &json!(20)));
    assert_eq!(hall.refused(Request::AgentShow { handle: "nobody".to_owned() }).await, "AGENT_NOT_FOUND");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exported_journal_withholds_only_the_seeds_of_live_games() {
    let hall = Hall::start().await;
    let mut playing = hall.agents(["ada", "bob"], Duration::ZERO);
    hall.until_games(|_, ended| ended > 0).await;
    playing.shutdown().await;
    // One of the first two may still wait, and is then paired with one of these, which never move; a new game of the
    // first two also stays live. Once both of these play or wait, no more pairings happen.
    let _waiting = hall.agents(["eve", "fay"], NEVER);
    hall.until(|hall| {
        let newcomers = ["eve", "fay"]
            .map(|handle| hall.desk().agent_by_handle(&hall_wire::Handle::parse(handle).unwrap()));
        let plays = |agent: &&hall_core::desk::Agent| hall.desk().live_games(&agent.id).next().is_some();
        newcomers.into_iter().flatten().filter(plays).count() + hall.desk().waiting_count() > 1
    })
    .await;
    let live = hall.live().await;
    let export = |with_secrets| Request::ExportJournal { with_secrets };
    let (_, open) = hall.ask(export(false)).await;
    let (_, secret) = hall.ask(export(true)).await;
    assert_eq!(hall.live().await, live, "nobody moves any more");
    let (mut withheld, mut told) = (0, 0);
    for (open_line, secret_line) in open.lines().zip(secret.lines()) {
        let record: Value = serde_json::from_str(secret_line).unwrap();
        let entry: JournalEntry = serde_json::from_value(record["entry"].clone()).unwrap();
        assert_eq!(record["withheld"], json!([]));
        for (game, seed) in seeds(&record["entry"]) {
            assert!(entry.entropy.contains(&seed), "the seed was drawn in the record that begins the game");
            assert_eq!(open.contains(&seed), !live.contains(&game), "{game}");
            if live.contains(&game) { withheld += 1 } else { told += 1 }
        }
        if seeds(&record["entry"]).iter().all(|(game, _)| !live.contains(game)) {
            assert_eq!(open_line, secret_line, "nothing else is withheld");
        }
    }
    assert!(withheld == live.len() && told > 0, "{withheld} {told}");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_games_are_exported_as_pgn_and_as_replays() {
    let hall = Hall::start().await;
    let playing = hall.agents(["ada", "bob"], Duration::ZERO);
    hall.until_games(|_, ended| ended > 1).await;
    drop(playing);
    let (last, pgn) = hall.ask(Request::ExportGames { format: GameFormat::Pgn, since: None }).await;
    let told = last.data.unwrap();
    let games = told["games"].as_u64().unwrap();
    assert!(games > 1);
    assert_eq!(u64::try_from(pgn.matches("[Event ").count()).unwrap(), games);
    // A replay follows when a checkpoint covers the end of its game.
    let replays = loop {
        let (_, replays) = hall.ask(Request::ExportGames { format: GameFormat::Replay, since: None }).await;
        if u64::try_from(replays.lines().count()).unwrap() >= games {
            break replays;
        }
    };
    for line in replays.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let replay = &line["replay"];
        assert!(line["cursor"].is_string() && line["ended_at"].is_string(), "{line}");
        assert!(replay["log"].is_object(), "{line}");
        assert_eq!(replay["version"], "svc.replay.v1");
        assert!(replay["seed"].is_string() && !replay["moves"].as_array().unwrap().is_empty());
    }
    let since = |since: &str| Request::ExportGames { format: GameFormat::Pgn, since: Some(since.to_owned()) };
    let (_, later) = hall.ask(since(told["cursor"].as_str().unwrap())).await;
    assert!(!pgn.contains(later.lines().find(|line| line.starts_with("[GameId")).unwrap_or("none")));
    let (last, _) = hall.ask(since("2000-01-01T00:00:00.000Z")).await;
    assert!(last.data.unwrap()["games"].as_u64().unwrap() >= games);
    assert_eq!(hall.ask(since("2099-12-31")).await.0.data.unwrap()["games"], json!(0));
    assert_eq!(hall.ask(since("yesterday")).await.0.error.unwrap().code, "BAD_REQUEST");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_running_hall_starts_as_the_same_hall() {
    let hall = Hall::start().await;
    let playing = hall.agents(["ada", "bob"], Duration::ZERO);
    hall.until_games(|_, ended| ended > 0).await;
    let to = hall.folder.path().join("backup");
    let told = hall.done(Request::Backup { to: to.clone() }).await;
    assert!(told["journal_records"].as_u64().unwrap() > 5);
    assert_eq!(
        hall.refused(Request::Backup { to: to.clone() }).await,
        "BACKUP_FAILED",
        "never over another one"
    );
    assert_eq!(hall.refused(Request::Backup { to: "here".into() }).await, "BAD_REQUEST");
    let keys = hall.look(|hall| hall.keys().cloned()).await;
    let agents = hall.look(|hall| hall.desk().agent_count()).await;
    drop(playing);
    let copy = start_in(&to).await.unwrap();
    assert_eq!(copy.engine.peek(|hall| hall.keys().cloned()), keys);
    assert_eq!(copy.engine.peek(|hall| hall.desk().agent_count()), agents);
    copy.stop().await.unwrap();
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_breaks_off_leaves_nothing_that_could_be_started() {
    let hall = Hall::start().await;
    // No file that can be copied.
    std::fs::create_dir_all(hall.folder.path().join("data/cosignatures/0")).unwrap();
    let to = hall.folder.path().join("backup");
    assert_eq!(hall.refused(Request::Backup { to: to.clone() }).await, "BACKUP_FAILED");
    assert!(!to.exists());
    std::fs::remove_dir(hall.folder.path().join("data/cosignatures/0")).unwrap();
    hall.done(Request::Backup { to }).await;
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_are_replaced_at_the_same_time_are_all_kept() {
    let hall = Hall::start().await;
    let rotate = |purpose| hall.done(Request::RotateKey { purpose, reason: "A test.".to_owned() });
    for _ in 0..4 {
        tokio::join!(rotate(Purpose::Log), rotate(Purpose::Ring), rotate(Purpose::Ring));
        let named = hall.look(|hall| hall.keys().cloned()).await;
        let files = KeyFiles::in_data(&hall.folder.path().join("data"));
        let held = HallSecrets::load(&files, false, None, "").unwrap();
        assert_eq!(Some(held.public()), named);
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_are_served_under_a_new_log_key_before_the_key_files_follow() {
    let hall = Hall::start().await;
    // The old key cannot be put away, so the request fails after the journal has named the new key.
    std::fs::write(hall.folder.path().join("data/keys/retired"), "").unwrap();
    let before = hall.look(|hall| hall.keys().cloned()).await.unwrap();
    let rotate = Request::RotateKey { purpose: Purpose::Log, reason: "A test.".to_owned() };
    assert_eq!(hall.refused(rotate).await, "KEYS");
    let named = hall.look(|hall| hall.keys().cloned()).await.unwrap();
    assert_ne!(named.log, before.log);
    let log = hall.running().engine.log();
    let mut size = 0;
    while log.newest().is_none_or(|newest| newest.key != named.log) {
        size = log.grown_beyond(size).await;
    }
    for path in ["/api/checkpoint", "/log/checkpoint"] {
        let address = format!("{}{path}", hall.running().base_url);
        let fetched = hall_client::fetch(&address, 65_536, Duration::from_secs(60)).await.unwrap();
        assert_eq!(fetched.status, 200, "{path}: {}", String::from_utf8_lossy(&fetched.body));
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_journal_does_not_name_the_key_in_the_folder_no_key_is_replaced_and_no_backup_made() {
    let hall = Hall::start().await;
    let named = hall.look(|hall| hall.keys().cloned()).await;
    // As at a node when a key was replaced at another one.
    let folder = hall.folder.path().join("data/keys");
    std::fs::copy(folder.join("log.key"), folder.join("ring.key")).unwrap();
    for purpose in [Purpose::Log, Purpose::Ring] {
        let rotate = Request::RotateKey { purpose, reason: "A test.".to_owned() };
        assert_eq!(hall.refused(rotate).await, "KEYS");
    }
    let to = hall.folder.path().join("backup");
    assert_eq!(hall.refused(Request::Backup { to }).await, "BACKUP_FAILED");
    assert_eq!(hall.look(|hall| hall.keys().cloned()).await, named);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_hall_on_the_same_folder_does_not_start() {
    let hall = Hall::start().await;
    let second = start_in(&hall.folder.path().join("data")).await;
    let Err(failure) = second else { panic!("it started") };
    assert!(matches!(failure, StartFailure::Open(_)) && failure.to_string().contains("in use"), "{failure}");
    assert_eq!(hall.done(Request::Stats {}).await["takes_writes"], true, "the first one is unharmed");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_answered_and_do_no_harm() {
    let hall = Hall::start().await;
    for line in ["", "{}", "{\"command\":\"obey\"}", "{\"command\":\"stats\",\"more\":1}", "\u{7f}"] {
        let last = hall.ask_text(line.to_owned()).await.0;
        assert_eq!(last.error.unwrap().code, "BAD_REQUEST", "{line}");
    }
    let long = hall.ask_text("x".repeat(70_000)).await.0;
    assert_eq!(long.error.unwrap().code, "BAD_REQUEST");
    assert_eq!(hall.done(Request::Stats {}).await["agents"], 0);
    hall.stop().await;
}

/// A pause before a move that is longer than any test.
const NEVER: Duration = Duration::from_secs(3_600);

/// A hall in a temporary folder on a free port.
struct Hall {
    folder: tempfile::TempDir,
    running: Option<RunningHall>,
}

impl Drop for Hall {
    /// After a failed test the hall still runs, and its journal must not be deleted: that would end the process before
    /// the failure is printed.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.folder.disable_cleanup(true);
        }
    }
}

async fn start_in(data: &Path) -> Result<RunningHall, StartFailure> {
    let assignments = [
        "server.listen=127.0.0.1:0".to_owned(),
        format!("storage.path={}", data.display()),
        "storage.reserve_mib=0".to_owned(),
        "limits.requests_per_minute=0".to_owned(),
        "limits.joins_per_day=0".to_owned(),
        "beacon.relays=".to_owned(),
    ];
    RunningHall::start(&Settings::of(&Values::of_assignments(&assignments).unwrap()).unwrap()).await
}

impl Hall {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let running = start_in(&folder.path().join("data")).await.unwrap();
        Self { folder, running: Some(running) }
    }

    async fn stop(mut self) {
        self.running.take().unwrap().stop().await.unwrap();
    }

    fn running(&self) -> &RunningHall {
        self.running.as_ref().unwrap()
    }

    /// Agents that play until the returned value is dropped, and pause before each move.
    fn agents(&self, handles: [&'static str; 2], pause: Duration) -> JoinSet<()> {
        let mut playing = JoinSet::new();
        for handle in handles {
            let url = self.running().base_url.clone();
            playing.spawn(async move {
                let table = Table { game: "chess".to_owned(), variant: STANDARD.to_owned() };
                let played = play_in_house(&url, handle, table, Style::Random, pause).await;
                panic!("{handle} stopped playing: {played:?}");
            });
        }
        playing
    }

    async fn look<R: Send>(&self, look: impl FnOnce(&hall_core::Hall) -> R + Send) -> R {
        self.running().engine.read(look).await.unwrap()
    }

    /// Waits until `enough` accepts the numbers of live and ended games.
    async fn until_games(&self, enough: impl Fn(u64, u64) -> bool + Send + Sync) {
        self.until(|hall| enough(hall.rooms().live_count(), hall.rooms().ended_count())).await;
    }

    /// Waits until `wanted` accepts the hall.
    async fn until(&self, wanted: impl Fn(&hall_core::Hall) -> bool + Send + Sync) {
        let look = async {
            while !self.look(&wanted).await {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), look).await.expect("the agents play");
    }

    async fn live(&self) -> BTreeSet<String> {
        self.look(|hall| {
            let live = hall.rooms().iter().filter(|room| room.result().is_none());
            live.map(|room| room.id().to_string()).collect()
        })
        .await
    }

    /// The last line of the answer, and the items before it as they are written.
    async fn ask(&self, request: Request) -> (Last, String) {
        self.ask_text(serde_json::to_string(&request).unwrap()).await
    }

    async fn ask_text(&self, request: String) -> (Last, String) {
        let data = self.folder.path().join("data");
        let asking = tokio::task::spawn_blocking(move || {
            let mut out = Vec::new();
            let answered = ask(socket::connect(&data).unwrap(), &request, &mut out).unwrap();
            (answered.last, String::from_utf8(out).unwrap())
        });
        asking.await.unwrap()
    }

    /// The items of an answer.
    async fn items(&self, request: Request) -> Vec<Value> {
        let (last, items) = self.ask(request).await;
        assert!(last.ok, "{last:?}");
        items.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    async fn done(&self, request: Request) -> Value {
        let last = self.ask(request).await.0;
        assert!(last.ok, "{last:?}");
        last.data.unwrap()
    }

    async fn refused(&self, request: Request) -> String {
        let last = self.ask(request).await.0;
        assert!(!last.ok, "{last:?}");
        last.error.unwrap().code
    }
}

/// Game and seed of every game that begins in a record.
fn seeds(entry: &Value) -> Vec<(String, String)> {
    let facts = entry["facts"].as_array().unwrap();
    let rooms = facts.iter().filter_map(|fact| fact.get("room/1"));
    let started = rooms.filter_map(|room| Some((room["game"].as_str()?, room["change"].get("started")?)));
    started.map(|(game, started)| (game.to_owned(), started["seed"].as_str().unwrap().to_owned())).collect()
}
