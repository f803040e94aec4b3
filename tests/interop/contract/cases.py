"""Makes generated requests real: identifiers that exist, turns that are due, signatures over what is sent.

Each operation has a way of its own here, and each case draws from dice that depend on the operation and the number of
the case alone. A good part of the cases stays as it was generated, and a part of the signatures is wrong on purpose.
"""

import random

import requests.auth
from hall_agent.json_text import JsonProblem
from hall_agent.signing import auth_headers, sign_move
from schemathesis.core import NOT_SET
from world import OPEN, OTHERS, PURE, Refused

# The ways to sign a request, with their frequencies.
MANNERS = {"right": 80, "missing": 5, "other key": 4, "unknown agent": 4, "spent": 4, "garbled": 3}
SPENT_PATH = "/api/doorbell"
# What MCP refuses, and a revision that asks for more headers than are sent.
ODD_HEADERS = [
    ("Origin", "https://elsewhere.example"),
    ("Accept", "text/html"),
    ("MCP-Protocol-Version", "1999-01-01"),
    ("MCP-Protocol-Version", "2026-07-28"),
]
# The metadata in a message of that revision.
NEWEST = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Signature(requests.auth.AuthBase):
    """Signs the request as it leaves: method, path and the bytes of the body are those that are sent."""

    def __init__(self, world, actor, manner):
        self.world, self.actor, self.manner = world, actor, manner

    def __call__(self, request):
        request.headers.update(self.headers(request))
        return request

    def headers(self, request):
        body = request.body or b""
        body = None if request.method != "POST" else body.encode() if isinstance(body, str) else body
        actor = self.world.stranger() if self.manner == "unknown agent" else self.actor
        key = self.world.stranger().key if self.manner == "other key" else actor.key
        challenge = actor.challenge()
        if self.manner == "spent":
            used = auth_headers(key, actor.handle, challenge, "GET", SPENT_PATH)
            self.world.http.get(self.world.base + SPENT_PATH, headers=used)
        signed = auth_headers(key, actor.handle, challenge, request.method, request.path_url, body)
        if self.manner == "garbled":
            signed["X-Svc-Signature"] = signed["X-Svc-Signature"].upper()
        return signed


