"""Whole games at a real hall, started from the binary that HALL_BINARY names."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import anyio
import httpx
import pytest
from conftest import RunningHall

from hall_agent import AsyncHall, Choice, Hall, Plan, Tally, Turn, answers, log, refusals
from hall_agent.choice import Accepted, NotApplied, NotLegal
from hall_agent.draws import commitment
from hall_agent.plan import Answered, Ended, Event, Seated

PLAN = Plan(games=1, wait=2)


def opened(hall: RunningHall, folder: Path, handle: str) -> Hall:
    return Hall.open(hall.base, handle, key_file=folder / f"{handle}.json")


def seated(hall: RunningHall, folder: Path) -> tuple[list[Hall], str]:
    """Two agents in a game, in the order of their seats."""
    agents = [opened(hall, folder, handle) for handle in ("ada", "bob")]
    for agent in agents:
        agent.register_or_resume(PLAN)
        agent.homologate(PLAN)
    joined = [agent.join() for agent in agents]
    assert [answer.paired for answer in joined] == [False, True]
    game = agents[0].game(joined[1].game_id or "")
    agents.sort(key=lambda agent: game.player_of(agent.agent_id) or "")
    return agents, game.id


def short(turn: Turn) -> Choice:
    """Random moves, and the end of it after a while."""
    if turn.view.turn_index > 30:
        return Choice.resign()
    return Choice.play(random.Random(turn.view.turn_index).choice(turn.view.legal_moves)).saying("♟ é")


def test_a_blocking_agent_plays_an_asynchronous_one(running_hall: RunningHall, tmp_path: Path) -> None:
    tallies: list[Tally] = []

    async def thinking(turn: Turn) -> Choice:
        assert turn.seconds_left is not None
        assert 0 < turn.seconds_left < 60
        await anyio.sleep(0)
        return short(turn)

    async def asynchronous() -> None:
        async with AsyncHall.open(running_hall.base, "bob", key_file=tmp_path / "bob.json") as hall:
            tallies.append(await hall.play(thinking, PLAN))

    other = threading.Thread(target=anyio.run, args=(asynchronous,))
    other.start()
    told: list[Event] = []
    with opened(running_hall, tmp_path, "ada") as hall:
        tally = hall.play(short, PLAN, on_event=told.append)
        other.join()
        assert [tally.ended, tallies[0].ended] == [1, 1]
        assert tally.wins + tallies[0].wins == 1
        ended = next(event for event in told if isinstance(event, Ended))
        check_published(hall, ended.game.id)


def check_published(hall: Hall, game_id: str) -> None:
    """Replay, PGN, events, log and official addresses agree, and their proofs hold."""
    replay = hall.replay(game_id)
    assert commitment(game_id, replay["seed"]) == replay["commitment"]
    assert f'[GameId "{game_id}"]' in hall.pgn(game_id)
    assert [event.seq for event in hall.events_since(game_id)] == [event["seq"] for event in replay["events"]]
    official = hall.official()
    log_key = official["log"]["public_key"]
    log.check_official(official, log_key)
    proof = hall.get("/api/log/proof?leaf=2")["proof"]
    checkpoint = log.open_checkpoint(proof["note"], log_key)
    consistency = hall.get(f"/api/checkpoint/consistency?from=1&to={checkpoint.size}")
    first = hall.get("/api/log/proof?leaf=0")["proof"]["leaf_hash"]
    log.check_consistency(1, bytes.fromhex(first), checkpoint.size, checkpoint.root, consistency["path"])


def first_checkpoint(hall: Hall) -> dict[str, Any]:
    """A checkpoint of a hall that has just begun: it signs the first one after a moment."""
    give_up = time.monotonic() + 30
    while True:
        try:
            return hall.checkpoint()
        except refusals.NoCheckpoint:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def test_an_agent_that_restarts_continues_where_it_was(running_hall: RunningHall, tmp_path: Path) -> None:
    agents, game_id = seated(running_hall, tmp_path)
    assert isinstance(agents[0].move(game_id, 0, "e2e4"), Accepted)
    with Hall(agents[1].key, agents[1].handle) as again:
        assert again.register_or_resume(PLAN).resumed
        assert [turn.game_id for turn in again.wait_for_turn(5)] == [game_id]
        outcome = again.take_turn(game_id, lambda turn: turn.view.legal_moves[0])
        assert isinstance(outcome, Accepted)
        assert again.take_turn(game_id, lambda turn: turn.view.legal_moves[0]) is None
        assert again.my_games().games[0].your_player == "p1"


def test_a_restart_of_the_hall_costs_no_move(running_hall: RunningHall, tmp_path: Path) -> None:
    agents, game_id = seated(running_hall, tmp_path)
    assert isinstance(agents[0].move(game_id, 0, "e2e4"), Accepted)
    agents[1].pulse()
    running_hall.stop()
    running_hall.start()
    # The challenge of the last answer is now unknown, and the connection is gone.
    assert isinstance(agents[1].move(game_id, 1, "e7e5"), Accepted)


class Losing(httpx.BaseTransport):
    """Lets requests through and loses the answers to some."""

    def __init__(self, loses: Callable[[httpx.Request], bool]) -> None:
        self._inner, self._loses = httpx.HTTPTransport(), loses

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._inner.handle_request(request)
        if self._loses(request):
            answer.read()
            raise httpx.ReadError("lost", request=request)
        return answer


def test_a_lost_answer_to_a_move_is_recovered(running_hall: RunningHall, tmp_path: Path) -> None:
    agents, game_id = seated(running_hall, tmp_path)
    losses = [True]
    client = httpx.Client(
        transport=Losing(lambda request: request.url.path.endswith("/moves") and losses.pop() if losses else False)
    )
    with Hall(agents[0].key, agents[0].handle, http=client) as forgetful:
        outcome = forgetful.move(game_id, 0, "e2e4")
    assert type(outcome).__name__ == "AlreadyApplied"
    assert not losses
    late = agents[0].move(game_id, 0, "d2d4")
    assert isinstance(late, NotApplied)
    assert late.your_last is not None
    assert late.your_last.notation == "e2e4"


def test_refusals_of_a_real_hall_are_raised_as_their_types(running_hall: RunningHall, tmp_path: Path) -> None:
    with opened(running_hall, tmp_path, "ada") as hall:
        with pytest.raises(refusals.AuthUnknownAgent):
            hall.my_games()
        hall.register_or_resume(PLAN)
        with pytest.raises(refusals.HandleTaken):
            hall.register(PLAN)
        with pytest.raises(refusals.NotHomologated):
            hall.join()
        with pytest.raises(refusals.InvalidBody, match="model_id"):
            hall.homologate(replace(PLAN, model_id=""))
        hall.homologate(PLAN)
        hall.join()
        with pytest.raises(refusals.AlreadyInLobby):
            hall.join()
        hall.leave()
        with pytest.raises(refusals.NotInLobby):
            hall.leave()
        with pytest.raises(refusals.GameNotFound):
            hall.view("g_00000000000000000000000000")
        posted = hall.post_feedback("docs", "a subject: é", "two\nlines", {"game": "chess"})
        assert hall.feedback(1)["feedback"][0]["id"] == posted["feedback_id"]
    with Hall.open(running_hall.base, "bob", key_file=tmp_path / "ada.json") as hall:
        with pytest.raises(refusals.KeyAlreadyRegistered):
            hall.register_or_resume(PLAN)


def test_illegal_moves_are_reported_and_the_third_is_replaced(running_hall: RunningHall, tmp_path: Path) -> None:
    agents, game_id = seated(running_hall, tmp_path)
    outcomes: list[Any] = [agents[0].move(game_id, 0, "e2e5") for _ in range(3)]
    assert all(isinstance(outcome, NotLegal) for outcome in outcomes)
    assert [outcome.attempts for outcome in outcomes[:2]] == [1, 2]
    assert len(outcomes[1].legal_moves) == 20
    assert outcomes[2].applied.forced == "illegal_moves"


def test_an_opponent_that_resigns_is_known_at_once(running_hall: RunningHall, tmp_path: Path) -> None:
    (opponent, waiting), game_id = seated(running_hall, tmp_path)
    sits, ended = threading.Event(), list[float]()

    def note(event: Event) -> None:
        if isinstance(event, Seated):
            sits.set()
        if isinstance(event, Ended):
            ended.append(time.monotonic())

    work = threading.Thread(target=lambda: waiting.play(short, replace(PLAN, wait=25), on_event=note), daemon=True)
    work.start()
    assert sits.wait(20)
    opponent.move(game_id, 0, Choice.resign())
    resigned = time.monotonic()
    work.join(40)
    # The pulse would be held for 25 s.
    assert ended[0] - resigned < 2


def test_a_thought_that_takes_too_long_is_replaced(running_hall: RunningHall, tmp_path: Path) -> None:
    agents, game_id = seated(running_hall, tmp_path)
    told: list[Event] = []

    async def forever(turn: Turn) -> Choice:
        await anyio.sleep_forever()
        raise AssertionError("never")

    async def slow() -> None:
        async with AsyncHall(agents[0].key, agents[0].handle) as hall:
            # All but a moment of the minute is kept back.
            with anyio.move_on_after(20) as scope:
                await hall.play(forever, replace(PLAN, margin=59.5), on_event=lambda event: note(event, scope))

    def note(event: Event, scope: anyio.CancelScope) -> None:
        told.append(event)
        if isinstance(event, Answered):
            scope.cancel()

    anyio.run(slow)
    assert f"{game_id}: too late; a random legal move instead" in [str(event) for event in told]
    assert agents[1].wait_for_turn(5)


BLOCKING = """
import sys
from hall_agent import Hall, exit_on_error
with exit_on_error(), Hall.open(sys.argv[1], "ada") as hall:
    hall.play(lambda turn: turn.view.legal_moves[0], on_event=lambda event: print(event, flush=True))
