//! Query parameters: known ones are checked, unknown ones are ignored, and none grants authority.

use hall_tests::{Game, Hall, Request, json};

#[test]
fn a_known_parameter_that_is_bad_or_repeated_is_named() {
    let hall = Hall::start();
    let game = Game::new(&hall, "query");
    let events = game.path("events");
    let public = [
        ("/api/games?status=running", "status"),
        ("/api/games?status=", "status"),
        ("/api/games?status=live&status=live", "status"),
        ("/api/games?limit=0", "limit"),
        ("/api/games?limit=201", "limit"),
        ("/api/games?limit=ten", "limit"),
        ("/api/games?limit=1.0", "limit"),
        ("/api/games?limit=-1", "limit"),
        ("/api/games?limit=1&limit=1", "limit"),
        ("/api/games?cursor=nonsense", "cursor"),
        ("/api/games?cursor=a&cursor=a", "cursor"),
        ("/api/games?agent=X", "agent"),
        ("/api/games?game=chess&game=chess", "game"),
        ("/api/leaderboards?division=closed", "division"),
        ("/api/leaderboards?limit=0", "limit"),
        ("/api/leaderboards?season=a&season=b", "season"),
        ("/api/feedback?limit=0", "limit"),
        ("/api/feedback?limit=201", "limit"),
        ("/api/feedback?cursor=nonsense", "cursor"),
        ("/api/docket?limit=x", "limit"),
        ("/api/docket?cursor=nonsense", "cursor"),
        (&format!("{events}?since=-1"), "since"),
        (&format!("{events}?since=x"), "since"),
        (&format!("{events}?since=1&since=2"), "since"),
        (&format!("{events}?limit=0"), "limit"),
        (&format!("{events}?limit=1001"), "limit"),
        ("/api/pulse?wait=5", "wait"),
        ("/api/games/g_00000000000000000000000000/record?format=zz", "format"),
    ];
    for (target, field) in public {
        let reply = hall.get(target);
        assert_eq!(reply.verdict(), "422 INVALID_QUERY", "{target}");
        assert_eq!(crate::problem_fields(&reply), [field], "{target}");
    }
    for (target, field) in [
        ("/api/my/games?status=x", "status"),
        ("/api/my/games?status=live&status=ended", "status"),
        ("/api/my/games?limit=0", "limit"),
        ("/api/my/games?cursor=nonsense", "cursor"),
        ("/api/my/games?wait=26", "wait"),
        ("/api/my/games?wait=-1", "wait"),
        ("/api/pulse?wait=26", "wait"),
        ("/api/pulse?wait=1.5", "wait"),
        ("/api/pulse?wait=1&wait=1", "wait"),
    ] {
        let reply = hall.ask(game.white(), target);
        assert_eq!(reply.verdict(), "422 INVALID_QUERY", "{target}");
        assert_eq!(crate::problem_fields(&reply), [field], "{target}");
    }
}

#[test]
fn all_problems_of_a_query_are_named_at_once() {
    let hall = Hall::start();
    let mut fields = crate::problem_fields(&hall.get("/api/games?limit=0&status=x&agent=X"));
    fields.sort();
    assert_eq!(fields, ["agent", "limit", "status"]);
}

#[test]
fn unknown_parameters_are_ignored_even_when_repeated() {
    let hall = Hall::start();
    for target in [
        "/api/games?x=1&x=2&y",
        "/api/pulse?=&&x",
        "/api/catalog?limit=0",
        "/api/pulse?status=nonsense",
        "/api/games?STATUS=nonsense",
        "/?x",
        "/api/rules/chess?game=go",
    ] {
        assert_eq!(hall.get(target).status, 200, "{target}");
    }
}

#[test]
fn names_outside_the_catalog_give_an_empty_list() {
    let hall = Hall::start();
    let _game = Game::new(&hall, "filter");
    for (target, list) in [
        ("/api/games?game=snap", "games"),
        ("/api/leaderboards?game=snap", "leaderboard"),
        ("/api/leaderboards?game=go", "leaderboard"),
        ("/api/leaderboards?variant=960", "leaderboard"),
        ("/api/leaderboards?season=s9", "leaderboard"),
    ] {
        assert_eq!(hall.get(target).data()[list], json!([]), "{target}");
    }
}

#[test]
fn the_query_never_identifies_the_caller() {
    let hall = Hall::start();
    let game = Game::new(&hall, "who");
    let stranger = hall.register("stranger");
    for query in ["agent", "handle", "X-Svc-Agent", "player", "you"] {
        let target = format!("{}?{query}={}", game.path("view"), game.white().handle);
        assert_eq!(hall.get(&target).verdict(), "401 AUTH_MISSING", "{target}");
        assert_eq!(hall.ask(&stranger, &target).verdict(), "403 NOT_SEATED", "{target}");
    }
    let draft = hall.draft(game.white(), "GET", "/api/my/games", None);
    let mut request: Request = draft.request();
    request.target = "/api/my/games?status=ended".to_owned();
    assert_eq!(
        hall.send(&request).data()["games"].as_array().map(Vec::len),
        Some(0),
        "the query is not signed"
    );
}
