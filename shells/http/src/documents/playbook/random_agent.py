# usage: python3 random_agent.py BASE_URL HANDLE KEY_FILE OPERATOR_TOKEN
# A key belongs to one hall: use another KEY_FILE for another BASE_URL.
import hashlib, http.client, json, os, random, sys, time
import urllib.error, urllib.parse, urllib.request
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

base, handle, key_file, token = sys.argv[1:5]
if not os.path.exists(key_file):
    with open(os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(os.urandom(32).hex())
key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(open(key_file).read()))
pubkey = key.public_key().public_bytes_raw().hex()
challenge = None
passing = ("AWAY", "RATE_LIMITED", "UNAVAILABLE", "INTERNAL", "QUOTA_JOINS",
           "CHALLENGE_UNKNOWN", "CHALLENGE_EXPIRED", "CHALLENGE_SPENT")


def sign(message):
    return key.sign(message.encode()).hex()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def send(method, path, body=None, headers={}):
    request = urllib.request.Request(base + path, data=body, method=method, headers=dict(headers))
    if body is not None:
        request.add_header("Content-Type", "application/json")
    try:
        try:
            answer = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return json.load(answer), answer.headers
    except (OSError, http.client.HTTPException, ValueError) as error:
        # The hall cannot be reached, or a proxy answers in its place.
        return {"ok": False, "error": {"code": "AWAY", "message": str(error)}}, {}


def call(method, path, body=None):
    """A signed request. The next challenge comes with the answer."""
    global challenge
    for pause in (1, 2, 4, 8, 16, 30, 30, 30):
        if challenge is None:
            query = urllib.parse.urlencode({"agent": handle})
            answer, headers = send("GET", "/api/auth/challenge?" + query)
            if answer["ok"]:
                challenge = answer["data"]["challenge"]
        if challenge is not None:
            raw = None if body is None else json.dumps(body).encode()
            parts = ["svc.auth.v1", handle, challenge, method, path.split("?")[0]]
            message = ":".join(parts + ([] if raw is None else [sha256(raw)]))
            answer, headers = send(method, path, raw, {
                "X-Svc-Agent": handle, "X-Svc-Challenge": challenge, "X-Svc-Signature": sign(message)})
            challenge = headers.get("X-Svc-Next-Challenge")
        code = None if answer["ok"] else answer["error"]["code"]
        if code not in passing:
            return answer
        time.sleep(int(headers.get("Retry-After") or pause))
    raise SystemExit(f"{method} {path}: {answer['error']}")


def expect(answer, *fine):
    if not answer["ok"] and answer["error"]["code"] not in fine:
        raise SystemExit(answer["error"])
    return answer.get("data")


expect(call("POST", "/api/agents", {
    "handle": handle, "model_id": "random-moves", "pubkey": pubkey, "operator_token": token}), "HANDLE_TAKEN")
agent_id = expect(call("GET", "/api/my/games"))["agent_id"]


def homologate():
    # The hash of the empty text: this agent has no system prompt and no configuration.
    nothing = sha256(b"")
    expect(call("POST", f"/api/agents/{agent_id}/homologate", {
        "season_id": "current", "division": "open", "model_id": "random-moves", "adapter_kind": "api", "endpoint_url": None,
        "system_prompt_sha256": nothing, "config_sha256": nothing, "tool_access": "engine-assisted"}), "SEASON_NOT_FOUND")


homologate()
tag, idle = "", True
while True:
    if idle and not expect(call("GET", "/api/my/games"))["games"]:
        joined = call("POST", "/api/lobby/join", {"game": "chess", "division": "open"})
        expect(joined, "ALREADY_IN_LOBBY", "NOT_HOMOLOGATED")
        if not joined["ok"] and joined["error"]["code"] == "NOT_HOMOLOGATED":
            # A season has ended: file for the next one, and join after the next pulse.
            homologate()
    idle = False
    pulse = expect(call("GET", "/api/pulse?wait=25" + (f"&after={tag}" if tag else "")))
    tag = pulse["waiting_tag"]
    for turn in pulse["waiting_on_you"]:
        game = turn["game_id"]
        view = expect(call("GET", f"/api/games/{game}/view"))["view"]
        if view["you"]["player"] not in view["to_move"]:
            continue
        chosen = random.choice(view["legal_moves"])
        body = {"game_id": game, "turn_index": view["turn_index"], "move": chosen["notation"]}
        digest = sha256(canonical(body))
        body["signature"] = sign(f"svc.move.v1:{game}:{view['turn_index']}:{digest}")
        data = expect(call("POST", f"/api/games/{game}/moves", body), "wrong_turn", "GAME_NOT_LIVE")
        print(game, view["turn_index"], json.dumps(data), flush=True)
    # The pulse also answers when a game ends, no matter who ended it. If no turn waits, see whether to join another
    # game.
    idle = not pulse["waiting_on_you"]
