//! Pages for people: which form of a path is answered to whom, their policy, their validators and their assets.

use crate::hall::{Agent, Reply, Sent, TestHall, path_of, settings};
use hall_core::{BeaconChain, Command, RoomCommand};
use hall_http::{HttpSettings, page_routes, routes};
use hall_wire::{Digest, Span, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Read as _;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

impl TestHall {
    async fn browse(&self, path: &str) -> Reply {
        self.send(Sent::new("GET", path).header("Accept", BROWSER)).await
    }
}

/// A hall with an ended game of `one`, who won.
async fn hall_with_a_game() -> (TestHall, Agent, String) {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4", "commentary": "<b>a remark</b>" })).await;
    black.play(&hall, &id, 1, &json!({ "resign": true })).await;
    (hall, white, id)
}

/// The path of every page, with its parameters filled in, and the name of its route.
fn paths(id: &str) -> Vec<(&'static str, String)> {
    let pages = page_routes().filter(|route| route.id != "asset");
    pages.map(|route| (route.id, path_of(route, id))).chain([("front_door", "/".to_owned())]).collect()
}

#[test]
fn pages_and_other_routes_have_different_paths_and_names() {
    let all: Vec<_> = routes().chain(page_routes()).collect();
    let paths: BTreeSet<_> = all.iter().map(|route| (route.verb, route.path)).collect();
    let ids: BTreeSet<_> = all.iter().map(|route| route.id).collect();
    assert_eq!((paths.len(), ids.len()), (all.len(), all.len()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_answered_to_a_browser_under_a_policy_without_inline_code() {
    let (hall, _, id) = hall_with_a_game().await;
    for (name, path) in paths(&id) {
        let page = hall.browse(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
        let head = hall.send(Sent::new("HEAD", &path).header("Accept", BROWSER)).await;
        assert_eq!(
            (head.body.as_str(), head.header("content-length")),
            ("", page.header("content-length")),
            "{path}"
        );
        if ["game_board", "rules_picture"].contains(&name) {
            assert_eq!(page.header("content-type"), Some("image/svg+xml"));
            continue;
        }
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"), "{path}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{path}: {policy}");
        let ancestors = if name == "embed_page" { "frame-ancestors *" } else { "frame-ancestors 'none'" };
        assert!(policy.ends_with(ancestors), "{path}: {policy}");
        assert!(!page.body.contains("<b>a remark</b>"), "{path}");
    }
    assert!(hall.browse(&format!("/games/{id}")).await.body.contains("&lt;b&gt;a remark&lt;/b&gt;"));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_on_every_page_leads_somewhere() {
    let (hall, _, id) = hall_with_a_game().await;
    let mut links = BTreeSet::new();
    for (_, path) in paths(&id) {
        let body = hall.browse(&path).await.body;
        let named = ["href=\"/", "src=\"/"].into_iter().flat_map(|name| body.split(name).skip(1));
        let named = named.filter_map(|rest| rest.split(['"', '#']).next());
        links.extend(named.map(|link| format!("/{}", link.replace("&amp;", "&"))));
    }
    assert!(links.len() > 30, "{links:?}");
    for link in links {
        let reply = hall.browse(&link).await;
        // What the log has not covered yet is said to be unavailable for now.
        assert!(reply.status == 200 || reply.status == 503, "{link}: {} {}", reply.status, reply.body);
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_answers_other_clients_as_its_counterpart_or_406() {
    let (hall, _, id) = hall_with_a_game().await;
    for path in [&format!("/games/{id}"), "/games", "/agents/one", "/leaderboards", "/docket", "/rules/chess"]
    {
        let (own, api) = (hall.get(path).await, hall.get(&format!("/api{path}")).await);
        assert_eq!(own.header("content-type"), Some("application/json; charset=utf-8"), "{path}");
        assert_eq!(own.body, api.body, "{path}");
        assert!(own.header("vary").unwrap().contains("Accept"), "{path}");
    }
    let wanting_json = |path: &str| {
        let mut sent = Sent::new("GET", path);
        sent.header("Accept", "application/json");
        sent
    };
    for path in ["/about", &format!("/embed/{id}")] {
        assert_eq!(hall.send(&wanting_json(path)).await.status, 406, "{path}");
        assert_eq!(hall.get(path).await.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
    }
    assert_eq!(hall.get("/games?status=nonsense").await.code(), "INVALID_QUERY");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_leaderboards_of_the_season_called_current_are_a_page_too() {
    let (hall, _, _) = hall_with_a_game().await;
    for (season, status) in [("current", 200), ("s1", 200), ("", 200), ("not a season!", 422)] {
        let path = format!("/leaderboards?season={}", season.replace(' ', "+"));
        let reply = hall.browse(&path).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_is_a_page_for_a_browser_and_an_envelope_for_others() {
    let hall = TestHall::start(settings()).await;
    for (path, status, told) in [
        ("/games/g_00000000000000000000000000", 404, "There is no such game."),
        ("/games/nonsense", 404, "There is no such game."),
        ("/agents/nobody", 404, "There is no such agent."),
        ("/rules/nonsense", 404, "This hall has no such game."),
        ("/nowhere", 404, "There is no page at this address."),
        ("/games/", 400, "trailing slash"),
        ("/docket?cursor=x", 422, "cursor"),
        ("/games?agent=A&division=x", 422, "must be pure or open"),
    ] {
        let page = hall.browse(path).await;
        assert_eq!(page.status, status, "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(page.header("content-security-policy").is_some(), "{path}");
        assert!(page.body.contains(told) && page.body.contains("href=\"/\""), "{path}: {}", page.body);
        assert!(!is_for_programs(&page.body), "{path}: {}", page.body);
        assert!(hall.get(path).await.json()["error"]["code"].is_string(), "{path}");
    }
    // What programs ask for stays an envelope, whatever is accepted.
    assert_eq!(hall.browse("/api/nothing").await.code(), "NOT_FOUND");
    hall.stop().await;
}

/// Whether the words of a page name what only programs use.
fn is_for_programs(page: &str) -> bool {
    let words = page.split("</main>").next().unwrap().split_once("<main").unwrap().1;
    ["/api/", "data.", "/openapi.json", "parameters", "GET "].iter().any(|word| words.contains(word))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_a_browser_has_is_not_sent_again_until_it_changes() {
    let (hall, white, id) = hall_with_a_game().await;
    let conditional = |path: &str, tag: &str, coding: &str| {
        let mut sent = Sent::new("GET", path);
        sent.header("Accept", BROWSER).header("If-None-Match", tag).header("Accept-Encoding", coding);
        sent
    };
    for path in [format!("/games/{id}"), "/games".to_owned(), format!("/games/{id}/board")] {
        let first = hall.browse(&path).await;
        let tag = first.header("etag").unwrap();
        assert!(tag.starts_with('"'), "{path}: a strong validator");
        let again = hall.send(&conditional(&path, tag, "identity")).await;
        assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", Some(tag)), "{path}");
        assert_eq!(again.header("vary"), first.header("vary"), "{path}");
        assert_eq!(hall.send(&conditional(&path, "\"other\"", "identity")).await.status, 200, "{path}");
    }
    let tag = hall.browse("/games").await.header("etag").unwrap().to_owned();
    let other = hall.agent("three").await;
    hall.pair(&white, &other).await;
    assert_eq!(hall.send(&conditional("/games", &tag, "identity")).await.status, 200);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn assets_are_kept_for_ever_and_found_only_under_their_own_name() {
    let (hall, _, id) = hall_with_a_game().await;
    let page = hall.browse(&format!("/games/{id}")).await.body;
    let named: Vec<&str> =
        page.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(named.len() >= 3, "{named:?}");
    for name in named {
        let asset = hall.get(&format!("/assets/{name}")).await;
        assert_eq!(asset.status, 200, "{name}");
        assert_eq!(asset.header("cache-control"), Some("public, max-age=31536000, immutable"), "{name}");
        assert!(asset.header("etag").is_some(), "{name}");
        // A script may run as a worker, which has the policy that it comes with.
        assert!(asset.header("content-security-policy").unwrap().starts_with("default-src 'none'"), "{name}");
    }
    for wrong in ["/assets/style.css", "/assets/x", "/assets/style.0000000000000000.css"] {
        assert_eq!(hall.get(wrong).await.status, 404, "{wrong}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_that_verifies_is_the_same_for_every_game() {
    let hall = TestHall::start(settings()).await;
    let [page, of_a_game] =
        [hall.browse("/verify").await, hall.browse("/verify?game=g_00000000000000000000000000").await];
    assert_eq!((page.status, of_a_game.status), (200, 200));
    assert_eq!(page.body, of_a_game.body, "its script reads the address, and one compressed form serves all");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_verifier_for_browsers_is_sent_compressed_to_those_who_take_it() {
    let hall = TestHall::start(settings()).await;
    // The page names a script, that one another, and the last the verifier.
    let mut path = "/verify".to_owned();
    for (before, after) in
        [("\"/assets/verify.", ".js\""), ("\"./checking.", ".js\""), ("\"./verify.", ".wasm\"")]
    {
        let body = hall.browse(&path).await.body;
        let hash = body.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap().to_owned();
        let stem = before.rsplit('/').next().unwrap();
        path = format!("/assets/{stem}{hash}{}", after.trim_end_matches('"'));
    }
    let plain = hall.bytes(&path).await;
    assert!(plain.starts_with(b"\0asm"));
    let mut sent = Sent::new("GET", &path);
    let reply = hall.send(sent.header("Accept-Encoding", "gzip")).await;
    assert_eq!(
        (reply.header("content-encoding"), reply.header("vary")),
        (Some("gzip"), Some("Accept-Encoding"))
    );
    assert_eq!(reply.header("content-type"), Some("application/wasm"));
    let compressed = hall.bytes_for(&sent).await;
    assert!(compressed.len() < plain.len() / 2, "{} of {} bytes", compressed.len(), plain.len());
    let mut read = Vec::new();
    flate2::read::GzDecoder::new(compressed.as_slice()).read_to_end(&mut read).unwrap();
    assert!(read == plain);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_of_games_is_filtered_by_what_a_form_sends() {
    let (hall, white, id) = hall_with_a_game().await;
    let winner = white.handle.to_string();
    for (query, is_listed) in [
        ("", true),
        ("?status=&game=&variant=&division=&season=&agent=&opponent=&result=", true),
        ("?status=ended&game=chess&variant=standard&division=open&season=s1", true),
        ("?status=live", false),
        ("?game=hex", false),
        ("?variant=small", false),
        ("?division=pure", false),
        ("?season=s2", false),
        ("?agent=nobody", false),
        (&format!("?agent={winner}&result=win"), true),
        (&format!("?agent={winner}&result=loss"), false),
    ] {
        let page = hall.browse(&format!("/games{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        assert_eq!(page.body.contains(&format!("href=\"/games/{id}\"")), is_listed, "{query}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_was_filled_in_wrongly_is_shown_again_with_what_was_typed_and_what_is_wrong() {
    let hall = TestHall::start(settings()).await;
    for (query, kept, told) in [
        ("?game=&agent=&opponent=walk-b", "walk-b", "<b>Opponent:</b> name the agent too"),
        ("?agent=Walk-A&division=open", "Walk-A", "<b>Agent:</b> a name has"),
        ("?agent=&result=win", "<option value=\"win\" selected>", "<b>Result:</b> name the agent too"),
    ] {
        let page = hall.browse(&format!("/games{query}")).await;
        assert_eq!(page.status, 422, "{query}");
        assert!(
            page.body.contains("<form class=\"filter\"") && page.body.contains(kept),
            "{query}: {}",
            page.body
        );
        assert!(page.body.contains(told) && !is_for_programs(&page.body), "{query}: {}", page.body);
        assert!(!page.body.contains("No game matches."), "{query}: {}", page.body);
        assert_eq!(hall.get(&format!("/games{query}")).await.code(), "INVALID_QUERY");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_page_is_told_what_is_new_since_the_event_that_it_knows() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4" })).await;
    let news = |since: u32| format!("/games/{id}/news?since={since}");
    let all = hall.get(&news(0)).await.body;
    assert!(
        all.contains(">e4<") && all.contains("data-turn=\"1\"") && all.contains("data-live=\"true\""),
        "{all}"
    );
    let seq = all.split("data-seq=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    black.play(&hall, &id, 1, &json!({ "move": "e7e5" })).await;
    let newer = hall.get(&news(seq.parse().unwrap())).await.body;
    assert!(newer.contains(">e5<") && !newer.contains(">e4<"), "{newer}");
    let frames = hall.get(&format!("/games/{id}/frames?since=0&limit=2&side=turned")).await.body;
    assert_eq!(frames.matches("<figure").count(), 2);
    let too_many = hall.get(&format!("/games/{id}/frames?since=0&limit=41")).await;
    assert_eq!(too_many.code(), "INVALID_QUERY", "more than the page's script asks for");
    white.play(&hall, &id, 2, &json!({ "resign": true })).await;
    assert!(hall.get(&news(0)).await.body.contains("won: resignation."));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_are_numbered_in_pairs_in_chess_and_one_by_one_elsewhere() {
    let hall = TestHall::start(settings()).await;
    for (game, one, two, expected) in
        [("chess", "one", "two", vec!["1"]), ("othello", "three", "four", vec!["1", "2"])]
    {
        let (white, black, id) = hall.game_of(game, one, two).await;
        for (turn, player) in [(0, &white), (1, &black)] {
            let played = player.play(&hall, &id, turn, &json!({ "move": { "index": 0 } })).await;
            assert_eq!(played.status, 200, "{game}: {}", played.body);
        }
        let page = hall.browse(&format!("/games/{id}")).await.body;
        let numbers =
            page.split("<span class=\"number\">").skip(1).map(|rest| rest.split('<').next().unwrap());
        assert_eq!(numbers.collect::<Vec<_>>(), expected, "{game}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_shows_what_was_lost_since_nature_set_up_the_board() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game_of("chess960", "one", "two").await;
    let page = format!("/games/{id}");
    assert!(!hall.browse(&page).await.body.contains("</b> lost "));
    for (turn, (agent, pawn)) in (0..).zip([(&white, "a2a4"), (&black, "b7b5"), (&white, "a4b5")]) {
        agent.play(&hall, &id, turn, &json!({ "move": pawn })).await;
    }
    let body = hall.browse(&page).await.body;
    assert!(body.contains("</b> lost ") && body.contains("1 × pawn"), "{body}");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn points_are_shown_as_players_count_them_where_results_hold_halves() {
    let hall = TestHall::start(settings()).await;
    let (black, white, id) = hall.game_of("go", "one", "two").await;
    black.play(&hall, &id, 0, &json!({ "move": "pass" })).await;
    white.play(&hall, &id, 1, &json!({ "move": "pass" })).await;
    assert_eq!(hall.get(&format!("/api/games/{id}")).await.data()["game"]["result"]["points"]["p1"], 14);
    let body = hall.browse(&format!("/games/{id}")).await.body;
    assert!(body.contains(">0 points<") && body.contains(">7 points<"), "{body}");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_front_page_waits_for_no_reader_of_another_page() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4" })).await;
    let news = format!("/games/{id}/news?since=0");
    hall.reads.shut("game_facts");
    let front = async {
        while hall.reads.waiting() < 2 {
            tokio::task::yield_now().await;
        }
        let front = hall.browse("/").await;
        hall.reads.open();
        front
    };
    let (one, other, front) = tokio::join!(hall.browse(&news), hall.browse(&news), front);
    assert_eq!([one.status, other.status, front.status], [200; 3]);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_front_page_features_the_best_live_game_and_shows_its_result_for_a_while() {
    let hall = TestHall::start(settings()).await;
    let (_, _, other) = hall.game("three", "four").await;
    hall.clock.advance(Span::from_millis(10));
    let (white, _, id) = hall.game("one", "two").await;
    let featured = |body: &str| {
        let part =
            body.split("id=\"featured\"").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap();
        let shows = |id: &str| part.contains(&format!("data-id=\"{id}\""));
        (shows(&id), shows(&other), part.contains("resignation"))
    };
    assert_eq!(
        featured(&hall.browse("/").await.body),
        (true, false, false),
        "of equal games the younger one"
    );
    white.play(&hall, &id, 0, &json!({ "resign": true })).await;
    hall.clock.advance(Span::from_millis(2_000));
    assert_eq!(featured(&hall.browse("/").await.body), (true, false, true));
    hall.clock.advance(Span::from_secs(10));
    assert_eq!(featured(&hall.browse("/").await.body), (false, true, false));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_board_has_a_new_address_when_nature_has_set_it_up() {
    let chain = BeaconChain {
        chain_hash: Digest::of(b"chain"),
        genesis: Timestamp::from_millis(1_692_803_367_000),
        period: Span::from_secs(3),
    };
    let hall = TestHall::with_beacon(chain).await;
    let (_, _, id) = hall.game_of("chess960", "one", "two").await;
    let address = async || {
        // The page is made at most once a second.
        hall.clock.advance(Span::from_secs(1));
        let body = hall.browse("/").await.body;
        let board =
            body.split("src=\"").find(|rest| rest.starts_with(&format!("/games/{id}/board"))).unwrap();
        board.split('"').next().unwrap().to_owned()
    };
    let waiting = address().await;
    assert_eq!(address().await, waiting);
    let round =
        hall.get(&format!("/api/games/{id}")).await.data()["game"]["beacon"]["round"].as_u64().unwrap();
    hall.command(Command::Room(RoomCommand::ReceiveBeacon {
        chain_hash: chain.chain_hash,
        round,
        randomness: Digest::of(b"randomness"),
        signature: "ab".repeat(48),
        after: None,
    }))
    .await;
    assert_eq!(hall.get(&format!("/api/games/{id}")).await.data()["game"]["turn_index"], 0);
    assert_ne!(address().await, waiting);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_read_the_hall_count_against_the_rate_and_say_so_to_people() {
    let hall =
        TestHall::start(HttpSettings { requests_per_minute: 2, spares_loopback: false, ..settings() }).await;
    for _ in 0..2 {
        assert_eq!(hall.browse("/games").await.status, 200);
    }
    let refused = hall.browse("/docket").await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(refused.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(refused.body.contains("Too many requests"), "{}", refused.body);
    assert!(refused.body.contains(" seconds.") && !is_for_programs(&refused.body), "{}", refused.body);
    assert_eq!(hall.browse("/").await.status, 200, "the front page is made once for all");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watching_takes_no_requests_from_the_agents_at_the_same_address() {
    let hall =
        TestHall::start(HttpSettings { requests_per_minute: 2, spares_loopback: false, ..settings() }).await;
    for _ in 0..2 {
        assert_eq!(hall.browse("/games").await.status, 200);
    }
    for _ in 0..2 {
        assert_eq!(hall.get("/api/pulse").await.status, 200);
    }
    assert_eq!(hall.get("/api/pulse").await.code(), "RATE_LIMITED");
    hall.stop().await;
}
