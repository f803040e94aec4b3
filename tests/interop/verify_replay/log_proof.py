"""The log: this game's leaves, rebuilt, lie in the tree whose root the checkpoint signs (decisions 6.4, 8.1, 8.2).

RFC 6962 trees, C2SP signed notes and checkpoints.
"""

import base64
import hashlib
import re

from . import shape, strict_json
from .claims import Difference, demand, same
from .identity import is_signature, sha256

ED25519 = b"\x01"
SIGNATURE_LINE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")


def decoded(text):
    """Base64 in the only spelling that its bytes have; raises `ValueError`."""
    raw = base64.b64decode(text, validate=True)
    if base64.b64encode(raw).decode() != text:
        raise ValueError("base64 with stray bits")
    return raw


class NoteKey:
    """A C2SP verifier key `NAME+ID+BASE64` for Ed25519; raises `ValueError`."""

    def __init__(self, vkey):
        match = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", vkey)
        raw = decoded(match[3]) if match else b""
        if len(raw) != 33 or raw[:1] != ED25519:
            raise ValueError("a log key is written NAME+ID+BASE64 and is an Ed25519 key")
        self.name, self.key = match[1], raw[1:]
        self.id = hashlib.sha256(self.name.encode() + b"\n" + raw).digest()[:4]
        if self.id.hex() != match[2]:
            raise ValueError("the id of the log key does not belong to it")


class Checkpoint:
    """A tlog-checkpoint in its note: origin, size and root are read, the signature is another question."""

    def __init__(self, note):
        self.text, blank, lines = note.rpartition("\n\n")
        self.text += "\n"
        head = self.text.split("\n")
        demand("checkpoint: no signed note", bool(blank) and lines.endswith("\n") and len(head) >= 4)
        demand("checkpoint: an empty line in its text", all(head[:-1]))
        self.origin = head[0]
        demand("checkpoint: size", re.fullmatch("[1-9][0-9]{0,15}", head[1]) is not None)
        self.size = int(head[1])
        self.signatures = [SIGNATURE_LINE.fullmatch(line) for line in lines[:-1].split("\n")]
        demand("checkpoint: a line that is no signature", all(self.signatures))
        try:
            self.root = decoded(head[2])
            self.signatures = [(match[1], decoded(match[2])) for match in self.signatures]
        except ValueError as error:
            raise Difference(f"checkpoint: {error}") from error
        same("checkpoint: length of the root", len(self.root), 32)

    def check_signed(self, keys):
        """One of the log's keys must have signed, and no other key may sign in the name of one."""
        named = [key for key in keys if key.name == self.origin]
        demand(f"checkpoint: origin is {self.origin}", bool(named))
        signed = 0
        for key in named:
            ours = [raw[4:] for name, raw in self.signatures if name == key.name and raw[:4] == key.id]
            demand("checkpoint: signed twice by a log key", len(ours) <= 1)
            for signature in ours:
                demand("checkpoint: length of the signature", len(signature) == 64)
                demand("checkpoint: signature", is_signature(key.key, self.text.encode(), signature))
                signed += 1
        other = "not signed by the log key; if it was replaced since, give the one of that time, too"
        demand(f"checkpoint: {other}", signed > 0)


def leaf_hash(leaf):
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaf, index, size, path):
    """The root that an inclusion path leads to, None if its length does not match index and size."""
    node, last = leaf_hash(leaf), size - 1
    for step in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            node = node_hash(step, node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, step)
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


def event_leaf(game_id, entry):
    """The canonical leaf of an event; it contains the hashes of words, so that they can be withheld later."""
    event = entry["event"]
    if "commentary" in event["data"]:
        data = dict(event["data"])
        said, left = data.pop("commentary"), data.pop("commentary_sha256", None)
        data["commentary_sha256"] = left if said is None else sha256(said)
        event = {"type": event["type"], "data": data}
    leaf = {"kind": "event", "game_id": game_id, "seq": entry["seq"], "created_at": entry["created_at"], "event": event}
    return strict_json.canonical(leaf)


def check_log(replay, keys, claims):
    log = replay["log"]
    if log is None:
        claims.not_checked("that the game stands in the hall's log", "the replay names no checkpoint yet")
        return
    checkpoint = Checkpoint(log["note"])
    if not keys:
        claims.not_checked("the signature of the checkpoint", "name the log's key with --log-key")
    else:
        checkpoint.check_signed(keys)
        claims.holds("the checkpoint is signed by the log key")
    events = replay["events"]
    same("log: events with a leaf", [leaf["seq"] for leaf in log["leaves"]], [entry["seq"] for entry in events])
    indices = [leaf["leaf_index"] for leaf in log["leaves"]]
    demand("log: events out of order", all(one < other for one, other in zip(indices, indices[1:])))
    for entry, proof in zip(events, log["leaves"]):
        check_inclusion(f"leaf of event {entry['seq']}", event_leaf(replay["game_id"], entry), proof, checkpoint)
    claims.holds("every event lies in the log under the checkpoint")
    check_registrations(replay, checkpoint)
    claims.holds("the registrations of all seats lie in the log before the game")


def check_inclusion(what, leaf, proof, checkpoint):
    demand(f"{what}: beyond the checkpoint", proof["leaf_index"] < checkpoint.size)
    path = [bytes.fromhex(step) for step in proof["path"]]
    same(f"{what}: root", root_of(leaf, proof["leaf_index"], checkpoint.size, path), checkpoint.root)


def check_registrations(replay, checkpoint):
    """Each seat's key belonged to its agent before the game, and no two seats have one operator."""
    registrations, first = replay["log"]["registrations"], replay["log"]["leaves"][0]["leaf_index"]
    seats, operators = replay["seats"], set()
    same("registrations", [found["player"] for found in registrations], [seat["player"] for seat in seats])
    for found, seat in zip(registrations, seats):
        what = f"registration of {seat['player']}"
        try:
            leaf = strict_json.read(found["leaf"])
        except ValueError as error:
            raise Difference(f"{what}: no JSON: {error}") from error
        shape.REGISTRATION(leaf, what)
        same(f"{what}: canonical text", found["leaf"], strict_json.canonical(leaf).decode())
        for name in ("handle", "agent_id", "pubkey_ed25519"):
            same(f"{what}: {name}", leaf[name], seat[name])
        earlier = shape.milliseconds(leaf["created_at"]) <= shape.milliseconds(replay["events"][0]["created_at"])
        demand(f"{what}: after the game began", earlier and found["leaf_index"] < first)
        check_inclusion(what, found["leaf"].encode(), found, checkpoint)
        operators.add(leaf["operator_id"])
    same("operators of the seats", len(operators), len(seats))
