#!/usr/bin/env python3
"""The examples of the OpenAPI document: recorded at the built hall, and compared with what it answers today.

    python3 examples.py PATH_TO_HALL FOLDER [--write]

A short game is played, and every operation is asked once. Without --write the answers are compared with the recorded ones
but for what differs from run to run: identifiers, times, hashes, signatures, numbers, and who sits first. Exits with 1 if one differs, or if an
operation has no example. With --write they become the recorded ones.
"""

import itertools
import json
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import requests  # noqa: E402
from running_hall import RunningHall  # noqa: E402  (it lies in the second folder just named)
from world import CHECKPOINT_WITHIN_SECONDS, OPEN, Actor, Endpoint, World, canonical, sign_move  # noqa: E402

RECORDED = os.path.join(HERE, "..", "..", "..", "shells", "http", "src", "openapi", "examples.json")
# Longer answers are named by their address only.
LONGEST_BYTES = 12_000
LINE = "f2f3 e7e5 g2g4 d8h4".split()
# The parts of an answer that differ between runs, and their placeholders.
CHANGING = [
    # The order of the two seats is random.
    (re.compile(r"\b(ada|bob)\b"), "AGENT"),
    (re.compile(r"\b([aeofgh]_)[0-9a-hjkmnp-tv-z]{26}"), r"\1"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}[.-]\d\d[.-]\d\d|\d\d:\d\d:\d\d(\.\d+)?"), "TIME"),
    (re.compile(r"[0-9a-f]{16,}"), "HEX"),
    (re.compile(r"[A-Za-z0-9+/=_-]{24,}"), "CODE"),
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
    (re.compile(r"(hall/)[\w.-]+|\+[0-9a-f]{8}\b|\d+"), "N"),
]


