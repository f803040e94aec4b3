#!/usr/bin/env python3
"""Plays short games of every kind at the built hall and keeps their replays, as material for tampering.

    python3 genuine_games.py PATH_TO_HALL FOLDER_FOR_DATA FOLDER_FOR_REPLAYS

Among them are all ends but those that need long games, illegal attempts, forced moves with and without a standing
draw offer, a pause of the hall, verdicts of the operator, words that it withholds, castling, en passant and promotion. Prints one line a game.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error

from scenarios import illegal_moves, python_agent, seated, slept_through, until
from running_hall import RunningHall
from verify_game import data_of

MATE = "f2f3 e7e5 g2g4 d8h4"
REPETITION = "g1f3 g8f6 f3g1 f6g8 " * 2
STALEMATE = (
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)
SPECIAL_MOVES = "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6 d6c7 g7g6 c7b8n f8g7 g1f3 e8g8 f1e2 a6a5 e1g1"
# More than the five seconds that count as a pause of the hall.
PAUSE_SECONDS = 6


class Table:
    """Two agents that play one game after another; `turn` is the number of the current one."""

    def __init__(self, hall, name):
        self.hall, self.turn = hall, 0
        self.agents = [seated(hall, f"{name}-one"), seated(hall, f"{name}-two")]
        self.begin()

    def begin(self):
        python_agent.join(self.agents[0])
        self.id = python_agent.join(self.agents[1])
        handles = [seat["handle"] for seat in self.record()["seats"]]
        self.agents.sort(key=lambda agent: handles.index(agent.handle))
        self.turn = 0
        return self

    def record(self):
        return data_of(f"{self.hall.base}/api/games/{self.id}")["game"]

    def mover(self):
        return self.agents[self.turn % 2]

    def say(self, **fields):
        self.mover().move(self.id, self.turn, **fields)
        self.turn += 1
        return self

    def play(self, line):
        for notation in line.split():
            self.say(move=notation)
        return self

    def sin(self, *moves):
        """Illegal moves; the third in a turn causes a forced one."""
        for count, notation in enumerate(moves, 1):
            try:
                self.mover().move(self.id, self.turn, move=notation)
            except python_agent.Refused as refused:
                if refused.code != "illegal_move":
                    raise
            self.turn += count == 3
        return self

    def sleep(self):
        """Lets the current turn's deadline pass."""
        until(lambda: self.record()["turn_index"] > self.turn, 30)
        self.turn += 1
        return self


def usual(hall):
    table = Table(hall, "usual")
    table.play(MATE)
    table.begin().play(REPETITION)
    table.begin().play(STALEMATE)
    table.begin().play(SPECIAL_MOVES).say(resign=True)
    table.begin().say(move="e2e4", draw_offer=True, commentary="½? \u2028 😀").say(move="e7e5", draw_offer=True)
    table.begin().say(move="e2e4", draw_offer=True).say(move="e7e5", commentary="").say(move="a2a3", draw_offer=True)
    table.say(resign=True, move="no move at all")
    table.begin().sin("e1h1", "O-O").say(move={"index": 3}, draw_offer=True).sin("e7e4", {"index": 20}, {"index": -1})
    table.sin("e1h1").say(resign=True)
    table.begin().sin("\u202e", "a\u0085b").say(resign=True, move="\u200f")


def penalties(hall):
    illegal_moves(hall)


def hurried(hall):
    """Deadlines of a second."""
    slept_through(hall, "sleeper-one", "sleeper-two")
    Table(hall, "hurried").say(move="e2e4", draw_offer=True).sleep().sin("e4e6").sleep().say(resign=True)


def clocked(hall):
    slept_through(hall, "clock-one", "clock-two")


def clockless(hall):
    Table(hall, "clockless").play("d2d4").sin("d7d4", "a", "b").play("c2c4").say(resign=True)


