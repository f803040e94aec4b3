#!/usr/bin/env python3
"""Runs the agents that the clients' READMEs print, each from nothing to its first accepted move and a game to its end;
and a chat client without a key, over the bridge that the first README puts into its settings.

    python3 cold_start.py PATH_TO_HALL PATH_TO_RUST_AGENT FOLDER

FOLDER holds what .ci/clients installed. Each agent is run as its README prints it, but for the address of the hall, in
an empty folder: it makes its key, registers, files what it is, joins, and moves. An agent of the hall's own program
waits in the lobby for it. At the end the Python and the TypeScript agent play a whole game with each other, which is
verified as a stranger would. Ends with the number of claims that held and that did not; exits with 1 if one did not.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import time

from running_hall import RunningHall
from scenarios import Tally, until
from verify_game import data_of, verify
from verify_replay.claims import same

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLIENTS = os.path.join(ROOT, "shells", "client")
ADDRESS_IN_README, HANDLE_IN_README = "http://127.0.0.1:8080", "my-agent"
KEY_IN_README = "/path/to/hall-chat.json"
CHAT_CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bridge_chat.py")
FIRST_MOVE_WITHIN_SECONDS = 60
GAME_WITHIN_SECONDS = 300


def printed_agent(client, language, hall, handle):
    """The first program in that language that the README of a client prints, for this hall and handle."""
    with open(os.path.join(CLIENTS, client, "README.md"), encoding="utf-8") as file:
        program = re.search(rf"^```{language}\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)[1]
    same(f"lines of the agent in {client}", len(program.splitlines()) <= 10, True)
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        same(f"agent of {client} in the first README", program in file.read(), True)
    same(f"address and handle in {client}", [program.count(ADDRESS_IN_README), program.count(HANDLE_IN_README)], [1, 1])
    return program.replace(ADDRESS_IN_README, hall).replace(HANDLE_IN_README, handle)


def printed_bridge(hall, key):
    """The command that a chat client's settings name in the first README, for this hall and key file."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        settings = re.search(r'^```json\n(\{ "mcpServers".*?)^```$', file.read(), re.DOTALL | re.MULTILINE)[1]
    same("address and key in the settings", [settings.count(ADDRESS_IN_README), settings.count(KEY_IN_README)], [1, 1])
    (server,) = json.loads(settings)["mcpServers"].values()
    same("the program in the settings", server["command"], "hall")
    return [word.replace(ADDRESS_IN_README, hall).replace(KEY_IN_README, key) for word in server["args"]]


class Installed:
    """The clients as .ci/clients installed them."""

    def __init__(self, hall, rust_agent, folder):
        self.hall, self.rust_agent, self.folder = hall, rust_agent, os.path.abspath(folder)

    def python(self, base, handle, where):
        path = os.path.join(where, "agent.py")
        write(path, printed_agent("python", "python", base, handle))
        return [os.path.join(self.folder, "python", "bin", "python"), path]

    def typescript(self, base, handle, where):
        # Node finds the client in node_modules above the program, so it lies in the project that has it.
        path = os.path.join(self.folder, "typescript", f"{handle}.ts")
        write(path, printed_agent("typescript", "ts", base, handle))
        compiler = os.path.join(self.folder, "typescript-source", "node_modules", ".bin", "tsc")
        types = os.path.join(self.folder, "typescript-source", "node_modules", "@types")
        strict = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--typeRoots", types]
        subprocess.run([compiler, *strict, path], check=True, cwd=os.path.dirname(path), stdin=subprocess.DEVNULL)
        return ["node", path.removesuffix(".ts") + ".js"]

    def rust(self, base, handle, where):
        return [self.rust_agent, base, handle]

    def bridge(self, base, handle, where):
        key = os.path.join(where, "bridge.key.json")
        return [sys.executable, CHAT_CLIENT, self.hall, *printed_bridge(base, key), "--handle", handle]

    def waiting(self, base, handle, where, division):
        """The hall's own agent, which plays one game."""
        key = os.path.join(where, "key.json")
        options = ["--division", division, "--games", "1", "--key", key]
        return [self.hall, "agent", "--hall", base, "--handle", handle, *options]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@contextlib.contextmanager
