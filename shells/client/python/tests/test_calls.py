"""Calls and retries, without a hall."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from scripted import KEY, World, ok, refused

from hall_agent import errors, refusals
from hall_agent.choice import Accepted, AlreadyApplied, Choice, NotApplied, NothingToAccept, NotLegal
from hall_agent.patience import RequestLimit, pace
from hall_agent.signing import sign_move
from hall_agent.steps import RawAnswer

GAME = "g_00000000000000000000000000"
LOST = errors.TransportError("reset", unsent=False)
UNSENT = errors.TransportError("refused", unsent=True)


def next_challenge(number: int) -> dict[str, str]:
    return {"x-svc-next-challenge": f"{number:064x}"}


def test_each_answer_brings_the_challenge_of_the_next_call() -> None:
    world = World([ok({}, **next_challenge(77)), ok({})])
    agent = world.agent()
    world.run(agent.pulse(0, None))
    world.run(agent.pulse(0, None))
    assert world.challenges == 1
    assert world.asked[-1].headers["X-Svc-Challenge"] == f"{77:064x}"


def test_an_old_challenge_is_not_used() -> None:
    world = World([ok({}, **next_challenge(77)), ok({})])
    agent = world.agent()
    world.run(agent.pulse(0, None))
    world.now += 61
    world.run(agent.pulse(0, None))
    assert world.challenges == 2


@pytest.mark.parametrize("code", ["CHALLENGE_UNKNOWN", "CHALLENGE_EXPIRED", "CHALLENGE_SPENT"])
def test_a_refused_challenge_is_replaced_once(code: str) -> None:
    world = World([refused(401, code), ok({})])
    world.run(world.agent().pulse(0, None))
    assert world.challenges == 2
    world = World([refused(401, code), refused(401, code)])
    with pytest.raises(refusals.ChallengeRefused) as caught:
        world.run(world.agent().pulse(0, None))
    assert type(caught.value) is refusals.BY_CODE[code]


def test_reads_are_retried_with_growing_waits_and_then_abandoned() -> None:
    world = World([LOST, errors.NoAnswer(10), RawAnswer(502, {}, b"<html>"), ok({"game": GAME_RECORD})])
    assert world.run(world.agent().game(GAME)).id == GAME
    assert len(world.slept) == 3
    for wait, span in zip(world.slept, (0.25, 0.5, 1.0), strict=True):
        assert span / 2 <= wait <= span
    world = World([LOST] * 6)
    with pytest.raises(errors.TransportError):
        world.run(world.agent().game(GAME))
    assert len(world.asked) == 6


def test_a_request_that_arrived_incomplete_is_sent_again() -> None:
    world = World([refused(400, "BAD_REQUEST"), ok({"verdict": {"turn_index": 3, "notation": "e2e4"}})])
    world.run(world.agent().move(GAME, 3, "e2e4"))
    assert [step.method for step in world.asked].count("POST") == 2


def test_retry_after_is_honoured_up_to_a_bound() -> None:
    world = World([refused(429, "RATE_LIMITED", retry_after="7"), ok({})])
    world.run(world.agent().pulse(0, None))
    assert 7 <= world.slept[0] <= 7.5
    world = World([refused(503, "UNAVAILABLE", retry_after="71")])
    with pytest.raises(refusals.Unavailable) as caught:
        world.run(world.agent().pulse(0, None))
    assert caught.value.retry_after == 71
    assert world.slept == []


def test_a_join_is_not_sent_twice_unless_the_first_never_left() -> None:
    world = World([LOST])
    with pytest.raises(errors.TransportError) as caught:
        world.run(world.agent().join("chess", "open", "standard"))
    assert caught.value.leaves_doubt
    world = World([refused(503, "UNAVAILABLE", {"outcome": "unknown"})])
    with pytest.raises(refusals.Unavailable) as doubted:
        world.run(world.agent().join("chess", "open", "standard"))
    assert doubted.value.leaves_doubt
    world = World([UNSENT, refused(429, "RATE_LIMITED"), ok({"paired": True, "game_id": GAME})])
    assert world.run(world.agent().join("chess", "open", "standard")).game_id == GAME
    assert len({step.body for step in world.asked if step.body}) == 1


def test_a_lost_move_is_sent_again_unchanged_under_a_fresh_challenge() -> None:
    world = World([LOST, ok({"verdict": {"turn_index": 3, "notation": "e2e4"}})])
    outcome = world.run(world.agent().move(GAME, 3, "e2e4"))
    assert isinstance(outcome, Accepted)
    first, second = (step for step in world.asked if step.method == "POST")
    assert first.body == second.body
    assert first.headers["X-Svc-Challenge"] != second.headers["X-Svc-Challenge"]


def test_the_answer_to_a_move_may_be_held_until_the_beacon_has_its_round() -> None:
    world = World([ok({"verdict": {"turn_index": 3, "notation": "e2e4"}})])
    world.run(world.agent().move(GAME, 3, "e2e4"))
    assert [(step.method, step.seconds) for step in world.asked] == [("GET", 10), ("POST", 15)]


def test_a_rejection_shows_whether_the_lost_move_was_applied() -> None:
    ours = sign_move(KEY, GAME, 3, {"move": "e2e4"}).body_sha256
    report = {"turn_index": 4, "your_last": {"turn_index": 3, "body_sha256": ours}, "last_move": None, "result": None}
    world = World([LOST, refused(409, "wrong_turn", report)])
    outcome = world.run(world.agent().move(GAME, 3, "e2e4"))
    assert isinstance(outcome, AlreadyApplied)
    assert outcome.turn.turn_index == 3
    world = World([LOST, refused(409, "wrong_turn", report)])
    outcome = world.run(world.agent().move(GAME, 3, "d2d4"))
    assert isinstance(outcome, NotApplied)
    assert outcome.turn_index == 4


def test_the_same_body_of_another_player_in_a_shared_turn_is_not_ours() -> None:
    ours = sign_move(KEY, GAME, 3, {"move": "e2e4"}).body_sha256
    last = {"turn_index": 3, "player": "p0", "forced": "deadline", "body_sha256": None}
    other = {"turn_index": 3, "player": "p1", "forced": None, "body_sha256": ours}
    report = {"turn_index": 4, "your_last": last, "last_move": other, "result": None}
    world = World([LOST, refused(409, "wrong_turn", report)])
    assert isinstance(world.run(world.agent().move(GAME, 3, "e2e4")), NotApplied)


def test_a_lost_move_is_recognised_although_the_agent_has_had_another_turn_since() -> None:
    ours = sign_move(KEY, GAME, 3, {"move": "e2e4"}).body_sha256
    last = {"turn_index": 5, "player": "p1", "forced": "deadline"}
    report = {"turn_index": 6, "your_last": last, "last_move": None, "result": None}
    for player, body, kind in (("p1", ours, AlreadyApplied), ("p1", "0" * 64, NotApplied), ("p0", ours, NotApplied)):
        data = {"turn_index": 3, "player": player, "notation": "e2e4", "body_sha256": body}
        told = {"events": [{"seq": 4, "event": {"type": "move", "data": data}}], "last_seq": 4}
        world = World([LOST, refused(409, "wrong_turn", report), ok(told)])
        assert isinstance(world.run(world.agent().move(GAME, 3, "e2e4")), kind)


def test_rejections_of_the_room_are_outcomes_and_not_errors() -> None:
    legal = [{"index": 0, "move": "e2e4", "notation": "e2e4", "summary": "pawn"}]
    world = World([refused(422, "illegal_move", {"turn_index": 3, "illegal_attempts": 2, "legal_moves": legal})])
    outcome = world.run(world.agent().move(GAME, 3, "e2e5"))
    assert isinstance(outcome, NotLegal)
    assert (outcome.attempts, outcome.legal_moves[0].notation, outcome.did_you_mean) == (2, "e2e4", None)
    world = World([refused(422, "illegal_move", {"turn_index": 3, "illegal_attempts": 1, "did_you_mean": "g1f3"})])
    outcome = world.run(world.agent().move(GAME, 3, "Nf3"))
    assert isinstance(outcome, NotLegal)
    assert outcome.did_you_mean == "g1f3"
    world = World([refused(409, "no_draw_offer", {})])
    assert world.run(world.agent().move(GAME, 3, Choice.accept_draw())) == NothingToAccept()
    world = World([refused(403, "NOT_SEATED")])
    with pytest.raises(refusals.NotSeated):
        world.run(world.agent().move(GAME, 3, "e2e4"))


def test_refusals_are_types_and_name_what_is_wrong() -> None:
    problems = {"problems": [{"field": "model_id", "rule": "must be short"}]}
    world = World([refused(422, "INVALID_BODY", problems)])
    with pytest.raises(
        refusals.InvalidBody, match=r"INVALID_BODY \(HTTP 422\): Do otherwise. model_id: must be short\."
    ):
        world.run(world.agent().leave("chess", "open", "standard"))
    world = World([refused(418, "SOMETHING_NEW")])
    with pytest.raises(refusals.Refused) as caught:
        world.run(world.agent().leave("chess", "open", "standard"))
    assert (type(caught.value), caught.value.code) == (refusals.Refused, "SOMETHING_NEW")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"ok":"true","data":{}}', b'{"ok":true}', b'{"ok":false}', b"[" * 10000]
)
def test_an_answer_without_an_envelope_is_a_protocol_error(body: bytes) -> None:
    world = World([RawAnswer(200, {}, body)])
    with pytest.raises(errors.NotAHall):
        world.run(world.agent().game(GAME))


@pytest.mark.parametrize("game", [{}, {"id": 7}, {**{"id": GAME}, "game": "chess", "status": True}, []])
def test_an_answer_of_another_shape_is_a_protocol_error(game: object) -> None:
    world = World([ok({"game": game})])
    with pytest.raises(errors.NotAHall):
        world.run(world.agent().game(GAME))


def test_unknown_members_are_ignored() -> None:
    world = World([ok({"game": {**GAME_RECORD, "moon_phase": [1]}, "more": 1})])
    assert world.run(world.agent().game(GAME)).status == "live"


def test_only_plain_words_become_path_segments() -> None:
    for wrong in ("", ".", "..", "a/b", "a?b", "a%20", "é", "a\n"):
        with pytest.raises(errors.BadRequest):
            World().run(World().agent().game(wrong))


def test_query_values_cannot_add_parameters_and_are_not_signed() -> None:
    world = World([ok({"games": []})])
    world.run(world.agent().games({"cursor": "a&b=c#d é", "status": None}))
    assert world.calls == ["GET /api/games?cursor=a%26b%3Dc%23d%20%C3%A9"]


PAUSES = [
    (120, 1, 61, 0),
    (90, 1, 61, 0),
    (89, 1, 45, 0.5),
    (44, 1, 45, 1),
    (44, 3, 45, 3),
    # Slower near the end, even if more requests become available soon.
    (14, 1, 1, 0.5),
    (4, 1, 1, 1.5),
    (0, 1, 1, 5),
    (0, 1, 40, 40),
    (30, 9, 60, 5),
]


def test_remaining_requests_are_spread_over_the_window() -> None:
    for left, spent, reset, pause in PAUSES:
        assert pace(left, spent, reset, RequestLimit(120, 60)) == pause, (left, spent, reset)
    limited = {
        "ratelimit": '"requests";r=44;t=45, "registrations";r=0;t=3000',
        "ratelimit-policy": '"requests";q=120;w=60, "registrations";q=5;w=3600',
    }
    world = World([ok({}, **limited), ok({})])
    agent = world.agent()
    assert agent.news_of_limit() is None
    world.run(agent.pulse(0, None))
    world.run(agent.pulse(0, None))
    assert world.slept == [1]
    assert [agent.news_of_limit(), agent.news_of_limit()] == [RequestLimit(120, 60), None]


def test_events_are_read_page_by_page_and_a_faulty_hall_cannot_make_it_endless() -> None:
    def page(*numbers: int) -> dict[str, object]:
        return {"events": [{"seq": number, "event": {}} for number in numbers], "last_seq": 9}

    world = World([ok(page(1, 2)), ok(page(5, 9))])
    assert [event.seq for event in world.run(world.agent().events_since(GAME, 0))] == [1, 2, 5, 9]
    world = World([ok(page(3, 3))])
    assert len(world.run(world.agent().events_since(GAME, 0))) == 2


def test_waiting_for_a_turn_ends_with_a_turn_or_with_its_time() -> None:
    turn = {"game_id": GAME, "turn_index": 0}
    world = World([ok({}), ok({"waiting_on_you": [turn]})])
    assert world.run(world.agent().wait_for_turn(None))[0].game_id == GAME
    assert world.calls == ["GET /api/pulse", "GET /api/pulse?wait=25"]
    world = World([ok({})])
    assert world.run(world.agent().wait_for_turn(0)) == ()


GAME_RECORD = {"id": GAME, "game": "chess", "status": "live"}


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [
        ("e2e5", {"index": 0}),
        ("\ud800", {"index": 0}),
        (Choice.play(7), {"index": 0}),
        (Choice.play("e2e4").saying("x" * 300), "e2e4"),
        (Choice.play("e2e4").saying("\ud800"), "e2e4"),
    ],
)
def test_an_answer_to_a_ring_is_as_presentable_as_one_in_a_run(chosen: Choice | str, sent: object) -> None:
    view = {
        "game_id": GAME,
        "you": {"player": "p0", "seat": 0},
        "to_move": ["p0"],
        "turn_index": 0,
        "legal_moves": [{"index": 0, "move": "e2e4", "notation": "e2e4", "summary": "pawn e2 to e4"}],
    }
    accepted = ok({"verdict": {"turn_index": 0, "notation": "e2e4", "game_over": False}})
    world = World([ok({"view": view}), accepted])
    assert isinstance(world.run(world.agent().take_turn(GAME, 3), lambda turn: chosen), Accepted)
    body = json.loads(world.asked[-1].body or b"")
    assert (body["move"], "commentary" in body) == (sent, False)


ENDING = """
import os, signal
from hall_agent import exit_on_error
with exit_on_error():
    try:
        os.kill(os.getpid(), signal.{0})
        signal.pause()
    finally:
        print("unwound", flush=True)
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_program_that_is_stopped_is_unwound_and_ends_with_the_status_of_the_signal(stop: signal.Signals) -> None:
    ended = subprocess.run([sys.executable, "-c", ENDING.format(stop.name)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + stop, "unwound\n", "")
