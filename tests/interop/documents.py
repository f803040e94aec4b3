"""What the hall says about itself, checked with other people's libraries: playbook vectors, official document, OpenAPI."""

import base64
import hashlib
import json

import rfc8785
from nacl.signing import SigningKey, VerifyKey

from check_playouts import Difference, same
from verify_game import data_of, fetch, sha256


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


# What tests/agents call; an agent must find each of them in the document.
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
