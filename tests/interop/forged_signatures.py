"""Lies that players sign: bodies that the hall must not have taken as it did.

A genuine replay is given seats whose keys are known here, and all that was signed is signed again, so that anything can be
signed. Only without a log: the log holds the true keys.
"""

import copy
import hashlib
import json

import rfc8785
from nacl.signing import SigningKey

from forged_mechanisms import renumber
from forgeries import Forgery
from verify_replay.identity import agent_id_of, sha256

# What a body must not be: fields that replace or join the true ones, and why.
WRONG_BODIES = [
    ("a field that does not exist", {"comment": "hello"}),
    ("for another turn", {"turn_index": 999}),
    ("of another game", {"game_id": "g_" + "0" * 26}),
    ("resigns and speaks of a draw", {"resign": True, "draw_offer": True}),
    ("accepts a draw", {"draw_accept": True}),
    ("resigns", {"resign": True}),
    ("a move that does not exist", {"move": "no such move"}),
    ("a move beyond the list", {"move": {"index": 99999}}),
]


def keys_of(replay):
    """Made from the players' names."""
    return {seat["player"]: SigningKey(hashlib.sha256(seat["player"].encode()).digest()) for seat in replay["seats"]}


def with_known_keys(replay):
    """The replay with other seats, who have signed all that was signed; None where words are withheld."""
    replay = {**copy.deepcopy(replay), "log": None}
    if any(signed["body"] is None and signed["signature"] for _, signed in all_signed(replay)):
        return None
    for seats in (replay["seats"], replay["events"][0]["event"]["data"]["seats"]):
        for seat in seats:
            key = keys_of(replay)[seat["player"]].verify_key.encode().hex()
            seat.update(pubkey_ed25519=key, agent_id=agent_id_of(key))
    for player, signed in all_signed(replay):
        if signed["signature"]:
            sign(replay, player, signed)
    return replay


def all_signed(replay):
    """(player, entry) of each move, attempt and void action; attempts belong to the players of their events."""
    told = [entry["event"]["data"] for entry in replay["events"] if entry["event"]["type"] == "illegal_attempt"]
    for move in replay["moves"]:
        yield move["player"], move
        ends = move["notation"] is None
        own = [data["player"] for data in told if data["turn_index"] == move["turn_index"]]
        own = [player for player in own if ends or player == move["player"]]
        yield from zip(own, move["attempts"])
    for action in replay.get("unresolved", []):
        yield action["player"], action


def sign(replay, player, signed):
    """Signs a body by the key of the player, and the request of an attempt."""
    key, turn = keys_of(replay)[player], turn_of(replay, signed)
    message = f"svc.move.v1:{replay['game_id']}:{turn}:{sha256(signed['body'])}"
    signed["signature"] = key.sign(message.encode()).signature.hex()
    if "challenge" in signed:
        handle = next(seat["handle"] for seat in replay["seats"] if seat["player"] == player)
        path = f"/api/games/{replay['game_id']}/moves"
        request = f"svc.auth.v1:{handle}:{signed['challenge']}:POST:{path}:{signed['request_sha256']}"
        signed["auth_signature"] = key.sign(request.encode()).signature.hex()


def turn_of(replay, signed):
    for move in replay["moves"]:
        if signed is move or any(signed is attempt for attempt in move["attempts"]):
            return move["turn_index"]
    return replay["moves"][-1]["turn_index"]


def signed_lies(replay):
    """`replay` has known keys. The last of each kind of body is replaced, and signed."""
    kinds = {}
    for number, (_, signed) in enumerate(all_signed(replay)):
        if signed["signature"]:
            kinds[kind_of(signed)] = number
    for kind, number in kinds.items():
        _, true = list(all_signed(replay))[number]
        for words, text in texts(kind, json.loads(true["body"])):
            if text == true["body"]:
                continue
            forged = copy.deepcopy(replay)
            player, signed = list(all_signed(forged))[number]
            tell(forged, signed, text)
            sign(forged, player, signed)
            changes = [(replay, name, forged[name]) for name in ("events", "moves", "unresolved") if name in replay]
            free = free_to_say(replay, kind, words, player)
            yield Forgery(replay, (kind,), words, changes, free)
    yield from forgiven(replay)


def forgiven(replay):
    """A third illegal move that cost nothing, because the player then signed the move that was drawn."""
    for place, move in enumerate(replay["moves"]):
        if move["forced"] != "illegal_moves" or not move["notation"]:
            continue
        forged = copy.deepcopy(replay)
        turn, player = forged["moves"][place], move["player"]
        body = {"game_id": replay["game_id"], "turn_index": move["turn_index"], "move": move["notation"]}
        turn.update(forced=None, draws=[], body=rfc8785.dumps(body).decode())
        turn["body_sha256"] = sha256(turn["body"])
        sign(forged, player, turn)
        of_turn = {"turn_index": move["turn_index"], "player": player}
        strikes = [entry for entry in forged["events"] if of_turn.items() <= entry["event"]["data"].items()]
        forged["events"].remove(next(entry for entry in strikes if entry["event"]["type"] == "strike"))
        told = next(entry["event"]["data"] for entry in strikes if entry["event"]["type"] == "move")
        told.update(forced=None, body_sha256=turn["body_sha256"])
        renumber(forged)
        changes = [(replay, name, forged[name]) for name in ("events", "moves")]
        yield Forgery(replay, ("moves", place), "the third illegal move was forgiven", changes)
        return


def kind_of(signed):
    if "challenge" in signed:
        return "an illegal attempt"
    if json.loads(signed["body"]).get("resign"):
        return "a resignation"
    if "forced" not in signed:
        return "a void action"
    return "a move" if signed["notation"] else "an agreement"


def texts(kind, body):
    for words, fields in WRONG_BODIES:
        yield words, rfc8785.dumps({**body, **fields}).decode()
    for name in ("move", "resign"):
        if name in body:
            yield f"without {name}", rfc8785.dumps({key: value for key, value in body.items() if key != name}).decode()
    if kind == "an illegal attempt":
        yield "the first move of the list", rfc8785.dumps({**body, "move": {"index": 0}}).decode()
    yield "offers a draw", rfc8785.dumps({**body, "draw_offer": True}).decode()
    yield "with a space", json.dumps(body, sort_keys=True, ensure_ascii=False)
    yield "cut off", rfc8785.dumps(body).decode()[:-1]
    yield "a list", "[]"


def free_to_say(replay, kind, words, player):
    """Why a body may say that; None if it must be found."""
    has_offers = len(replay["seats"]) == 2 and replay["game"] != "goofspiel"
    if kind == "an illegal attempt":
        illegal = "a move that does not exist", "a move beyond the list", *(["offers a draw"] if has_offers else [])
        return "another illegal move" if words in illegal else None
    if kind == "a resignation" and "move" in words:
        return "who resigns may name any move"
    if kind == "an agreement" and (words in ("accepts a draw", "offers a draw") or "move" in words):
        return "who accepts a draw may do it in either way, and name any move"
    ended = replay["events"][-1]["event"]["data"]["player"] == player or replay["result"]["reason"] == "agreement"
    if kind == "a move" and words == "offers a draw" and has_offers and ended:
        return "an offer may have been made, or been void with the end of the game"
    return None


def tell(replay, signed, text):
    """Puts a body in its place; its hash stands in the events too."""
    signed["body"] = text
    if "body_sha256" not in signed:
        return
    true, signed["body_sha256"] = signed["body_sha256"], sha256(text)
    for entry in replay["events"]:
        if entry["event"]["data"].get("body_sha256") == true:
            entry["event"]["data"]["body_sha256"] = signed["body_sha256"]
