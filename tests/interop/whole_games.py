#!/usr/bin/env python3
"""Plays every game of the catalog to its end at the built hall, and has each replay judged by both verifiers.

    python3 whole_games.py PATH_TO_HALL FOLDER_FOR_DATA ROUNDS

A round is a game of each variant. Moves are drawn at random, and the longest games are resigned. At a larger table somebody
leaves in every second round, and the hall plays for the vacant seat to the end. Both verifiers must accept every replay,
with the hall's own log and its key. Exits with 1 if one rejects a replay.
"""

import collections
import concurrent.futures
import os
import sys
import threading
import time

from genuine_tables import Table, catalog
from many_games import ended_games, judge, replay_with_log
from running_hall import RunningHall
from verify_game import data_of

LONGEST = 400
# One table is seated at a time, so that its agents meet.
JOINING = threading.Lock()


def play(hall, number):
    for place, (game, variant, seats) in enumerate(catalog(hall)):
        with JOINING:
            table = Table(hall, game, variant, seats, f"round-{number}-{place}")
        if seats > 2 and number % 2:
            table.play(seats + 1).resign()
        table.play(LONGEST)
        while not table.is_over():
            table.resign()


def main():
    binary, folder, rounds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
    began, paths, ends = time.monotonic(), [], collections.Counter()
    os.makedirs(folder, exist_ok=True)
    with RunningHall(binary, folder, {"limits.joins_per_day": 0}) as hall:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda number: play(hall, number), range(rounds)))
        played = time.monotonic()
        key = data_of(f"{hall.base}/api/official")["official"]["log"]["public_key"]
        for game in data_of(f"{hall.base}/api/catalog")["games"]:
            ends[game["id"]] = 0
        for game in ended_games(hall):
            ends[data_of(f"{hall.base}/api/games/{game}")["game"]["game"]] += 1
            paths.append(os.path.join(folder, f"{game}.json"))
            with open(paths[-1], "wb") as file:
                file.write(replay_with_log(hall, game))
    with concurrent.futures.ProcessPoolExecutor() as pool:
        rejected = [why for why in pool.map(judge, *zip(*((binary, path, key) for path in paths))) if why]
    print("\n".join(rejected))
    told = ", ".join(f"{game} {count}" for game, count in ends.items())
    times = f"played in {played - began:.0f} s, verified in {time.monotonic() - played:.0f} s"
    print(f"{len(paths)} games ({told}): {len(rejected)} rejected; {times}")
    return 1 if rejected or not paths or not all(ends.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
