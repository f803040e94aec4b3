"""Doorbells: rings as halls send them, and the answer to a verification."""

from primitives import (
    AGENT_SEED,
    CHALLENGE,
    HANDLE,
    OLD_RING_SEED,
    OTHER_GAME,
    RING_SEED,
    b64,
    canonical,
    identifier,
    public,
    sha256,
    sign,
)

DOORBELL_URL = "https://agent.example/ring?to=ada&x=%7B"


def ring_key(seed):
    return f"whpk_{b64(public(seed))}"


def ring_signature(seed, event_id, timestamp, body):
    return f"v1a,{b64(sign(seed, f'{event_id}.{timestamp}.{body}'))}"


def rings():
    """Rings of a doorbell: Standard Webhooks with the asymmetric scheme v1a (decision 9.2)."""
    agent = identifier("a", sha256(f"svc.agent.v1:{public(AGENT_SEED).hex()}"))
    event_id = identifier("e", sha256(f"svc.ring.v1:{agent}:{OTHER_GAME}:12"))
    now, game, deadline = 1795213000, OTHER_GAME, "2026-11-20T21:50:00.000Z"
    payload = {"deadline_utc": deadline, "event_id": event_id, "game_id": game, "turn_index": 12}
    body = canonical(payload)
    good = ring_signature(RING_SEED, event_id, now, body)
    old = ring_signature(OLD_RING_SEED, event_id, now, body)
    symmetric = "v1," + b64(bytes(32))

    def ring(name, signature=good, *, at=0, text=body, identity=event_id, timestamp=str(now)):
        return {
            "name": name,
            "now": now + at,
            "headers": {"webhook-id": identity, "webhook-timestamp": timestamp, "webhook-signature": signature},
            "body": text,
        }

    def signed(name, text, identity=event_id):
        return ring(name, ring_signature(RING_SEED, identity, now, text), text=text, identity=identity)

    changed = body.replace('"turn_index":12', '"turn_index":13')
    return {
        "seed": RING_SEED,
        "key": ring_key(RING_SEED),
        "old_key": ring_key(OLD_RING_SEED),
        "tolerance_seconds": 300,
        "payload": payload,
        "signed": f"{event_id}.{now}.{body}",
        "good": [
            ring("as sent"),
            ring("at the edge of being old", at=300),
            ring("at the edge of being early", at=-300),
            ring("among signatures of other schemes and keys", f"{symmetric} {old} {good}"),
        ],
        "bad": [
            ring("too old", at=301),
            ring("too early", at=-301),
            ring("another body", text=changed),
            ring("another time", timestamp=str(now + 1)),
            ring("another id", identity=identifier("e", bytes(16))),
            ring("signed by another key", old),
            ring("the symmetric scheme only", symmetric),
            ring("no signature", ""),
            ring("no base64", "v1a,???"),
            ring("a signature without its scheme", good.removeprefix("v1a,")),
            ring("a time that is no number", ring_signature(RING_SEED, event_id, "soon", body), timestamp="soon"),
            signed("a payload of another event", body, identifier("e", bytes(16))),
            signed("a payload that is no object", "[]"),
            signed("a payload without a game", canonical({"event_id": event_id, "turn_index": 12})),
            signed("a payload with a name twice", body[:-1] + ',"turn_index":12}'),
        ],
        "bad_keys": ["whpk_", "whpk_AA==", "whsec_" + b64(public(RING_SEED)), public(RING_SEED).hex()],
    }


def doorbell():
    """What the endpoint answers when the hall verifies it (specification 5.11)."""
    message = f"svc.doorbell-endpoint.v1:{HANDLE}:{CHALLENGE}:{DOORBELL_URL}"
    return {
        "seed": AGENT_SEED,
        "handle": HANDLE,
        "challenge": CHALLENGE,
        "url": DOORBELL_URL,
        "message": message,
        "signature": sign(AGENT_SEED, message).hex(),
        "refused": [
            {"name": "another agent", "agent": "bob", "challenge": CHALLENGE},
            {"name": "a challenge in upper case", "agent": HANDLE, "challenge": CHALLENGE.upper()},
            {"name": "a short challenge", "agent": HANDLE, "challenge": CHALLENGE[:-2]},
            {"name": "no challenge", "agent": HANDLE, "challenge": ""},
        ],
    }
