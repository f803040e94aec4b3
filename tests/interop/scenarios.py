#!/usr/bin/env python3
"""Plays whole games against the built hall with agents in several languages, and verifies them as a stranger would.

    python3 scenarios.py PATH_TO_HALL FOLDER_FOR_DATA

Needs the packages of requirements.txt, `node` and `stockfish`. Prints one line for each claim and ends with the number
of claims that held and that did not; exits with 1 if one did not.
"""

import hashlib
import os
import random
import subprocess
import sys
import threading
import time
import traceback

from nacl.signing import SigningKey

AGENTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agents")
sys.path.insert(0, AGENTS)

import python_agent  # noqa: E402  (it lies in the folder just named)
import tamper  # noqa: E402
from documents import check_official, check_openapi, check_playbook  # noqa: E402
from running_hall import RunningHall  # noqa: E402
from verify_game import data_of, verify  # noqa: E402
from verify_replay.claims import Difference, same  # noqa: E402
from verify_replay.verifier import reject_reason  # noqa: E402

GAME_WITHIN_SECONDS = 300
FORGERIES = 150


class Tally:
    """Runs claims and counts which hold."""

    def __init__(self):
        self.passed = self.failed = 0

    def claim(self, words, check, *arguments):
        begun = time.monotonic()
        try:
            answer = check(*arguments)
        except Exception as error:  # whatever goes wrong, the claim does not hold
            self.failed += 1
            print(f"FAIL {words}: {error}", flush=True)
            if not isinstance(error, Difference):
                traceback.print_exc(file=sys.stdout)
            return None
        self.passed += 1
        print(f"ok   {words} ({time.monotonic() - begun:.1f} s)", flush=True)
        return answer


def seated(hall, handle, operator=None):
    """A registered Python agent with a new key."""
    agent = python_agent.Hall(hall.base, handle, SigningKey.generate())
    python_agent.enter(agent, operator or f"operator of {handle}")
    return agent


def together(*works):
    """Runs each work on a thread of its own and returns the answers; the first error is raised."""
    answers, errors = [None] * len(works), []

    def run(place, work):
        try:
            answers[place] = work()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GAME_WITHIN_SECONDS)
    if errors:
        raise errors[0]
    if any(thread.is_alive() for thread in threads):
        raise TimeoutError(f"no end within {GAME_WITHIN_SECONDS} s")
    return answers


def until(look, within):
    """Polls until `look` finds something, and returns that."""
    give_up = time.monotonic() + within
    while not (found := look()):
        if time.monotonic() > give_up:
            raise TimeoutError(f"not within {within} s")
        time.sleep(0.1)
    return found


