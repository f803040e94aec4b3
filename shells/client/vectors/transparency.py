"""The log: leaves, trees, proofs, checkpoints, and the document of official addresses."""

from primitives import LOG_SEED, OLD_RING_SEED, RING_SEED, b64, canonical, public, sha256, sign
from rings import ring_key


def leaf_hash(leaf):
    return sha256(b"\x00" + leaf.encode())


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


def split(count):
    return 1 << ((count - 1).bit_length() - 1)


def tree_root(hashes):
    if len(hashes) == 1:
        return hashes[0]
    half = split(len(hashes))
    return node_hash(tree_root(hashes[:half]), tree_root(hashes[half:]))


def inclusion(hashes, index):
    if len(hashes) == 1:
        return []
    half = split(len(hashes))
    if index < half:
        return [*inclusion(hashes[:half], index), tree_root(hashes[half:])]
    return [*inclusion(hashes[half:], index - half), tree_root(hashes[:half])]


def consistency(hashes, size, whole=True):
    if size == len(hashes):
        return [] if whole else [tree_root(hashes)]
    half = split(len(hashes))
    if size <= half:
        return [*consistency(hashes[:half], size, whole), tree_root(hashes[half:])]
    return [*consistency(hashes[half:], size - half, False), tree_root(hashes[:half])]


def note_key_id(name, seed):
    return sha256(name.encode() + b"\n\x01" + public(seed))[:4]


def verifier_key(name, seed):
    return f"{name}+{note_key_id(name, seed).hex()}+{b64(bytes([1]) + public(seed))}"


def signature_line(name, seed, text):
    return f"\u2014 {name} {b64(note_key_id(name, seed) + sign(seed, text))}\n"


def checkpoint_text(origin, size, root):
    return f"{origin}\n{size}\n{b64(root)}\n"


def signed_note(origin, text):
    return f"{text}\n{signature_line(origin, LOG_SEED, text)}"


def log_vectors():
    origin = "hall.example"
    leaves = [
        canonical({"kind": "docket", "entry": {"id": number, "subject": f"leaf {number} é"}}) for number in range(1, 8)
    ]
    hashes = [leaf_hash(leaf) for leaf in leaves]
    size, root = len(leaves), tree_root(hashes)
    text = checkpoint_text(origin, size, root)
    signed = signature_line(origin, LOG_SEED, text)
    foreign = "\u2014 witness.example AAAAAAECAwQ=\n"
    other_text = checkpoint_text(origin, size + 1, root)
    other_origin = checkpoint_text("other.example", size, root)
    other_name = signature_line("other.example", LOG_SEED, other_origin)
    wrong = f"\u2014 {origin} {b64(note_key_id(origin, LOG_SEED) + bytes(64))}\n"
    paths = [
        {"leaf": leaves[index], "index": index, "size": size, "path": [node.hex() for node in inclusion(hashes, index)]}
        for index in range(size)
    ]
    whole = [node.hex() for node in inclusion(hashes, 2)]
    bad_paths = [
        {"leaf": leaves[2], "index": 3, "size": size, "path": whole},
        {"leaf": leaves[2], "index": 2, "size": size, "path": whole[:-1]},
        {"leaf": leaves[2], "index": 2, "size": size, "path": [*whole, whole[0]]},
        {"leaf": leaves[2], "index": 2, "size": size, "path": whole[::-1]},
        {"leaf": leaves[3], "index": 2, "size": size, "path": whole},
        {"leaf": leaves[2], "index": size, "size": size, "path": whole},
    ]
    steps = [
        {
            "from": start,
            "to": end,
            "from_root": tree_root(hashes[:start]).hex(),
            "to_root": tree_root(hashes[:end]).hex(),
            "path": [node.hex() for node in consistency(hashes[:end], start)],
        }
        for start, end in [(1, 1), (1, 7), (2, 5), (3, 7), (4, 7), (6, 7), (7, 7)]
    ]
    step = steps[3]
    return {
        "origin": origin,
        "seed": LOG_SEED,
        "verifier_key": verifier_key(origin, LOG_SEED),
        "size": size,
        "root": root.hex(),
        "leaves": leaves,
        "notes": [
            {"name": "signed by the log", "note": f"{text}\n{signed}"},
            {"name": "with lines of others", "note": f"{text}\n{foreign}{signed}{foreign}"},
        ],
        "bad_notes": [
            {"name": "not signed", "note": f"{text}\n"},
            {"name": "signed by somebody else only", "note": f"{text}\n{foreign}"},
            {
                "name": "signed by another key of the same name",
                "note": f"{text}\n{signature_line(origin, RING_SEED, text)}",
            },
            {"name": "another size", "note": f"{other_text}\n{signed}"},
            {"name": "a wrong signature of the right key", "note": f"{text}\n{wrong}"},
            {"name": "a wrong signature beside the right one", "note": f"{text}\n{signed}{wrong}"},
            {"name": "another log", "note": f"{other_origin}\n{other_name}"},
            {
                "name": "another log in a note signed by this one",
                "note": f"{other_origin}\n{signature_line(origin, LOG_SEED, other_origin)}",
            },
            {"name": "no empty line", "note": text + signed},
            {"name": "cut off", "note": f"{text}\n{signed[:-2]}"},
            {"name": "no number", "note": signed_note(origin, f"{origin}\n07\n{b64(root)}\n")},
            {"name": "no root", "note": signed_note(origin, f"{origin}\n7\nAAAA\n")},
        ],
        "bad_verifier_keys": [
            verifier_key(origin, LOG_SEED).replace("hall.", "hell."),
            verifier_key(origin, LOG_SEED)[:-4],
            origin,
            "",
        ],
        "inclusion": paths,
        "bad_inclusion": bad_paths,
        "consistency": steps,
        "bad_consistency": [
            {**step, "path": step["path"][1:]},
            {**step, "from_root": step["to_root"]},
            {**step, "from": 2},
            {**step, "from": 7, "to": 3},
        ],
    }


def official():
    """The hall's addresses and keys, signed with its log key (decision 3)."""
    document = {
        "base_url": "https://hall.example",
        "log": {"origin": "hall.example", "public_key": verifier_key("hall.example", LOG_SEED)},
        "ring_key": ring_key(RING_SEED),
        "beacon": {"chain_hash": None, "public_key": None, "genesis": None, "period": None},
        "software": "hall/0.1.0",
        "statement": "This is the only address of this hall: é.",
    }
    message = f"svc.official.v1:{sha256(canonical(document)).hex()}"
    signed = {**document, "signature": sign(LOG_SEED, message).hex()}
    return {
        "verifier_key": document["log"]["public_key"],
        "message": message,
        "document": signed,
        "changed": [
            {**signed, "base_url": "https://hell.example"},
            {**signed, "ring_key": ring_key(OLD_RING_SEED)},
            {**signed, "signature": "00" * 64},
            document,
        ],
    }
