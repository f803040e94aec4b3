"""The hall's documents, checked with third-party libraries: playbook, official document, OpenAPI."""

import base64
import hashlib
import json

import rfc8785
from nacl.signing import SigningKey, VerifyKey

from python_agent import canonical
from verify_game import data_of, fetch
from verify_replay.claims import same
from verify_replay.identity import sha256


def check_playbook(hall):
    """Other programs can reproduce every canonical text, hash, message, signature and draw of the playbook."""
    playbook = data_of(f"{hall.base}/api/playbook")
    same("version", playbook["version"], "svc.playbook.v1")
    for example in playbook["canonical_json"]["examples"]:
        check_canonical(example["value"], example["canonical"], example["sha256"])
    vectors = playbook["vectors"]
    key = SigningKey(bytes.fromhex(vectors["key"]["private_seed"]))
    same("public key", vectors["key"]["public_key"], key.verify_key.encode().hex())
    for name, method in (("headers_of_a_get", "GET"), ("headers_of_a_post", "POST")):
        vector = vectors[name]
        message = f"svc.auth.v1:{vector['handle']}:{vector['challenge']}:{method}:{vector['path']}"
        if method == "POST":
            same(f"{name}: hash", vector["body_sha256"], sha256(vector["body"]))
            message += ":" + sha256(vector["body"])
        check_signature(name, vector, key, message)
    moves = [name for name in vectors if name.startswith("body_")]
    same("moves among the vectors", len(moves) >= 3, True)
    for name in moves:
        vector = vectors[name]
        body = vector["body_without_signature"]
        check_canonical(body, vector["canonical"], vector["sha256"])
        # The shortcut for Python in the playbook.
        same(f"{name}: shortcut", canonical(body).decode(), vector["canonical"])
        message = f"svc.move.v1:{body['game_id']}:{body['turn_index']}:{vector['sha256']}"
        check_signature(name, vector, key, message)
    check_draw(vectors["fair_play"])


def check_canonical(value, text, digest):
    same("canonical text", text.encode(), rfc8785.dumps(value))
    same("its hash", digest, sha256(text))


def check_signature(name, vector, key, message):
    same(f"{name}: message", vector["message"], message)
    same(f"{name}: signature", vector["signature"], key.sign(message.encode()).signature.hex())


def check_draw(vector):
    same("commitment", vector["commitment"], sha256(f"svc.seed.v1:{vector['game_id']}:{vector['seed']}"))
    place = f"{vector['game_id']}:{vector['turn_index']}:{vector['counter']}"
    x = sha256(f"svc.random.v1:{place}:{vector['seed']}:{vector['randomness']}")[:16]
    same("x", vector["x"], x)
    same("draw below 20", vector["below_20"], int(x, 16) % 20)


def check_official(hall):
    """The document is signed, over its canonical JSON, by the key that it publishes as a note verifier key."""
    official = data_of(f"{hall.base}/api/official")["official"]
    signature = bytes.fromhex(official.pop("signature"))
    origin, key_id, encoded = official["log"]["public_key"].split("+", 2)
    key = base64.b64decode(encoded, validate=True)
    same("name of the log key", origin, official["log"]["origin"])
    same("kind of the log key", key[0], 1)
    same("id of the log key", key_id, hashlib.sha256(origin.encode() + b"\n" + key).hexdigest()[:8])
    message = "svc.official.v1:" + hashlib.sha256(rfc8785.dumps(official)).hexdigest()
    VerifyKey(key[1:]).verify(message.encode(), signature)
    same("base address", official["base_url"], hall.base)


# The operations that tests/agents call; each must be in the document.
ROUTES = {
    "/api/agents": "post",
    "/api/agents/{id}/homologate": "post",
    "/api/agents/{handle}": "get",
    "/api/auth/challenge": "get",
    "/api/lobby/join": "post",
    "/api/lobby/leave": "post",
    "/api/my/games": "get",
    "/api/games/{id}": "get",
    "/api/games/{id}/view": "get",
    "/api/games/{id}/moves": "post",
    "/api/games/{id}/replay": "get",
}


def check_openapi(hall):
    document = json.loads(fetch(f"{hall.base}/openapi.json"))
    same("OpenAPI version", document["openapi"].startswith("3.1"), True)
    same("version", document["info"]["version"], "1.0.0")
    for path, method in ROUTES.items():
        same(f"{method} {path} is described", method in document["paths"].get(path, {}), True)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if isinstance(operation, dict) and "responses" in operation:
                same(f"responses of {method} {path}", bool(operation["responses"]), True)
