"""The small server for a doorbell, over a real socket, and the loop of the README around it."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from nacl.encoding import Base64Encoder
from nacl.signing import SigningKey
from scripted import KEY

from hall_agent import DoorbellServer, Hall, Key, Origin, RetryPolicy, errors, refusals
from hall_agent.doorbell import Doorbell, Ring, safety_poll

Vectors = dict[str, Any]


def post(port: int, headers: dict[str, str], body: bytes) -> int:
    with httpx.Client(trust_env=False) as client:
        return client.post(f"http://127.0.0.1:{port}/ring", headers=headers, content=body).status_code


def ringing(vectors: Vectors) -> tuple[Doorbell, dict[str, str], bytes]:
    """A doorbell, and a ring for it that was just signed."""
    told = vectors["rings"]
    body = json.dumps(told["payload"]).encode()
    now, event_id = str(int(time.time())), told["payload"]["event_id"]
    signing_key = SigningKey(bytes.fromhex(told["seed"]))
    signature = signing_key.sign(f"{event_id}.{now}.".encode() + body, Base64Encoder).signature.decode()
    headers = {"Webhook-Id": event_id, "Webhook-Timestamp": now, "Webhook-Signature": f"v1a,{signature}"}
    key = Key(Origin.parse("https://hall.example"), bytes.fromhex(vectors["doorbell"]["seed"]), "not a secret")
    return Doorbell(key, "ada", vectors["doorbell"]["url"], [told["key"]]), headers, body


def test_rings_are_delivered_once_and_forgeries_never(vectors: Vectors) -> None:
    bell, headers, body = ringing(vectors)
    with DoorbellServer(bell) as server:
        assert post(server.port, headers, body + b" ") == 401
        assert post(server.port, headers, body) == 204
        assert post(server.port, headers, body) == 204
        ring = server.next_ring(5)
        assert ring is not None
        assert ring.game_id == vectors["rings"]["payload"]["game_id"]
        assert server.next_ring(0) is None
        assert next(server.rings(every=0)) is None


def test_rings_of_one_game_do_not_delay_the_poll_for_lost_rings_of_another(vectors: Vectors) -> None:
    now = 0.0
    with DoorbellServer(ringing(vectors)[0], clock=lambda: now) as server:
        told = server.rings(20)
        ring = Ring(game_id="g", turn_index=0, event_id="e")
        heard: list[float] = []
        # A ring every seven seconds for more than three minutes; the schedule begins with the first.
        for _ in range(30):
            now += 7
            server._take(ring)
            while next(told) is None:
                heard.append(now)
        assert heard == [float(due) for due in range(28, 211, 21)]


@pytest.mark.parametrize(
    ("catalog", "seconds"),
    [
        ({"games": [{"move_ms": 60_000}]}, 20.0),
        ({"games": [{"move_ms": 600_000}, {"move_ms": 15_000}]}, 5.0),
        ({"games": [{"move_ms": 600_000}]}, 60.0),
        ({"games": [{"move_ms": 500}]}, 1.0),
        ({"games": []}, 20.0),
        ({}, 20.0),
        ({"games": [{"move_ms": None}, {"move_ms": True}, 3]}, 20.0),
    ],
)
def test_the_safety_poll_is_a_third_of_the_shortest_move_time(catalog: Vectors, seconds: float) -> None:
    assert safety_poll(catalog) == seconds


def test_the_hall_can_verify_the_endpoint(vectors: Vectors) -> None:
    told = vectors["doorbell"]
    headers = {"X-Svc-Agent": told["handle"], "X-Svc-Challenge": told["challenge"]}
    with DoorbellServer(ringing(vectors)[0]) as server, httpx.Client(trust_env=False) as client:
        answer = client.get(f"http://127.0.0.1:{server.port}/ring", headers=headers)
        assert answer.status_code == 200
        assert answer.headers["X-Svc-Doorbell-Signature"] == told["signature"]
        assert client.get(f"http://127.0.0.1:{server.port}/ring").status_code == 400


@pytest.mark.parametrize("length", ["", "20000", "-1", "9" * 30])
def test_a_body_without_a_reasonable_length_is_not_read(vectors: Vectors, length: str) -> None:
    with DoorbellServer(ringing(vectors)[0]) as server, socket.create_connection(("127.0.0.1", server.port)) as peer:
        line = f"Content-Length: {length}\r\n" if length else ""
        peer.sendall(f"POST /ring HTTP/1.1\r\nHost: a\r\n{line}\r\n".encode())
        assert b" 413 " in peer.makefile("rb").readline()


class Polls(DoorbellServer):
    """A server on a free port that is never rung, and whose polls follow each other at once."""

    def __init__(self, doorbell: Doorbell, port: int) -> None:
        super().__init__(doorbell)

    def rings(self, every: float = 0) -> Iterator[Ring | None]:
        while True:
            yield None


def test_the_loop_of_the_readme_survives_an_outage(vectors: Vectors, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(from hall_agent import DoorbellServer.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    loop: dict[str, Any] = {}
    exec(block, loop)
    loop["DoorbellServer"] = Polls
    game = {"game_id": "g_00000000000000000000000000", "turn_index": 0}
    legal = [{"index": 0, "move": "e2e4", "notation": "e2e4", "summary": ""}]
    view = {**game, "you": {"player": "p0", "seat": 0}, "to_move": ["p0"], "legal_moves": legal}
    waiting = {"waiting_on_you": [game]}
    script: list[dict[str, Any] | Exception | str] = [
        {"official": vectors["official"]["document"]},
        {"url": "https://agent.example/", "challenge": "00"},
        {"state": "verified"},
        {"games": []},
        httpx.ConnectError("refused"),
        waiting,
        httpx.ReadError("reset"),
        waiting,
        {"view": view},
        {"verdict": {"turn_index": 0, "notation": "e2e4", "game_over": False}},
        "AGENT_SUSPENDED",
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/auth/challenge":
            return httpx.Response(200, json={"ok": True, "data": {"challenge": "00" * 32}})
        outcome = script.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        if isinstance(outcome, str):
            return httpx.Response(403, json={"ok": False, "error": {"code": outcome, "message": ""}})
        return httpx.Response(200, json={"ok": True, "data": outcome})

    client = httpx.Client(transport=httpx.MockTransport(answer))
    with Hall(KEY, "ada", policy=RetryPolicy(attempts=1), http=client) as hall:
        with pytest.raises(refusals.AgentSuspended):
            loop["serve"](hall, "https://agent.example/", vectors["official"]["verifier_key"])
    assert script == [], "everything was asked for"
    assert capsys.readouterr().out.splitlines() == [
        str(errors.TransportError("refused", unsent=True)),
        str(errors.TransportError("reset", unsent=False)),
    ]
