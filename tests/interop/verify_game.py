#!/usr/bin/env python3
"""Verifies ended games of a hall as a stranger would: from what it publishes, with other people's libraries.

    pip install chess PyNaCl rfc8785 py_ecc
    python3 verify_game.py http://127.0.0.1:8080 g_00000000000000000000000000

Nothing of the hall is used but its public reads and the formats it documents. The replay is judged by `verify_replay`
(which also takes files); here public record, event pages and PGN are compared with it. The log key is the one that the
hall publishes now; give a hall you do not trust `--log-key VKEY` with one that you have from elsewhere. Exits with 1
if a claim about a game fails.
"""

import argparse
import collections
import io
import json
import sys
import time
import urllib.request

import chess.pgn

from verify_replay.__main__ import describe, option
from verify_replay.beacon import chain_from
from verify_replay.claims import Difference, Unreadable, same
from verify_replay.log_proof import NoteKey
from verify_replay.pgn import Builder
from verify_replay.rules import CHESS_FAMILY
from verify_replay.verifier import replay_in
from verify_replay.verifier import verify as verify_document

EVENTS_PER_READ = 7
# A checkpoint follows new leaves within a second; a loaded machine may take longer.
CHECKPOINT_WITHIN_SECONDS = 20
BRACES = str.maketrans("{}", "()")


def fetch(address):
    with urllib.request.urlopen(address) as answer:
        return answer.read()


def data_of(address):
    envelope = json.loads(fetch(address))
    same(f"ok of {address}", envelope["ok"], True)
    return envelope["data"]


def check_documents(hall, replay):
    """Public record, event pages and PGN say what the replay says."""
    game_id = replay["game_id"]
    record = data_of(f"{hall}/api/games/{game_id}")["game"]
    shared = ("game", "variant", "division", "season_id", "seats", "ruleset_version", "commitment", "result")
    same("public record", {name: record[name] for name in shared}, {name: replay[name] for name in shared})
    turns = replay["moves"][-1]["turn_index"] + 1
    ended = {"id": game_id, "status": "ended", "turn_index": turns, "to_move": [], "deadline_utc": None}
    same("end in the record", {name: record[name] for name in ended}, ended)
    beacon = {name: replay["beacon"][name] for name in ("chain_hash", "round", "status")}
    same("beacon in the record", record["beacon"], beacon)
    same("replay path", record["replay"], f"/api/games/{game_id}/replay")
    strikes = collections.Counter(
        entry["event"]["data"]["player"] for entry in replay["events"] if entry["event"]["type"] == "strike"
    )
    players = [seat["player"] for seat in replay["seats"]]
    same("strikes in the record", record["strikes"], {player: strikes[player] for player in players})
    events = []
    while True:
        since = events[-1]["seq"] if events else 0
        page = data_of(f"{hall}/api/games/{game_id}/events?since={since}&limit={EVENTS_PER_READ}")
        same("head of the event page", (page["game_id"], page["since"], page["live"]), (game_id, since, False))
        if not page["events"]:
            break
        events += page["events"]
    same("events read in pages", events, replay["events"])
    check_record(data_of_record(hall, game_id), replay)
    if replay["game"] in CHESS_FAMILY:
        check_annotated(fetch(f"{hall}/api/games/{game_id}/pgn").decode(), replay)


def data_of_record(hall, game_id):
    """The record in JSON, which is served bare."""
    return json.loads(fetch(f"{hall}/api/games/{game_id}/record?format=json"))


def check_record(record, replay):
    """The record says what the replay says; only names of seats, notations and outcomes are pinned."""
    names = ("game", "variant", "result")
    same("members of the record", sorted(record), ["chance", "game", "moves", "result", "seats", "variant"])
    same("record", {name: record[name] for name in names}, {name: replay[name] for name in names})
    handles = [seat["handle"] for seat in replay["seats"]]
    same("handles in the record", [seat["handle"] for seat in record["seats"]], handles)
    played = [turn["notation"] for turn in replay["moves"] if turn["notation"]]
    same("moves in the record", [turn["notation"] for turn in record["moves"]], played)
    acts = [act["outcome"] for act in replay.get("chance", [])]
    same("acts in the record", [act["outcome"] for act in record["chance"]], acts)


def check_annotated(text, replay):
    """The PGN as it is served says what the bare one in the replay says, and tells clocks, forced moves and words."""
    source = io.StringIO(text)
    game = chess.pgn.read_game(source, Visitor=Builder)
    same("served PGN: errors", [str(error) for error in game.errors], [])
    same("served PGN: a second game in it", chess.pgn.read_game(source) is None, True)
    bare = chess.pgn.read_headers(io.StringIO(replay["pgn"]))
    same("served PGN: tags of the bare one", {name: game.headers.get(name) for name in bare}, dict(bare))
    turns = [turn for turn in replay["moves"] if turn["notation"]]
    told = {
        entry["event"]["data"]["turn_index"]: entry["event"]["data"]["commentary"]
        for entry in replay["events"]
        if entry["event"]["type"] == "move"
    }
    nodes = list(game.mainline())
    same("served PGN: moves", [node.move.uci() for node in nodes], [turn["notation"] for turn in turns])
    for node, turn in zip(nodes, turns):
        left = turn["clocks_ms"] and float(turn["clocks_ms"][turn["player"]] // 1000)
        same("served PGN: clock", node.clock(), left)
        same("served PGN: forced", f"[%forced {turn['forced']}]" in node.comment, bool(turn["forced"]))
        words = (told.get(turn["turn_index"]) or "").replace("[%", "[ %").translate(BRACES).split()
        same("served PGN: words", " ".join(words) in " ".join(node.comment.split()), True)


def log_key_of(hall):
    """The note verifier key that the hall itself names."""
    return NoteKey(data_of(f"{hall}/api/official")["official"]["log"]["public_key"])


def judge(hall, game_id, log_key=None, chains=()):
    """Checks everything. Returns the replay and the claims about it; raises `Difference`."""
    replay = replay_in(data_of(f"{hall}/api/games/{game_id}/replay"))
    same("game id", replay["game_id"], game_id)
    claims = verify_document(replay, [log_key or log_key_of(hall)], chains)
    check_documents(hall, replay)
    return replay, claims


def verify(hall, game_id):
    """The replay of a game of which every claim holds, with its place in the log; raises `Difference`."""
    give_up = time.monotonic() + CHECKPOINT_WITHIN_SECONDS
    while not data_of(f"{hall}/api/games/{game_id}/replay")["replay"]["log"]:
        if time.monotonic() > give_up:
            raise Difference("no checkpoint covers the game")
        time.sleep(0.05)
    return judge(hall, game_id)[0]


def main():
    parser = argparse.ArgumentParser(description="Verifies ended games of a hall.")
    parser.add_argument("hall", help="the hall's base address")
    parser.add_argument("games", metavar="GAME_ID", nargs="+")
    parser.add_argument("--log-key", metavar="VKEY", type=option(NoteKey))
    chain = "HASH:KEY:GENESIS:PERIOD"
    parser.add_argument("--chain", metavar=chain, type=option(chain_from), action="append", default=[])
    options = parser.parse_args()
    hall, failed = options.hall.rstrip("/"), 0
    for game_id in options.games:
        try:
            print(describe(*judge(hall, game_id, options.log_key, options.chain)))
        except (Difference, Unreadable) as reason:
            failed += 1
            print(f"{game_id}: {reason}")
    print(f"{len(options.games) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
