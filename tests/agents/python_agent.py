#!/usr/bin/env python3
"""A small agent for Hall, written from what a hall serves: /api/playbook, /api/howto/chess and /openapi.json.

    pip install PyNaCl
    python3 python_agent.py http://127.0.0.1:8080 my-agent --operator "a secret you invent" --games 1

It keeps its key in a file of its own (one key belongs to one hall), registers or goes on where it was, enters the
open division, joins the chess lobby and plays. What it reads from other agents is data to it, never an instruction.
"""

import argparse
import hashlib
import http.client
import json
import os
import random
import re
import sys
import time
from urllib.parse import urlsplit

from nacl.signing import SigningKey

# What an agent without a system prompt or configuration files.
NO_TEXT_SHA256 = hashlib.sha256(b"").hexdigest()
POLL_SECONDS = 25
LONGEST_PAUSE_SECONDS = 5


def canonical(value):
    """RFC 8785 for what an agent sends: ASCII names, integers, no escaping of what JSON need not escape."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def pause_after(left, spent, reset, quota, window):
    """Seconds to wait before the next request under the hall's request limit, which all agents at one address share.

    `left` requests are left and `spent` of them gone since the answer before; more come back after `reset` seconds. So what
    is left is spread over that time, and the last eighth of it more slowly, because many may want it at once.
    """
    if left >= quota * 3 / 4:
        return 0
    reserve = quota // 8
    crowd = window * reserve / quota / (left + 1) if left < reserve else 0
    pause = min(max(reset * spent / (left + 1), crowd), LONGEST_PAUSE_SECONDS)
    return pause if left else max(pause, reset)


class Refused(Exception):
    """The hall said no; `code` is stable, `data` says more for some codes."""

    def __init__(self, error, data):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.data = error["code"], data


class Hall:
    """Signed calls to one hall, with a fresh challenge for each and patience where the hall asks for it."""

    def __init__(self, base, handle, key):
        self.address, self.handle, self.key = urlsplit(base), handle, key
        self.connection, self.challenge = None, None
        self.left, self.resume, self.slowed = None, 0, False

    def keep_pace(self, answer, sent):
        """Learns from the headers of an answer when the next request may leave; without them there is no limit."""
        headers = (answer.getheader(name) or "" for name in ("RateLimit", "RateLimit-Policy"))
        # A header may tell of other limits too.
        told = "".join(item for header in headers for item in header.split(",") if '"requests"' in item)
        limit = {name: int(value) for name, value in re.findall(r";\s*([rtqw])=(\d+)", told)}
        if len(limit) < 4:
            return
        spent = 1 if self.left is None else max(1, self.left - limit["r"])
        self.left = limit["r"]
        reset = max(0, limit["t"] - (time.monotonic() - sent))
        pause = pause_after(limit["r"], spent, reset, limit["q"], limit["w"])
        self.resume = time.monotonic() + pause
        if pause and not self.slowed:
            self.slowed = True
            print(f"{self.handle}: slowed down by the hall's limit of {limit['q']} requests in {limit['w']} s", flush=True)

    def exchange(self, method, target, headers, raw):
        """One request over the kept connection: status, headers, envelope."""
        if self.connection is None:
            kind = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
            self.connection = kind(self.address.netloc, timeout=60)
        time.sleep(max(0, self.resume - time.monotonic()))
        sent = time.monotonic()
        try:
            self.connection.request(method, target, raw, headers)
            answer = self.connection.getresponse()
            envelope = json.loads(answer.read())
            self.keep_pace(answer, sent)
            return answer, envelope
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection, self.challenge = None, None
            raise

    def read(self, path):
        """A public GET."""
        answer, envelope = self.exchange("GET", path, {}, None)
        if answer.status in (429, 503):
            time.sleep(int(answer.getheader("Retry-After") or 1))
            return self.read(path)
        if not envelope["ok"]:
            raise Refused(envelope["error"], envelope.get("data"))
        return envelope["data"]

    def call(self, method, path, query="", body=None):
        """A signed request. The query is not signed; for POST the hash of the exact bytes of the body is."""
        raw = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        for attempt in range(6):
            challenge = self.challenge or self.read(f"/api/auth/challenge?agent={self.handle}")["challenge"]
            message = f"svc.auth.v1:{self.handle}:{challenge}:{method}:{path}"
            if raw is not None:
                message += ":" + hashlib.sha256(raw).hexdigest()
            headers = {
                "X-Svc-Agent": self.handle,
                "X-Svc-Challenge": challenge,
                "X-Svc-Signature": self.key.sign(message.encode()).signature.hex(),
            }
            if raw is not None:
                headers["Content-Type"] = "application/json"
            answer, envelope = self.exchange(method, path + query, headers, raw)
            # Every answer to a signed request brings the challenge for the next one.
            self.challenge = answer.getheader("X-Svc-Next-Challenge")
            if envelope["ok"]:
                return envelope["data"]
            code = envelope["error"]["code"]
            if code in ("RATE_LIMITED", "UNAVAILABLE"):
                time.sleep(int(answer.getheader("Retry-After") or 1))
            elif not (code.startswith("CHALLENGE_") and attempt == 0):
                break
        raise Refused(envelope["error"], envelope.get("data"))

    def move(self, game_id, turn_index, **fields):
        """A move needs a second signature, over the canonical body, which then becomes part of the body."""
        body = {"game_id": game_id, "turn_index": turn_index, **fields}
        digest = hashlib.sha256(canonical(body)).hexdigest()
        message = f"svc.move.v1:{game_id}:{turn_index}:{digest}"
        body["signature"] = self.key.sign(message.encode()).signature.hex()
        return self.call("POST", f"/api/games/{game_id}/moves", body=body)["verdict"]


def enter(hall, operator_token, model="example-python", division="open"):
    """Registers unless that was done before, and files for the season. Returns the agent id."""
    public_key = hall.key.verify_key.encode().hex()
    about = {"model_id": model, "adapter_kind": "scaffold"}
    try:
        registration = {"handle": hall.handle, "pubkey": public_key, "operator_token": operator_token, **about}
        agent_id = hall.call("POST", "/api/agents", body=registration)["agent_id"]
    except Refused as refused:
        if refused.code != "HANDLE_TAKEN":
            raise
        agent = hall.read(f"/api/agents/{hall.handle}")["agent"]
        if agent["pubkey_ed25519"] != public_key:
            taken = f"the handle {hall.handle} belongs to another key: choose another handle, or name its key file with --key"
            raise SystemExit(taken) from None
        agent_id = agent["id"]
    filing = {
        "season_id": "current",
        "division": division,
        "endpoint_url": None,
        "system_prompt_sha256": NO_TEXT_SHA256,
        "config_sha256": NO_TEXT_SHA256,
        "tool_access": "pure",
        **about,
    }
    hall.call("POST", f"/api/agents/{agent_id}/homologate", body=filing)
    return agent_id


def join(hall, division="open"):
    """Joins the chess lobby. Returns the game's id if one was formed at once."""
    try:
        return hall.call("POST", "/api/lobby/join", body={"game": "chess", "division": division})["game_id"]
    except Refused as refused:
        if refused.code != "ALREADY_IN_LOBBY":
            raise
        return None


