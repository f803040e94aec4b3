"""Random draws, recomputed from the seed and the beacon's randomness (decision 6.2)."""

import hashlib


def drawn(game_id, turn_index, below, seed, randomness):
    """Every hash up to the first that is not rejected, in the replay's form; the last one's value is the draw."""
    taken, bound = [], (1 << 64) // below * below
    while not taken or taken[-1]["value"] is None:
        message = f"svc.random.v1:{game_id}:{turn_index}:{len(taken)}:{seed}:{randomness or ''}"
        x = int.from_bytes(hashlib.sha256(message.encode()).digest()[:8], "big")
        value = x % below if x < bound else None
        taken.append({"counter": len(taken), "n": below, "x": f"{x:016x}", "value": value})
    return taken
