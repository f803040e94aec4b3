#!/usr/bin/env python3
"""Prints what lists of ended games, and the statistics of their agents, cost a hall in processor time.

    python3 list_times.py PATH_TO_HALL FOLDER_FOR_DATA NUMBER_OF_GAMES

Built-in agents play that many games of chess at random first, unless the folder has them already. Then the hall is started
anew, so that none of them is in its memory; more than it keeps there should be asked for.
"""

import os
import sys

import many_games
from running_hall import RunningHall
from verify_game import data_of

# Small halls are asked often enough to be measured in steps of a clock tick.
ASKED = 200


def processor_ms(hall):
    """What the process has used so far."""
    with open(f"/proc/{hall.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pages(hall, limit):
    """How many pages all ended games have, read from the newest to the oldest."""
    cursor, count = "", 0
    while cursor is not None:
        cursor = data_of(f"{hall.base}/api/games?status=ended&limit={limit}{cursor and '&cursor=' + cursor}")["next_cursor"]
        count += 1
    return count


def measured(hall, what, read, times=ASKED):
    before, asked = processor_ms(hall), 0
    while asked < times:
        asked += read()
    print(f"{what}: {(processor_ms(hall) - before) / asked:.2f} ms", flush=True)


def main():
    binary, folder, number = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
    with RunningHall(binary, folder) as hall:
        if data_of(f"{hall.base}/api/pulse")["ended_games"] < number:
            many_games.STYLES = ["random"] * 32
            many_games.play(hall, folder, number)
    with RunningHall(binary, folder) as hall:
        def asked(query):
            data_of(f"{hall.base}/api/games?status=ended&limit=50{query}")
            return 1

        def statistics_of(handle):
            data_of(f"{hall.base}/api/agents/{handle}/statistics")
            return 1

        print(f"{data_of(hall.base + '/api/pulse')['ended_games']} ended games")
        board = data_of(f"{hall.base}/api/leaderboards?game=chess&division=open")["leaderboard"]
        handles = [row["handle"] for row in board]
        new = iter(handles)
        measured(hall, "the statistics of an agent, for the first time", lambda: statistics_of(next(new)), len(handles))
        measured(hall, "a page of 50 games, all in turn", lambda: pages(hall, 50))
        measured(hall, "a page of 200 games, all in turn", lambda: pages(hall, 200))
        measured(hall, "a search that finds none", lambda: asked("&game=hex"))


if __name__ == "__main__":
    main()
