//! Data for researchers: games by their end, exports, rating changes, annotated PGN.

use crate::hall::{Agent, Reply, TestHall, settings};
use crate::log::covered;
use futures_util::future::{join_all, select_all};
use hall_core::{Command, GameVerdict, GovernanceCommand, RoomCommand, Withheld};
use hall_wire::{AgentId, GameId, Span};
use serde_json::{Value, json};

/// Three games: `[0]` and `[1]` begin in this order and end in the opposite one, `[2]` is aborted.
async fn played(hall: &TestHall) -> (Vec<String>, [Agent; 3]) {
    let agents = [hall.agent("one").await, hall.agent("two").await, hall.agent("three").await];
    let [one, two, three] = &agents;
    let mut games = Vec::new();
    for (left, right) in [(one, two), (two, three)] {
        hall.clock.advance(Span::from_millis(10));
        games.push(hall.pair(left, right).await);
    }
    resign(hall, &[two, three], &games[1]).await;
    hall.clock.advance(Span::from_millis(10));
    resign(hall, &[one, two], &games[0]).await;
    hall.clock.advance(Span::from_millis(10));
    let aborted = hall.pair(three, one).await;
    let game = GameId::parse(&aborted).unwrap();
    hall.command(Command::Room(RoomCommand::Adjudicate {
        game,
        verdict: GameVerdict::Abort,
        reason: "a test".into(),
    }))
    .await;
    games.push(aborted);
    (games, agents)
}

/// The player to move first sends commentary and resigns.
async fn resign(hall: &TestHall, agents: &[&Agent], game: &str) {
    for agent in agents {
        let legal = agent.get(hall, &format!("/api/games/{game}/legal_moves")).await.data();
        if legal["legal_moves"] != json!([]) {
            let body = json!({ "resign": true, "commentary": "I give up" });
            assert_eq!(agent.play(hall, game, 0, &body).await.status, 200);
            return;
        }
    }
    panic!("nobody is to move");
}

async fn listed(hall: &TestHall, query: &str) -> Vec<String> {
    let games = hall.get(&format!("/api/games?{query}")).await.data()["games"].clone();
    games.as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned()).collect()
}

