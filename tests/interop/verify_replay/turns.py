"""The walk through the game, turn by turn: who moves, what was signed, what was forced, and how it ends."""

import collections

from . import bodies
from .chess_rules import Game, lost_by
from .claims import Difference, demand, same
from .clocks import Clocks
from .draws import drawn
from .identity import sha256
from .shape import milliseconds

STRIKES_TO_FORFEIT = 3
ILLEGAL_MOVES_TO_STRIKE = 3
# Placeholder for withheld words.
WITHHELD = object()


class Walk:
    """Plays a replay again. `told` collects the events that spectators must have seen, `result` how it ended."""

    def __init__(self, replay):
        self.replay, self.id = replay, replay["game_id"]
        self.seats = {seat["player"]: seat for seat in replay["seats"]}
        extensions = collections.defaultdict(list)
        for entry in replay["events"]:
            data = entry["event"]["data"]
            if entry["event"]["type"] == "deadline_extended":
                extensions[data["turn_index"]].append(milliseconds(data["deadline_utc"]))
        self.clocks = Clocks(replay["events"][0]["event"]["data"], dict(extensions))
        self.game, self.strikes, self.challenges = Game(), collections.Counter(), set()
        self.offer, self.result = None, None
        self.told, self.draws, self.published = [], 0, []
        # The turns whose signed words are withheld.
        self.withheld = set()

    def walk(self):
        for place, turn in enumerate(self.replay["moves"]):
            demand(f"turn {place}: the game was over before it", self.result is None)
            same("turn index", turn["turn_index"], place)
            self.resolve(turn)
            expected = sha256(f"svc.state.v1:{self.id}:{place + 1}:{self.game.state_string()}")
            same(f"turn {place}: state hash", turn["state_hash"], expected)
        demand("the last turn does not end the game", self.result is not None)
        same("result", self.replay["result"], self.result)
        last = self.replay["moves"][-1]
        ended = {"body_sha256": last["body_sha256"], "result": self.result, "seed": self.replay["seed"]}
        self.tell("game_ended", last, **ended)

    def resolve(self, turn):
        what, mover = f"turn {turn['turn_index']}", self.game.mover()
        self.published.append(self.clocks.check_start(turn, mover))
        if turn["player"] is None:
            return self.settle(turn, mover)
        same(f"{what}: player", turn["player"], mover)
        legal = self.game.legal_moves()
        self.check_attempts(what, turn, legal, mover)
        if turn["forced"] == "illegal_moves":
            same(f"{what}: attempts", len(turn["attempts"]), ILLEGAL_MOVES_TO_STRIKE)
        else:
            demand(f"{what}: more attempts than a turn has", len(turn["attempts"]) < ILLEGAL_MOVES_TO_STRIKE)
        self.clocks.resolve(turn)
        resolved = self.signed if turn["forced"] is None else self.forced
        notation, body = resolved(what, turn, legal)
        same(f"{what}: notation", turn["notation"], notation)
        if notation is not None:
            self.apply(turn, body)
        elif not self.result["draw"] and self.offered_to(turn["player"]) and self.is_told("draw_declined", turn):
            # Who gives up, or is out, declines a standing offer; replays from before that was told have no event.
            self.tell("draw_declined", turn)

    def settle(self, turn, mover):
        """The operator decided; only the form of that can be judged."""
        what, result = f"turn {turn['turn_index']}", self.replay["result"]
        same(f"{what}: only the operator ends nobody's turn", result["reason"] in ("adjudicated", "aborted"), True)
        for name in ("notation", "forced", "body", "signature", "body_sha256"):
            same(f"{what}: {name}", turn[name], None)
        same(f"{what}: draws", turn["draws"], [])
        winners = 0 if result["draw"] or result["reason"] == "aborted" else 1
        same(f"{what}: number of winners", len(result["winners"]), winners)
        demand(f"{what}: an aborted game is no draw", not (result["draw"] and result["reason"] == "aborted"))
        demand(f"{what}: attempts", len(turn["attempts"]) <= ILLEGAL_MOVES_TO_STRIKE)
        self.check_attempts(what, turn, self.game.legal_moves(), mover)
        self.clocks.stand_still(turn, mover)
        self.result = result

    def check_attempts(self, what, turn, legal, mover):
        for count, attempt in enumerate(turn["attempts"], 1):
            name = f"{what}, attempt {count}"
            hashed = "body_sha256" in attempt
            demand(f"{name}: either the body or, if that is withheld, its hash", hashed == (attempt["body"] is None))
            body = bodies.read(name, self.id, turn, attempt, self.seats[mover])
            if body is None:
                self.withheld.add(turn["turn_index"])
            else:
                self.check_illegal(name, body, legal, mover)
            bodies.check_request(name, self.id, attempt, self.seats[mover])
            demand(f"{name}: a challenge was used before", attempt["challenge"] not in self.challenges)
            self.challenges.add(attempt["challenge"])
            self.tell("illegal_attempt", turn, attempt["at"], player=mover, count=count)

    def check_illegal(self, name, body, legal, mover):
        demand(f"{name}: no move in it", "move" in body)
        agrees = body.get("draw_accept") or (body.get("draw_offer") and self.offered_to(mover))
        demand(f"{name}: it resigns or accepts a draw, so no move was judged", not (body.get("resign") or agrees))
        if bodies.legal_move(body["move"], legal) is not None:
            raise Difference(f"{name}: {body['move']!r} is legal")

    def signed(self, what, turn, legal):
        """A turn that the player resolved: the notation to play, None if the game ended without one."""
        for name in ("signature", "body_sha256"):
            demand(f"{what}: {name} is missing", turn[name] is not None)
        body = bodies.read(what, self.id, turn, turn, self.seats[turn["player"]])
        same(f"{what}: draws", turn["draws"], [])
        if body is None:
            return self.unread(what, turn, legal)
        same(f"{what}: hash of the body", turn["body_sha256"], sha256(turn["body"]))
        if body.get("resign"):
            self.result = lost_by(turn["player"], "resignation")
        elif self.offered_to(turn["player"]) and (body.get("draw_offer") or body.get("draw_accept")):
            self.result = {"winners": [], "draw": True, "reason": "agreement"}
        if self.result:
            return None, body
        demand(f"{what}: accepts a draw that nobody offers", not body.get("draw_accept"))
        demand(f"{what}: no move in the body", "move" in body)
        notation = bodies.legal_move(body["move"], legal)
        demand(f"{what}: {body['move']!r} is not legal", notation is not None)
        return notation, body

    def unread(self, what, turn, legal):
        """A turn whose words are withheld: its effect is read from the turn, the events and the result."""
        player, reason = turn["player"], self.replay["result"]["reason"]
        self.withheld.add(turn["turn_index"])
        notation, body = turn["notation"], {"commentary": WITHHELD}
        if notation is not None:
            demand(f"{what}: {notation!r} is not legal", notation in legal)
            body["draw_offer"] = self.is_told("draw_offered", turn)
        elif reason == "agreement" and self.offered_to(player):
            self.result = {"winners": [], "draw": True, "reason": reason}
        else:
            same(f"{what}: without a move it ends the game", reason, "resignation")
            self.result = lost_by(player, reason)
        return notation, body

    def forced(self, what, turn, legal):
        """A default action or a penalty: the notation drawn, None if it forfeits the game."""
        for name in ("body", "signature", "body_sha256"):
            same(f"{what}: {name} of a forced turn", turn[name], None)
        player, cause = turn["player"], turn["forced"]
        used_up = self.clocks.left is not None and self.clocks.left[player] == 0
        if cause == "deadline" and used_up:
            self.result = lost_by(player, "clock")
        else:
            self.strikes[player] += 1
            self.tell("strike", turn, cause=cause, count=self.strikes[player])
            if self.strikes[player] == STRIKES_TO_FORFEIT:
                self.result = lost_by(player, "strikes")
        taken = []
        if self.result is None:
            beacon = self.replay["beacon"]
            demand(f"{what}: a draw while the beacon waits", beacon["status"] != "waiting")
            taken = drawn(self.id, turn["turn_index"], len(legal), self.replay["seed"], beacon["randomness"])
            self.draws += 1
        same(f"{what}: draws", turn["draws"], taken)
        return (legal[taken[-1]["value"]] if taken else None), {}

    def is_told(self, kind, turn):
        """Whether an event of this kind is told of a turn."""
        told = (entry["event"] for entry in self.replay["events"])
        return any(event["type"] == kind and event["data"]["turn_index"] == turn["turn_index"] for event in told)

    def offered_to(self, player):
        return self.offer not in (None, player)

    def apply(self, turn, body):
        san, self.result = self.game.play(turn["notation"])
        shared = ("notation", "forced", "at", "body_sha256", "state_hash", "clocks_ms")
        more = {name: turn[name] for name in shared}
        to_move = [] if self.result else [self.game.mover()]
        self.tell("move", turn, san=san, commentary=body.get("commentary"), to_move=to_move, deadline_utc=..., **more)
        if self.offered_to(turn["player"]):
            self.tell("draw_declined", turn)
        self.offer = None
        if self.result is None and body.get("draw_offer"):
            self.tell("draw_offered", turn)
            self.offer = turn["player"]

    def tell(self, kind, turn, earliest=None, **more):
        """Notes an event that must follow, and its earliest time."""
        data = {"turn_index": turn["turn_index"], "player": turn["player"], **more}
        self.told.append((kind, data, milliseconds(earliest or turn["at"])))