class Recorder(World):
    """A hall in which two agents play the shortest game, and the answers of each operation."""

    def __init__(self, hall, endpoint):
        self.base, self.hall, self.endpoint = hall.base, hall, endpoint
        self.http, self._serial, self.examples = requests.Session(), itertools.count(), {}

    def ask(self, name, method, path, actor=None, body=None, parameters=None, accept=None):
        """One request, kept as the example of its operation; answers with the data of its envelope, if it has one."""
        target = path
        for key, value in (parameters or {}).items():
            if "{" + key + "}" in target:
                target = target.replace("{" + key + "}", str(value))
            else:
                target += ("&" if "?" in target else "?") + f"{key}={value}"
        raw = canonical(body) if isinstance(body, dict) else body
        headers = {} if actor is None else actor.headers(method, target, raw)
        if raw is not None:
            headers["Content-Type"] = "application/json"
        if accept:
            headers["Accept"] = accept
        answer = self.http.request(method, self.base + target, data=raw, headers=headers)
        assert answer.ok, f"{name}: {answer.text}"
        media_type = answer.headers["Content-Type"].split(";")[0]
        example = {"status": str(answer.status_code), "media_type": media_type}
        if parameters:
            example["parameters"] = parameters
        if isinstance(body, dict):
            example["body"] = body
        if len(answer.content) > LONGEST_BYTES:
            example["at"] = target
        else:
            example["answer"] = answer.json() if "json" in media_type else answer.text
        assert name not in self.examples, name
        self.examples[name] = example
        return answer.json().get("data") if media_type == "application/json" else None

    def record(self):
        ada, bob = (self.player(name) for name in ("ada", "bob"))
        self.ask("challenge", "GET", "/api/auth/challenge", parameters={"agent": "ada"})
        self.ask("register", "POST", "/api/agents", ada, ada.registration())
        filing = {"id": ada.agent_id}
        self.ask("homologate", "POST", "/api/agents/{id}/homologate", ada, ada.filing("open"), filing)
        bob.enter("open")
        ada.join(OPEN)
        self.ask("lobby_leave", "POST", "/api/lobby/leave", ada, OPEN)
        ada.join(OPEN)
        game = self.ask("lobby_join", "POST", "/api/lobby/join", bob, OPEN)["game_id"]
        handles = [seat["handle"] for seat in self.read(f"/api/games/{game}")["game"]["seats"]]
        seats = sorted((ada, bob), key=lambda actor: handles.index(actor.handle))
        of_game = {"id": game}
        # The first seat is mated and queried, so that the result is the same in every run.
        self.mated = seats[0].handle
        for turn, move in enumerate(LINE):
            mover = seats[turn % 2]
            if turn == 2:
                self.ask("pulse", "GET", "/api/pulse", mover)
                self.ask("my_games", "GET", "/api/my/games", mover, parameters={"status": "live", "wait": 20})
                self.ask("view", "GET", "/api/games/{id}/view", mover, parameters={**of_game, "history": 10})
                self.ask("legal_moves", "GET", "/api/games/{id}/legal_moves", mover, parameters=of_game)
                body = self.signed_move(mover, game, turn, move, "A bold push.")
                self.ask("move", "POST", "/api/games/{id}/moves", mover, body, of_game)
            else:
                mover.say(game, turn, move=move)
        post = {"kind": "docs", "subject": "A word in the guide", "body": "An example of a promotion would help."}
        self.ask("feedback_post", "POST", "/api/feedback", ada, post)
        self.admin("docket", "add", "--kind", "note", "--subject", "The first game", "--reason", "It was played out.")
        self.ask("doorbell_set", "POST", "/api/doorbell", ada, {"url": self.endpoint.url(ada)})
        self.ask("doorbell_verify", "POST", "/api/doorbell/verify", ada, {})
        self.ask("doorbell_state", "GET", "/api/doorbell", ada)
        self.ask("doorbell_disable", "POST", "/api/doorbell/disable", ada, {})
        self.covered(game)
        self.read_all(game)
        return self.examples

    def player(self, handle):
        return Actor(self, handle, f"the operator of {handle}")

    def signed_move(self, actor, game, turn, move, commentary):
        return json.loads(sign_move(actor.key, game, turn, {"move": move, "commentary": commentary}).body)

    def covered(self, game):
        """Waits until a checkpoint covers the game and everything after it."""
        give_up = time.monotonic() + CHECKPOINT_WITHIN_SECONDS
        while True:
            size = self.read("/api/pulse")["log_size"]
            if self.read(f"/api/games/{game}/replay")["replay"]["log"]:
                if self.read("/api/checkpoint")["checkpoint"]["tree_size"] == size:
                    self.size = size
                    return
            if time.monotonic() > give_up:
                raise TimeoutError("no checkpoint covers the game")
            time.sleep(0.1)

    def read_all(self, game):
        """The public documents and answers."""
        of_game, chess = {"id": game}, {"game": "chess"}
        for name, path, parameters in [
            ("front_door", "/", None),
            ("llms_txt", "/llms.txt", None),
            ("openapi", "/openapi.json", None),
            ("reference", "/reference", None),
            ("mcp_discovery", "/.well-known/mcp.json", None),
            ("ai_catalog", "/.well-known/ai-catalog.json", None),
            ("mcp_server_card", "/mcp/server-card", None),
            ("playbook", "/api/playbook", None),
            ("catalog", "/api/catalog", None),
            ("rules", "/api/rules/{game}", chess),
            ("howto", "/api/howto/{game}", chess),
            ("health", "/healthz", None),
            ("readiness", "/readyz", None),
            ("games", "/api/games", {"status": "ended", "limit": 1}),
            ("game", "/api/games/{id}", of_game),
            ("events", "/api/games/{id}/events", {**of_game, "since": 2, "limit": 3}),
            ("hall_events", "/api/events", {"limit": 3}),
            ("replay", "/api/games/{id}/replay", of_game),
            ("pgn", "/api/games/{id}/pgn", of_game),
            ("record", "/api/games/{id}/record", {**of_game, "format": "json"}),
            ("pictures", "/api/games/{id}/pictures", {**of_game, "since": 1, "limit": 1}),
            ("svg", "/api/games/{id}/svg", {**of_game, "turn": 1}),
            ("game_proof", "/api/games/{id}/proof", of_game),
            ("export_games", "/api/export/games", {"format": "pgn", "limit": 1}),
            ("dictionary", "/api/dictionary", None),
            ("profile", "/api/agents/{handle}", {"handle": "ada"}),
            ("ratings", "/api/agents/{handle}/ratings", {"handle": self.mated, "game": "chess"}),
            ("statistics", "/api/agents/{handle}/statistics", {"handle": "ada"}),
            ("versus", "/api/agents/{handle}/vs/{opponent}", {"handle": "ada", "opponent": "bob"}),
            ("leaderboards", "/api/leaderboards", {"game": "chess", "division": "open"}),
            ("cross_table", "/api/leaderboards/cross", {"game": "chess", "variant": "standard", "division": "open"}),
            ("docket", "/api/docket", {"limit": 2}),
            ("feedback_list", "/api/feedback", {"limit": 1}),
            ("official", "/api/official", None),
            ("checkpoint", "/api/checkpoint", None),
            ("consistency", "/api/checkpoint/consistency", {"from": 2, "to": self.size}),
            ("log_proof", "/api/log/proof", {"leaf": 3}),
            ("log_files", "/log/{rest}", {"rest": "checkpoint"}),
        ]:
            self.ask(name, "GET", path, parameters=parameters)
        arguments = {"name": "challenge", "arguments": {"agent": "ada"}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
        self.ask("mcp", "POST", "/mcp", body=call)
        arguments = {"name": "game", "arguments": {"game_id": game}}
        self.ask("mcp_read", "POST", "/mcp/read", body={**call, "params": arguments})


def outline(value):
    """A value without the parts that differ between runs."""
    if isinstance(value, dict):
        return {name: outline(member) for name, member in value.items()}
    if isinstance(value, list):
        kinds = []
        for kind in map(outline, value):
            if kind not in kinds:
                kinds.append(kind)
        return sorted(kinds, key=lambda kind: json.dumps(kind, sort_keys=True))
    if isinstance(value, str):
        if value.startswith("{"):
            return outline(json.loads(value))
        for pattern, shown in CHANGING:
            value = pattern.sub(shown, value)
        return value
    return 0 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def differences(recorded, today):
    for name in sorted({*recorded, *today}):
        if name not in recorded or name not in today:
            yield f"{name} is {'asked no more' if name in recorded else 'not recorded'}"
            continue
        one, other = outline(recorded[name]), outline(today[name])
        for part in sorted({*one, *other}):
            if one.get(part) != other.get(part):
                was, is_now = (json.dumps(kind.get(part))[:2000] for kind in (one, other))
                yield f"{name}: {part} was\n  {was}\nand is\n  {is_now}"


def main(binary, folder, *options):
    os.makedirs(folder, exist_ok=True)
    endpoint = Endpoint(folder)
    settings = {"server.base_url": "https://hall.example", "games.chess.move_seconds": 3600, **endpoint.settings()}
    with RunningHall(binary, os.path.join(folder, "hall"), settings) as hall:
        recorder = Recorder(hall, endpoint)
        today = recorder.record()
        document = recorder.http.get(f"{hall.base}/openapi.json").json()
    operations = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    missing = sorted(set(operations) - set(today))
    assert not missing, f"no example is recorded for {missing}"
    if options == ("--write",):
        with open(RECORDED, "w", encoding="utf-8") as file:
            json.dump(today, file, ensure_ascii=False, indent=1, sort_keys=True)
            file.write("\n")
        print(f"{len(today)} examples written")
        return 0
    with open(RECORDED, encoding="utf-8") as file:
        found = list(differences(json.load(file), today))
    for difference in found:
        print(f"FAIL {difference}")
    print(f"{len(today)} examples compared with what the hall answers, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
