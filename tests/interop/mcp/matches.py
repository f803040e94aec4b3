#!/usr/bin/env python3
"""Lets the official MCP clients play each other at the built hall, and a chat-like client through the bridge.

    python3 matches.py PATH_TO_HALL FOLDER

FOLDER holds the installed clients (see `run`). Prints one line for each claim; exits with 1 if one does not hold.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from running_hall import RunningHall  # noqa: E402  (it lies in the folder just named)

TOOLS = (
    "register homologate lobby_join lobby_leave my_games pulse view legal_moves move resign offer_draw game replay "
    "leaderboard rules docket challenge"
).split()
MATE = {"winners": ["p1"], "draw": False, "reason": "checkmate"}
WITHIN_SECONDS = 120
HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"

# The bytes of a chat client's context window for the list of tools, and for one move at any length of a game.
LIST_BYTES, MOVE_BYTES = 24 * 1024, 6 * 1024
# 300 turns, with positions of up to 162 legal moves; then the side to move resigns.
LONG_GAME = os.path.join(HERE, "long_game.txt")
GIVEN_UP = {"winners": ["p1"], "draw": False, "reason": "resignation"}

# Each pair of clients, with the revision that it should negotiate. The bridge needs no handle.
MATCHES = [
    (("python", "client", STATELESS), ("python", "session", HANDSHAKE)),
    (("node", "sdk", HANDSHAKE), ("node", "client", HANDSHAKE)),
    (("node", "auto", STATELESS), ("python", "client", STATELESS)),
    (("python", "bridge", None), ("node", "sdk", HANDSHAKE)),
    (("python", "bridge", None), ("python", "bridge", None)),
]

# Games of other kinds, with how they may end: hidden cards and chance, shared turns, dice, forced passes.
OTHER_MATCH = (("python", "bridge", None), ("python", "client", STATELESS))
OTHER_GAMES = {
    "leduc_poker": ("more_chips", "equal_chips"),
    "goofspiel": ("more_points", "equal_points"),
    "liars_dice": ("last_with_dice",),
    "othello": ("more_discs", "equal_discs"),
}

LONG_MATCH = (("python", "bridge", None), ("python", "client", STATELESS))


def command(player, hall, binary, folder, name):
    language, kind, _ = player
    if kind == "bridge":
        key = os.path.join(folder, "halls", f"{name}.json")
        return [sys.executable, os.path.join(HERE, "python_player.py"), "bridge", binary, hall.base, key]
    if language == "python":
        return [sys.executable, os.path.join(HERE, "python_player.py"), kind, f"{hall.base}/mcp", name]
    return ["node", os.path.join(folder, "node_player.mjs"), kind, f"{hall.base}/mcp", name]


def play(match, number, hall, binary, folder, line=None, game=None):
    environment = {**os.environ, **({"LINE": line} if line else {}), **({"GAME": game} if game else {})}
    names = [f"{player[0]}-{player[1]}-{number}-{place}" for place, player in enumerate(match)]
    running = [
        subprocess.Popen(
            command(player, hall, binary, folder, name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for player, name in zip(match, names)
    ]
    try:
        told = [process.communicate(timeout=WITHIN_SECONDS) for process in running]
    finally:
        for process in running:
            process.kill()
    games, outputs, told = set(), told, []
    for player, process, (out, err) in zip(match, running, outputs):
        if process.returncode != 0:
            raise AssertionError(f"{player[1]} ended with {process.returncode}:\n{err}")
        report = json.loads(out.splitlines()[-1])
        if player[1] == "bridge":
            expected = [tool for tool in TOOLS if tool != "challenge"] + ["wait_for_turn"]
        else:
            expected = TOOLS
            assert report["version"] == player[2], f"{player[1]} speaks {report['version']}, not {player[2]}"
        assert report["tools"] == expected, f"{player[1]} was shown {report['tools']}"
        if game:
            assert report["result"]["reason"] in OTHER_GAMES[game], f"{player[1]}: {report['result']}"
        else:
            assert report["result"] == (GIVEN_UP if line else MATE), f"{player[1]}: {report['result']}"
        assert report["list_bytes"] <= LIST_BYTES, f"{player[1]}: tools/list has {report['list_bytes']} bytes"
        if player[1] == "bridge":
            assert report["move_bytes"] <= MOVE_BYTES, f"{player[1]}: a move takes {report['move_bytes']} bytes"
        told.append(f"{player[1]}: list {report['list_bytes']}, a move at most {report.get('move_bytes', '?')} bytes")
        games.add(report["game"])
    assert len(games) == 1, f"they were in different games: {games}"
    return told


def main(binary, folder):
    failed = 0
    os.makedirs(os.path.join(folder, "halls"), exist_ok=True)
    with RunningHall(binary, os.path.join(folder, "halls", "hall")) as hall:
        for number, match in enumerate(MATCHES):
            words = " against ".join(" ".join(player[:2]) for player in match)
            try:
                play(match, number, hall, binary, folder)
                print(f"ok   a whole game over MCP: {words}", flush=True)
            except Exception as error:  # whatever goes wrong, the claim does not hold
                failed += 1
                print(f"FAIL a whole game over MCP: {words}: {error}", flush=True)
        for number, game in enumerate(OTHER_GAMES, len(MATCHES)):
            try:
                play(OTHER_MATCH, number, hall, binary, folder, game=game)
                print(f"ok   a whole game of {game} over MCP", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAIL a whole game of {game} over MCP: {error}", flush=True)
        try:
            told = play(LONG_MATCH, "long", hall, binary, folder, LONG_GAME)
            print(f"ok   a game of 300 turns fits a context window: {'; '.join(told)}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL a game of 300 turns fits a context window: {error}", flush=True)
        warnings = [line for line in hall.log().splitlines() if " WARN " in line or " ERROR " in line]
        if warnings:
            failed += 1
            print(f"FAIL official clients are no reason to warn: {warnings[0]}", flush=True)
        else:
            print("ok   official clients are no reason to warn", flush=True)
    print(f"{len(MATCHES) + len(OTHER_GAMES) + 1} games played, {failed} claims failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
