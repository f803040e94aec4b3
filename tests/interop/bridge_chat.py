#!/usr/bin/env python3
"""A chat client without a key, as small as can be: plays over an MCP server on standard input and output.

    python3 bridge_chat.py COMMAND [ARGUMENT...]

Starts the command that a chat client's settings name, lists its tools, joins a game of chess with them, and plays legal
moves at random until the game has ended. It knows the names of the tools and nothing else: what a call takes is in the
list, and a call that does not fit it is not made.
"""

import json
import random
import subprocess
import sys

TOOLS = ("lobby_join", "wait_for_turn", "move")


class Server:
    """An MCP server as a process, one JSON-RPC message a line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number, self.tools = 0, {}

    def send(self, method, params, **more):
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]
        raise EOFError(f"the server ended with {self.process.wait()}")

    def open(self):
        client = {"name": "a small chat client", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send("notifications/initialized", {})
        self.tools = {tool["name"]: tool["inputSchema"] for tool in self.ask("tools/list", {})["tools"]}
        missing = [name for name in TOOLS if name not in self.tools]
        assert not missing, f"no tool is called {missing}"

    def call(self, tool, **arguments):
        schema = self.tools[tool]
        assert set(schema.get("required", [])) <= set(arguments) <= set(schema["properties"]), (tool, schema)
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        envelope = result["structuredContent"]
        assert envelope["ok"] is True, f"{tool}: {envelope}"
        return envelope["data"]


def main():
    server = Server(sys.argv[1:])
    server.open()
    server.call("lobby_join")
    played = False
    while True:
        answer = server.call("wait_for_turn", seconds=20)
        if played and not answer["games"]:
            return
        turn = answer["turn"]
        if turn is not None:
            chosen = random.choice(turn["legal_moves"])
            server.call("move", game_id=turn["game_id"], turn_index=turn["turn_index"], move=chosen)
            played = True


if __name__ == "__main__":
    main()
