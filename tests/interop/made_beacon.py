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

    Where moves were forced the round was missed, because that leaves them as they were drawn; else it still waits.
    """
    replay = copy.deepcopy(replay)
    events, first = replay["events"], replay["events"][0]
    number = CHAIN.first_round_after(milliseconds(first["created_at"]))
    drawn = [turn["turn_index"] for turn in replay["moves"] if turn["draws"]]
    beacon = settled(number, "missed" if drawn else "waiting")
    replay["beacon"] = {"chain_hash": CHAIN.chain_hash, **beacon}
    first["event"]["data"]["beacon"] = {"chain_hash": CHAIN.chain_hash, "round": number, "status": "waiting"}
    if drawn:
        strike = next(place for place, entry in enumerate(events) if entry["event"]["type"] == "strike")
        missed = {"event": {"type": "beacon", "data": beacon}, "created_at": events[strike]["created_at"]}
        events.insert(strike, missed)
    for place, entry in enumerate(events, 1):
        entry["seq"] = place
    return replay
