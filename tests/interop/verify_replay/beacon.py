"""Public randomness: which drand round belongs to a game, and whether a signature is that round's (decision 6.1).

BLS on BLS12-381 with signatures in G1 and keys in G2, as drand's scheme `bls-unchained-g1-rfc9380` has it. The
primitives are those of py_ecc, which is plain Python: half a second a round.
"""

import functools
import hashlib
import re
from typing import NamedTuple

from .claims import Difference, demand, same
from .shape import milliseconds

SUITE = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
# The round is chosen so that nobody can know it when the game is formed.
AHEAD_MS = 3000


class Chain(NamedTuple):
    """A drand chain; genesis in seconds since 1970, period in seconds, the rest lowercase hex."""

    chain_hash: str
    public_key: str
    genesis: int
    period: int

    def first_round_after(self, formed_ms):
        """The number of the first round due at least three seconds after the game was formed."""
        ahead = formed_ms + AHEAD_MS - self.genesis * 1000
        return max(0, -(-ahead // (self.period * 1000))) + 1


QUICKNET = Chain(
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    1692803367,
    3,
)


def chain_from(option):
    """`HASH:KEY:GENESIS:PERIOD`; raises `ValueError`."""
    if not re.fullmatch("[0-9a-f]{64}:[0-9a-f]{192}:[0-9]{1,12}:[1-9][0-9]{0,5}", option):
        raise ValueError("a chain is written HASH:KEY:GENESIS:PERIOD, in lowercase hex and seconds")
    chain_hash, key, genesis, period = option.split(":")
    return Chain(chain_hash, key, int(genesis), int(period))


@functools.lru_cache(maxsize=None)
def is_round(public_key, number, signature):
    """Whether the signature, 48 bytes in hex, is the one that the chain of that key gives this round."""
    # Imported late: most replays need none of it, and it takes half a second to load.
    from py_ecc.bls.g2_primitives import signature_to_G2, subgroup_check
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.bls.point_compression import decompress_G1
    from py_ecc.optimized_bls12_381 import FQ12, G2, final_exponentiate, is_inf, neg, pairing

    try:
        # py_ecc calls points in G2 signatures, after the other scheme; here they are keys.
        key, point = signature_to_G2(bytes.fromhex(public_key)), decompress_G1(int(signature, 16))
    except ValueError:
        return False
    if is_inf(key) or is_inf(point) or not (subgroup_check(key) and subgroup_check(point)):
        return False
    message = hash_to_G1(hashlib.sha256(number.to_bytes(8, "big")).digest(), SUITE, hashlib.sha256)
    ours, theirs = pairing(G2, point, False), pairing(key, neg(message), False)
    return final_exponentiate(ours * theirs) == FQ12.one()


def check_beacon(replay, draws, chains, claims):
    """`draws` counts the turns in which something was drawn. Without a verified round the hall knew what it drew."""
    beacon = replay["beacon"]
    status, known = beacon["status"], {chain.chain_hash: chain for chain in chains}
    revealed = (beacon["randomness"], beacon["signature"])
    if status != "verified":
        same(f"beacon {status}: randomness and signature", revealed, (None, None))
    if status == "off":
        same("beacon off: chain and round", (beacon["chain_hash"], beacon["round"]), (None, None))
    else:
        demand(f"beacon {status}: chain or round is missing", None not in (beacon["chain_hash"], beacon["round"]))
        chain = known.get(beacon["chain_hash"])
        check_round(replay, chain, claims)
    if status == "verified":
        check_revealed(beacon, chain, claims)
        if chain is None:
            claims.not_checked("the beacon's signature", "unknown chain; name it with --chain")
        return
    why = {
        "off": "the hall ran without a beacon",
        "missed": "the hall says that the round did not reach it in time",
        "waiting": "the game ended before its round was known",
    }[status]
    drawn = "no random number was drawn in this game"
    if draws:
        drawn = f"the random numbers of {draws} turns come from the hall's seed alone, which the hall knew before"
    claims.not_checked("that nobody could know the game's random numbers", f"{why}; {drawn}")


def check_round(replay, chain, claims):
    if chain is None:
        claims.not_checked("the number of the beacon's round", "unknown chain; name it with --chain")
        return
    formed = milliseconds(replay["events"][0]["created_at"])
    same("number of the beacon's round", replay["beacon"]["round"], chain.first_round_after(formed))
    claims.holds("the beacon's round is the first due 3 s after the game was formed, as the hall dates it")


def check_revealed(beacon, chain, claims):
    demand("beacon: verified, but nothing was revealed", None not in (beacon["randomness"], beacon["signature"]))
    digest = hashlib.sha256(bytes.fromhex(beacon["signature"])).hexdigest()
    same("beacon: randomness", beacon["randomness"], digest)
    if chain is not None and not is_round(chain.public_key, beacon["round"], beacon["signature"]):
        raise Difference(f"beacon: not the chain's signature of round {beacon['round']}")
    if chain is not None:
        claims.holds("the chain signed the beacon's round")
