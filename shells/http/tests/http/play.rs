//! Playing: from registration to the end of a game, and reading it.

use crate::hall::{Agent, TestHall, filing, settings};
use hall_wire::Span;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_played_to_mate_and_everything_about_it_can_be_read() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let waiting = white.get(&hall, "/api/pulse").await.data()["waiting_on_you"].clone();
    let turn = json!({ "game_id": id, "turn_index": 0, "deadline_utc": "2026-11-20T21:51:00.000Z" });
    assert_eq!(waiting, json!([turn]));
    assert_eq!(black.get(&hall, "/api/pulse").await.data()["waiting_on_you"], json!([]));
    let moves = ["f2f3", "e7e5", "g2g4", "d8h4"];
    for (index, (notation, agent)) in moves.iter().zip([&white, &black, &white, &black]).enumerate() {
        let index = u32::try_from(index).unwrap();
        let legal = agent.get(&hall, &format!("/api/games/{id}/legal_moves")).await.data();
        assert_eq!(legal["turn_index"], index);
        let listed = legal["legal_moves"].as_array().unwrap();
        assert!(listed.iter().any(|entry| entry["notation"] == *notation));
        let said = format!("move {index}");
        let reply = agent.play(&hall, &id, index, &json!({ "move": notation, "commentary": said })).await;
        let verdict = reply.data()["verdict"].clone();
        assert_eq!((&verdict["accepted"], &verdict["turn_index"]), (&json!(true), &json!(index)));
        assert_eq!(verdict["game_over"], index == 3);
    }
    let result = json!({ "winners": ["p1"], "draw": false, "reason": "checkmate" });
    let record = hall.get(&format!("/api/games/{id}")).await.data()["game"].clone();
    assert_eq!((&record["status"], &record["result"]), (&json!("ended"), &result));
    let view = white.get(&hall, &format!("/api/games/{id}/view")).await.data()["view"].clone();
    let said: Vec<_> =
        view["history"].as_array().unwrap().iter().map(|turn| turn["commentary"].clone()).collect();
    assert_eq!(said, ["move 0", "move 1", "move 2", "move 3"]);
    for (asked, first) in [("0", 4), ("1", 3), ("3", 1), ("4", 0), ("1000", 0)] {
        let path = format!("/api/games/{id}/view?history={asked}");
        let short = white.get(&hall, &path).await.data()["view"].clone();
        let kept: Vec<_> = view["history"].as_array().unwrap().iter().skip(first).cloned().collect();
        assert_eq!(short["history"], json!(kept), "{asked}");
    }
    let refused = white.get(&hall, &format!("/api/games/{id}/view?history=all")).await;
    assert_eq!(refused.code(), "INVALID_QUERY");
    let replay = hall.get(&format!("/api/games/{id}/replay")).await.data()["replay"].clone();
    assert_eq!(replay["moves"].as_array().unwrap().len(), 4);
    assert_eq!(replay["result"], result);
    let pgn = hall.get(&format!("/api/games/{id}/pgn")).await;
    assert_eq!(pgn.header("content-type"), Some("application/x-chess-pgn"));
    assert!(pgn.body.contains("2... Qh4#") && pgn.body.ends_with(" 0-1\n"), "{}", pgn.body);
    assert!(pgn.body.contains("move 3}"), "{}", pgn.body);
    let record = hall.get(&format!("/api/games/{id}/record")).await;
    assert_eq!(record.body, pgn.body, "the first format of chess is its PGN");
    let record = hall.get(&format!("/api/games/{id}/record?format=json")).await;
    assert_eq!(record.header("content-type"), Some("application/json"));
    let record: Value = serde_json::from_str(&record.body).unwrap();
    assert_eq!(record["moves"][3], json!({ "turn_index": 3, "player": "p1", "notation": "d8h4" }));
    assert_eq!(
        (&record["game"], &record["chance"], &record["result"]),
        (&json!("chess"), &json!([]), &result)
    );
    let refused = hall.get(&format!("/api/games/{id}/record?format=sgf")).await;
    assert_eq!(refused.code(), "INVALID_QUERY");
    let board = hall.get("/api/leaderboards?game=chess&division=open").await.data();
    assert_eq!(board["leaderboard"][0]["handle"], black.handle.as_str());
    assert_eq!(hall.get(&format!("/api/agents/{}", white.handle)).await.data()["record"]["losses"], 1);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draw_needs_an_offer_and_its_acceptance() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4", "draw_offer": true })).await;
    let accepted = black.play(&hall, &id, 1, &json!({ "draw_accept": true })).await.data();
    assert_eq!(accepted["verdict"]["result"]["reason"], "agreement");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_homologation_says_whether_anything_changed() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let path = format!("/api/agents/{}/homologate", ada.id());
    let same = ada.post(&hall, &path, &filing("open")).await.data();
    assert_eq!((&same["unchanged"], &same["voided_previous"]), (&json!(true), &json!(null)));
    let mut changed = filing("open");
    changed["tool_access"] = "engine-assisted".into();
    let other = ada.post(&hall, &path, &changed).await.data();
    assert_eq!((&other["unchanged"], &other["voided_previous"]), (&json!(false), &same["homologation_id"]));
    let entries = hall.get("/api/agents/ada").await.data()["homologations"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 3, "the voided one stays on record");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_listed_newest_first_page_by_page() {
    let hall = TestHall::start(settings()).await;
    let agents = [hall.agent("one").await, hall.agent("two").await, hall.agent("three").await];
    let [one, two, three] = &agents;
    let mut ids = Vec::new();
    for (left, right) in [(one, two), (two, three), (three, one)] {
        hall.clock.advance(Span::from_millis(10));
        ids.push(hall.pair(left, right).await);
    }
    end(&hall, &[one, two], &ids[0]).await;
    end(&hall, &[two, three], &ids[1]).await;
    ids.reverse();
    assert_eq!(listed(&hall, "/api/games").await, ids);
    assert_eq!(listed(&hall, "/api/games?game=chess").await, ids);
    assert_eq!(listed(&hall, "/api/games?status=live").await, ids[..1]);
    assert_eq!(listed(&hall, "/api/games?status=ended").await, ids[1..]);
    assert_eq!(listed(&hall, "/api/games?agent=one").await, [ids[0].clone(), ids[2].clone()]);
    assert_eq!(listed(&hall, "/api/games?agent=two&status=live").await, [""; 0]);
    for nothing in ["game=go", "agent=nobody"] {
        assert_eq!(listed(&hall, &format!("/api/games?{nothing}")).await, [""; 0], "{nothing}");
    }
    for (query, all) in
        [("limit=1", &ids[..]), ("limit=1&status=ended", &ids[1..]), ("limit=2&agent=three", &ids[..2])]
    {
        assert_eq!(paged(&hall, query).await, all, "{query}");
    }
    let mine = two.get(&hall, "/api/my/games?status=ended").await.data();
    let own: Vec<_> =
        mine["games"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap()).collect();
    assert_eq!(own, ids[1..]);
    let live = one.get(&hall, "/api/my/games").await.data();
    assert_eq!(live["games"].as_array().unwrap().len(), 1);
    assert_eq!(live["waiting_tag"], one.get(&hall, "/api/pulse").await.data()["waiting_tag"]);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feedback_and_docket_are_kept_and_listed_newest_first() {
    let hall = TestHall::start(settings()).await;
    for name in ["one", "two"] {
        let agent = hall.agent(name).await;
        let post = json!({ "kind": "bug", "subject": name, "body": "b", "context": { "z": 1, "a": [true] } });
        assert_eq!(agent.post(&hall, "/api/feedback", &post).await.status, 200);
        hall.clock.advance(Span::from_millis(10));
    }
    let first = hall.get("/api/feedback?limit=1").await.data();
    assert_eq!(first["feedback"][0]["handle"], "two");
    assert_eq!(first["feedback"][0]["context"], json!({ "z": 1, "a": [true] }));
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = hall.get(&format!("/api/feedback?limit=1&cursor={cursor}")).await.data();
    assert_eq!((&rest["feedback"][0]["handle"], &rest["next_cursor"]), (&json!("one"), &json!(null)));
    let docket = hall.get("/api/docket").await.data();
    assert_eq!(docket["docket"][0]["kind"], "season");
    hall.stop().await;
}

/// The player to move resigns.
async fn end(hall: &TestHall, agents: &[&Agent], game: &str) {
    for agent in agents {
        let legal = agent.get(hall, &format!("/api/games/{game}/legal_moves")).await.data();
        if legal["legal_moves"] != json!([]) {
            assert_eq!(agent.play(hall, game, 0, &json!({ "resign": true })).await.status, 200);
            return;
        }
    }
    panic!("nobody is to move");
}

async fn listed(hall: &TestHall, path: &str) -> Vec<String> {
    let games = hall.get(path).await.data()["games"].clone();
    games.as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned()).collect()
}

