"""Games that no hall played, written from the specification: forced moves drawn with a round of the test chain."""

import hashlib
import json

import rfc8785
from nacl.signing import SigningKey

from made_beacon import CHAIN, settled
from verify_replay.draws import drawn
from verify_replay.identity import agent_id_of, sha256
from verify_replay.rules import GAMES
from verify_replay.shape import milliseconds

GAME_ID, SEED = "g_01m80000000000000000000000", sha256("seed")
MOVE_MS, SIDE_MS = 60_000, 2_400_000
KEYS = {player: SigningKey(hashlib.sha256(player.encode()).digest()) for player in ("p0", "p1")}


def stamp(second):
    """Written out for this one hour."""
    return f"2026-11-20T21:{50 + second // 60:02}:{second % 60:02}.000Z"


def header(player, challenge, request):
    """The signed header of a request with a move."""
    message = f"svc.auth.v1:made-{player}:{challenge}:POST:/api/games/{GAME_ID}/moves:{request}"
    signature = KEYS[player].sign(message.encode()).signature.hex()
    return {"challenge": challenge, "auth_signature": signature, "request_sha256": request}


class MadeGame:
    """Writes moves and events side by side; one second passes between any two of them."""

    def __init__(self):
        self.game, self.second, self.turn = GAMES["chess"]("standard"), 0, 0
        self.seats = [self.seat(player) for player in KEYS]
        self.left, self.strikes = dict.fromkeys(KEYS, SIDE_MS), dict.fromkeys(KEYS, 0)
        self.events, self.moves, self.attempts, self.started = [], [], [], 0
        number = CHAIN.first_round_after(milliseconds(stamp(0)))
        self.beacon = settled(number, "verified")
        waiting = {"chain_hash": CHAIN.chain_hash, "round": number, "status": "waiting"}
        self.names = {
            "game": "chess",
            "variant": "standard",
            "division": "open",
            "season_id": "s1",
            "seats": self.seats,
            "ruleset_version": "chess/1",
            "commitment": sha256(f"svc.seed.v1:{GAME_ID}:{SEED}"),
        }
        limits = {"move_ms": MOVE_MS, "side_ms": SIDE_MS, "turn_index": 0, "to_move": ["p0"]}
        self.tell("game_started", **self.names, beacon=waiting, **limits, deadline_utc=self.deadline())

    @staticmethod
    def seat(player):
        key = KEYS[player].verify_key.encode().hex()
        return {
            "player": player,
            "agent_id": agent_id_of(key),
            "handle": f"made-{player}",
            "pubkey_ed25519": key,
            "homologation_id": f"h_01m8000000000000000000000{player[1]}",
        }

    def deadline(self):
        return stamp(self.started + MOVE_MS // 1000)

    def tell(self, kind, **data):
        entry = {"type": kind, "data": data}
        self.events.append({"seq": len(self.events) + 1, "event": entry, "created_at": stamp(self.second)})

    def signed(self, **fields):
        """A body and its signature, by the mover."""
        text = rfc8785.dumps({"game_id": GAME_ID, "turn_index": self.turn, **fields}).decode()
        message = f"svc.move.v1:{GAME_ID}:{self.turn}:{sha256(text)}"
        return {"body": text, "signature": self.sign(message)}

    def sign(self, message):
        return KEYS[self.game.mover()].sign(message.encode()).signature.hex()

    def beacon_comes(self):
        """A second after it was due."""
        due = CHAIN.genesis + (self.beacon["round"] - 1) * CHAIN.period
        self.second = due - milliseconds(stamp(0)) // 1000 + 1
        self.tell("beacon", **self.beacon)

    def attempt(self, move):
        """An illegal move; the third forces one."""
        self.second += 1
        signed = self.signed(move=move)
        request = header(self.game.mover(), sha256(f"challenge {self.second}"), sha256(signed["body"]))
        self.attempts.append({"at": stamp(self.second), **signed, **request})
        self.tell("illegal_attempt", turn_index=self.turn, player=self.game.mover(), count=len(self.attempts))
        if len(self.attempts) == 3:
            self.force()

    def sleep(self):
        """The deadline passes; the hall acts two seconds later."""
        self.second = self.started + MOVE_MS // 1000 + 2
        self.force("deadline")

    def force(self, cause="illegal_moves"):
        player = self.game.mover()
        legal = self.game.legal_moves(player)
        self.strikes[player] += 1
        self.tell("strike", turn_index=self.turn, player=player, cause=cause, count=self.strikes[player])
        draws = drawn(GAME_ID, self.turn, len(legal), SEED, self.beacon["randomness"])
        self.resolve(legal[draws[-1]["value"]], {"body": None, "signature": None}, cause, draws)

    def move(self, notation, seconds_ago=0):
        """`seconds_ago` is how long the request was on its way in the hall."""
        self.second += 1
        self.resolve(notation, self.signed(move=notation), seconds_ago=seconds_ago)

    def resolve(self, notation, signed, forced=None, draws=(), seconds_ago=0):
        player, at = self.game.mover(), self.second - seconds_ago
        used = MOVE_MS if forced == "deadline" else 1000 * max(at - self.started, 0)
        self.left = {**self.left, player: self.left[player] - used}
        san = self.game.san(player, notation) if notation else None
        if notation:
            self.game.play({player: notation})
        place, state = f"{GAME_ID}:{self.turn + 1}", self.game.state_string()
        shared = {
            "turn_index": self.turn,
            "player": player,
            "at": stamp(at),
            "notation": notation,
            "forced": forced,
            "body_sha256": sha256(signed["body"]) if signed["body"] else None,
            "state_hash": sha256(f"svc.state.v1:{place}:{state}"),
            "clocks_ms": self.left,
        }
        begun = {"started_at": stamp(self.started), "deadline_utc": self.deadline()}
        self.moves.append({**shared, **signed, **begun, "draws": list(draws), "attempts": self.attempts})
        self.started, self.attempts, self.turn = self.second, [], self.turn + 1
        if notation:
            after = {"to_move": [self.game.mover()], "deadline_utc": self.deadline()}
            self.tell("move", **shared, san=san, commentary=None, **after)

    def resign(self):
        """Ends the game; returns its replay."""
        self.second += 1
        winner = self.game.other(self.game.mover())
        result = self.game.won_by(winner, "resignation")
        self.resolve(None, self.signed(resign=True))
        last = {name: self.moves[-1][name] for name in ("turn_index", "player", "body_sha256")}
        self.tell("game_ended", **last, result=result, seed=SEED)
        replay = {
            "version": "svc.replay.v1",
            "game_id": GAME_ID,
            **self.names,
            "seed": SEED,
            "beacon": {"chain_hash": CHAIN.chain_hash, **self.beacon},
            "events": self.events,
            "moves": self.moves,
            "hidden": None,
            "result": result,
            "pgn": self.pgn(result),
            "log": None,
        }
        # Parts that are one object here are several in a document.
        return json.loads(json.dumps(replay))

    def pgn(self, result):
        token = "1-0" if result["winners"] == ["p0"] else "0-1"
        tags = {"Event": "made", "Site": "none", "Date": "2026.11.20", "Round": "-"}
        tags |= {"White": "made-p0", "Black": "made-p1", "Result": token}
        sans = [entry["event"]["data"]["san"] for entry in self.events if entry["event"]["type"] == "move"]
        numbered = [f"{place // 2 + 1}. {san}" if place % 2 == 0 else san for place, san in enumerate(sans)]
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        return f"{head}\n{' '.join([*numbered, token])}\n"


def forced_by_beacon():
    """Both sides are forced once, after the round was known."""
    game = MadeGame()
    game.attempt("e2e5")
    game.beacon_comes()
    game.attempt({"index": 99})
    game.attempt("O-O")
    game.attempt("e7e4")
    game.attempt("e8g8")
    game.attempt("0000")
    game.move(game.game.legal_moves(None)[0])
    return game.resign()
