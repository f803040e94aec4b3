"""Random draws, recomputed from the seed and the beacon's randomness (decisions 6.2 and 13.3)."""

import hashlib

from .claims import demand


def drawn(game_id, turn_index, below, seed, randomness, counter=0):
    """Every hash up to the first that is not rejected, in the replay's form; the last one's value is the draw."""
    taken, bound = [], (1 << 64) // below * below
    while not taken or taken[-1]["value"] is None:
        message = f"svc.random.v1:{game_id}:{turn_index}:{counter}:{seed}:{randomness or ''}"
        x = int.from_bytes(hashlib.sha256(message.encode()).digest()[:8], "big")
        value = x % below if x < bound else None
        taken.append({"counter": counter, "n": below, "x": f"{x:016x}", "value": value})
        counter += 1
    return taken


class Draws:
    """The draws of one game. Within a turn the counter runs on over all that is drawn, in order of time."""

    def __init__(self, replay):
        self.game_id, self.seed, self.beacon = replay["game_id"], replay["seed"], replay["beacon"]
        self.turn, self.counter, self.listed = 0, 0, []
        # The turns in which something was drawn.
        self.turns = set()

    def begin(self, turn_index):
        self.turn, self.counter, self.listed = turn_index, 0, []

    def below(self, n):
        demand(f"turn {self.turn}: a draw while the beacon waits", self.beacon["status"] != "waiting")
        taken = drawn(self.game_id, self.turn, n, self.seed, self.beacon["randomness"], self.counter)
        self.counter += len(taken)
        self.listed += taken
        self.turns.add(self.turn)
        return taken[-1]["value"]

    def taken(self):
        """What was drawn since this was last asked, in the replay's form."""
        taken, self.listed = self.listed, []
        return taken
