"""Keys, ids and Ed25519 signatures; strict, because lenient verifiers disagree about odd keys (decision 2.4)."""

import functools
import hashlib

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from .claims import Difference, demand, same

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
FIELD = (1 << 255) - 19
GROUP_ORDER = (1 << 252) + 27742317777372353535851937790883648493
# The y of the points whose order divides the cofactor 8; their two encodings differ in the sign bit alone.
ORDER_8_Y = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER_Y = {0, 1, FIELD - 1, ORDER_8_Y, FIELD - ORDER_8_Y}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def agent_id_of(pubkey_hex):
    """Decision 3: the first 16 bytes of a hash, as ULIDs are written."""
    number = int(sha256(f"svc.agent.v1:{pubkey_hex}")[:32], 16)
    return "a_" + "".join(CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def check_seats(seats):
    same("players in seat order", [seat["player"] for seat in seats], [f"p{place}" for place in range(len(seats))])
    for name in ("agent_id", "handle", "pubkey_ed25519", "homologation_id"):
        demand(f"two seats share their {name}", len({seat[name] for seat in seats}) == len(seats))
    for seat in seats:
        check_point(f"key of {seat['player']}", bytes.fromhex(seat["pubkey_ed25519"]))
        same(f"agent id of {seat['player']}", seat["agent_id"], agent_id_of(seat["pubkey_ed25519"]))


def check_point(what, encoded):
    """Canonical and not of small order. That it lies on the curve is found out by verifying."""
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    demand(f"{what}: not encoded canonically", y < FIELD)
    demand(f"{what}: of small order", y not in SMALL_ORDER_Y)


@functools.lru_cache(maxsize=None)
def is_signature(key, message, signature):
    """Whether the bytes are a strict signature; remembered, because tampering asks for the same ones again."""
    try:
        check_point("key", key)
        check_point("R", signature[:32])
        demand("S is not canonical", int.from_bytes(signature[32:], "little") < GROUP_ORDER)
        VerifyKey(key).verify(message, signature)
    except (BadSignatureError, Difference, ValueError):
        return False
    return True


def check_signed(what, seat, message, signature_hex):
    key = bytes.fromhex(seat["pubkey_ed25519"])
    if not is_signature(key, message.encode(), bytes.fromhex(signature_hex)):
        raise Difference(f"{what}: not a strict signature of {seat['handle']}")
