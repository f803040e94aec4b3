#!/usr/bin/env python3
"""An agent that speaks MCP with the official Python client and plays one game.

    python3 python_player.py client|session URL HANDLE
    python3 python_player.py bridge PATH_TO_HALL URL KEY_FILE

With the environment variable LINE the file of that name has the moves of the game, and the side to move resigns behind the
last one; else it is the shortest game of chess. With GAME it is that game instead, in which each agent takes the first move
of its list to the end.

`client` and `session` are the two interfaces of the package; they sign with a key of their own. `bridge` is a chat-like
client that has no key: it starts `hall mcp-bridge` and knows nothing but the tools that it lists. Prints one line of
JSON: the protocol revision, the tools, the result of the game, the bytes of the list of tools, and the most bytes of the
results that one move took, as the package writes them.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from nacl.signing import SigningKey

GAME = os.environ.get("GAME", "chess")
# The shortest game: each agent plays the move of this line for its turn.
LINE = ["f2f3", "e7e5", "g2g4", "d8h4"]
if "LINE" in os.environ:
    with open(os.environ["LINE"], encoding="ascii") as file:
        LINE = file.read().split()


def move_of(turn, legal_moves):
    """The move for a turn, or None to resign."""
    if GAME != "chess":
        return legal_moves[0]
    if turn >= len(LINE):
        return None
    assert LINE[turn] in legal_moves
    return LINE[turn]


def size(result):
    return len(result.model_dump_json(by_alias=True, exclude_none=True).encode())


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Refused(Exception):
    pass


class Tools:
    """Calls tools and opens envelopes, with whichever client is connected."""

    def __init__(self, client):
        self.client, self.taken, self.most = client, 0, 0

    def moved(self):
        """Notes the bytes of the results since the move before."""
        self.most, self.taken = max(self.most, self.taken), 0

    async def call(self, name, arguments):
        result = await self.client.call_tool(name, arguments)
        if name in ("view", "wait_for_turn", "move"):
            self.taken += size(result)
        envelope = result.structured_content
        text = result.content[0].text
        if text.startswith("{"):
            assert json.loads(text) == envelope, f"{name}: the text differs from the structured content"
        else:
            assert envelope["ok"] and "structured content" in text, f"{name}: the text is {text!r}"
        assert bool(result.is_error) == (envelope["ok"] is not True), name
        if envelope["ok"] is not True:
            raise Refused(f"{name}: {envelope['error']['code']}: {envelope['error']['message']}")
        return envelope["data"]

    async def public(self, name, **arguments):
        return await self.call(name, arguments)


class Agent(Tools):
    """The same with a key: signs each call as the description of its tool says."""

    def __init__(self, client, handle):
        super().__init__(client)
        self.handle, self.key = handle, SigningKey.generate()

    def sign(self, text):
        return self.key.sign(text.encode()).signature.hex()

    async def signed(self, name, method, path, **arguments):
        challenge = (await self.public("challenge", agent=self.handle))["challenge"]
        message = f"svc.auth.v1:{self.handle}:{challenge}:{method}:{path}"
        if method == "POST":
            message += ":" + sha256(canonical(arguments["body"]))
        arguments.update(agent=self.handle, challenge=challenge, signature=self.sign(message))
        return await self.call(name, arguments)

    async def enter(self):
        public = self.key.verify_key.encode().hex()
        body = {
            "handle": self.handle,
            "model_id": "official client",
            "pubkey": public,
            "operator_token": f"the operator of {self.handle}",
        }
        agent_id = (await self.signed("register", "POST", "/api/agents", body=body))["agent_id"]
        body = {
            "season_id": "current",
            "division": "open",
            "model_id": "official client",
            "adapter_kind": "api",
            "endpoint_url": None,
            "system_prompt_sha256": sha256(b""),
            "config_sha256": sha256(b""),
            "tool_access": "pure",
        }
        path = f"/api/agents/{agent_id}/homologate"
        await self.signed("homologate", "POST", path, agent_id=agent_id, body=body)
        await self.signed("lobby_join", "POST", "/api/lobby/join", body={"game": GAME, "division": "open"})

    async def my_turn(self):
        """The game whose turn is ours, or None once a game of ours has ended."""
        while True:
            games = (await self.signed("my_games", "GET", "/api/my/games", wait=5))["games"]
            for game in games:
                if game["your_turn"]:
                    return game["id"]
            if not games:
                ended = await self.signed("my_games", "GET", "/api/my/games", status="ended")
                if ended["games"]:
                    return None

    async def play(self):
        await self.enter()
        game = None
        while True:
            waiting = await self.my_turn()
            if waiting is None:
                return game
            game = waiting
            view = (await self.signed("view", "GET", f"/api/games/{game}/view", game_id=game))["view"]
            turn = view["turn_index"]
            body = {"game_id": game, "turn_index": turn}
            notations = [entry if isinstance(entry, str) else entry["notation"] for entry in view["legal_moves"]]
            chosen = move_of(turn, notations)
            if chosen is not None:
                body.update(move=chosen, commentary="Grüße über MCP ♟")
            else:
                body["resign"] = True
            body["signature"] = self.sign(f"svc.move.v1:{game}:{turn}:{sha256(canonical(body))}")
            tool = "resign" if chosen is None else "move"
            await self.signed(tool, "POST", f"/api/games/{game}/moves", game_id=game, body=body)
            self.moved()


class Chat(Tools):
    """A chat-like client without a key, which uses only the tools of the bridge."""

    async def play(self):
        await self.public("lobby_join", game=GAME)
        game = None
        while True:
            answer = await self.public("wait_for_turn", seconds=60)
            turn = answer["turn"]
            if turn is None:
                if game is not None and not answer["games"]:
                    return game
                self.taken = 0
                continue
            game, index = turn["game_id"], turn["turn_index"]
            chosen = move_of(index, turn["legal_moves"])
            if chosen is not None:
                await self.public("move", game_id=game, turn_index=index, move=chosen)
            else:
                await self.public("resign", game_id=game, turn_index=index)
            self.moved()


async def report(client, player, version):
    listed = await client.list_tools()
    tools = listed.tools
    for tool in tools:
        assert tool.input_schema["type"] == "object" and tool.output_schema["type"] == "object", tool.name
    game = await player.play()
    record = (await player.public("game", game_id=game))["game"]
    print(
        json.dumps(
            {
                "version": version,
                "tools": [tool.name for tool in tools],
                "game": game,
                "result": record["result"],
                "list_bytes": size(listed),
                "move_bytes": player.most,
            }
        ),
        flush=True,
    )


async def main(kind, *rest):
    async with contextlib.AsyncExitStack() as stack:
        if kind == "client":
            url, handle = rest
            client = await stack.enter_async_context(Client(url))
            await report(client, Agent(client, handle), client.protocol_version)
        elif kind == "session":
            url, handle = rest
            streams = await stack.enter_async_context(streamable_http_client(url))
            session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
            begun = await session.initialize()
            await report(session, Agent(session, handle), begun.protocol_version)
        elif kind == "bridge":
            hall, url, key = rest
            command = StdioServerParameters(command=hall, args=["mcp-bridge", "--hall", url, "--key", key])
            client = await stack.enter_async_context(Client(command))
            await report(client, Chat(client), client.protocol_version)
        else:
            sys.exit(f"there is no {kind}")


asyncio.run(main(*sys.argv[1:]))
