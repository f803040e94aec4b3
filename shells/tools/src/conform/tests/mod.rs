//! The kit itself: it must not accept a hall that answers nonsense, nor blame one for what others do there.

mod bodies;
mod server;

use super::ConformArgs;
use super::agent::Agent;
use super::chosen::ChosenGame;
use super::identity::Cast;
use super::lobby::{self, Game};
use super::play::not_ready;
use super::report::{ConformanceReport, soon};
use super::site::Site;
use hall_client::wire::GameId;
use serde_json::json;
use server::{Answer, served};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn no_claim_holds_at_a_server_that_answers_ok_to_everything() {
    let site = served(|_| Answer::good(json!({}))).await;
    let mut report = ConformanceReport::new(true);
    let game = ChosenGame::of(&site, None).await.unwrap();
    super::all(&site, &mut report, &game).await;
    let [holds, fails, skipped] = report.counts();
    // The front door must only answer with an envelope.
    assert!(holds <= 1 && fails > 45 && skipped == 1, "{holds} hold, {fails} fail, {skipped} skipped");
    assert!(!report.holds());
}

#[tokio::test(start_paused = true)]
async fn a_public_read_may_be_behind_for_two_seconds_and_no_longer() {
    let begun = Instant::now();
    let shown_after = |millis| {
        soon(async move || {
            let shown = begun.elapsed() >= Duration::from_millis(millis);
            if shown { Ok(()) } else { Err(format!("not after {:?}", begun.elapsed())) }
        })
    };
    assert_eq!(shown_after(120).await, Ok(()));
    assert!(begun.elapsed() < Duration::from_millis(200), "nobody waits longer than needed");
    assert_eq!(shown_after(60_000).await, Err("not after 2.15s".to_owned()));
}

#[tokio::test]
async fn an_agent_that_is_paired_with_another_while_it_waits_is_no_failure_of_the_hall() {
    // A stranger comes before the second join of the agent that waits, or after it; the others then wait alone.
    for (comes_early, expected) in [(true, [3, 0, 1]), (false, [6, 0, 1])] {
        let joins = Mutex::new(0_u8);
        let site = served(move |request| match request.path() {
            "/api/lobby/join" if request.body["game"] == "nothing" => Answer::refusal(422, "GAME_UNKNOWN"),
            "/api/lobby/join" if request.body["variant"] == "nothing" => {
                Answer::refusal(422, "VARIANT_UNKNOWN")
            }
            "/api/lobby/join" => {
                let mut joins = joins.lock().unwrap();
                *joins += 1;
                match *joins {
                    2 if !comes_early => Answer::refusal(409, "ALREADY_IN_LOBBY"),
                    _ => {
                        Answer::with(201, json!({ "joined": request.body, "paired": false, "game_id": null }))
                    }
                }
            }
            "/api/lobby/leave" if request.is_of("ada") => Answer::refusal(409, "NOT_IN_LOBBY"),
            "/api/lobby/leave" => Answer::good(json!({ "left": request.body })),
            "/api/my/games" => {
                let seats = json!([{ "handle": request.header("x-svc-agent") }, { "handle": "stranger" }]);
                Answer::good(json!({ "games": [{ "id": GAME, "seats": seats }] }))
            }
            _ => Answer::good(json!({ "challenge": "ab".repeat(32) })),
        })
        .await;
        let (cast, game) = (cast(&site), ChosenGame::of(&site, None).await.unwrap());
        let mut report = ConformanceReport::new(true);
        assert!(lobby::claims(&site, &mut report, &cast, &game).await.is_none());
        assert_eq!(report.counts(), expected);
    }
}

#[tokio::test]
async fn a_signed_request_that_is_limited_is_sent_again_under_another_challenge() {
    let (issued, used) = (Mutex::new(0_u8), Arc::new(Mutex::new(Vec::new())));
    let seen = used.clone();
    let site = served(move |request| {
        if request.path() == "/api/auth/challenge" {
            let mut issued = issued.lock().unwrap();
            *issued += 1;
            return Answer::good(json!({ "challenge": format!("{:064x}", *issued) }));
        }
        let mut used = seen.lock().unwrap();
        used.push(request.header("x-svc-challenge").to_owned());
        match used.len() {
            1 => Answer::refusal(429, "RATE_LIMITED").saying("Retry-After: 0"),
            _ => Answer::good(json!({})),
        }
    })
    .await;
    let [ada, _] = cast(&site).players;
    ada.post(&site, "/api/agents", &ada.registration()).await.unwrap().data().unwrap();
    let used = used.lock().unwrap();
    assert!(used.len() == 2 && used[0] != used[1], "the first is spent: {used:?}");
}

#[tokio::test]
async fn a_game_begins_when_the_rate_has_room_for_it() {
    for (header, waits) in [
        ("X-Nothing: 0", false),
        ("RateLimit: \"requests\";r=100;t=60", false),
        ("RateLimit: \"requests\";r=99;t=1", true),
        ("RateLimit: \"requests\";r=0;t=7", true),
    ] {
        let site = served(move |_| Answer::good(json!({})).saying(header)).await;
        assert!(site.game_after().is_none(), "nothing is known yet");
        site.get("/api/pulse").await.unwrap();
        let after = site.game_after().map(|at| at.saturating_duration_since(Instant::now()));
        assert_eq!(after.is_some_and(|after| after > Duration::from_secs(60)), waits, "{header}: {after:?}");
    }
    // One that has been limited has nothing left, and is not told so by every hall.
    let limited = served(|_| Answer::refusal(429, "RATE_LIMITED").saying("Retry-After: 3600")).await;
    limited.get("/api/pulse").await.unwrap();
    assert!(limited.game_after().is_some());
}

