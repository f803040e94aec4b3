#!/usr/bin/env python3
"""Plays games of the whole catalog at the built hall and keeps their replays, as material for tampering.

    python3 genuine_tables.py PATH_TO_HALL FOLDER_FOR_DATA FOLDER_FOR_REPLAYS

A few turns of every game and variant, and games for what chess does not have: forced moves with dice and cards, shared
turns that are missed or broken off, seats that are vacated in each way, ends by the operator at larger tables, draw
offers beside acts of nature, and nature that waits for a round of the chain of tests. Prints one line a game.
"""

import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import time

from genuine_games import PAUSE_SECONDS, events, keep
from made_relay import MadeRelay
from running_hall import RunningHall
from scenarios import python_agent, seated, until
from verify_game import data_of

# Random play hardly ever passes twice in a row.
PASSES = 0.1
ENDED_WITHIN_SECONDS = 60
BOUND = [("backgammon", "standard", 2), ("liars_dice", "four", 4), ("goofspiel", "standard", 2)]
VACATED = [("liars_dice", "four", 4), ("goofspiel", "three", 3)]
# Nobody listens there.
NO_RELAY = "http://127.0.0.1:9"


class Table:
    """Agents at one table, in seat order; moves are drawn from a seed."""

    def __init__(self, hall, game, variant, seats, name):
        self.hall, self.dice = hall, random.Random(f"{game} {variant} {name}")
        self.agents = [seated(hall, f"{name}-{place}") for place in range(seats)]
        lobby = {"game": game, "variant": variant, "division": "open"}
        joined = [agent.call("POST", "/api/lobby/join", body=lobby)["game_id"] for agent in self.agents]
        self.id = joined[-1]
        handles = [seat["handle"] for seat in self.record()["seats"]]
        self.agents.sort(key=lambda agent: handles.index(agent.handle))

    def record(self):
        return data_of(f"{self.hall.base}/api/games/{self.id}")["game"]

    def is_over(self):
        return self.record()["status"] == "ended"

    def choice(self, seat):
        """A legal move of a player who is to move."""
        answer = self.agents[seat].call("GET", f"/api/games/{self.id}/legal_moves")
        legal = [entry["notation"] for entry in answer["legal_moves"]]
        return "pass" if "pass" in legal and self.dice.random() < PASSES else self.dice.choice(legal)

    def say(self, seat, **fields):
        """Sends a body; a refused move is an illegal one, which is meant."""
        try:
            self.agents[seat].move(self.id, self.record()["turn_index"], **fields)
        except python_agent.Refused as refused:
            if refused.code != "illegal_move":
                raise
        return self

    def movers(self):
        return [int(player[1:]) for player in self.record()["to_move"]]

    def move(self, **fields):
        """The first player who is to move does so at random."""
        seat = self.movers()[0]
        return self.say(seat, move=self.choice(seat), **fields)

    def play(self, moves):
        for _ in range(moves):
            if self.is_over():
                break
            self.move()
        return self

    def resign(self, seat=None):
        return self.say(self.movers()[0] if seat is None else seat, resign=True)

    def sin(self, seat=None):
        """Three illegal moves, the last of which forces one."""
        seat = self.movers()[0] if seat is None else seat
        for text in ("z9", "no move", {"index": 9999}):
            self.say(seat, move=text)
        return self

    def redact(self, turn):
        return self.admin(self.id, turn, what=("redact", "game"))

    def admin(self, *words, what=("game",)):
        where = f"storage.path={self.hall.settings['storage.path']}"
        command = [self.hall.binary, "admin", "--set", where, *what, *words, "--reason", "test"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return self


def catalog(hall):
    """(game, variant, seats) of all that is offered."""
    for game in data_of(f"{hall.base}/api/catalog")["games"]:
        yield game["id"], "standard", game["players"]["min"] if not game["variants"] else 2
        for variant in game["variants"]:
            yield game["id"], variant["id"], variant["players"]["min"]


def short(hall):
    """A few turns of every game, with illegal moves and words, ended by a resignation."""
    for place, (game, variant, seats) in enumerate(catalog(hall)):
        if game == "chess":
            continue
        table = Table(hall, game, variant, seats, f"short-{place}")
        table.move(commentary="a word").sin().play(3)
        while not table.is_over():
            table.resign()


def larger(hall):
    """Seats that are vacated in each way, at tables of three and four."""
    table = Table(hall, "liars_dice", "four", 4, "leave")
    table.play(2).resign().play(3).sin().admin("vacate", table.id, vacated(table)).play(8).resign()
    table = Table(hall, "liars_dice", "four", 4, "sinner")
    while seat_is_seated(table, "p0"):
        table.sin() if table.movers() == [0] else table.move()
    table.play(5).resign().resign()
    table = Table(hall, "goofspiel", "four", 4, "leavers")
    table.play(5).resign(3).play(2).resign(0).play(4).resign()
    table = Table(hall, "goofspiel", "three", 3, "vacated")
    table.play(4).admin("vacate", table.id, "p2").play(1).resign()
    table = Table(hall, "goofspiel", "three", 3, "judged")
    table.play(4).admin("adjudicate", table.id, "--winner", "p1")
    table = Table(hall, "goofspiel", "three", 3, "judged-beside")
    table.say(0, move="7").admin("vacate", table.id, "p1").say(2, move="9")
    table.admin("adjudicate", table.id, "--winner", "p2")
    table = Table(hall, "goofspiel", "three", 3, "vacated-forced")
    table.say(0, move="7").sin(1).admin("vacate", table.id, "p1").resign(2)
    table = Table(hall, "liars_dice", "four", 4, "aborted")
    table.play(2).resign().play(2).admin("adjudicate", table.id, "--abort")
    table = Table(hall, "liars_dice", "four", 4, "tied")
    table.play(2).admin("adjudicate", table.id, "--draw")


def seat_is_seated(table, player):
    told = data_of(f"{table.hall.base}/api/games/{table.id}/events?limit=1000")["events"]
    left = [entry["event"]["data"]["player"] for entry in told if entry["event"]["type"] == "seat_vacated"]
    return player not in left and not table.is_over()


def vacated(table):
    """A player who has not left yet and is not to move."""
    free = [f"p{seat}" for seat in range(len(table.agents)) if seat not in table.movers()]
    return next(player for player in free if seat_is_seated(table, player))


def offer(table):
    """Offers a draw until the other player is to move: who begins after a new card or new dice may be the same again."""
    offering = None
    while not table.is_over() and offering in (None, table.movers()[0]):
        offering = table.movers()[0]
        table.move(draw_offer=True)
    return table


def offers(hall):
    """Draw offers where nature acts, declined and accepted; sealed actions that are void; a verdict before an act."""
    for game in ("backgammon", "leduc_poker", "liars_dice", "connect_four"):
        table = offer(Table(hall, game, "standard", 2, f"offer-{game.replace('_', '-')}"))
        if not table.is_over():
            offer(table.move())
        if not table.is_over():
            table.say(table.movers()[0], draw_accept=True)
    # Who offers with the last move of a hand may begin the next one; then the offer still stands.
    table = Table(hall, "leduc_poker", "kuhn", 2, "offer-kuhn").say(0, move="check")
    table.say(1, move="check", draw_offer=True).say(1, move="check").say(0, move="check").resign()
    Table(hall, "goofspiel", "standard", 2, "void").play(3).resign()
    table = Table(hall, "goofspiel", "three", 3, "broken")
    table.play(5).admin("adjudicate", table.id, "--abort")


def hurried(hall):
    """Nobody moves, at every table at once."""
    tables = [
        Table(hall, game, variant, seats, f"sleep-{place}")
        for place, (game, variant, seats) in enumerate(catalog(hall))
        if game != "chess"
    ]
    tables.append(Table(hall, "goofspiel", "three", 3, "half"))
    tables[-1].move()
    for table in tables:
        until(table.is_over, ENDED_WITHIN_SECONDS)


def clocked(hall):
    """Side clocks run out, in a shared turn too."""
    tables = [
        Table(hall, "goofspiel", "three", 3, "clocked"),
        Table(hall, "goofspiel", "standard", 2, "together"),
        Table(hall, "liars_dice", "four", 4, "clocked-four"),
    ]
    tables[0].say(2, move="13")
    for table in tables:
        until(table.is_over, ENDED_WITHIN_SECONDS)


def bound(hall):
    """Games whose nature waits for a round of the chain of tests."""
    for game, variant, seats in BOUND:
        table = Table(hall, game, variant, seats, f"bound-{game.replace('_', '-')}")
        until(table.movers, ENDED_WITHIN_SECONDS)
        table.sin().play(4)
        while not table.is_over():
            table.resign()
    table = Table(hall, "leduc_poker", "standard", 2, "unset")
    table.admin("adjudicate", table.id, "--abort")


def missed(hall):
    """The round never comes: a forced move, and nature, wait ten seconds for it; meanwhile a seat is vacated."""
    waiting = [
        Table(hall, "backgammon", "standard", 2, "missed-dice"),
        Table(hall, "chess960", "standard", 2, "missed-start"),
    ]
    for game, variant, seats in VACATED:
        waiting.append(Table(hall, game, variant, seats, f"vacated-{seats}"))
        waiting[-1].admin("vacate", waiting[-1].id, "p0")
    table = Table(hall, "checkers", "standard", 2, "missed").play(2).sin()
    table.play(1).resign()
    for each in waiting:
        until(each.movers, ENDED_WITHIN_SECONDS)
        each.play(3)
        while not each.is_over():
            each.resign()


def withheld(hall):
    """The operator withholds words of a shared turn, of who left, of an illegal attempt, and of a void action."""
    table = Table(hall, "goofspiel", "three", 3, "withheld")
    table.move(commentary="a word").move(commentary="more").say(table.movers()[0], move="none").play(1)
    table.resign(1).play(2).move(commentary="void").resign()
    for turn in ("0", "1", "2"):
        table.redact(turn)
    table = Table(hall, "liars_dice", "four", 4, "withheld-four")
    table.play(1).say(table.movers()[0], resign=True, commentary="bye").play(2)
    while not table.is_over():
        table.resign()
    table.redact("0").redact("1")


def paused(hall):
    """The hall stops while some have sealed their actions, one of them before a verdict, and while a seat is vacant."""
    table = Table(hall, "goofspiel", "three", 3, "paused").play(4)
    other = Table(hall, "liars_dice", "four", 4, "paused-four").play(2).resign().play(1)
    judged = Table(hall, "goofspiel", "three", 3, "paused-judged").move()
    hall.process.send_signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    hall.process.send_signal(signal.SIGCONT)
    for each in (judged, table, other):
        until(lambda: any(entry["event"]["type"] == "deadline_extended" for entry in events(each)), 10)
        if each is judged:
            judged.admin("adjudicate", judged.id, "--winner", "p1")
        each.play(3)
        while not each.is_over():
            each.resign()


def of_games(games, key, seconds):
    return {f"games.{game}.{key}": seconds for game in games}


def halls_of(games, relay):
    """What is played, and the settings of the hall for it."""
    return [
        (short, {}),
        (larger, {}),
        (offers, {}),
        (withheld, {}),
        (paused, {**of_games(["goofspiel", "liars_dice"], "move_seconds", 20), "games.goofspiel.side_seconds": 22}),
        (hurried, of_games(games, "move_seconds", 1)),
        (clocked, of_games(["goofspiel", "liars_dice"], "side_seconds", 2)),
        (bound, relay.settings),
        (missed, {**relay.settings, "beacon.relays": NO_RELAY}),
    ]


def main():
    binary, data, replays = map(os.path.abspath, sys.argv[1:4])
    os.makedirs(replays, exist_ok=True)

    def run(play, settings):
        settings = {"limits.joins_per_day": 0, **settings}
        with RunningHall(binary, os.path.join(data, play.__name__), settings) as hall:
            play(hall)
            keep(hall, play.__name__, replays)

    with RunningHall(binary, os.path.join(data, "catalog")) as hall:
        games = [game["id"] for game in data_of(f"{hall.base}/api/catalog")["games"]]
    # Side by side, because most of them wait for a deadline or a round.
    with MadeRelay() as relay, concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(run, *hall) for hall in halls_of(games, relay)]:
            done.result()
    return 0


if __name__ == "__main__":
    sys.exit(main())