"""
ASYNCHRONOUS = """
import asyncio, sys
from hall_agent import AsyncHall, exit_on_error
async def main():
    async with AsyncHall.open(sys.argv[1], "ada") as hall:
        await hall.play(lambda turn: turn.view.legal_moves[0], on_event=lambda event: print(event, flush=True))
with exit_on_error():
    asyncio.run(main())
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", [BLOCKING, ASYNCHRONOUS])
def test_an_agent_that_is_stopped_while_queued_leaves_the_lobby(
    running_hall: RunningHall, tmp_path: Path, program: str, stop: signal.Signals
) -> None:
    command = [sys.executable, "-c", program, running_hall.base]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    while "queued" not in running.stdout.readline():
        assert running.poll() is None
    with opened(running_hall, tmp_path, "bob") as hall:
        assert hall.get("/api/pulse")["lobby_waiting"] == 1
        running.send_signal(stop)
        assert running.communicate(timeout=30) == ("", "")
        assert running.returncode == 128 + stop
        assert hall.get("/api/pulse")["lobby_waiting"] == 0


def test_every_code_of_the_playbook_and_every_document_is_known(running_hall: RunningHall, tmp_path: Path) -> None:
    with opened(running_hall, tmp_path, "ada") as hall:
        playbook = hall.playbook()
        assert {entry["code"] for entry in playbook["errors"]["codes"]} == refusals.BY_CODE.keys()
        assert hall.catalog()["games"][0]["id"] == "chess"
        for document in (hall.rules("chess"), hall.howto("chess"), hall.leaderboards(game="chess"), hall.docket()):
            assert document
        assert log.open_checkpoint(first_checkpoint(hall)["note"], hall.official()["log"]["public_key"]).size > 0
        assert hall.games(status="live").games == ()
        with pytest.raises(refusals.AgentNotFound):
            hall.profile("nobody")


