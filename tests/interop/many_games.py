#!/usr/bin/env python3
"""Lets built-in agents play many games at the built hall, and has each replay judged by both verifiers.

    python3 many_games.py PATH_TO_HALL FOLDER_FOR_DATA NUMBER_OF_GAMES

The agents play at random, greedily and by a small search, so that the games are long and end in many ways. Both
verifiers must accept every replay, with the hall's own log and its key. Prints how the games ended and how long the
verifiers took, and exits with 1 if one rejects a replay.
"""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time
import urllib.request

from running_hall import RunningHall
from verify_game import data_of
from verify_replay.log_proof import NoteKey
from verify_replay.verifier import reject_reason

# Many at once: a loser notices the end only when its pulse returns, up to ten seconds later.
STYLES = ["random", "random", "greedy", "random", "greedy", "search"] * 4
GAMES_WITHIN_SECONDS = 900
LOG_WITHIN_SECONDS = 10
VERIFIED_WITHIN_SECONDS = 60


def play(hall, folder, number):
    """So many games by agents that play until they are told to stop."""
    agents = []
    try:
        for place, style in enumerate(STYLES):
            words = ["agent", "--hall", hall.base, "--handle", f"{style}-{place}", "--strategy", style]
            words += ["--key", os.path.join(folder, f"{place}.json"), "--seed", str(place)]
            agents.append(subprocess.Popen([hall.binary, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        give_up = time.monotonic() + GAMES_WITHIN_SECONDS
        while data_of(f"{hall.base}/api/pulse")["ended_games"] < number:
            if time.monotonic() > give_up or any(agent.poll() is not None for agent in agents):
                raise RuntimeError("the agents do not play as many games as they should")
            time.sleep(0.2)
    finally:
        for agent in agents:
            agent.terminate()
            agent.wait()


def ended_games(hall):
    cursor = ""
    while cursor is not None:
        page = data_of(f"{hall.base}/api/games?status=ended&limit=200{cursor and '&cursor=' + cursor}")
        yield from (game["id"] for game in page["games"])
        cursor = page["next_cursor"]


def replay_with_log(hall, game):
    """The answer's bytes once a checkpoint covers the game."""
    give_up = time.monotonic() + LOG_WITHIN_SECONDS
    while True:
        with urllib.request.urlopen(f"{hall.base}/api/games/{game}/replay", timeout=60) as answer:
            body = answer.read()
        if json.loads(body)["data"]["replay"]["log"] is not None:
            return body
        if time.monotonic() > give_up:
            raise RuntimeError(f"no checkpoint covers {game}")
        time.sleep(0.1)


def judge(binary, path, key):
    """The verdict of both verifiers on a replay: None if they accept it, else their reasons."""
    with open(path, encoding="utf-8") as file:
        reason = reject_reason(json.load(file), [NoteKey(key)])
    command = [binary, "verify", path, "--log-key", key]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=VERIFIED_WITHIN_SECONDS)
    said = None if done.returncode == 0 else (done.stdout + done.stderr).decode(errors="replace").strip()
    return None if reason is None and said is None else f"{path}\n  Python: {reason}\n  hall: {said}"


def main():
    binary, folder, number = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    began = time.monotonic()
    with RunningHall(binary, folder, {"limits.joins_per_day": 0}) as hall:
        play(hall, folder, number)
        played = time.monotonic()
        key = data_of(f"{hall.base}/api/official")["official"]["log"]["public_key"]
        paths, ends, turns = [], collections.Counter(), 0
        for game in ended_games(hall):
            body = replay_with_log(hall, game)
            replay = json.loads(body)["data"]["replay"]
            ends[replay["result"]["reason"]] += 1
            turns += len(replay["moves"])
            paths.append(os.path.join(folder, f"{game}.json"))
            with open(paths[-1], "wb") as file:
                file.write(body)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        rejected = [why for why in pool.map(judge, *zip(*((binary, path, key) for path in paths))) if why]
    print("\n".join(rejected))
    told = ", ".join(f"{end} {count}" for end, count in ends.most_common())
    times = f"played in {played - began:.0f} s, verified in {time.monotonic() - played:.0f} s"
    print(f"{len(paths)} games of {turns} turns ({told}): {len(rejected)} rejected; {times}")
    return 1 if rejected or len(paths) < number else 0


if __name__ == "__main__":
    sys.exit(main())
