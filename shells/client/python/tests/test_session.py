"""The loop that plays, without a hall."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import KEY, Outcome, World, ok, refused

from hall_agent import errors, refusals
from hall_agent.choice import Choice
from hall_agent.limits import COMMENTARY_CHARACTERS
from hall_agent.plan import Answered, Ended, Event, FellBack, Plan, Queued, Seated, Tally, Trouble
from hall_agent.session import Session
from hall_agent.steps import RawAnswer

GAME = "g_00000000000000000000000000"
PROFILE = ok({"agent": {"id": KEY.agent_id, "handle": "ada", "pubkey_ed25519": KEY.public_key.hex()}})
FILED = ok({"homologation_id": "h_1", "season_id": "s1"})
NO_GAMES = ok({"games": []})
MATED = {"winners": ["p0"], "draw": False, "reason": "checkmate"}
VERDICT = ok({"verdict": {"turn_index": 0, "notation": "e2e4", "game_over": True, "result": MATED}})


def record(**more: Any) -> dict[str, Any]:
    seats = [
        {"player": "p0", "agent_id": KEY.agent_id, "handle": "ada"},
        {"player": "p1", "agent_id": "a_2", "handle": "b\u202eob"},
    ]
    return {"id": GAME, "game": "chess", "status": "live", "seats": seats, **more}


LIVE = ok({"games": [record(your_player="p0")]})
ENDED = ok({"game": record(status="ended", result=MATED)})
WAITING = ok({"waiting_on_you": [{"game_id": GAME, "turn_index": 0}], "time_utc": "2026-11-20T21:49:10.000Z"})
OF_VIEW = {
    "game_id": GAME,
    "you": {"player": "p0", "seat": 0},
    "to_move": ["p0"],
    "turn_index": 0,
    "deadline_utc": "2026-11-20T21:50:00.000Z",
    "legal_moves": [{"index": 0, "move": "e2e4", "notation": "e2e4", "summary": "pawn e2 to e4"}],
}
VIEW = ok({"view": OF_VIEW})
PAIRED = ok({"paired": True, "game_id": GAME})


def play(*script: Outcome, choose: Any = "e2e4", plan: Plan = Plan(games=1)) -> tuple[World, list[Event], Tally]:
    world, told = World([PROFILE, *script]), list[Event]()
    answer = choose if callable(choose) else lambda turn: choose
    tally = world.run(Session(world.agent(), plan, told.append).run(), answer)
    assert not world.script, "everything was asked for"
    return world, told, tally


def test_a_game_is_played_from_registration_to_its_end() -> None:
    seconds: list[float | None] = []

    def choose(turn: Any) -> str:
        seconds.append(turn.seconds_left)
        return "e2e4"

    game = (NO_GAMES, PAIRED, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    world, told, tally = play(FILED, *game, choose=choose)
    assert (tally.wins, tally.ended) == (1, 1)
    assert world.calls == [
        "GET /api/agents/ada",
        f"POST /api/agents/{KEY.agent_id}/homologate",
        "GET /api/my/games?status=live&limit=200",
        "POST /api/lobby/join",
        "GET /api/my/games?status=live&limit=200",
        "GET /api/pulse?wait=25",
        f"GET /api/games/{GAME}/view",
        f"POST /api/games/{GAME}/moves",
        "GET /api/my/games?status=live&limit=200",
        f"GET /api/games/{GAME}",
    ]
    assert [str(event) for event in told] == [
        f"already registered as {KEY.agent_id}: going on",
        "homologated for season s1 (h_1)",
        f"{GAME}: seated as p0 against b\\u202eob",
        f"{GAME} turn 0: e2e4",
        f"{GAME}: won against b\\u202eob by checkmate",
    ]
    assert seconds == [47]


@pytest.mark.parametrize(
    ("chosen", "why"),
    [("e2e5", "not legal"), (Choice.play(7), "not legal"), (None, "too late")],
)
def test_a_bad_choice_is_replaced_by_a_legal_move(chosen: object, why: str) -> None:
    game = (NO_GAMES, PAIRED, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    world, told, _ = play(FILED, *game, choose=lambda turn: chosen)
    assert [event.why for event in told if isinstance(event, FellBack)] == [why]
    moved = next(step for step in world.asked if step.target.endswith("/moves"))
    assert moved.body is not None
    assert b'"move":{"index":0}' in moved.body


def test_a_refused_choice_is_replaced_by_a_legal_move() -> None:
    nothing = refused(409, "no_draw_offer", {"turn_index": 0})
    game = (NO_GAMES, PAIRED, LIVE, WAITING, VIEW, nothing, VERDICT, NO_GAMES, ENDED)
    _, told, _ = play(FILED, *game, choose=Choice.accept_draw())
    assert [event.why for event in told if isinstance(event, FellBack)] == ["no_draw_offer"]
    assert len([event for event in told if isinstance(event, Answered)]) == 2


def test_two_refused_challenges_in_a_row_neither_end_the_play_nor_replace_the_choice() -> None:
    unknown = refused(401, "CHALLENGE_UNKNOWN")
    again = (LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    for twice in ((WAITING, VIEW, unknown, unknown), (WAITING, unknown, unknown), (unknown, unknown)):
        _, told, tally = play(FILED, NO_GAMES, PAIRED, LIVE, *twice, *again)
        assert (tally.wins, [event for event in told if isinstance(event, FellBack)]) == (1, [])


def test_the_suggestion_for_an_illegal_move_is_reported() -> None:
    hint = refused(422, "illegal_move", {"turn_index": 0, "illegal_attempts": 1, "did_you_mean": "e2e4"})
    _, told, _ = play(FILED, NO_GAMES, PAIRED, LIVE, WAITING, VIEW, hint, VERDICT, NO_GAMES, ENDED)
    assert f"{GAME} turn 0: e2e4 was illegal (attempt 1); did you mean e2e4?" in [str(event) for event in told]


def test_a_remark_that_a_hall_refuses_does_not_cost_the_move() -> None:
    for remark in ("a\nb", "x" * (COMMENTARY_CHARACTERS + 1), "\u202e", "\ud800"):
        game = (NO_GAMES, PAIRED, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
        world, _, _ = play(FILED, *game, choose=Choice.play("e2e4").saying(remark))
        moved = next(step for step in world.asked if step.target.endswith("/moves"))
        assert b"commentary" not in (moved.body or b"")


def test_a_game_that_ends_before_the_next_pulse_is_known_at_once() -> None:
    quiet = ok({"games": [record(your_player="p0", your_turn=False)], "waiting_tag": "quiet"})
    resigned = ok({"waiting_on_you": [], "waiting_tag": "ended", "recently_ended": [{"game_id": GAME, "result": MATED}]})
    went_on = ok({"verdict": {"turn_index": 0, "notation": "e2e4", "game_over": False}})
    world, _, tally = play(FILED, quiet, WAITING, VIEW, went_on, resigned, NO_GAMES, ENDED)
    assert tally.wins == 1
    # A request with the tag of an answer without turns is held for turns and ends, earlier ones included.
    assert [call for call in world.calls if "/pulse" in call] == ["GET /api/pulse?wait=25&after=quiet"] * 2


def test_a_game_that_begins_and_ends_between_two_polls_counts() -> None:
    before = ok({"games": [], "waiting_tag": "quiet", "recently_ended": []})
    queued = ok({"paired": False, "game_id": None})
    over = {"recently_ended": [{"game_id": GAME, "result": MATED}]}
    game = (before, queued, ok({"waiting_tag": "ended", **over}), ok({"games": [], "waiting_tag": "ended", **over}), ENDED)
    world, told, tally = play(FILED, *game)
    assert tally.wins == 1
    assert world.calls.count("POST /api/lobby/join") == 1


def test_an_end_listed_beside_a_waiting_turn_is_noticed() -> None:
    other = GAME[:-1] + "1"
    both = ok({"games": [record(your_player="p0"), record(your_player="p1", id=other)]})
    waiting = {"waiting_on_you": [{"game_id": other, "turn_index": 0}], "recently_ended": [{"game_id": GAME}]}
    lost = ok({"view": {**OF_VIEW, "game_id": other, "you": {"player": "p1", "seat": 1}, "to_move": ["p1"]}})
    went_on = ok({"verdict": {"turn_index": 0, "notation": "e2e4", "game_over": False}})
    script = [both, ok(waiting), lost, went_on, ok({"games": [record(your_player="p1", id=other)]}), ENDED]
    end = ok({"game": record(status="ended", result=MATED, id=other)})
    _, told, _ = play(FILED, *script, ok({}), NO_GAMES, end, plan=Plan(games=2, concurrent=2))
    assert [event.game.id for event in told if isinstance(event, Ended)] == [GAME, other]


def test_waiting_by_hand_ends_with_a_game() -> None:
    ended = {"game_id": GAME, "result": MATED, "ended_at": "2026-11-20T21:49:10.000Z"}
    before = ok({"waiting_tag": "t1", "recently_ended": []})
    after = ok({"waiting_tag": "t2", "recently_ended": [ended]})
    world = World([before, after])
    agent = world.agent()
    assert world.run(agent.wait_for_turn(None)) == ()
    assert world.calls == ["GET /api/pulse", "GET /api/pulse?wait=25&after=t1"]
    # An end that was reported is not reported again.
    world.script += [after, WAITING]
    assert [turn.game_id for turn in world.run(agent.wait_for_turn(None))] == [GAME]


def test_an_earlier_live_game_is_continued() -> None:
    _, told, tally = play(FILED, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    assert tally.wins == 1
    assert any(isinstance(event, Seated) for event in told)


def test_a_run_that_begins_between_two_seasons_continues_its_live_games() -> None:
    closed = refused(404, "SEASON_NOT_FOUND")
    world, told, tally = play(closed, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    assert tally.wins == 1
    assert [event.again_in for event in told if isinstance(event, Trouble)] == [60]
    # Another game has to wait until the next season is open.
    to_the_end = (LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    tally, _ = play_slowly(closed, *to_the_end, FILED, PAIRED, *to_the_end)
    assert tally.wins == 2
    with pytest.raises(refusals.SeasonNotFound):
        play(closed, NO_GAMES)


def play_slowly(*script: Outcome) -> tuple[Tally, list[Event]]:
    """Plays two games, and thinks for a minute about each move."""
    world, told = World([PROFILE, *script]), list[Event]()

    def think(turn: Any) -> str:
        world.now += 60
        return "e2e4"

    try:
        return world.run(Session(world.agent(), Plan(games=2, concurrent=2), told.append).run(), think), told
    finally:
        assert not world.script, "everything was asked for"


@pytest.mark.parametrize("code", ["A_NEW_CODE", "DIVISION_MISMATCH", "VARIANT_UNKNOWN"])
def test_a_refusal_that_concerns_joining_ends_the_run_when_no_game_is_live(code: str) -> None:
    no = refused(409, code)
    to_the_end = (WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    for script in ((FILED, LIVE, no, *to_the_end, no), (no, LIVE, *to_the_end, no)):
        with pytest.raises(refusals.Refused, match=code):
            play_slowly(*script)
    _, told = play_slowly(FILED, LIVE, no, *to_the_end, PAIRED, LIVE, *to_the_end)
    assert [event.again_in for event in told if isinstance(event, Trouble)] == [60]


def test_an_unknown_refusal_of_another_call_costs_no_live_game() -> None:
    no = refused(409, "A_NEW_CODE")
    for before in ([no], [WAITING, no], [WAITING, VIEW, no, no]):
        _, _, tally = play(FILED, LIVE, *before, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
        assert tally.wins == 1


@pytest.mark.parametrize("code", ["AGENT_SUSPENDED", "AUTH_UNKNOWN_AGENT", "AUTH_A_NEW_CODE", "KEY_REVOKED", "SIG_INVALID"])
def test_a_refusal_that_concerns_the_agent_ends_the_run_at_once(code: str) -> None:
    for before in ([], [FILED, LIVE], [FILED, LIVE, WAITING], [FILED, LIVE, WAITING, VIEW]):
        with pytest.raises(refusals.Refused, match=code):
            play(*before, refused(403, code))


def test_a_game_that_a_restored_hall_no_longer_knows_is_given_up() -> None:
    game = (PAIRED, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    world, told, tally = play(FILED, LIVE, ok({}), NO_GAMES, refused(404, "GAME_NOT_FOUND"), *game)
    assert (tally.wins, tally.ended) == (1, 1)
    assert [str(event) for event in told if isinstance(event, Trouble)] == [
        "GAME_NOT_FOUND (HTTP 404): Do otherwise.; going on"
    ]
    assert world.slept == []


def test_a_join_with_a_lost_answer_is_checked_and_not_repeated() -> None:
    lost = errors.NoAnswer(10)
    world, told, _ = play(FILED, NO_GAMES, lost, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    assert world.calls.count("POST /api/lobby/join") == 1
    assert any(isinstance(event, Trouble) for event in told)


def test_a_queued_agent_waits_and_does_not_join_again() -> None:
    queued = ok({"paired": False, "game_id": None})
    game = (NO_GAMES, queued, ok({}), NO_GAMES, WAITING, LIVE, VIEW, VERDICT, NO_GAMES, ENDED)
    world, told, _ = play(FILED, *game)
    assert world.calls.count("POST /api/lobby/join") == 1
    assert len([event for event in told if isinstance(event, Queued)]) == 1


def broken_off(*script: Outcome) -> list[str]:
    """Runs until the script interrupts the run. Returns the calls that the run makes, cleanup included."""
    world = World([PROFILE, FILED, *script])
    session = Session(world.agent(), Plan(games=1), lambda event: None)
    with pytest.raises(KeyboardInterrupt):
        world.run(session.run())
    calls = len(world.calls)
    world.script = [refused(409, "NOT_IN_LOBBY")]
    world.run(session.leave())
    return world.calls[calls:]


def test_an_interrupted_run_leaves_the_lobby_if_the_agent_may_wait_there() -> None:
    queued = ok({"paired": False, "game_id": None})
    stop, leaves = KeyboardInterrupt(), ["POST /api/lobby/leave"]
    assert broken_off(NO_GAMES, queued, stop) == leaves
    assert broken_off(NO_GAMES, refused(409, "ALREADY_IN_LOBBY"), stop) == leaves
    # The outcome of the join is unknown.
    assert broken_off(NO_GAMES, stop) == leaves
    assert broken_off(NO_GAMES, errors.NoAnswer(10), stop) == leaves
    assert broken_off(stop) == []
    assert broken_off(NO_GAMES, refused(503, "UNAVAILABLE", retry_after="90"), stop) == []
    assert broken_off(NO_GAMES, PAIRED, LIVE, stop) == []
    assert broken_off(NO_GAMES, queued, WAITING, LIVE, stop) == []


def test_a_draining_hall_lets_agents_play_their_live_games() -> None:
    drained = refused(503, "UNAVAILABLE", retry_after="90")
    world, told, tally = play(FILED, NO_GAMES, drained, WAITING, LIVE, VIEW, VERDICT, NO_GAMES, ENDED)
    assert (tally.wins, world.slept) == (1, [])
    assert world.calls.count("POST /api/lobby/join") == 1
    assert [event.again_in for event in told if isinstance(event, Trouble)] == [90]


def test_a_voided_homologation_is_filed_again() -> None:
    script = (NO_GAMES, refused(403, "NOT_HOMOLOGATED"), FILED, ok({}), NO_GAMES, PAIRED, LIVE)
    world, _, _ = play(FILED, *script, WAITING, VIEW, VERDICT, NO_GAMES, ENDED)
    assert world.calls.count(f"POST /api/agents/{KEY.agent_id}/homologate") == 2


def test_temporary_errors_are_survived() -> None:
    away: list[Outcome] = [errors.TransportError("refused", unsent=True)] * 6
    broken = RawAnswer(502, {}, b"<html>")
    game = (NO_GAMES, PAIRED, LIVE, *away, LIVE, WAITING, broken, VIEW, VERDICT, NO_GAMES, ENDED)
    _, told, tally = play(FILED, *game)
    assert tally.wins == 1
    assert len([event for event in told if isinstance(event, Trouble)]) == 1
    assert isinstance(told[-1], Ended)


def test_a_hall_that_is_away_when_a_run_begins_is_waited_for_a_minute() -> None:
    away: list[Outcome] = [errors.TransportError("refused", unsent=True)]
    world = World([*away * 15, RawAnswer(502, {}, b"<html>"), PROFILE, FILED, LIVE, WAITING, VIEW, VERDICT, NO_GAMES, ENDED])
    told = list[Event]()
    tally = world.run(Session(world.agent(), Plan(games=1), told.append).run(), lambda turn: "e2e4")
    assert tally.wins == 1
    assert len([event for event in told if isinstance(event, Trouble)]) == 2
    world = World(away * 200)
    with pytest.raises(errors.TransportError):
        world.run(Session(world.agent(), Plan(games=1), lambda event: None).run())
    assert 60 <= sum(world.slept) < 80
    # The hall's limit of registrations looks back over an hour.
    world = World([refused(429, "RATE_LIMITED", retry_after="1800")])
    with pytest.raises(refusals.RateLimited):
        world.run(Session(world.agent(), Plan(games=1), lambda event: None).run())
    assert world.slept == []


def test_errors_that_prevent_further_play_are_raised() -> None:
    with pytest.raises(refusals.AgentSuspended):
        play(FILED, NO_GAMES, refused(403, "AGENT_SUSPENDED"))
    other = ok({"agent": {"id": "a_2", "handle": "ada", "pubkey_ed25519": "00" * 32}})
    world = World([other, refused(409, "HANDLE_TAKEN"), other])
    with pytest.raises(refusals.HandleTaken, match="The handle ada belongs to another key: choose another handle"):
        world.run(Session(world.agent(), Plan(games=1), lambda event: None).run())


def test_an_exception_of_the_chooser_ends_the_loop() -> None:
    def choose(turn: object) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(FILED, NO_GAMES, PAIRED, LIVE, WAITING, VIEW, choose=choose)