def running(command, where):
    """The program in a folder of its own; what it says goes to a file there."""
    with open(os.path.join(where, "log"), "wb") as log:
        process = subprocess.Popen(command, cwd=where, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield process
    except Exception as error:
        with open(os.path.join(where, "log"), encoding="utf-8", errors="replace") as file:
            raise RuntimeError(f"{error}\n{' '.join(command)} said:\n{file.read()}") from error
    finally:
        process.kill()
        process.wait()


def has_moved(base, handle):
    """Whether a move of this agent was accepted, as spectators see it."""
    for game in data_of(f"{base}/api/games?agent={handle}")["games"]:
        player = next(seat["player"] for seat in game["seats"] if seat["handle"] == handle)
        events = data_of(f"{base}/api/games/{game['id']}/events?limit=10")["events"]
        moves = [entry["event"]["data"] for entry in events if entry["event"]["type"] == "move"]
        if any(move["player"] == player and move["forced"] is None for move in moves):
            return True
    return False


def in_lobby(base):
    return data_of(f"{base}/api/pulse")["lobby_waiting"] == 1


def cold_start(installed, base, kind, division, folder):
    """From an empty folder to the first accepted move. Returns the seconds that it took."""
    handles = [f"cold-{kind}", f"waits-for-{kind}"]
    places = [os.path.join(folder, handle) for handle in handles]
    for place in places:
        os.makedirs(place)
    command = getattr(installed, kind)(base, handles[0], places[0])
    with running(installed.waiting(base, handles[1], places[1], division), places[1]):
        until(lambda: in_lobby(base), FIRST_MOVE_WITHIN_SECONDS)
        begun = time.monotonic()
        with running(command, places[0]):
            until(lambda: has_moved(base, handles[0]), FIRST_MOVE_WITHIN_SECONDS)
            seconds = time.monotonic() - begun
    print(f"{kind}: first accepted move after {seconds:.1f} s", flush=True)
    same(f"{kind} within {FIRST_MOVE_WITHIN_SECONDS} s", seconds < FIRST_MOVE_WITHIN_SECONDS, True)
    return seconds


def whole_game(installed, base, folder):
    """The Python and the TypeScript agent play each other to the end, and leave in good order."""
    handles = ["meets-typescript", "meets-python"]
    places = [os.path.join(folder, handle) for handle in handles]
    for place in places:
        os.makedirs(place)
    python = running(installed.python(base, handles[0], places[0]), places[0])
    typescript = running(installed.typescript(base, handles[1], places[1]), places[1])
    with python as one, typescript as other:
        same("exit codes", [one.wait(GAME_WITHIN_SECONDS), other.wait(GAME_WITHIN_SECONDS)], [0, 0])
    (game,) = data_of(f"{base}/api/games?status=ended&agent={handles[0]}")["games"]
    same("players", sorted(seat["handle"] for seat in game["seats"]), sorted(handles))
    replay = verify(base, game["id"])
    forced = [move["turn_index"] for move in replay["moves"] if move["forced"]]
    same("forced turns", forced, [])
    print(f"{game['id']}: {len(replay['moves'])} turns, {replay['result']['reason']}: every claim holds", flush=True)
    for place in places:
        (key,) = (name for name in os.listdir(place) if name.endswith(".key.json"))
        same("mode of the key file", os.stat(os.path.join(place, key)).st_mode & 0o777, 0o600)


def main():
    hall, rust_agent, folder = sys.argv[1:4]
    installed, tally = Installed(hall, rust_agent, folder), Tally()
    with RunningHall(hall, os.path.join(installed.folder, "hall")) as running_hall:
        base, agents = running_hall.base, os.path.join(installed.folder, "agents")
        kinds = (("python", "open"), ("typescript", "open"), ("rust", "pure"), ("bridge", "open"))
        for kind, division in kinds:
            who = "a chat client without a key" if kind == "bridge" else f"the {kind} client"
            claim = f"{who} gets from nothing to an accepted move"
            tally.claim(claim, cold_start, installed, base, kind, division, agents)
        tally.claim("a Python and a TypeScript agent play a whole game that verifies", whole_game, installed, base, agents)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