def run_program(hall, *command):
    done = subprocess.run(
        command, cwd=hall.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=GAME_WITHIN_SECONDS
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def two_python_agents(hall):
    first, second = seated(hall, "python-one"), seated(hall, "python-two")
    games = together(
        lambda: python_agent.play(first, 1, python_agent.capture, random.Random(1)),
        lambda: python_agent.play(second, 1, python_agent.capture, random.Random(2)),
    )
    same("the game that both played", games[0][0], games[1][0])
    replay = verify(hall.base, games[0][0]["id"])
    check_first_seat(replay)
    return replay


def check_first_seat(replay):
    """Neither agent had played before, so the lower hash has the first seat."""

    def seat_hash(seat):
        return hashlib.sha256(f"svc.seat.v1:{replay['game_id']}:{seat['handle']}".encode()).hexdigest()

    same("first seat", replay["seats"], sorted(replay["seats"], key=seat_hash))


def python_against_node(hall):
    agent = seated(hall, "python-three")
    script = os.path.join(AGENTS, "node_agent.mjs")
    games, _ = together(
        lambda: python_agent.play(agent, 1, python_agent.any_move, random.Random(3)),
        lambda: run_program(hall, "node", script, hall.base, "node-one", "operator of node-one", "1"),
    )
    return verify(hall.base, games[0]["id"])


def agents_of_the_playbook(hall):
    """The agents in Python and JavaScript as printed in the playbook, against each other."""
    playbook = data_of(f"{hall.base}/api/playbook")
    printed = (("printed-python", sys.executable, "example", "py"), ("printed-node", "node", "example_javascript", "mjs"))
    log = open(os.path.join(hall.folder, "printed_agents.log"), "ab")
    agents = []
    try:
        for name, program, member, suffix in printed:
            script = os.path.join(hall.folder, f"{name}.{suffix}")
            with open(script, "w", encoding="utf-8") as file:
                file.write(playbook[member]["source"])
            command = [program, script, hall.base, name, os.path.join(hall.folder, f"{name}.key"), f"operator of {name}"]
            agents.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        ended = f"{hall.base}/api/games?status=ended&agent=printed-python"
        game = until(lambda: (data_of(ended)["games"] or [None])[0], GAME_WITHIN_SECONDS)
        same("agents that still run", [agent.poll() for agent in agents], [None, None])
    finally:
        for agent in agents:
            agent.kill()
            agent.wait()
        log.close()
    return verify(hall.base, game["id"])


def stockfish_against_random(hall):
    """Two `hall agent` processes; the loser stands below the winner."""

    def agent(handle, *strategy):
        key = os.path.join(hall.folder, f"{handle}.json")
        common = ["--hall", hall.base, "--handle", handle, "--key", key, "--games", "1"]
        return lambda: run_program(hall, hall.binary, "agent", *common, *strategy)

    together(
        agent("engine", "--uci", "stockfish", "--movetime-ms", "50"),
        agent("dice", "--strategy", "random", "--seed", "7"),
    )
    games = data_of(f"{hall.base}/api/games?status=ended&agent=engine")["games"]
    same("games of the engine", len(games), 1)
    replay = verify(hall.base, games[0]["id"])
    winner = next(seat for seat in replay["seats"] if seat["handle"] == "engine")["player"]
    same("result", replay["result"], {"winners": [winner], "draw": False, "reason": "checkmate"})
    check_standing(hall, replay)
    return replay


def check_standing(hall, replay):
    """Leaderboard and profiles after the first rated game of both: the published formulas give these values."""
    rows = data_of(f"{hall.base}/api/leaderboards?game=chess&division=open")["leaderboard"]
    rows = {row["handle"]: row for row in rows}
    ranks = [row["rank"] for row in rows.values()]
    same("ranks", sorted(ranks), list(range(1, len(rows) + 1)))
    same("the winner stands above the loser", rows["engine"]["rank"] < rows["dice"]["rank"], True)
    for handle, record, rating in (("engine", (1, 0, 0), 1662.31), ("dice", (0, 1, 0), 1337.69)):
        row = rows[handle]
        same(f"{handle}: record", (row["wins"], row["losses"], row["draws"]), record)
        same(f"{handle}: rating", (row["rating"], row["rd"], row["games_played"]), (rating, 290.32, 1))
        profile = data_of(f"{hall.base}/api/agents/{handle}")
        same(f"{handle}: record in the profile", profile["record"], dict(zip(("wins", "losses", "draws"), record)))
        rated = profile["ratings"][0]
        board = ("game", "variant", "division", "season_id")
        shared = (*board, "rating", "rd", "volatility", "games_played", "provisional")
        same(f"{handle}: rating in the profile", rated, {name: row[name] for name in shared})
        seat = next(seat for seat in replay["seats"] if seat["handle"] == handle)
        same(f"{handle}: agent id", row["agent_id"], seat["agent_id"])


def illegal_moves(hall):
    """Three illegal moves force a random one and a strike; after three such turns the game is forfeit."""
    sinner, partner = seated(hall, "sinner"), seated(hall, "partner")
    python_agent.join(sinner)
    game_id = python_agent.join(partner)
    answers = []

    def sin():
        while True:
            view = sinner.call("GET", f"/api/games/{game_id}/view")["view"]
            if view["result"]:
                return
            if view["you"]["player"] in view["to_move"]:
                for text in ("e1h1", "O-O", "E2E4"):
                    try:
                        sinner.move(game_id, view["turn_index"], move=text)
                    except python_agent.Refused as refused:
                        answers.append((refused.code, refused.data))
            time.sleep(0.02)

    def reply():
        dice = random.Random(5)
        while data_of(f"{hall.base}/api/games/{game_id}")["game"]["status"] == "live":
            python_agent.take_turn(partner, game_id, python_agent.any_move, dice)
            time.sleep(0.02)

    together(sin, reply)
    replay = verify(hall.base, game_id)
    same("reason", replay["result"]["reason"], "strikes")
    same("codes", {code for code, _ in answers}, {"illegal_move"})
    same("answers", len(answers), 9)
    for place, (_, data) in enumerate(answers):
        same(f"rejected by, {place}", data["rejected_by"], "ROOM_REJECTED")
        if place < 6:
            same(f"legal moves restated, {place}", "legal_moves" in data, place % 3 != 0)
            same(f"forced turn named, {place}", "applied" in data, place % 3 == 2)
    forced = [turn for turn in replay["moves"] if turn["forced"]]
    same("forced turns", [turn["notation"] is None for turn in forced], [False, False, True])
    applied = [answers[place][1]["applied"]["notation"] for place in (2, 5)]
    same("what was applied", applied, [turn["notation"] for turn in forced[:2]])
    return replay


def slept_through(hall, *handles):
    """The replay of a game in which nobody moves."""
    sleepers = [seated(hall, handle) for handle in handles]
    python_agent.join(sleepers[0])
    game_id = python_agent.join(sleepers[1])
    until(lambda: data_of(f"{hall.base}/api/games/{game_id}")["game"]["status"] == "ended", 60)
    return verify(hall.base, game_id)


def missed_deadlines(hall):
    """Nobody moves: default actions and strikes until the third of the first seat ends the game."""
    replay = slept_through(hall, "sleeper-one", "sleeper-two")
    same("causes", [turn["forced"] for turn in replay["moves"]], ["deadline"] * 5)
    same("result", replay["result"], {"winners": ["p1"], "draw": False, "reason": "strikes"})


def clock_used_up(hall):
    """With two seconds a side and nobody moving, the side clock ends the game without a strike."""
    replay = slept_through(hall, "clock-one", "clock-two")
    same("result", replay["result"], {"winners": ["p1"], "draw": False, "reason": "clock"})
    same("clocks", replay["moves"][-1]["clocks_ms"]["p0"], 0)


def draw_and_resignation(hall):
    """A draw offered with a move and accepted; then, in a second game, a resignation. Seats alternate."""
    one, two = seated(hall, "polite-one"), seated(hall, "polite-two")
    agents = {one.handle: one, two.handle: two}
    python_agent.join(one)
    first = data_of(f"{hall.base}/api/games/{python_agent.join(two)}")["game"]
    white, black = (agents[seat["handle"]] for seat in first["seats"])
    white.move(first["id"], 0, move="e2e4", draw_offer=True)
    black.move(first["id"], 1, move="e7e5")
    white.move(first["id"], 2, move={"index": 0}, draw_offer=True, commentary="½? \u2028 😀 \"\\")
    black.move(first["id"], 3, draw_accept=True)
    same("first result", verify(hall.base, first["id"])["result"]["reason"], "agreement")
    python_agent.join(one)
    second = data_of(f"{hall.base}/api/games/{python_agent.join(two)}")["game"]
    same("seats alternate", [seat["handle"] for seat in second["seats"]], [black.handle, white.handle])
    black.move(second["id"], 0, resign=True)
    same("second result", verify(hall.base, second["id"])["result"]["reason"], "resignation")


def operators_never_meet(hall):
    """Two agents with one operator secret stay queued."""
    one, two = seated(hall, "kin-one", "one secret for both"), seated(hall, "kin-two", "one secret for both")
    same("games formed", (python_agent.join(one), python_agent.join(two)), (None, None))
    for agent in (one, two):
        agent.call("POST", "/api/lobby/leave", body={"game": "chess", "division": "open"})


def forgeries_are_found(replay):
    """The verifier must find changes. tamper.py tries far more of them, on shorter games."""
    tried = tamper.sample(tamper.tampered(replay), FORGERIES, random.Random(11))
    for forgery in tried:
        with forgery as forged:
            if reject_reason(forged) is None:
                raise Difference(f"not found: {forgery}")
    same("forgeries tried", len(tried), FORGERIES)


def same_after_restart(hall, replay):
    again = data_of(f"{hall.base}/api/games/{replay['game_id']}/replay")["replay"]
    for name, value in replay.items():
        same(f"{name} after the restart", again[name], value)


HURRIED = {"games.chess.move_seconds": 1}
CLOCKED = {"games.chess.side_seconds": 2}
# Each plays in a separate hall, so that an agent left in a lobby never meets one of another scenario.
GAMES = [
    ("a Python and a Node agent play a whole game, which verifies", python_against_node, {}),
    ("the agents that the playbook prints play a whole game, which verifies", agents_of_the_playbook, {}),
    ("Stockfish beats random moves and stands above it", stockfish_against_random, {}),
    ("three illegal moves in a turn force one, three strikes forfeit", illegal_moves, {}),
    ("an accepted draw offer and a resignation end games", draw_and_resignation, {}),
    ("agents of one operator never meet", operators_never_meet, {}),
    ("missed deadlines force moves, three strikes forfeit", missed_deadlines, HURRIED),
    ("a used-up side clock loses", clock_used_up, CLOCKED),
]


def main():
    binary, folder = map(os.path.abspath, sys.argv[1:3])
    tally = Tally()
    claim = tally.claim
    usual = RunningHall(binary, os.path.join(folder, "usual"))
    with usual as hall:
        claim("the playbook's vectors hold under PyNaCl and rfc8785", check_playbook, hall)
        claim("the official document is signed by the log key", check_official, hall)
        claim("the OpenAPI document describes the routes that the example agents use", check_openapi, hall)
        replay = claim("two Python agents play a whole game, which verifies", two_python_agents, hall)
    if replay:
        claim("the verifier finds every forgery", forgeries_are_found, replay)
        with usual as hall:
            claim("the replay is the same after a restart", same_after_restart, hall, replay)
    for words, play, settings in GAMES:
        with RunningHall(binary, os.path.join(folder, play.__name__), settings) as hall:
            claim(words, play, hall)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
