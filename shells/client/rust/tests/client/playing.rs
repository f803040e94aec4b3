//! The loop: whatever fails, the game continues and the right moves are made.

use crate::hall::{Hall, Reply, Seen, game_id, ok, policy, raw, refused, script};
use hall_client::play::{Plan, Tally, Turn, play, play_until};
use hall_client::{Choice, Client, Error, Strategy};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A hall with one game of three turns, in which the agent moves at turns 0 and 2 and then wins.
#[derive(Default)]
struct OneGame {
    registered: bool,
    homologated: bool,
    queued: bool,
    paired: bool,
    turn: u32,
    moves: Vec<Value>,
    /// How often the agent left the lobby.
    left: u32,
    /// The opponent resigns as soon as the agent has moved at turn 0.
    opponent_resigns: bool,
    /// The game that the agent is paired into has ended before it looks.
    over_at_once: bool,
    /// How often the list of games succeeds before the troubles.
    games_before_trouble: u32,
    /// The troubles: the end of a path, and the replies before the right one.
    troubles: Vec<(&'static str, Reply)>,
}

#[tokio::test(start_paused = true)]
async fn a_game_is_played_from_registration_to_result() {
    let run = run(vec![], first_move()).await;
    assert_eq!(run.tally.unwrap(), Tally { wins: 1, ..Tally::default() });
    assert_eq!(run.moves, [json!({ "index": 0 }), json!({ "index": 0 })]);
    let expected = [
        "registered as",
        "homologated for",
        "queued",
        "seated as p0 against bob",
        "turn 0: a0",
        "turn 2: a2",
        "won against bob by checkmate",
    ];
    for (line, part) in run.lines.iter().zip(expected) {
        assert!(line.contains(part), "{line:?} should say {part:?}");
    }
    assert_eq!(run.lines.len(), expected.len(), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_game_that_ends_before_the_next_pulse_is_known_at_once() {
    let began = tokio::time::Instant::now();
    let game = OneGame { opponent_resigns: true, ..OneGame::default() };
    let run = run_game(game, first_move()).await;
    assert_eq!(run.tally.unwrap(), Tally { wins: 1, ..Tally::default() });
    assert!(run.lines.iter().any(|line| line.contains("won against bob by resignation")), "{:?}", run.lines);
    assert_eq!(began.elapsed(), Duration::ZERO, "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_game_that_begins_and_ends_between_two_polls_counts() {
    let began = tokio::time::Instant::now();
    let game = OneGame { over_at_once: true, opponent_resigns: true, ..OneGame::default() };
    let run = run_game(game, first_move()).await;
    assert_eq!(run.tally.unwrap(), Tally { wins: 1, ..Tally::default() });
    assert_eq!((run.moves.len(), began.elapsed()), (0, Duration::ZERO), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn no_single_failure_loses_the_game() {
    type Failure = fn() -> Reply;
    let failures: [Failure; 7] = [
        || Reply::HangUp,
        || Reply::Silence,
        || raw(502, &[], b"<html>"),
        || raw(200, &[], b"not json"),
        || refused(503, "UNAVAILABLE", Value::Null, &[]),
        || refused(429, "RATE_LIMITED", Value::Null, &[("retry-after", "2")]),
        || refused(401, "CHALLENGE_UNKNOWN", Value::Null, &[]),
    ];
    for place in ["/homologate", "/pulse", "/my/games", "/view", "/moves", "/join"] {
        for (number, failure) in failures.iter().enumerate() {
            let troubles = (0..4).map(|_| (place, failure())).collect();
            let run = run(troubles, first_move()).await;
            assert_eq!(run.tally.unwrap().wins, 1, "{place} {number}: {:?}", run.lines);
            assert_eq!(run.moves.len(), 2, "{place} {number}");
            assert!(
                !run.lines.iter().any(|line| line.contains("choice refused")),
                "{place} {number}: {:?}",
                run.lines
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_list_of_games_costs_no_turn() {
    // The list succeeds at first, then fails for far longer than the game lasts.
    let gone = (0..60).map(|_| ("/my/games", raw(404, &[], b"gone"))).collect();
    let game =
        OneGame { registered: true, homologated: true, queued: true, paired: true, ..OneGame::default() };
    let run = run_game(OneGame { troubles: gone, games_before_trouble: 1, ..game }, first_move()).await;
    assert_eq!(run.tally.unwrap().wins, 1);
    let troubles_before_end = run.lines.iter().take_while(|line| !line.contains("turn 2: a2"));
    assert!(troubles_before_end.count() < 12, "the game does not wait for the list: {:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_choice_that_is_not_legal_is_never_sent() {
    let run = run(vec![], |_: &Turn<'_>| Choice::play("e9e9")).await;
    assert_eq!(run.tally.unwrap().wins, 1);
    assert_eq!(run.moves, [json!({ "index": 0 }), json!({ "index": 0 })]);
    assert!(run.lines.iter().any(|line| line.contains("chose no legal move")), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_strategy_that_never_answers_costs_no_turn() {
    let run = run(vec![], Asleep).await;
    assert_eq!(run.tally.unwrap().wins, 1);
    assert!(run.lines.iter().any(|line| line.contains("thought for too long")), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_refused_choice_is_replaced_by_a_legal_move() {
    let none = refused(409, "no_draw_offer", json!({ "turn_index": 0 }), &[]);
    let run = run(vec![("/moves", none)], |_: &Turn<'_>| Choice::accept_draw()).await;
    assert_eq!(run.tally.unwrap().wins, 1);
    assert_eq!(run.moves[0], json!({ "index": 0 }));
    assert!(run.lines.iter().any(|line| line.contains("choice refused (no_draw_offer)")), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn the_suggestion_for_an_illegal_move_is_reported() {
    let told = json!({ "turn_index": 0, "illegal_attempts": 1, "did_you_mean": "e2e4" });
    let run = run(vec![("/moves", refused(422, "illegal_move", told, &[]))], first_move()).await;
    let expected = "was illegal (attempt 1); did you mean e2e4?";
    assert!(run.lines.iter().any(|line| line.ends_with(expected)), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_lost_homologation_is_filed_again() {
    let lost = refused(403, "NOT_HOMOLOGATED", Value::Null, &[]);
    let run = run(vec![("/join", lost)], first_move()).await;
    assert_eq!(run.tally.unwrap().wins, 1);
    assert_eq!(run.lines.iter().filter(|line| line.contains("homologated for")).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_begins_between_two_seasons_continues_its_live_games() {
    let closed = || vec![("/homologate", refused(404, "SEASON_NOT_FOUND", Value::Null, &[]))];
    let live = OneGame { registered: true, paired: true, troubles: closed(), ..OneGame::default() };
    let continued = run_game(live, first_move()).await;
    assert_eq!(continued.tally.unwrap().wins, 1);
    let waits = continued.lines.iter().filter(|line| line.contains("trying again in 60.0 s")).count();
    assert_eq!(waits, 1, "{:?}", continued.lines);
    let idle = run(closed(), first_move()).await;
    assert!(idle.tally.unwrap_err().is_code("SEASON_NOT_FOUND"));
}

#[tokio::test(start_paused = true)]
async fn a_game_that_a_restored_hall_no_longer_knows_is_given_up() {
    let id: &'static str = game_id().to_string().leak();
    let troubles = vec![
        ("/pulse", ok(json!({ "waiting_on_you": [], "time_utc": "2026-11-20T21:50:00.000Z" }))),
        ("/my/games", ok(json!({ "games": [], "next_cursor": null }))),
        (id, refused(404, "GAME_NOT_FOUND", Value::Null, &[])),
        ("/join", ok(json!({ "joined": {}, "paired": true, "game_id": id }))),
    ];
    let game =
        OneGame { registered: true, paired: true, troubles, games_before_trouble: 1, ..OneGame::default() };
    let run = run_game(game, first_move()).await;
    assert_eq!(run.tally.unwrap(), Tally { wins: 1, ..Tally::default() });
    let told = run.lines.iter().filter(|line| line.contains("GAME_NOT_FOUND")).collect::<Vec<_>>();
    assert!(told.len() == 1 && told[0].ends_with("; going on"), "{:?}", run.lines);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_concerns_joining_ends_the_run_when_no_game_is_live() {
    let seated = |place| {
        let refusals = || refused(409, "A_NEW_CODE", Value::Null, &[]);
        // The first and the second attempt to join, of which the second follows the end of the game.
        let troubles = vec![(place, refusals()), (place, refusals())];
        OneGame { registered: true, paired: true, troubles, games_before_trouble: 1, ..OneGame::default() }
    };
    for place in ["/homologate", "/join"] {
        let plan = Plan { concurrent: 2, ..Plan::new("chess", "pure", "test", "pure").games(2) };
        let run = run_plan(seated(place), &plan, first_move()).await;
        assert!(run.tally.unwrap_err().is_code("A_NEW_CODE"), "{place}");
        assert!(run.lines.iter().any(|line| line.contains("won against bob")), "{place}: {:?}", run.lines);
        let waits = run.lines.iter().filter(|line| line.contains("trying again in 60.0 s")).count();
        assert_eq!(waits, 1, "{place}: {:?}", run.lines);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_refusal_of_another_call_costs_no_live_game() {
    for place in ["/my/games", "/pulse", "/view"] {
        let troubles = vec![(place, refused(409, "A_NEW_CODE", Value::Null, &[]))];
        let game = OneGame {
            registered: true,
            paired: true,
            troubles,
            games_before_trouble: 1,
            ..OneGame::default()
        };
        let run = run_game(game, first_move()).await;
        assert_eq!(run.tally.unwrap().wins, 1, "{place}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_concerns_the_agent_ends_the_run_at_once() {
    for code in ["AGENT_SUSPENDED", "AUTH_UNKNOWN_AGENT", "AUTH_A_NEW_CODE", "KEY_REVOKED", "SIG_INVALID"] {
        for place in ["/homologate", "/pulse", "/view", "/moves"] {
            let troubles = vec![(place, refused(403, code, Value::Null, &[]))];
            let game = OneGame { registered: true, paired: true, troubles, ..OneGame::default() };
            let run = run_game(game, first_move()).await;
            assert!(run.tally.unwrap_err().is_code(code), "{code} {place}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hall_that_is_away_when_a_run_begins_is_waited_for_a_minute() {
    let away = |count| {
        let reply = |place| if place % 2 == 0 { Reply::HangUp } else { raw(502, &[], b"<html>") };
        (0..count).map(|place| ("/api/agents/ada", reply(place))).collect::<Vec<_>>()
    };
    let back = run(away(8), first_move()).await;
    assert_eq!(back.tally.unwrap().wins, 1, "{:?}", back.lines);
    let began = tokio::time::Instant::now();
    let gone = run(away(200), first_move()).await;
    assert!(gone.tally.unwrap_err().is_passing());
    let waited = began.elapsed().as_secs();
    assert!((60..80).contains(&waited), "{waited} s");
    // The hall's limit of registrations looks back over an hour.
    let began = tokio::time::Instant::now();
    let limit = refused(429, "RATE_LIMITED", Value::Null, &[("retry-after", "1800")]);
    let limited = run(vec![("/api/agents/ada", limit)], first_move()).await;
    assert!(limited.tally.unwrap_err().is_code("RATE_LIMITED"));
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_while_the_agent_may_be_queued_leaves_the_lobby() {
    let suspended = |place| (place, refused(403, "AGENT_SUSPENDED", Value::Null, &[]));
    let queued = refused(409, "ALREADY_IN_LOBBY", Value::Null, &[]);
    let cases = [
        (1, vec![suspended("/pulse")]),
        (1, vec![("/join", queued), suspended("/pulse")]),
        // The outcome of the join is unknown.
        (
            1,
            vec![("/join", Reply::HangUp), ("/my/games", ok(json!({ "games": [] }))), suspended("/my/games")],
        ),
        (0, vec![suspended("/join")]),
        (0, vec![suspended("/my/games")]),
        (0, vec![suspended("/moves")]),
    ];
    for (number, (left, troubles)) in cases.into_iter().enumerate() {
        let run = run(troubles, first_move()).await;
        assert!(run.tally.unwrap_err().is_code("AGENT_SUSPENDED"), "{number}");
        assert_eq!(run.left, left, "{number}: {:?}", run.lines);
    }
}

#[tokio::test(start_paused = true)]
async fn a_queued_agent_that_is_told_to_stop_leaves_the_lobby() {
    // The outcome of a join that is interrupted is unknown.
    for held in ["/pulse", "/join"] {
        let game = OneGame { troubles: vec![(held, Reply::Silence)], ..OneGame::default() };
        let (game, client) = served(game);
        let plan = Plan::new("chess", "pure", "test", "pure");
        let stop = tokio::time::sleep(Duration::from_secs(1));
        let began = tokio::time::Instant::now();
        // Programs spawn their agents.
        let run = async move { play_until(&client, &plan, &mut first_move(), &mut |_| (), stop).await };
        let stopped = tokio::spawn(run).await.unwrap();
        assert_eq!(stopped.unwrap(), Tally::default(), "{held}");
        assert_eq!((game.lock().unwrap().left, began.elapsed().as_millis()), (1, 1_000), "{held}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_suspended_agent_stops_and_says_why() {
    let suspended = refused(403, "AGENT_SUSPENDED", Value::Null, &[]);
    let run = run(vec![("/moves", suspended)], first_move()).await;
    assert!(run.tally.unwrap_err().is_code("AGENT_SUSPENDED"));
}

struct Run {
    tally: Result<Tally, Error>,
    left: u32,
    moves: Vec<Value>,
    lines: Vec<String>,
}

async fn run(troubles: Vec<(&'static str, Reply)>, strategy: impl Strategy) -> Run {
    run_game(OneGame { troubles, ..OneGame::default() }, strategy).await
}

async fn run_game(game: OneGame, strategy: impl Strategy) -> Run {
    run_plan(game, &Plan::new("chess", "pure", "test", "pure").games(1), strategy).await
}

async fn run_plan(game: OneGame, plan: &Plan, mut strategy: impl Strategy) -> Run {
    let (game, client) = served(game);
    let mut lines = Vec::new();
    let tally = play(&client, plan, &mut strategy, &mut |event| lines.push(event.to_string())).await;
    let OneGame { moves, left, .. } = &*game.lock().unwrap();
    Run { tally, left: *left, moves: moves.clone(), lines }
}

fn served(game: OneGame) -> (Arc<Mutex<OneGame>>, Client) {
    let game = Arc::new(Mutex::new(game));
    let answering = Arc::clone(&game);
    let (_, client) = Hall::in_memory(policy(), move |seen| answering.lock().unwrap().answer(seen));
    (game, client)
}

fn first_move() -> impl Strategy {
    |_: &Turn<'_>| Choice::index(0)
}

struct Asleep;

impl Strategy for Asleep {
    async fn choose(&mut self, _turn: &Turn<'_>) -> Choice {
        std::future::pending().await
    }
}

impl OneGame {
    fn answer(&mut self, seen: &Seen) -> Reply {
        let path = seen.path().to_owned();
        if path == "/api/my/games" && self.games_before_trouble > 0 {
            self.games_before_trouble -= 1;
            return self.my_games();
        }
        if let Some(place) = self.troubles.iter().position(|(end, _)| path.ends_with(end)) {
            return self.troubles.remove(place).1;
        }
        match (seen.method.as_str(), path.as_str()) {
            ("GET", "/api/agents/ada") => refused(404, "AGENT_NOT_FOUND", Value::Null, &[]),
            ("POST", "/api/agents") => {
                self.registered = true;
                ok(json!({ "agent_id": own_id(), "handle": "ada", "operator_id": null, "next": "" }))
            }
            ("POST", filed) if filed.ends_with("/homologate") => {
                assert!(self.registered);
                self.homologated = true;
                ok(
                    json!({ "homologation_id": "h_00000000000000000000000000", "season_id": "s1", "unchanged": false }),
                )
            }
            ("POST", "/api/lobby/join") => {
                assert!(self.homologated);
                assert!(!self.paired && !self.queued, "joined twice");
                self.queued = true;
                ok(json!({ "joined": {}, "paired": false, "game_id": null }))
            }
            ("POST", "/api/lobby/leave") => {
                self.left += 1;
                refused(409, "NOT_IN_LOBBY", Value::Null, &[])
            }
            ("GET", "/api/pulse") => self.pulse(seen),
            ("GET", "/api/my/games") => self.my_games(),
            ("GET", view) if view.ends_with("/view") => self.view(),
            ("POST", moves) if moves.ends_with("/moves") => self.take(seen),
            ("GET", _) => ok(json!({ "game": self.record() })),
            (method, path) => panic!("unexpected {method} {path}"),
        }
    }

    fn my_games(&self) -> Reply {
        let games: Vec<Value> = (self.paired && self.turn < 3).then(|| self.record()).into_iter().collect();
        ok(
            json!({ "games": games, "next_cursor": null, "waiting_tag": self.tag(), "recently_ended": self.ended() }),
        )
    }

    fn ended(&self) -> Vec<Value> {
        (self.turn == 3).then(|| json!({ "game_id": game_id() })).into_iter().collect()
    }

    /// Names the waiting turn and the latest end, as a hall does.
    fn tag(&self) -> String {
        format!("{}-{}", self.paired && self.turn < 3, self.turn)
    }

    /// The first pulse of a queued agent reports the pairing. A pulse without news is held.
    fn pulse(&mut self, seen: &Seen) -> Reply {
        self.paired |= self.queued;
        if self.over_at_once && self.queued {
            self.turn = 3;
        }
        let tag = self.tag();
        let names_tag = seen.target.ends_with(&format!("&after={tag}"));
        let names_none = !seen.target.contains("after=");
        if seen.target.contains("wait=") && (names_tag || names_none && self.turn == 3) {
            return Reply::Silence;
        }
        let waiting = if self.paired && self.turn < 3 {
            json!([{ "game_id": game_id(), "turn_index": self.turn, "deadline_utc": "2026-11-20T21:51:00.000Z" }])
        } else {
            json!([])
        };
        ok(json!({
            "waiting_on_you": waiting, "waiting_tag": tag, "recently_ended": self.ended(),
            "time_utc": "2026-11-20T21:50:00.000Z",
        }))
    }

    fn view(&self) -> Reply {
        let name = format!("a{}", self.turn);
        ok(json!({ "view": {
            "game_id": game_id(), "you": { "player": "p0", "seat": 0 }, "to_move": ["p0"], "turn_index": self.turn,
            "phase": "playing", "deadline_utc": "2026-11-20T21:51:00.000Z", "board_text": "", "state_string": "",
            "public": {}, "private": {}, "history": [], "rules_card": "", "boundary": "", "result": null,
            "legal_moves": [{ "index": 0, "move": name, "notation": name, "summary": "" }], "a_new_field": 1,
        } }))
    }

    /// Accepts the move; the opponent replies at once.
    fn take(&mut self, seen: &Seen) -> Reply {
        let body = seen.json();
        assert_eq!(body["turn_index"], json!(self.turn));
        self.moves.push(body["move"].clone());
        let turn = self.turn;
        self.turn = if turn == 0 && !self.opponent_resigns { 2 } else { 3 };
        ok(
            json!({ "verdict": { "accepted": true, "turn_index": turn, "notation": "x", "game_over": turn > 0 } }),
        )
    }

    fn record(&self) -> Value {
        let over = self.turn == 3;
        let reason = if self.opponent_resigns { "resignation" } else { "checkmate" };
        json!({
            "id": game_id(), "game": "chess", "status": if over { "ended" } else { "live" }, "turn_index": self.turn,
            "your_player": "p0", "your_turn": !over,
            "seats": [
                { "player": "p0", "agent_id": own_id(), "handle": "ada" },
                { "player": "p1", "agent_id": "a_00000000000000000000000000", "handle": "bob" },
            ],
            "result": over.then(|| json!({ "winners": ["p0"], "draw": false, "reason": reason })),
        })
    }
}

fn own_id() -> Value {
    let (_, client) = Hall::in_memory(policy(), script([]));
    json!(client.agent_id())
}
