"""The random draws of games."""

from primitives import GAME, LARGEST_INTEGER, OTHER_GAME, sha256


def draw_x(game_id, turn_index, counter, seed, randomness):
    return int.from_bytes(sha256(f"svc.random.v1:{game_id}:{turn_index}:{counter}:{seed}:{randomness}")[:8], "big")


def draws_of_turn(game_id, turn_index, seed, randomness, bounds):
    drawn, counter = [], 0
    for bound in bounds:
        while True:
            x = draw_x(game_id, turn_index, counter, seed, randomness)
            value = x % bound if x < 2**64 // bound * bound else None
            drawn.append(
                {"counter": counter, "n": str(bound), "x": f"{x:016x}", "value": None if value is None else str(value)}
            )
            counter += 1
            if value is not None:
                break
    return {
        "game_id": game_id,
        "turn_index": turn_index,
        "seed": seed,
        "commitment": sha256(f"svc.seed.v1:{game_id}:{seed}").hex(),
        "randomness": randomness,
        "bounds": [str(bound) for bound in bounds],
        "draws": drawn,
    }


def draws():
    one = (1).to_bytes(32, "big").hex()
    randomness = sha256("the randomness of a round").hex()
    return [
        draws_of_turn(GAME, 0, one, "", [20]),
        draws_of_turn(GAME, 3, one, "", [1, 2, 6, 52, 20]),
        draws_of_turn(OTHER_GAME, 41, sha256("another seed").hex(), randomness, [20, 20, 3]),
        # Half of all hashes are rejected at this bound.
        draws_of_turn(GAME, 9, one, randomness, [2**63 + 1] * 4),
        draws_of_turn(GAME, 10, one, "", [LARGEST_INTEGER, 2**64 - 1]),
    ]
