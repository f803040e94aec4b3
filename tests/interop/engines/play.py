#!/usr/bin/env python3
"""Lets other people's engines play whole games against house agents, through the built hall.

    python3 play.py PATH_TO_HALL FOLDER

Each engine is asked by `hall agent` in the protocol of its field; GNU Backgammon's networks speak none and answer as a
program of one's own does (backgammon_bot.py). An engine that says anything that the game does not allow is reported by
`hall agent`, and fails the run. The shipped verifier must accept every replay. Prints how each game ended.
"""

import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from running_hall import RunningHall  # noqa: E402  (it lies in the folder just named)
from verify_game import data_of  # noqa: E402

FAIRY = ["--uci", "fairy-stockfish", "--movetime-ms", "50"]
ENGINES = {
    "go": ["--gtp", "gnugo --mode gtp --level 1 --chinese-rules --allow-suicide --positional-superko"],
    "othello": ["--gtp", "gtp-rhino"],
    "chess960": [*FAIRY, "--uci-option", "UCI_Chess960=true"],
    "crazyhouse": [*FAIRY, "--uci-option", "UCI_Variant=crazyhouse"],
    "antichess": [*FAIRY, "--uci-option", "UCI_Variant=antichess"],
    "backgammon": ["--exec", f"{sys.executable} {os.path.join(HERE, 'backgammon_bot.py')}"],
}
SETTINGS = {"house.agents": 3, "house.after_seconds": 1}
GAMES_WITHIN_SECONDS = 300
LOG_WITHIN_SECONDS = 10


def begin(hall, folder, game, options):
    """An engine at its one game."""
    words = ["agent", "--hall", hall.base, "--handle", f"engine-{game}", "--game", game, "--games", "1", "--quiet"]
    words += ["--key", os.path.join(folder, f"{game}.json"), *options]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([hall.binary, *words], **pipes)


def replay_of(hall, handle):
    """The replay of an agent's game once a checkpoint covers it."""
    game = data_of(f"{hall.base}/api/games?agent={handle}&status=ended")["games"][0]["id"]
    give_up = time.monotonic() + LOG_WITHIN_SECONDS
    while (replay := data_of(f"{hall.base}/api/games/{game}/replay")["replay"])["log"] is None:
        if time.monotonic() > give_up:
            raise TimeoutError(f"no checkpoint covers {game}")
        time.sleep(0.1)
    return replay


def judge(hall, folder, game, playing):
    """Waits for the end of a game; what is wrong with it, or None."""
    said, complained = playing.communicate(timeout=GAMES_WITHIN_SECONDS)
    if playing.returncode or complained:
        return f"exit code {playing.returncode}, and on standard error:\n{complained}"
    # How the game ended, and the sum of all; every other line is a move that was not the engine's, or trouble.
    if len(said.splitlines()) != 2:
        return f"it said more than how its game ended:\n{said}"
    replay = replay_of(hall, f"engine-{game}")
    path = os.path.join(folder, f"{game}.replay.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(replay, file)
    verified = subprocess.run([hall.binary, "verify", path], capture_output=True, text=True, check=False)
    if verified.returncode:
        return verified.stdout
    forced = sum(turn["forced"] is not None for turn in replay["moves"])
    if forced:
        return f"the hall moved in {forced} of {len(replay['moves'])} turns; {said.splitlines()[0]}"
    print(f"{game:12} {len(replay['moves'])} turns; {said.splitlines()[0]}")
    return None


def main():
    binary, folder = (os.path.abspath(path) for path in sys.argv[1:3])
    os.makedirs(folder, exist_ok=True)
    wrong = {}
    with RunningHall(binary, os.path.join(folder, "hall"), SETTINGS) as hall:
        games = {game: begin(hall, folder, game, options) for game, options in ENGINES.items()}
        try:
            for game, playing in games.items():
                problem = judge(hall, folder, game, playing)
                if problem:
                    wrong[game] = problem
        finally:
            for playing in games.values():
                # Terminated, an agent ends its engine too.
                playing.terminate()
                playing.wait()
    for game, problem in wrong.items():
        print(f"FAIL {game}: {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
