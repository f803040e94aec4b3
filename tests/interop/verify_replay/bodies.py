"""Bodies that players signed: of moves and of counted illegal attempts (decisions 2.5, 5.4, 5.7, 13.4).

A body may be withheld (decision 8.1): then its hash is there, and the signature holds for that.
"""

from . import shape, strict_json
from .claims import Difference, demand, same
from .identity import check_signed, sha256

# The members of an entry that are null where nobody signed.
SIGNED = ("body", "signature", "body_sha256")
# Placeholder for the words of a body that is withheld.
WITHHELD = object()
BOOLEAN = shape.one_of(True, False)
FIELDS = {
    "game_id": shape.identifier("g"),
    "turn_index": shape.number(),
    "commentary": shape.plain_text(shape.LONGEST_COMMENTARY),
    "resign": BOOLEAN,
    "draw_offer": BOOLEAN,
    "draw_accept": BOOLEAN,
}


def move_named(value, path, is_applied):
    """A text of 1-64 characters, of any length where it is not applied, or `{ index }`; whether such a move exists is
    another question."""
    if isinstance(value, dict):
        shape.record(index=shape.number(-strict_json.LARGEST_INTEGER))(value, path)
    elif not (isinstance(value, str) and (1 <= len(value) <= 64 or not is_applied)):
        shape.fails(path, value, "a text of 1-64 characters or an index")


def check_signature(what, game_id, turn, signed, seat):
    """The seat's key signed the body, or the published hash where the body is withheld."""
    digest = signed["body_sha256"] if signed["body"] is None else sha256(signed["body"])
    message = f"svc.move.v1:{game_id}:{turn['turn_index']}:{digest}"
    check_signed(what, seat, message, signed["signature"])


def read(what, game_id, turn, signed, seat):
    """The body, read: canonical, of this game and turn, well formed, and signed by the seat's key; None if withheld."""
    check_signature(what, game_id, turn, signed, seat)
    text = signed["body"]
    if text is None:
        return None
    try:
        body = strict_json.read(text)
    except ValueError as error:
        raise Difference(f"{what}: body is no JSON: {error}") from error
    demand(f"{what}: body is no object", isinstance(body, dict))
    same(f"{what}: canonical text", text, strict_json.canonical(body).decode())
    for name, value in body.items():
        if name == "move":
            is_applied = not any(body.get(flag) is True for flag in ("resign", "draw_accept"))
            move_named(value, f"{what}: move", is_applied)
        elif name not in FIELDS:
            raise Difference(f"{what}: field {name[:40]!r} does not exist")
        else:
            FIELDS[name](value, f"{what}: {name}")
    about = (body.get("game_id"), body.get("turn_index"))
    same(f"{what}: game and turn", about, (game_id, turn["turn_index"]))
    offers = body.get("draw_offer") or body.get("draw_accept")
    demand(f"{what}: resigns and speaks of a draw", not (body.get("resign") and offers))
    return body


def check_request(what, game_id, attempt, seat):
    """The header signature proves that the attempt was a separate request."""
    path = f"/api/games/{game_id}/moves"
    message = f"svc.auth.v1:{seat['handle']}:{attempt['challenge']}:POST:{path}:{attempt['request_sha256']}"
    check_signed(f"{what}: request", seat, message, attempt["auth_signature"])


def legal_move(named, rules, player):
    """The legal move that a body's `move` names, if any."""
    if isinstance(named, dict):
        legal = rules.legal_moves(player)
        return legal[named["index"]] if 0 <= named["index"] < len(legal) else None
    return named if rules.is_legal(player, named) else None