/// All games of a query, page by page.
async fn paged(hall: &TestHall, query: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = String::new();
    loop {
        let data = hall.get(&format!("/api/games?{query}{cursor}")).await.data();
        ids.extend(
            data["games"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned()),
        );
        match data["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_a_game_never_has_is_refused_as_such_while_the_game_is_live() {
    let hall = TestHall::start(settings()).await;
    let (mover, _, id) = hall.game_of("othello", "one", "two").await;
    let (pgn, record) = (format!("/api/games/{id}/pgn"), format!("/api/games/{id}/record"));
    let refused = [
        (pgn.clone(), "NOT_FOUND", "NOT_FOUND"),
        (format!("{record}?format=pgn"), "INVALID_QUERY", "INVALID_QUERY"),
        (format!("{record}?format=sgf"), "REPLAY_NOT_READY", ""),
        (record, "REPLAY_NOT_READY", ""),
    ];
    for (path, live, _) in &refused {
        assert_eq!(hall.get(path).await.code(), *live, "{path}");
    }
    assert_eq!(mover.play(&hall, &id, 0, &json!({ "resign": true })).await.status, 200);
    for (path, _, ended) in &refused {
        let reply = hall.get(path).await;
        match *ended {
            "" => assert_eq!(reply.status, 200, "{path}: {}", reply.body),
            code => assert_eq!(reply.code(), code, "{path}"),
        }
    }
    let (_, _, chess) = hall.game("three", "four").await;
    assert_eq!(hall.get(&format!("/api/games/{chess}/pgn")).await.code(), "REPLAY_NOT_READY");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_shows_the_entry_that_stands_however_many_were_filed_since() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let shown = hall.get("/api/agents/ada").await.data()["homologations"].clone();
    let open = shown.as_array().unwrap().iter().find(|entry| entry["division"] == "open").unwrap().clone();
    let path = format!("/api/agents/{}/homologate", ada.id());
    for number in 0..201 {
        hall.clock.advance(Span::from_millis(1));
        let mut changed = filing("pure");
        changed["config_sha256"] = json!(format!("{number:064}"));
        changed["model_id"] = json!(format!("model-{number}"));
        let reply = ada.post(&hall, &path, &changed).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    let shown = hall.get("/api/agents/ada").await.data()["homologations"].clone();
    let shown = shown.as_array().unwrap();
    assert_eq!((shown.len(), shown.first()), (201, Some(&open)), "the oldest first");
    assert_eq!(shown[200]["fields"]["model_id"], "model-200");
    hall.stop().await;
}
