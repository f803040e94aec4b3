"""The walk through the game, turn by turn: nature's acts, what each turn led to, and how it ends.

What happens inside a turn is told in `turn`.
"""

import collections

from .claims import demand, same
from .clocks import Clocks, Extension
from .draws import Draws
from .identity import sha256
from .rules import GAMES
from .shape import milliseconds
from .table import Table
from .turn import Turn

# The events inside a turn, before what resolves it; several players may act in any order.
STEPS = ("illegal_attempt", "strike", "seat_vacated", "move_sealed")


class Opens:
    """Placeholder for the deadline in an event that opens a turn: known once the turn has been judged.

    Where the hall acts first for a vacant seat, it may be untold: the clocks of the others begin later if the hall waits
    for the beacon, and halls of before never told it.
    """

    def __init__(self, turn_index, may_be_untold):
        self.turn_index, self.may_be_untold = turn_index, may_be_untold


class Walk:
    """Plays a replay again. `told` collects the events that spectators must have seen, `result` how it ended."""

    def __init__(self, replay):
        self.replay, self.id = replay, replay["game_id"]
        self.seats = {seat["player"]: seat for seat in replay["seats"]}
        self.rules = GAMES[replay["game"]](replay["variant"])
        self.table, self.draws = Table(self.rules), Draws(replay)
        self.clocks = clocks_of(replay["events"], self.rules)
        self.steps, self.reasons = collections.defaultdict(list), {}
        # The steps of a turn that were told before each act of nature.
        self.before_acts = []
        for entry in replay["events"]:
            kind, data = entry["event"]["type"], entry["event"]["data"]
            if kind in STEPS:
                self.steps[data["turn_index"]].append(entry)
            elif kind == "chance":
                self.before_acts.append(self.steps.pop(data["turn_index"], []))
        self.sealed_at = {
            (entry["event"]["data"]["turn_index"], entry["event"]["data"]["player"]): entry["seq"]
            for entry in replay["events"]
            if entry["event"]["type"] == "move_sealed"
        }
        # When seats were vacated while nature waited for the beacon to open the turn, by player.
        self.left_early = {}
        # Offers exist at tables of two whose turns are not shared.
        self.has_offers = len(self.seats) == 2 and not self.rules.simultaneous
        self.challenges, self.offer, self.result = set(), None, None
        # The hash of the request with each counted body, by turn and signature, and the turns that name two for one.
        self.requests, self.counted_again = {}, set()
        self.moves, self.acts = list(replay["moves"]), list(replay.get("chance", []))
        self.unresolved = list(replay.get("unresolved", []))
        self.told, self.published = [], {}
        # The turns whose signed words are withheld.
        self.withheld = set()
        # Who sealed a void action whose words are withheld: its hash is published nowhere.
        self.unread = []
        # Why the last seat was vacated.
        self.last_reason = None
        self.opening = self.opened(0)

    def walk(self):
        index = 0
        while self.result is None:
            self.draws.begin(index)
            self.let_nature_act(index)
            demand("the last turn does not end the game", bool(self.moves))
            Turn(self, index).resolve()
            index += 1
        last = self.replay["moves"][-1]
        demand(f"turn {last['turn_index']}: the game was over before it", not self.moves)
        demand("an act of nature after the end", not self.acts)
        same("actions that were sealed at the end", len(self.unresolved), 0)
        same("result", self.replay["result"], self.result)
        same("what was hidden", self.replay["hidden"], self.rules.hidden())
        ended = {"body_sha256": last["body_sha256"], "result": self.result, "seed": self.replay["seed"]}
        self.tell("game_ended", last, **ended)

    def let_nature_act(self, index):
        """The acts before a turn. Where one is missing only the operator can have ended the game."""
        self.left_early = {}
        while self.rules.waits() and self.acts and self.acts[0]["turn_index"] == index:
            act, what = self.acts.pop(0), f"act of nature before turn {index}"
            demand(f"{what}: it was not told", bool(self.before_acts))
            for entry in self.before_acts.pop(0):
                self.vacate_early(what, entry)
            outcome, public = self.rules.act(self.draws.below)
            same(f"{what}: draws", act["draws"], self.draws.taken())
            same(f"{what}: outcome", act["outcome"], outcome)
            at = milliseconds(act["at"])
            self.clocks.nature_acts(what, at)
            state = self.state_hash(index)
            shown = {"turn_index": index, "outcome": public, "state_hash": state, "clocks_ms": self.clocks.left}
            # The hall acts by itself, so the event is of that very time.
            self.told.append(("chance", {**shown, **self.opened(index)}, at, at))

    def vacate_early(self, what, entry):
        """The operator vacates a seat while nature waits for the beacon."""
        data, player = entry["event"]["data"], entry["event"]["data"]["player"]
        same(f"{what}: told before it", (entry["event"]["type"], data.get("reason")), ("seat_vacated", "adjudicated"))
        demand(f"{what}: {player} cannot be spared", self.table.can_spare(player))
        self.table.vacant.append(player)
        self.last_reason, self.left_early[player] = "adjudicated", entry["created_at"]
        self.told.append(("seat_vacated", data, self.clocks.last_at, None))

    def state_hash(self, index):
        """Of the state in which a turn begins."""
        return sha256(f"svc.state.v1:{self.id}:{index}:{self.rules.state_string()}")

    def opened(self, index):
        """What the event before a turn says of it: nobody is to move where nature is or the game is over."""
        if self.result or self.rules.waits():
            return {"to_move": [], "deadline_utc": None}
        movers = self.rules.movers()
        vacant = list(map(self.table.is_vacant, movers))
        return {"to_move": movers, "deadline_utc": None if all(vacant) else Opens(index, any(vacant))}

    def is_told(self, kind, turn):
        """Whether an event of this kind is told of a turn."""
        told = (entry["event"] for entry in self.replay["events"])
        return any(event["type"] == kind and event["data"]["turn_index"] == turn["turn_index"] for event in told)

    def offered_to(self, player):
        return self.offer not in (None, player)

    def tell(self, kind, turn, earliest=None, **more):
        """Notes an event that must follow, and its earliest time."""
        data = {"turn_index": turn["turn_index"], "player": turn["player"], **more}
        self.told.append((kind, data, milliseconds(earliest or turn["at"]), None))


def clocks_of(entries, rules):
    extensions, formed = collections.defaultdict(list), milliseconds(entries[0]["created_at"])
    for entry in entries:
        data = entry["event"]["data"]
        if entry["event"]["type"] == "deadline_extended":
            times = milliseconds(entry["created_at"]), milliseconds(data["deadline_utc"])
            extensions[data["turn_index"]].append(Extension(entry["seq"], *times))
    return Clocks(entries[0]["event"]["data"], formed, dict(extensions), rules.players, rules.simultaneous)