def judged(hall):
    """Verdicts of the operator."""
    table = Table(hall, "judged")

    def settle(*verdict):
        where = f"storage.path={hall.settings['storage.path']}"
        command = [hall.binary, "admin", "--set", where, "game", "adjudicate", table.id, *verdict, "--reason", "test"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    table.play("e2e4")
    settle("--winner", "p1")
    table.begin().sin("e2e5")
    settle("--draw")
    table.begin().play("e2e4 e7e5")
    settle("--abort")


def redacted(hall):
    """The operator withholds words: of moves, with attempts before them, of an agreed draw, and of a resignation."""
    table = Table(hall, "redacted")

    def withhold(*turns):
        where = f"storage.path={hall.settings['storage.path']}"
        for turn in map(str, turns):
            command = [hall.binary, "admin", "--set", where, "redact", "game", table.id, turn, "--reason", "test"]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    table.sin("e2e5", "e1e3").say(move="e2e4", commentary="a word").say(move="e7e5").say(resign=True, commentary="bye")
    withhold(0, 2)
    table.begin().say(move="e2e4", draw_offer=True, commentary="½?").say(draw_accept=True)
    withhold(0, 1)
    table.begin().sin("a", "b", "c").say(move="e7e5", commentary="kept").say(move={"index": 0})
    table.say(move="a7a6", draw_offer=True).say(resign=True)
    withhold(0, 2, 3)


def paused(hall):
    """The hall stops for a while, which is charged to nobody."""
    table = Table(hall, "paused").play("e2e4")
    hall.process.send_signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    hall.process.send_signal(signal.SIGCONT)
    until(lambda: any(entry["event"]["type"] == "deadline_extended" for entry in events(table)), 10)
    table.play("e7e5").say(resign=True)


def events(table):
    return data_of(f"{table.hall.base}/api/games/{table.id}/events")["events"]


HALLS = [
    (usual, {}),
    (penalties, {}),
    (judged, {}),
    (redacted, {}),
    (paused, {"games.chess.move_seconds": 10}),
    (hurried, {"games.chess.move_seconds": 1}),
    (clocked, {"games.chess.side_seconds": 2}),
    (clockless, {"games.chess.side_seconds": 0}),
]


def keep(hall, name, folder):
    """Writes the replays of the ended games, and beside each the key of the log that it may name."""
    key = data_of(f"{hall.base}/api/official")["official"]["log"]["public_key"]
    ended = data_of(f"{hall.base}/api/games?status=ended&limit=100")["games"]
    if not ended:
        raise RuntimeError(f"no game of {name} has ended")
    for game in reversed(ended):
        replay = settled_replay(hall, game["id"])
        kind = "" if replay["game"] == "chess" else f"{replay['game']}-{replay['variant']}-"
        path = os.path.join(folder, f"{name}-{kind}{replay['result']['reason']}-{game['id'][-4:]}")
        for suffix, text in ((".json", json.dumps(replay, ensure_ascii=False)), (".vkey", key)):
            with open(path + suffix, "w", encoding="utf-8") as file:
                file.write(text)
        print(f"{name}: {kind}{len(replay['moves'])} turns, {replay['result']['reason']}", flush=True)


def settled_replay(hall, game_id):
    """The replay; if the hall signs checkpoints, the one with the checkpoint that covers the game."""

    replays = []

    def covered():
        replays.append(data_of(f"{hall.base}/api/games/{game_id}/replay")["replay"])
        return replays[-1]["log"]

    try:
        data_of(f"{hall.base}/api/checkpoint")
    except urllib.error.HTTPError:
        covered()
    else:
        until(covered, 10)
    return replays[-1]


def main():
    binary, data, replays = map(os.path.abspath, sys.argv[1:4])
    os.makedirs(replays, exist_ok=True)
    for play, settings in HALLS:
        with RunningHall(binary, os.path.join(data, play.__name__), settings) as hall:
            play(hall)
            keep(hall, play.__name__, replays)
    return 0


if __name__ == "__main__":
    sys.exit(main())
