"""A log for tests: a tree over a game's leaves among others, and a checkpoint signed with a test key (RFC 6962)."""

import base64
import copy
import hashlib

from nacl.signing import SigningKey

from verify_replay import strict_json
from verify_replay.log_proof import event_leaf, leaf_hash, node_hash

ORIGIN = "hall.example/log"
KEY = SigningKey(hashlib.sha256(b"the log key of tests").digest())


def encoded(raw):
    return base64.b64encode(raw).decode()


def verifier_key(key=KEY, name=ORIGIN):
    """The key in C2SP's form NAME+ID+BASE64."""
    raw = b"\x01" + key.verify_key.encode()
    return f"{name}+{key_id(key, name).hex()}+{encoded(raw)}"


def key_id(key, name):
    return hashlib.sha256(name.encode() + b"\n\x01" + key.verify_key.encode()).digest()[:4]


def root(leaves):
    """RFC 6962, as its recursion is written."""
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    middle = split(len(leaves))
    return node_hash(root(leaves[:middle]), root(leaves[middle:]))


def path(leaves, index):
    """Leaf to root."""
    if len(leaves) == 1:
        return []
    middle = split(len(leaves))
    if index < middle:
        return path(leaves[:middle], index) + [root(leaves[middle:])]
    return path(leaves[middle:], index - middle) + [root(leaves[:middle])]


def split(size):
    """The largest power of two below the size."""
    return 1 << (size - 1).bit_length() - 1


def signed_note(size, root_hash, key=KEY, name=ORIGIN):
    text = f"{name}\n{size}\n{encoded(root_hash)}\n"
    signature = encoded(key_id(key, name) + key.sign(text.encode()).signature)
    return f"{text}\n— {name} {signature}\n"


def registration_of(seat, created_at):
    operator = "o_0" + hashlib.sha256(seat["handle"].encode()).hexdigest()[:25]
    leaf = {
        "kind": "registration",
        "created_at": created_at,
        "handle": seat["handle"],
        "agent_id": seat["agent_id"],
        "pubkey_ed25519": seat["pubkey_ed25519"],
        "operator_id": operator,
    }
    return strict_json.canonical(leaf)


def with_log(replay, others=3):
    """The replay with a log in which `others` foreign leaves stand before, between and behind the game's own."""
    replay = copy.deepcopy(replay)
    began = replay["events"][0]["created_at"]

    def foreign(place):
        return [strict_json.canonical({"kind": "foreign", "place": [place, number]}) for number in range(others)]

    leaves, registrations, own = foreign("before"), [], []
    for seat in replay["seats"]:
        registrations.append((seat["player"], len(leaves), registration_of(seat, began)))
        leaves.append(registrations[-1][2])
    for entry in replay["events"]:
        leaves += foreign("between")[: entry["seq"] % (others + 1)]
        own.append((entry["seq"], len(leaves)))
        leaves.append(event_leaf(replay["game_id"], entry))
    leaves += foreign("behind")
    replay["log"] = {
        "note": signed_note(len(leaves), root(leaves)),
        "leaves": [{"seq": seq, "leaf_index": index, "path": hexed(path(leaves, index))} for seq, index in own],
        "registrations": [
            {"player": player, "leaf": leaf.decode(), "leaf_index": index, "path": hexed(path(leaves, index))}
            for player, index, leaf in registrations
        ],
    }
    return replay


def hexed(steps):
    return [step.hex() for step in steps]
