"""A drand chain for tests, whose secret is known, and replays that are bound to one of its rounds."""

import copy
import functools
import hashlib

from py_ecc.bls.g2_primitives import G2_to_signature
from py_ecc.bls.hash_to_curve import hash_to_G1
from py_ecc.bls.point_compression import compress_G1
from py_ecc.optimized_bls12_381 import G2, multiply

from verify_replay.beacon import SUITE, Chain
from verify_replay.shape import milliseconds

SECRET = int.from_bytes(hashlib.sha256(b"the secret of the chain of tests").digest()[:31], "big")
# py_ecc calls points in G2 signatures; here they are keys.
PUBLIC_KEY = G2_to_signature(multiply(G2, SECRET)).hex()
CHAIN = Chain(hashlib.sha256(b"chain of tests").hexdigest(), PUBLIC_KEY, 1_700_000_000, 3)
OPTION = ":".join(map(str, CHAIN))


@functools.lru_cache(maxsize=None)
def signature_of(number):
    """The chain's signature of a round, in hex."""
    message = hash_to_G1(hashlib.sha256(number.to_bytes(8, "big")).digest(), SUITE, hashlib.sha256)
    return f"{compress_G1(multiply(message, SECRET)):096x}"


def settled(number, status):
    """The beacon part of a replay once its round is settled."""
    signature = signature_of(number) if status == "verified" else None
    randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest() if signature else None
    return {"round": number, "status": status, "randomness": randomness, "signature": signature}


def with_beacon(replay):
    """The replay of a game without beacon as one with it.

    Where something was drawn the round was missed, because that leaves it as it was drawn; else it still waits.
    """
    replay = copy.deepcopy(replay)
    events, first = replay["events"], replay["events"][0]
    number = CHAIN.first_round_after(milliseconds(first["created_at"]))
    drawn = first_draw(replay)
    beacon = settled(number, "waiting" if drawn is None else "missed")
    replay["beacon"] = {"chain_hash": CHAIN.chain_hash, **beacon}
    first["event"]["data"]["beacon"] = {"chain_hash": CHAIN.chain_hash, "round": number, "status": "waiting"}
    if drawn is not None:
        missed = {"event": {"type": "beacon", "data": beacon}, "created_at": events[drawn]["created_at"]}
        events.insert(drawn, missed)
    for place, entry in enumerate(events, 1):
        entry["seq"] = place
    return replay


def first_draw(replay):
    """The place of the first event for which something was drawn; None if nothing was."""
    acts = iter(replay.get("chance", []))
    drawn = {(turn["turn_index"], turn["player"]) for turn in replay["moves"] if turn["draws"]}
    sealed = {(replay["moves"][-1]["turn_index"], action["player"]) for action in replay.get("unresolved", [])}
    for place, entry in enumerate(replay["events"]):
        kind, data = entry["event"]["type"], entry["event"]["data"]
        if kind == "chance" and next(acts)["draws"]:
            return place
        if kind in ("strike", "move", "move_sealed") and (data["turn_index"], data["player"]) in drawn | sealed:
            return place
    return None
