"""The PGN of a game of the chess family, read back by python-chess, says the same as the replay."""

import io
import re

import chess.pgn

from .claims import same


class Builder(chess.pgn.GameBuilder):
    """Keeps errors for the check instead of logging them."""

    def handle_error(self, error):
        self.game.errors.append(error)


TAG = re.compile(r'\[\w+ ".*"\]')
# What python-chess calls the variants; chess has no such tag.
VARIANTS = {"chess960": "Chess960", "crazyhouse": "Crazyhouse", "atomic": "Atomic", "antichess": "Antichess"}


def check_pgn(replay, rules):
    """`rules` have played the game."""
    text = replay["pgn"]
    source = io.StringIO(text)
    read = chess.pgn.read_game(source, Visitor=Builder)
    same("PGN: errors", [str(error) for error in read.errors], [])
    same("PGN: a second game in it", chess.pgn.read_game(source) is None, True)
    played = [turn["notation"] for turn in replay["moves"] if turn["notation"]]
    same("PGN: variant", read.headers.get("Variant"), VARIANTS.get(replay["game"]))
    same("PGN: start", read.board().fen(), (rules.board or read.board()).root().fen())
    same("PGN: moves", [move.uci() for move in read.mainline_moves()], played)
    result, formed = replay["result"], replay["events"][0]["created_at"]
    token = {(): "1/2-1/2" if result["draw"] else "*", ("p0",): "1-0", ("p1",): "0-1"}[tuple(result["winners"])]
    # Comments, variations, judgements and other spellings are no part of it.
    head, _, moves = text.partition("\n\n")
    same("PGN: lines of its head", [line for line in head.split("\n") if not TAG.fullmatch(line)], [])
    same("PGN: text of the moves", moves.split(), [*numbered(replay["events"]), token])
    tags = {
        "Result": token,
        "White": replay["seats"][0]["handle"],
        "Black": replay["seats"][1]["handle"],
        "Date": formed[:10].replace("-", "."),
        "UTCDate": formed[:10].replace("-", "."),
        "UTCTime": formed[11:19],
        "Termination": result["reason"],
        "GameId": replay["game_id"],
    }
    for name, value in tags.items():
        # The last four are not in the roster that every PGN has.
        same(f"PGN: tag {name}", read.headers.get(name, value), value)


def numbered(events):
    """The moves as the events tell them, with their numbers."""
    sans = [entry["event"]["data"]["san"] for entry in events if entry["event"]["type"] == "move"]
    for place, san in enumerate(sans):
        if place % 2 == 0:
            yield f"{place // 2 + 1}."
        yield san