/// The text of a chunked body.
fn whole(reply: &Reply) -> String {
    let (mut text, mut rest) = (String::new(), reply.body.as_str());
    while let Some((size, more)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&more[..size]);
        rest = more.get(size + 2..).unwrap_or_default();
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_found_by_their_end_opponent_result_and_model() {
    let hall = TestHall::start(settings()).await;
    let (games, _) = played(&hall).await;
    let [first, second, aborted] = [&games[0], &games[1], &games[2]];
    let all = "ended_since=2000-01-01T00:00:00.000Z";
    assert_eq!(listed(&hall, all).await, [aborted.clone(), first.clone(), second.clone()]);
    let ended_at = hall.get(&format!("/api/games/{first}")).await.data()["game"]["ended_at"].clone();
    let ended_at = ended_at.as_str().unwrap();
    assert_eq!(listed(&hall, &format!("ended_since={ended_at}")).await, [aborted.clone(), first.clone()]);
    assert_eq!(listed(&hall, &format!("ended_until={ended_at}")).await, std::slice::from_ref(second));
    assert_eq!(listed(&hall, "agent=two&opponent=three").await, std::slice::from_ref(second));
    assert_eq!(listed(&hall, "agent=two&opponent=two").await, [""; 0]);
    assert_eq!(listed(&hall, "agent=two&opponent=nobody").await, [""; 0]);
    assert_eq!(listed(&hall, "result=aborted").await, std::slice::from_ref(aborted));
    assert_eq!(listed(&hall, "reason=resignation").await, [second.clone(), first.clone()]);
    assert_eq!(listed(&hall, "reason=checkmate").await, [""; 0]);
    let wins = listed(&hall, "agent=two&result=win").await.len();
    assert_eq!(wins + listed(&hall, "agent=two&result=loss").await.len(), 2);
    let model = hall.get("/api/agents/one").await.data()["homologations"][0]["fields"]["model_id"].clone();
    assert_eq!(listed(&hall, &format!("model={}", model.as_str().unwrap())).await.len(), 3);
    assert_eq!(listed(&hall, "model=another").await, [""; 0]);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_by_end_continues_exactly_where_it_stopped() {
    let hall = TestHall::start(settings()).await;
    let (games, _) = played(&hall).await;
    for (filter, expected) in
        [("", [&games[2], &games[0], &games[1]].as_slice()), ("&agent=two", &[&games[0], &games[1]])]
    {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/games?ended_since=2000-01-01T00:00:00.000Z&limit=1{filter}{cursor}");
            let data = hall.get(&path).await.data();
            found.extend(data["games"].as_array().unwrap().iter().map(|game| game["id"].clone()));
            let Some(next) = data["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(json!(found), json!(expected));
    }
    hall.stop().await;
}

/// Of three requests the last one waits for as long as a request may wait for a permit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_searches_run_at_a_time_and_others_are_told_to_come_back() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "resign": true })).await;
    hall.until_archived(&id).await;
    let by_end = "/api/games?game=chess&ended_since=2026-01-01T00:00:00.000Z";
    for (table, path) in [("game_outlines", by_end), ("rated_games", "/api/agents/one/ratings?game=chess")] {
        hall.reads.shut(table);
        let refused_first = async {
            let asked = [hall.get(path), hall.get(path), hall.get(path)];
            let (first, _, others) = select_all(asked.map(Box::pin)).await;
            assert_eq!((first.status, first.code().as_str()), (503, "UNAVAILABLE"), "{path}");
            assert!(first.header("retry-after").is_some());
            assert_eq!(hall.reads.waiting(), 2, "{path}");
            hall.reads.open();
            join_all(others).await
        };
        let statuses: Vec<u16> = refused_first.await.iter().map(|reply| reply.status).collect();
        assert_eq!(statuses, [200, 200], "{path}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn filters_that_make_no_sense_are_named() {
    let hall = TestHall::start(settings()).await;
    let game_cursor = "g_00000000000000000000000000";
    for (query, field) in [
        ("games?opponent=one", "opponent"),
        ("games?result=win", "result"),
        ("games?result=won", "result"),
        ("games?reason=Checkmate", "reason"),
        ("games?model=", "model"),
        ("games?ended_since=yesterday", "ended_since"),
        ("games?ended_until=2026-11-20", "ended_until"),
        ("games?ended_since=2026-11-20T21:50:00.000Z&status=live", "status"),
        (&format!("games?ended_since=2026-11-20T21:50:00.000Z&cursor={game_cursor}"), "cursor"),
        ("games?cursor=1-2-3", "cursor"),
        ("export/games?format=csv", "format"),
        ("export/games?limit=501", "limit"),
        ("export/games?since=1-2-3", "since"),
        (&format!("export/games?cursor={game_cursor}"), "cursor"),
        ("agents/one/ratings?cursor=x", "cursor"),
    ] {
        let reply = hall.get(&format!("/api/{query}")).await;
        assert_eq!(reply.code(), "INVALID_QUERY", "{query}");
        let problems = reply.json()["data"]["problems"].clone();
        assert_eq!(problems.as_array().unwrap().len(), 1, "{query}: {problems}");
        assert_eq!(problems[0]["field"], field, "{query}");
    }
    assert_eq!(hall.get("/api/agents/nobody/ratings").await.code(), "AGENT_NOT_FOUND");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_has_ended_games_in_the_order_of_their_end_and_continues_by_cursor() {
    let hall = TestHall::start(settings()).await;
    let (games, _) = played(&hall).await;
    covered(&hall).await;
    let order = [&games[1], &games[0], &games[2]];
    let reply = hall.get("/api/export/games?format=replay&limit=2").await;
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> = whole(&reply).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for (line, game) in lines.iter().zip(order) {
        let replay = hall.get(&format!("/api/games/{game}/replay")).await.data()["replay"].clone();
        assert_eq!(
            (&line["replay"]["events"], &line["replay"]["game_id"]),
            (&replay["events"], &json!(game))
        );
        assert_eq!(line["ended_at"], replay["events"].as_array().unwrap().last().unwrap()["created_at"]);
    }
    let next = reply.header("x-svc-next-cursor").unwrap();
    assert_eq!(lines[1]["cursor"], next);
    let rest = hall.get(&format!("/api/export/games?cursor={next}")).await;
    assert_eq!(rest.header("content-type"), Some("application/x-chess-pgn"));
    let pgn = whole(&rest);
    assert_eq!(pgn.matches("[Event ").count(), 1);
    let (_, tag) = pgn.split_once(&format!("[GameId \"{}\"]\n[ExportCursor \"", order[2])).unwrap();
    let (end, _) = tag.split_once('"').unwrap();
    let nothing = hall.get(&format!("/api/export/games?cursor={end}")).await;
    for reply in [&rest, &nothing] {
        assert_eq!(reply.header("x-svc-next-cursor"), None, "fewer games than the limit are the end");
    }
    assert_eq!(whole(&nothing), "");
    let since = lines[1]["ended_at"].as_str().unwrap();
    let later = whole(&hall.get(&format!("/api/export/games?game=chess&since={since}")).await);
    assert_eq!(later.matches("[Event ").count(), 2);
    assert_eq!(whole(&hall.get("/api/export/games?game=go").await), "");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filtered_export_goes_on_behind_an_answer_without_a_game_while_there_is_a_cursor() {
    let hall = TestHall::with_many_joins().await;
    let (first, _, go) = hall.game_of("go", "four", "five").await;
    assert_eq!(first.play(&hall, &go, 0, &json!({ "resign": true })).await.status, 200);
    hall.clock.advance(Span::from_millis(10));
    let (games, [one, two, _]) = played(&hall).await;
    let mut found: Vec<String> = Vec::new();
    let (mut cursor, mut answers_without) = (String::new(), 0);
    // Asks until an answer has no cursor, and again from the last one that there was.
    let mut walk = async || {
        let before = found.len();
        loop {
            let reply = hall.get(&format!("/api/export/games?limit=1&game=chess{cursor}")).await;
            let pgn = whole(&reply);
            assert!(answers_without < 5, "the walk does not end");
            answers_without += usize::from(pgn.is_empty());
            let ids = pgn.lines().filter_map(|line| line.strip_prefix("[GameId \"")?.strip_suffix("\"]"));
            found.extend(ids.map(str::to_owned));
            let Some(next) = reply.header("x-svc-next-cursor") else { break };
            cursor = format!("&cursor={next}");
        }
        found[before..].to_vec()
    };
    assert_eq!(walk().await, [&games[1], &games[0], &games[2]].map(String::clone));
    let another = hall.pair(&one, &two).await;
    resign(&hall, &[&one, &two], &another).await;
    assert_eq!(walk().await, [another]);
    assert_eq!(answers_without, 3, "the game of Go, and the end of each walk");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_of_replays_ends_before_the_first_game_without_a_proof() {
    let hall = TestHall::with_many_joins().await;
    let (games, [one, two, _]) = played(&hall).await;
    covered(&hall).await;
    let another = hall.pair(&one, &two).await;
    resign(&hall, &[&one, &two], &another).await;
    let lines = async |query: &str| {
        let reply = hall.get(&format!("/api/export/games?format=replay{query}")).await;
        let lines = whole(&reply).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let lines: Vec<Value> = lines;
        assert!(lines.iter().all(|line| line["replay"]["log"].is_object()), "{}", reply.body);
        (lines, reply.header("x-svc-next-cursor").map(str::to_owned))
    };
    let (begun, next) = lines("").await;
    assert_eq!((begun.len(), next), (games.len(), None));
    let cursor = begun[2]["cursor"].as_str().unwrap();
    assert_eq!(lines(&format!("&limit=1&cursor={cursor}")).await, (Vec::new(), None));
    assert_eq!(whole(&hall.get("/api/export/games").await).matches("[Event ").count(), games.len() + 1);
    covered(&hall).await;
    let (rest, _) = lines(&format!("&cursor={cursor}")).await;
    assert_eq!(rest.iter().map(|line| &line["replay"]["game_id"]).collect::<Vec<_>>(), [&json!(another)]);
    hall.stop().await;

    let hall = TestHall::signing(settings(), false).await;
    played(&hall).await;
    let reply = hall.get("/api/export/games?format=replay").await;
    assert_eq!(
        whole(&reply).matches("\"log\":null").count(),
        3,
        "a hall that signs nothing withholds nothing"
    );
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_rated_game_is_a_row_that_starts_from_the_rating_after_the_previous_one() {
    let hall = TestHall::start(settings()).await;
    let (games, [_, two, _]) = played(&hall).await;
    let data = hall.get("/api/agents/two/ratings").await.data();
    assert_eq!((&data["agent_id"], &data["next_cursor"]), (&json!(two.id()), &Value::Null));
    let [last, first] = data["ratings"].as_array().unwrap().as_slice() else { panic!("{data}") };
    assert_eq!([&last["game_id"], &first["game_id"]], [&games[0], &games[1]]);
    assert_eq!([&first["rating_before"], &first["rd_before"]], [&json!(1500.0), &json!(350.0)]);
    for what in ["rating", "rd", "volatility"] {
        assert_eq!(last[format!("{what}_before")], first[format!("{what}_after")]);
    }
    assert_eq!(first["opponents"][0]["handle"], "three");
    let profile = hall.get("/api/agents/two").await.data();
    assert_eq!(last["rating_after"], profile["ratings"][0]["rating"]);
    let page = hall.get("/api/agents/two/ratings?limit=1&game=chess").await.data();
    assert_eq!(page["ratings"], json!([last]));
    let cursor = page["next_cursor"].as_str().unwrap();
    let page = hall.get(&format!("/api/agents/two/ratings?limit=1&cursor={cursor}")).await.data();
    assert_eq!((&page["ratings"], &page["next_cursor"]), (&json!([first]), &Value::Null));
    assert_eq!(hall.get("/api/agents/two/ratings?game=go").await.data()["ratings"], json!([]));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pgn_contains_ratings_models_clocks_and_words_but_no_withheld_words() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let said = "so } { [%clk 9:00:00]";
    white.play(&hall, &id, 0, &json!({ "move": "e2e4", "commentary": said })).await;
    hall.clock.advance(Span::from_millis(1_500));
    black.play(&hall, &id, 1, &json!({ "move": "e7e5" })).await;
    white.play(&hall, &id, 2, &json!({ "resign": true })).await;
    let path = format!("/api/games/{id}/pgn");
    let pgn = hall.get(&path).await.body;
    for tag in [
        "[WhiteElo \"1500\"]",
        "[BlackElo \"1500\"]",
        "[WhiteModel \"",
        "[Season \"s1\"]",
        "[Division \"open\"]",
    ] {
        assert!(pgn.contains(tag), "{tag} in {pgn}");
    }
    let moves = "1. e4 {[%clk 0:40:00] so ) ( [ %clk 9:00:00]} 1... e5 {[%clk 0:39:58]} 0-1";
    let (_, played) = pgn.split_once("\n\n").unwrap();
    assert_eq!(played.split_whitespace().collect::<Vec<_>>(), moves.split_whitespace().collect::<Vec<_>>());
    let replay = hall.get(&format!("/api/games/{id}/replay")).await.data()["replay"]["pgn"].clone();
    assert!(replay.as_str().unwrap().ends_with("\n\n1. e4 e5 0-1\n"), "the replay has the moves alone");
    let game = GameId::parse(&id).unwrap();
    let agent = AgentId::parse(&white.id()).unwrap();
    for what in [Withheld::Turn { game, turn_index: 0 }, Withheld::Agent(agent)] {
        hall.command(Command::Governance(GovernanceCommand::Withhold { what, reason: "a test".into() }))
            .await;
    }
    let pgn = hall.get(&path).await.body;
    assert!(!pgn.contains("so )") && !pgn.contains("WhiteModel") && pgn.contains("BlackModel"), "{pgn}");
    assert!(pgn.contains("1. e4 {[%clk 0:40:00]}"), "{pgn}");
    hall.stop().await;
}
