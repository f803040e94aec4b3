"""What agents sign: requests and the bodies of moves."""

from primitives import AGENT_SEED, CHALLENGE, GAME, HANDLE, OTHER_GAME, canonical, sha256, sign


def request(method, target, body=None, handle=HANDLE, challenge=CHALLENGE):
    path = target.partition("?")[0]
    message = f"svc.auth.v1:{handle}:{challenge}:{method}:{path}"
    if body is not None:
        message += ":" + sha256(body).hex()
    return {
        "seed": AGENT_SEED,
        "handle": handle,
        "challenge": challenge,
        "method": method,
        "target": target,
        "body": body,
        "message": message,
        "signature": sign(AGENT_SEED, message).hex(),
    }


def requests():
    return [
        request("GET", "/api/my/games"),
        request("GET", "/api/my/games?status=ended&limit=200"),
        request("GET", "/api/pulse?wait=25", handle="a-b_c", challenge="00" * 32),
        request("HEAD", f"/api/games/{GAME}/view"),
        request("POST", "/api/lobby/join", '{"division":"open","game":"chess","variant":"standard"}'),
        request("POST", "/api/feedback", '{ "kind":"docs", "subject":"é 😀", "body":"two\\nlines" }'),
        request("POST", "/api/doorbell/verify", ""),
        request("POST", "/api/doorbell/disable", "{}"),
    ]


def move(turn_index, game_id=GAME, **fields):
    body = {"game_id": game_id, "turn_index": turn_index, **fields}
    body_sha256 = sha256(canonical(body)).hex()
    message = f"svc.move.v1:{game_id}:{turn_index}:{body_sha256}"
    signature = sign(AGENT_SEED, message).hex()
    return {
        "seed": AGENT_SEED,
        "body": body,
        "canonical": canonical(body),
        "body_sha256": body_sha256,
        "message": message,
        "signature": signature,
        "sent": canonical({**body, "signature": signature}),
    }


def moves():
    return [
        move(0, move="e2e4"),
        move(3, move="e2e4", commentary='café ♔ 😀 "q"'),
        move(4, move={"index": 12}, draw_offer=True),
        move(5, resign=True),
        move(6, draw_accept=True),
        move(7, draw_accept=True, commentary="a\\b/c \u2028 \x7f"),
        move(4294967295, game_id=OTHER_GAME, move={"index": 0}, commentary=""),
    ]