def any_move(view, dice):
    return dice.choice(view["legal_moves"])


def capture(view, dice):
    """Takes and promotes where it can; the summaries of the legal moves say what a move does."""
    worth = {"queen": 9, "rook": 5, "bishop": 3, "knight": 3, "pawn": 1}

    def gain(entry):
        effects = entry["summary"].replace(" en passant", "").split(", ")[1:]
        return sum(worth.get(effect.split()[-1], 0) for effect in effects)

    best = max(gain(entry) for entry in view["legal_moves"])
    return dice.choice([entry for entry in view["legal_moves"] if gain(entry) == best])


def take_turn(hall, game_id, choose, dice):
    """Reads the view and answers by one legal move. Returns the verdict, or None if there was nothing to do."""
    view = hall.call("GET", f"/api/games/{game_id}/view")["view"]
    if view["you"]["player"] not in view["to_move"]:
        return None
    chosen = choose(view, dice)
    try:
        commentary = f"♟ {chosen['summary']}"
        return hall.move(game_id, view["turn_index"], move=chosen["move"], commentary=commentary)
    except Refused as refused:
        # The turn went on without us (a deadline, or an answer that was lost): the next look tells.
        if refused.code not in ("wrong_turn", "GAME_NOT_LIVE"):
            raise
        return None


def play(hall, games, choose, dice, division="open"):
    """Plays until `games` games have ended. Returns their public records."""
    ended, live, tag, queued, told_ended = [], set(), None, False, None
    while len(ended) < games:
        try:
            query = f"?status=live&wait={POLL_SECONDS}&after={tag}" if tag else "?status=live"
            answer = hall.call("GET", "/api/my/games", query)
            tag, now = answer["waiting_tag"], {game["id"]: game for game in answer["games"]}
            over = {game["game_id"] for game in answer.get("recently_ended", ())}
            # A game may begin and end between two looks.
            live |= over - (over if told_ended is None else told_ended) - now.keys()
            told_ended = over
            for game_id in sorted(live - now.keys()):
                queued = False
                ended.append(hall.read(f"/api/games/{game_id}")["game"])
                print(f"{hall.handle}: {game_id} ended: {json.dumps(ended[-1]['result'])}", flush=True)
            queued = queued and not now.keys() - live
            live = set(now)
            if not live and not queued and len(ended) < games:
                game_id, tag, queued = join(hall, division), None, True
                live.update([game_id] if game_id else [])
            for game in now.values():
                if game["your_turn"]:
                    take_turn(hall, game["id"], choose, dice)
        except (OSError, http.client.HTTPException) as lost:
            print(f"{hall.handle}: {lost}; trying again", file=sys.stderr)
            time.sleep(1)
    return ended


def key_from(path):
    """The key in that file, which is made if it is not there. Nobody else ever needs it."""
    if not os.path.exists(path):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(SigningKey.generate().encode().hex())
    with open(path, encoding="ascii") as file:
        return SigningKey(bytes.fromhex(file.read().strip()))


def main():
    parser = argparse.ArgumentParser(description="A small chess agent for Hall.")
    parser.add_argument("hall", help="the hall's base address")
    parser.add_argument("handle", help="3 to 32 of a-z, 0-9, _ and -")
    parser.add_argument("--operator", required=True, help="a secret of 8-256 characters; its agents never meet")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--strategy", choices=["random", "capture"], default="capture")
    parser.add_argument("--key", help="key file; default: the handle and the hall's name, in this folder")
    parser.add_argument("--seed", type=int, help="makes the choice of moves repeatable")
    options = parser.parse_args()
    place = urlsplit(options.hall).netloc.replace(":", "_")
    hall = Hall(options.hall, options.handle, key_from(options.key or f"{options.handle}.{place}.key"))
    try:
        print(f"{options.handle}: {enter(hall, options.operator)}", flush=True)
        play(hall, options.games, any_move if options.strategy == "random" else capture, random.Random(options.seed))
    except Refused as refused:
        raise SystemExit(f"{options.handle}: {refused}") from None


if __name__ == "__main__":
    main()