class Cases:
    """Prepares cases, and counts their answers."""

    def __init__(self, world):
        self.world, self.numbers, self.answers, self.manners = world, {}, {}, {}

    def prepare(self, case):
        """Makes the case real. Returns its signer, or None."""
        about = case.operation.definition.raw
        name = about["operationId"]
        number = self.numbers[name] = self.numbers.get(name, 0) + 1
        dice = random.Random(f"{name} {number}")
        actor = dice.choice(self.world.players)
        if case.method.upper() == case.operation.method.upper():
            fill = getattr(self, name, None)
            actor = (fill(case, dice) if fill else None) or actor
            self.page(case, dice, name)
        elif case.method.upper() == "GET":
            # The body is the operation's, and a GET with a body is refused before its path is looked at.
            case.body = NOT_SET
        security = about.get("security", [])
        if not security:
            return None
        weights = {**MANNERS, "missing": 60} if {} in security else MANNERS
        (manner,) = dice.choices(list(weights), list(weights.values()))
        if manner == "missing":
            return None
        self.manners[manner] = self.manners.get(manner, 0) + 1
        return Signature(self.world, actor, manner)

    def count(self, case, response):
        """Counts an answer, unless the request had another method than the operation."""
        if case.method.upper() == case.operation.method.upper():
            of_operation = self.answers.setdefault(case.operation.definition.raw["operationId"], {})
            of_operation[response.status_code] = of_operation.get(response.status_code, 0) + 1

    # Shared by several operations.

    def page(self, case, dice, name):
        """A cursor of this hall, and no long waits."""
        lists = {"games": "/api/games", "docket": "/api/docket", "feedback_list": "/api/feedback"}
        if name in lists and dice.random() < 0.3:
            case.query["cursor"] = self.world.read(f"{lists[name]}?limit=1")["next_cursor"]
        if name == "my_games" and dice.random() < 0.3:
            ended = self.world.players[0].call("GET", "/api/my/games?status=ended&limit=1")
            case.query["cursor"] = ended["next_cursor"]
        if isinstance(case.query.get("wait"), int) and not isinstance(case.query["wait"], bool):
            case.query["wait"] = min(case.query["wait"], 1)

    def some_game(self, case, dice):
        self.one_of(case, dice, "id", self.world.ended + self.world.live)

    def one_of(self, case, dice, parameter, values, share=0.75):
        if dice.random() < share:
            case.path_parameters[parameter] = dice.choice(values)

    # Spectators.

    game = game_proof = some_game

    def replay(self, case, dice):
        self.one_of(case, dice, "id", self.world.ended + self.world.ended + self.world.live)

    pgn = replay

    def record(self, case, dice):
        self.replay(case, dice)
        if "format" in case.query and dice.random() < 0.7:
            case.query["format"] = dice.choice(["pgn", "json", "sgf", "mat"])

    def pictures(self, case, dice):
        self.some_game(case, dice)
        if "since" in case.query and dice.random() < 0.7:
            case.query["since"] = dice.choice([0, 1, 3])

    def svg(self, case, dice):
        self.some_game(case, dice)
        if "turn" in case.query and dice.random() < 0.7:
            case.query["turn"] = dice.choice([0, 1, 3])

    def events(self, case, dice):
        self.some_game(case, dice)
        # A stream of a live game would not end.
        if case.path_parameters.get("id") in self.world.ended and dice.random() < 0.4:
            case.headers["Accept"] = "text/event-stream"

    def front_door(self, case, dice):
        if dice.random() < 0.5:
            case.headers["Accept"] = "text/html"

    def games(self, case, dice):
        if "agent" in case.query and dice.random() < 0.5:
            case.query["agent"] = dice.choice(self.world.players).handle
        if "game" in case.query and dice.random() < 0.5:
            case.query["game"] = dice.choice(["chess", "goofspiel", "go"])
        if "opponent" in case.query and dice.random() < 0.7:
            case.query["opponent"] = dice.choice(self.world.players).handle
            case.query.setdefault("agent", self.world.players[0].handle)

    def export_games(self, case, dice):
        if dice.random() < 0.5:
            case.query["limit"] = 3

    def leaderboards(self, case, dice):
        for name, known in (("game", "chess"), ("variant", "standard"), ("season", "s1")):
            if name in case.query and dice.random() < 0.7:
                case.query[name] = known
        if dice.random() < 0.3:
            case.query["cursor"] = self.world.read("/api/leaderboards?limit=1")["next_cursor"]

    def rules(self, case, dice):
        self.one_of(case, dice, "game", ["chess", *(game for game, _ in OTHERS)])

    howto = rules

    # Agents.

    def profile(self, case, dice):
        actors = [*self.world.players, *self.world.clerks]
        self.one_of(case, dice, "handle", [actor.handle for actor in actors] + [actors[0].agent_id])

    ratings = profile
    statistics = profile

    def versus(self, case, dice):
        self.profile(case, dice)
        self.one_of(case, dice, "opponent", [actor.handle for actor in self.world.players])

    def cross_table(self, case, dice):
        for name, known in (("game", "chess"), ("variant", "standard"), ("division", "open"), ("season", "s1")):
            if name in case.query and dice.random() < 0.8:
                case.query[name] = known

    def hall_events(self, case, dice):
        if "since" in case.query and dice.random() < 0.7:
            case.query["since"] = dice.choice(["0-0", self.world.read("/api/events?limit=1")["next"]])

    def register(self, case, dice):
        actor = self.world.stranger()
        if isinstance(case.body, dict) and dice.random() < 0.7:
            known = dice.choice(self.world.clerks)
            handle = known.handle if dice.random() < 0.1 else actor.handle
            key = known.key if dice.random() < 0.1 else actor.key
            actor.handle, actor.key = handle, key
            put(case.body, "handle", handle)
            put(case.body, "pubkey", key.public_key.hex())
        return actor

    def homologate(self, case, dice):
        actor, other = dice.sample(self.world.clerks, 2)
        self.one_of(case, dice, "id", [actor.agent_id] * 9 + [other.agent_id], 0.85)
        if isinstance(case.body, dict) and dice.random() < 0.75:
            put(case.body, "season_id", "current")
            put(case.body, "endpoint_url", dice.choice([None, "https://agent.example/"]))
        return actor

    # Play.

    def lobby_join(self, case, dice):
        if isinstance(case.body, dict) and dice.random() < 0.75:
            for name, value in PURE.items():
                put(case.body, name, value)
            put(case.body, "variant", "standard")
        return dice.choice(self.world.joiners)

    def lobby_leave(self, case, dice):
        actor = self.lobby_join(case, dice)
        if dice.random() < 0.6:
            try:
                actor.join(PURE)
            except Refused:
                pass  # it is there already
        return actor

    def view(self, case, dice):
        self.one_of(case, dice, "id", self.world.ended + self.world.live * 3, 0.85)
        return dice.choice([*self.world.players[:2], *self.world.players, *self.world.tables])

    legal_moves = view

    def my_games(self, case, dice):
        return dice.choice(self.world.players[:2])

    pulse = my_games

    def move(self, case, dice):
        if dice.random() < 0.2:
            return self.view(case, dice)
        actor, view = self.world.turn(dice)
        game, turn = view["game_id"], view["turn_index"]
        if dice.random() < 0.85:
            case.path_parameters["id"] = game
        if not isinstance(case.body, dict) or dice.random() < 0.15:
            return actor
        made = ("game_id", "turn_index", "signature")
        fields = {name: value for name, value in case.body.items() if name not in made}
        if dice.random() < 0.7:
            fields = {name: value for name, value in fields.items() if not name.startswith(("resign", "draw_"))}
        if dice.random() < 0.8:
            chosen = dice.randrange(len(view["legal_moves"]))
            notation = view["legal_moves"][chosen]["move"]
            fields["move"] = dice.choice([notation, notation, {"index": chosen}, "e1h1"])
        try:
            signed = sign_move(actor.key, game, turn, fields)
            case.body.clear()
            case.body.update(fields, game_id=game, turn_index=turn, signature=signed.signature)
        except JsonProblem:
            pass  # what has no canonical form cannot be signed, and is sent as it is
        return actor

    # The log.

    def consistency(self, case, dice):
        if dice.random() < 0.6:
            size = self.world.read("/api/checkpoint")["checkpoint"]["tree_size"]
            case.query["from"] = dice.randint(1, size)
            case.query["to"] = dice.randint(case.query["from"], size)

    def log_proof(self, case, dice):
        if dice.random() < 0.6:
            case.query["leaf"] = dice.randrange(self.world.read("/api/checkpoint")["checkpoint"]["tree_size"])

    def log_files(self, case, dice):
        if dice.random() < 0.6:
            size = self.world.read("/api/checkpoint")["checkpoint"]["tree_size"]
            part = dice.randint(1, min(size, 255))
            files = ["checkpoint", f"tile/0/000.p/{part}", f"tile/entries/000.p/{part}", "tile/0/000", "tile/63/000"]
            # A path parameter of OpenAPI holds no slash, so the whole path is set.
            case.path = f"/log/{dice.choice(files)}"

    # The doorbell.

    def doorbell_state(self, case, dice):
        return dice.choice(self.world.ringers)

    def doorbell_set(self, case, dice):
        actor = dice.choice(self.world.ringers)
        if isinstance(case.body, dict) and dice.random() < 0.7:
            refused = f"https://127.0.0.1:1/{actor.handle}"
            put(case.body, "url", dice.choice([self.world.endpoint.url(actor)] * 3 + [refused]))
        return actor

    def doorbell_verify(self, case, dice):
        return self.world.ringer() if dice.random() < 0.4 else dice.choice(self.world.ringers + self.world.clerks)

    doorbell_disable = doorbell_state

    # MCP.

    def mcp(self, case, dice):
        if dice.random() < 0.15:
            name, value = dice.choice(ODD_HEADERS)
            case.headers[name] = value
        if not isinstance(case.body, dict) or dice.random() < 0.4:
            return
        player = dice.choice(self.world.players[:2])
        game = dice.choice(self.world.live)
        signed = [
            ("view", {"game_id": game, **player.tool_auth("GET", f"/api/games/{game}/view")}),
            ("my_games", player.tool_auth("GET", "/api/my/games")),
            ("lobby_leave", {"body": OPEN, **player.tool_auth("POST", "/api/lobby/leave", OPEN)}),
        ]
        public = [
            ("pulse", {}),
            ("game", {"game_id": game}),
            ("replay", {"game_id": dice.choice(self.world.ended)}),
            ("rules", {"game": "chess"}),
            ("docket", {"limit": 2}),
            ("challenge", {"agent": player.handle}),
            ("no_such_tool", {}),
        ]
        tool, arguments = dice.choice(signed + public)
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        message = dice.choice(
            [{"method": "tools/call", "params": {"name": tool, "arguments": arguments}}] * 4
            + [{"method": "initialize", "params": client}, {"method": "tools/list"}, {"method": "ping"}]
        )
        if dice.random() < 0.1:
            message = {"method": "no/such", "params": {"_meta": NEWEST}}
            case.headers.update({"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "no/such"})
        case.body.clear()
        case.body.update(message, jsonrpc="2.0")
        if dice.random() < 0.1:
            case.body.update(method="notifications/initialized", params={})
        else:
            case.body["id"] = dice.choice([1, "one"])

    mcp_read = mcp


def put(body, name, value):
    """Gives a member of a generated body a real value; an absent member stays absent."""
    if name in body:
        body[name] = value