#[tokio::test]
async fn no_agent_stays_in_the_lobby_or_in_a_game() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = log.clone();
    // It is the turn of ada and then that of bob, whose opponent moves while bob waits.
    let site = served(move |request| {
        let mut log = seen.lock().unwrap();
        let who = ["ada", "bob", "sib"].into_iter().find(|name| request.is_of(name)).unwrap_or_default();
        let target = request.target();
        if !target.starts_with("/api/auth/challenge") {
            log.push(format!("{who} {target}"));
        }
        let resigned = log.contains(&format!("{who} /api/games/{GAME}/moves"));
        let games = |your_turn: bool| {
            let game = json!({ "id": GAME, "turn_index": 3, "your_turn": your_turn });
            Answer::good(json!({ "games": if resigned { json!([]) } else { json!([game]) } }))
        };
        match (request.path(), who) {
            ("/api/my/games", "ada") => games(true),
            ("/api/my/games", "bob") => games(target.contains("wait=")),
            ("/api/my/games", _) => Answer::good(json!({ "games": [] })),
            ("/api/lobby/leave", _) => Answer::refusal(409, "NOT_IN_LOBBY"),
            (path, _) if path.ends_with("/moves") => {
                assert_eq!((&request.body["turn_index"], &request.body["resign"]), (&json!(3), &json!(true)));
                Answer::good(json!({}))
            }
            _ => Answer::good(json!({ "challenge": "ab".repeat(32) })),
        }
    })
    .await;
    lobby::leave_all(&site, &cast(&site), &ChosenGame::of(&site, None).await.unwrap()).await;
    let live = "/api/my/games?status=live";
    let moves = format!("/api/games/{GAME}/moves");
    let mut expected: Vec<String> =
        ["ada", "bob", "sib"].iter().map(|who| format!("{who} /api/lobby/leave")).collect();
    expected.extend([format!("ada {live}"), format!("ada {moves}"), format!("ada {live}")]);
    expected.extend([format!("bob {live}"), format!("bob {live}&wait=20"), format!("bob {moves}")]);
    expected.extend([format!("bob {live}"), format!("sib {live}")]);
    // The first is the catalog.
    assert_eq!(log.lock().unwrap()[1..], expected);
}

#[tokio::test]
async fn a_game_that_this_program_does_not_know_is_what_the_catalog_of_the_hall_says() {
    for (formats, is_simultaneous) in [(json!(["sgf", "json"]), false), (json!(["pgn"]), true)] {
        let has_pgn = formats[0] == "pgn";
        let entry = json!({
            "id": "unknown", "ruleset_version": "unknown/1", "players": { "min": 2, "max": 2 },
            "simultaneous": is_simultaneous, "record_formats": formats,
        });
        let site = served(move |request| match request.path() {
            "/api/catalog" => Answer::good(json!({ "games": [entry] })),
            path if path.ends_with("/pgn") && !has_pgn => Answer::refusal(404, "NOT_FOUND"),
            _ => Answer::refusal(409, "REPLAY_NOT_READY"),
        })
        .await;
        let chosen = ChosenGame::of(&site, None).await.unwrap();
        assert_eq!((chosen.id.as_str(), chosen.rules.is_none()), ("unknown", true));
        assert_eq!((chosen.has_pgn(), chosen.shares_turns()), (has_pgn, is_simultaneous));
        let game = Game { id: GameId::parse(GAME).unwrap(), chosen, first: 0 };
        assert_eq!(not_ready(&site, &game).await, Ok(()));
    }
}

#[tokio::test]
async fn a_game_that_the_hall_does_not_have_ends_the_run_before_anything_is_sent() {
    let site = served(|request| {
        assert!(["/api/pulse", "/api/catalog"].contains(&request.path()), "{}", request.path());
        let games = ["chess", "go"].map(|id| json!({ "id": id, "players": { "min": 2, "max": 2 } }));
        Answer::good(json!({ "games": games }))
    })
    .await;
    let why = ChosenGame::of(&site, Some("nope")).await.unwrap_err();
    assert_eq!(why, "the hall has no game \"nope\"; it has chess, go");
    let args = ConformArgs { url: String::new(), game: Some("nope".to_owned()), json: true };
    assert_eq!(super::conform(site, &args).await, crate::exit::FAILED);
}

#[tokio::test]
async fn the_kit_does_not_wait_for_an_hour() {
    let site = served(|_| Answer::refusal(429, "RATE_LIMITED").saying("Retry-After: 3600")).await;
    let answer = tokio::time::timeout(Duration::from_secs(5), site.get("/api/pulse")).await;
    answer.unwrap().unwrap().refused(429, "RATE_LIMITED").unwrap();
}

const GAME: &str = "g_00000000000000000000000000";

fn cast(site: &Site) -> Cast {
    let agent = |name| Agent::new(site, name, "token").unwrap();
    Cast { players: [agent("ada"), agent("bob")], sibling: agent("sib") }
}
