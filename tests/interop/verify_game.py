#!/usr/bin/env python3
"""Verifies an ended game as a stranger would: from what the hall publishes, with other people's libraries.

    pip install chess PyNaCl rfc8785
    python3 verify_game.py http://127.0.0.1:8080 g_00000000000000000000000000

Nothing of the hall is used but its public reads and the formats it documents. Checked are the seed against the
commitment, every draw, every signature (of moves, and both of every counted illegal attempt), canonical JSON,
legality, state hashes, clocks and deadlines, strikes, draw offers, the result, and that events, public record and PGN
say the same as the replay. Stops at the first difference and exits with 1.
"""

import collections
import hashlib
import io
import json
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

import chess
import chess.pgn
import rfc8785
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from check_playouts import Difference, ending, position_of, same

EVENTS_PER_READ = 7
STRIKES_TO_FORFEIT = 3
ILLEGAL_MOVES_TO_STRIKE = 3
BODY_FIELDS = {"game_id", "turn_index", "move", "commentary", "resign", "draw_offer", "draw_accept"}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def milliseconds(later, earlier):
    return (time_of(later) - time_of(earlier)) // timedelta(milliseconds=1)


def time_of(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


def signed_by(what, seat, message, signature):
    try:
        VerifyKey(bytes.fromhex(seat["pubkey_ed25519"])).verify(message.encode(), bytes.fromhex(signature))
    except BadSignatureError as bad:
        raise Difference(f"{what}: not a signature of {seat['handle']}") from bad


def fetch(address):
    with urllib.request.urlopen(address) as answer:
        return answer.read()


def data_of(address):
    envelope = json.loads(fetch(address))
    same(f"ok of {address}", envelope["ok"], True)
    return envelope["data"]


class Verifier:
    """Replays one game move by move and keeps what the rules make of it."""

    def __init__(self, replay):
        self.replay = replay
        self.id = replay["game_id"]
        self.seats = {seat["player"]: seat for seat in replay["seats"]}
        self.board = chess.Board()
        self.seen = collections.Counter([position_of(self.board)])
        self.strikes = collections.Counter()
        self.offer = None
        self.challenges = set()
        self.expected = []
        start = replay["events"][0]["event"]["data"]
        self.move_ms = start["move_ms"]
        self.clocks = None if start["side_ms"] is None else {player: start["side_ms"] for player in self.seats}
        self.extended = {
            entry["event"]["data"]["turn_index"]
            for entry in replay["events"]
            if entry["event"]["type"] == "deadline_extended"
        }

    def check(self):
        self.check_head()
        result = None
        for place, turn in enumerate(self.replay["moves"]):
            same(f"end of the game before turn {place}", None, result)
            same("turn index", turn["turn_index"], place)
            result = self.check_turn(turn)
        same("result", self.replay["result"], result)
        self.check_events(result)

    def check_head(self):
        replay = self.replay
        same("version", replay["version"], "svc.replay.v1")
        same("game", (replay["game"], replay["ruleset_version"]), ("chess", "chess/1"))
        same("commitment", replay["commitment"], sha256(f"svc.seed.v1:{self.id}:{replay['seed']}"))
        off = {"chain_hash": None, "round": None, "status": "off", "randomness": None, "signature": None}
        same("beacon", replay["beacon"], off)
        same("players", list(self.seats), ["p0", "p1"])
        for seat in self.seats.values():
            number = int(sha256(f"svc.agent.v1:{seat['pubkey_ed25519']}")[:32], 16)
            digits = "".join("0123456789abcdefghjkmnpqrstvwxyz"[number >> shift & 31] for shift in range(125, -1, -5))
            same("agent id", seat["agent_id"], f"a_{digits}")

    def check_turn(self, turn):
        """One turn; returns the result if it ended the game."""
        mover = "p0" if self.board.turn == chess.WHITE else "p1"
        legal = sorted(move.uci() for move in self.board.legal_moves)
        if turn["player"] is None:
            return self.settled(turn)
        same(f"player of turn {turn['turn_index']}", turn["player"], mover)
        for count, attempt in enumerate(turn["attempts"], 1):
            self.check_attempt(turn, attempt, legal)
            self.expect("illegal_attempt", turn, count=count)
        self.check_time(turn)
        if turn["forced"] is None:
            chosen, result = self.signed_turn(turn, legal)
        else:
            chosen, result = self.forced_turn(turn, legal)
        same(f"notation of turn {turn['turn_index']}", turn["notation"], chosen)
        offers = turn["body"] is not None and json.loads(turn["body"]).get("draw_offer", False)
        return self.apply(turn, offers) if chosen else self.end(turn, result)

    def settled(self, turn):
        """The operator decided; only its form can be checked."""
        same("notation of a verdict", turn["notation"], None)
        reason = self.replay["result"]["reason"]
        if reason not in ("adjudicated", "aborted"):
            raise Difference(f"nobody's turn {turn['turn_index']} ended the game by {reason}")
        return self.end(turn, self.replay["result"])

    def check_body(self, what, turn, signed):
        """Canonical, of this game and turn, and signed by the mover. Returns the body read and its hash."""
        text = signed["body"]
        body = json.loads(text)
        same(f"{what}: canonical text", text.encode(), rfc8785.dumps(body))
        same(f"{what}: unknown fields", set(body) - BODY_FIELDS, set())
        same(f"{what}: game and turn", (body["game_id"], body["turn_index"]), (self.id, turn["turn_index"]))
        message = f"svc.move.v1:{self.id}:{turn['turn_index']}:{sha256(text)}"
        signed_by(what, self.seats[turn["player"]], message, signed["signature"])
        return body

    def check_attempt(self, turn, attempt, legal):
        what = f"attempt in turn {turn['turn_index']}"
        move = self.check_body(what, turn, attempt)["move"]
        if self.named(move, legal) is not None:
            raise Difference(f"{what}: {move!r} is legal")
        seat = self.seats[turn["player"]]
        path = f"/api/games/{self.id}/moves"
        message = f"svc.auth.v1:{seat['handle']}:{attempt['challenge']}:POST:{path}:{attempt['request_sha256']}"
        signed_by(f"{what}: request", seat, message, attempt["auth_signature"])
        same(f"{what}: challenge used before", attempt["challenge"] in self.challenges, False)
        self.challenges.add(attempt["challenge"])
        same(f"{what}: in time", turn["started_at"] <= attempt["at"] <= turn["deadline_utc"], True)

    @staticmethod
    def named(move, legal):
        """The legal move that a body's `move` names, if any."""
        if isinstance(move, dict):
            index = move["index"]
            return legal[index] if 0 <= index < len(legal) else None
        return move if move in legal else None

    def check_time(self, turn):
        what = f"turn {turn['turn_index']}"
        used_until = {None: turn["at"], "deadline": turn["deadline_utc"]}.get(turn["forced"])
        used_until = used_until or turn["attempts"][-1]["at"]
        late = (turn["at"] if turn["forced"] == "deadline" else used_until) > turn["deadline_utc"]
        same(f"{what}: late", late, turn["forced"] == "deadline")
        same(f"{what}: starts before it ends", turn["started_at"] <= used_until, True)
        left = None if self.clocks is None else self.clocks[turn["player"]]
        if turn["turn_index"] not in self.extended:
            allowed = self.move_ms if left is None else min(self.move_ms, left)
            same(f"{what}: deadline", milliseconds(turn["deadline_utc"], turn["started_at"]), allowed)
            if self.clocks is not None:
                self.clocks[turn["player"]] = left - milliseconds(used_until, turn["started_at"])
                same(f"{what}: clocks", turn["clocks_ms"], self.clocks)
        elif self.clocks is not None:
            least = left - milliseconds(used_until, turn["started_at"])
            same(f"{what}: clock with time given back", least <= turn["clocks_ms"][turn["player"]] <= left, True)
            self.clocks = dict(turn["clocks_ms"])
        same(f"{what}: side clocks", turn["clocks_ms"] is None, self.clocks is None)

    def signed_turn(self, turn, legal):
        what = f"move of turn {turn['turn_index']}"
        body = self.check_body(what, turn, turn)
        same(f"{what}: hash", turn["body_sha256"], sha256(turn["body"]))
        same(f"{what}: draws", turn["draws"], [])
        same(f"{what}: illegal attempts before it", len(turn["attempts"]) < ILLEGAL_MOVES_TO_STRIKE, True)
        if body.get("resign"):
            return None, self.lost_by(turn["player"], "resignation")
        offered = self.offer not in (None, turn["player"])
        if offered and (body.get("draw_offer") or body.get("draw_accept")):
            return None, {"winners": [], "draw": True, "reason": "agreement"}
        return self.named(body["move"], legal), None

    def forced_turn(self, turn, legal):
        what = f"forced turn {turn['turn_index']}"
        same(f"{what}: nobody signed", (turn["body"], turn["signature"], turn["body_sha256"]), (None, None, None))
        if turn["forced"] == "illegal_moves":
            same(f"{what}: attempts", len(turn["attempts"]), ILLEGAL_MOVES_TO_STRIKE)
        elif self.clocks is not None and self.clocks[turn["player"]] == 0:
            return None, self.lost_by(turn["player"], "clock")
        self.strikes[turn["player"]] += 1
        self.expect("strike", turn, cause=turn["forced"], count=self.strikes[turn["player"]])
        if self.strikes[turn["player"]] == STRIKES_TO_FORFEIT:
            return None, self.lost_by(turn["player"], "strikes")
        return legal[self.drawn(turn, len(legal))], None

    def drawn(self, turn, below):
        """The random number of a forced move, recomputed from the seed."""
        counter, redrawn = 0, []
        while not redrawn or redrawn[-1]["value"] is None:
            message = f"svc.random.v1:{self.id}:{turn['turn_index']}:{counter}:{self.replay['seed']}:"
            x = int.from_bytes(hashlib.sha256(message.encode()).digest()[:8], "big")
            value = x % below if x < (1 << 64) // below * below else None
            redrawn.append({"counter": counter, "n": below, "x": f"{x:016x}", "value": value})
            counter += 1
        same(f"draws of turn {turn['turn_index']}", turn["draws"], redrawn)
        return redrawn[-1]["value"]

    def apply(self, turn, offers):
        """Plays the move on the board; returns the result if that ends the game."""
        move = chess.Move.from_uci(turn["notation"])
        san = self.board.san(move)
        self.board.push(move)
        self.seen[position_of(self.board)] += 1
        self.check_state(turn)
        reason = ending(self.board, self.seen)
        self.expect_move(turn, san, reason)
        if self.offer not in (None, turn["player"]):
            self.expect("draw_declined", turn)
        self.offer = None
        if reason is None:
            if offers:
                self.expect("draw_offered", turn)
                self.offer = turn["player"]
            return None
        winners = [turn["player"]] if reason == "checkmate" else []
        return {"winners": winners, "draw": not winners, "reason": reason}

    def end(self, turn, result):
        self.check_state(turn)
        return result

    def check_state(self, turn):
        fen = self.board.fen(en_passant="legal")
        expected = sha256(f"svc.state.v1:{self.id}:{turn['turn_index'] + 1}:{fen}")
        same(f"state hash of turn {turn['turn_index']}", turn["state_hash"], expected)

    @staticmethod
    def lost_by(player, reason):
        return {"winners": ["p1" if player == "p0" else "p0"], "draw": False, "reason": reason}

    def expect(self, kind, turn, **more):
        self.expected.append((kind, {"turn_index": turn["turn_index"], "player": turn["player"], **more}))

    def expect_move(self, turn, san, reason):
        rest = ("notation", "forced", "at", "body_sha256", "state_hash", "clocks_ms")
        body = {} if turn["body"] is None else json.loads(turn["body"])
        following = self.replay["moves"][turn["turn_index"] + 1 :][:1]
        deadline = following[0]["deadline_utc"] if reason is None and following else None
        if turn["turn_index"] + 1 in self.extended:
            deadline = ...
        to_move = [] if reason else ["p0" if self.board.turn == chess.WHITE else "p1"]
        more = {name: turn[name] for name in rest}
        self.expect(
            "move", turn, san=san, commentary=body.get("commentary"), to_move=to_move, deadline_utc=deadline, **more
        )

    def check_events(self, result):
        replay, last = self.replay, self.replay["moves"][-1]
        same("seqs", [entry["seq"] for entry in replay["events"]], list(range(1, len(replay["events"]) + 1)))
        times = [entry["created_at"] for entry in replay["events"]]
        same("order of events in time", times, sorted(times))
        events = [entry["event"] for entry in replay["events"] if entry["event"]["type"] != "deadline_extended"]
        self.check_first_event(events[0])
        ended = {name: last[name] for name in ("turn_index", "player", "body_sha256")}
        self.expected.append(("game_ended", {**ended, "result": result, "seed": replay["seed"]}))
        same("number of events", len(events) - 1, len(self.expected))
        for event, (kind, data) in zip(events[1:], self.expected):
            if data.get("deadline_utc") is ...:
                data["deadline_utc"] = event["data"]["deadline_utc"]
            same(f"event in turn {data['turn_index']}", event, {"type": kind, "data": data})

    def check_first_event(self, event):
        same("type of the first event", event["type"], "game_started")
        data = event["data"]
        shared = ("game", "variant", "division", "season_id", "seats", "ruleset_version", "commitment")
        same("game_started", {name: data[name] for name in shared}, {name: self.replay[name] for name in shared})
        same("first turn", (data["turn_index"], data["to_move"]), (0, ["p0"]))


def check_documents(hall, replay):
    """Public record, event pages and PGN say what the replay says."""
    game_id = replay["game_id"]
    record = data_of(f"{hall}/api/games/{game_id}")["game"]
    shared = ("game", "variant", "division", "season_id", "seats", "ruleset_version", "commitment", "result")
    same("public record", {name: record[name] for name in shared}, {name: replay[name] for name in shared})
    ended = {"id": game_id, "status": "ended", "turn_index": len(replay["moves"]), "to_move": [], "deadline_utc": None}
    same("end in the record", {name: record[name] for name in ended}, ended)
    same("replay path", record["replay"], f"/api/games/{game_id}/replay")
    strikes = collections.Counter(
        entry["event"]["data"]["player"] for entry in replay["events"] if entry["event"]["type"] == "strike"
    )
    same("strikes in the record", record["strikes"], {player: strikes[player] for player in ("p0", "p1")})
    events = []
    while True:
        since = events[-1]["seq"] if events else 0
        page = data_of(f"{hall}/api/games/{game_id}/events?since={since}&limit={EVENTS_PER_READ}")
        same("head of the event page", (page["game_id"], page["since"], page["live"]), (game_id, since, False))
        if not page["events"]:
            break
        events += page["events"]
    same("events read in pages", events, replay["events"])
    pgn = fetch(f"{hall}/api/games/{game_id}/pgn").decode()
    same("PGN", pgn, replay["pgn"])
    check_pgn(pgn, replay)


def check_pgn(text, replay):
    read = chess.pgn.read_game(io.StringIO(text))
    same("errors in the PGN", [], read.errors)
    played = [turn["notation"] for turn in replay["moves"] if turn["notation"]]
    same("moves in the PGN", [move.uci() for move in read.mainline_moves()], played)
    token = {(): "1/2-1/2" if replay["result"]["draw"] else "*", ("p0",): "1-0", ("p1",): "0-1"}
    same("result in the PGN", read.headers["Result"], token[tuple(replay["result"]["winners"])])
    names = tuple(seat["handle"] for seat in replay["seats"])
    same("names in the PGN", (read.headers["White"], read.headers["Black"]), names)


def verify(hall, game_id):
    """Checks everything and returns the replay; raises `Difference`."""
    replay = data_of(f"{hall}/api/games/{game_id}/replay")["replay"]
    same("game id", replay["game_id"], game_id)
    Verifier(replay).check()
    check_documents(hall, replay)
    return replay


def main():
    hall, failed = sys.argv[1].rstrip("/"), 0
    for game_id in sys.argv[2:]:
        try:
            replay = verify(hall, game_id)
            print(f"{game_id}: {len(replay['moves'])} turns, {replay['result']['reason']}: every claim holds")
        except Difference as difference:
            failed += 1
            print(f"{game_id}: {difference}")
    print(f"{len(sys.argv) - 2 - failed} passed, {failed} failed")
    return 1 if failed or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