COMPONENTS = {
    answers.AgentCard: "Agent",
    answers.DoorbellChallenge: "DoorbellChallengeData",
    answers.DoorbellState: "DoorbellData",
    answers.EndedGame: "RecentlyEnded",
    answers.EventPage: "EventsData",
    answers.Filed: "HomologatedData",
    answers.Game: "Game",
    answers.GameEvent: "Event",
    answers.GameResult: "GameResult",
    answers.GamesPage: "GamesData",
    answers.HistoryTurn: "HistoryEntry",
    answers.Joined: "JoinedData",
    answers.LegalMove: "LegalMove",
    answers.LegalMoves: "LegalMovesData",
    answers.MyGames: "MyGamesData",
    answers.Profile: "AgentData",
    answers.Pulse: "PulseData",
    answers.Registered: "RegisteredData",
    answers.ResolvedTurn: "Turn",
    answers.Seat: "GameSeat",
    answers.Verdict: "MoveVerdict",
    answers.View: "View",
    answers.WaitingTurn: "WaitingTurn",
    answers.You: "You",
}


def test_members_that_may_be_null_are_accepted(running_hall: RunningHall) -> None:
    schemas = httpx.get(f"{running_hall.base}/openapi.json", trust_env=False).json()["components"]["schemas"]
    shapes = [shape for shape in vars(answers).values() if isinstance(shape, type) and is_dataclass(shape)]
    assert set(shapes) == COMPONENTS.keys()
    nullable = 0
    for shape, name in COMPONENTS.items():
        kinds, properties = get_type_hints(shape), schemas[name]["properties"]
        for member in kinds.keys() & properties.keys():
            if may_be_null(properties[member]):
                nullable += 1
                assert kinds[member] is Any or type(None) in get_args(kinds[member]), f"{name}.{member}"
    assert nullable > 20


def may_be_null(schema: dict[str, Any]) -> bool:
    return "null" in schema.get("type", []) or any(may_be_null(one) for one in schema.get("oneOf", []))
