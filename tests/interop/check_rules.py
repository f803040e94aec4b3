#!/usr/bin/env python3
"""Checks the rules of the Python verifier against published counts, and its results against the pages.

    python3 check_rules.py

The counts are those of the games' page. Each function is a claim; ends with the number that held.
"""

import copy
import sys

from check_verifier import held
from verify_replay.claims import same
from verify_replay.draws import Draws, drawn
from verify_replay.rules import GAMES
from verify_replay.rules.backgammon import Backgammon, notations
from verify_replay.rules.goofspiel import Goofspiel
from verify_replay.rules.leduc_poker import LeducPoker
from verify_replay.rules.liars_dice import LiarsDice
from verify_replay.rules.othello import NAMES, Othello
from verify_replay.rules.rules import rows_with_runs, shuffled
from verify_replay.table import Table

PERFT = {
    "connect_four": [7, 49, 343],
    "othello": [4, 12, 56, 244],
    "hex": [121],
    "checkers": [7, 49, 302, 1469],
    "chess": [20, 400],
    "crazyhouse": [20, 400],
    "atomic": [20, 400],
    "antichess": [20, 400],
}
OPENING_ROLLS = {
    **{21: 15, 31: 16, 41: 14, 51: 8, 61: 10, 32: 17, 42: 18, 52: 8, 62: 14, 43: 17, 53: 9, 63: 14, 54: 9, 64: 14},
    **{65: 7, 11: 42, 22: 75, 33: 73, 44: 52, 55: 4, 66: 11},
}


def perft(rules, depth):
    """The number of move sequences; a pass counts as a move."""
    movers = rules.movers()
    if not movers or depth == 0:
        return int(depth == 0)
    total = 0
    for notation in rules.legal_moves(movers[0]):
        after = copy.deepcopy(rules)
        after.play({movers[0]: notation})
        total += perft(after, depth - 1)
    return total


def move_sequences_are_as_many_as_published():
    for game, counts in PERFT.items():
        for depth, count in enumerate(counts, 1):
            same(f"{game} at depth {depth}", perft(GAMES[game]("standard"), depth), count)


def opening_rolls_have_as_many_results_as_published():
    ours, theirs = map(tuple, Backgammon("standard").halves)
    for roll, count in OPENING_ROLLS.items():
        same(f"results of {roll}", len(notations(ours, theirs, divmod(roll, 10))), count)


def notations_of_backgammon_are_as_pinned():
    mine = [0] * 26
    mine[25], mine[8], mine[6] = 1, 1, 2
    theirs = [0] * 26
    theirs[25 - 22], theirs[25 - 5] = 1, 1
    legal = notations(tuple(mine), tuple(theirs), (3, 1))
    same("from the bar, hitting", "bar/22* 6/5*" in legal, True)
    same("a checker that hits on its way", "bar/22*/21" in legal, True)
    home = tuple(13 if place == 0 else 2 if place == 6 else 0 for place in range(26))
    same("two borne off at once", notations(home, (15,) + (0,) * 25, (6, 6)), ("6/off(2)",))
    shut = tuple(2 if 0 < place < 7 else 0 for place in range(26))
    on_bar = tuple(1 if place == 25 else 0 for place in range(26))
    same("nothing can be played", notations(on_bar, shut, (4, 2)), ("pass",))


def openings_are_written_as_the_page_says():
    texts = {
        "connect_four": "7/7/7/7/7/7 x",
        "backgammon": "-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2 bar 0,0 off 0,0 dice - to -",
        "chess960": "unset",
        "goofspiel": "unset",
        "leduc_poker": "unset",
        "liars_dice": "unset",
        "go": "9/9/9/9/9/9/9/9/9 X 0",
        "hex": "/".join(["11"] * 11) + " x",
        "checkers": "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
        "othello": f"{'-' * 27}OX------XO{'-' * 27} X",
    }
    for game, text in texts.items():
        same(game, GAMES[game]("standard").state_string(), text)
    same("runs of ten and more", rows_with_runs(["." * 19, "X" + "." * 12 + "O....."]), "19/X12O5")


def a_shuffle_goes_from_the_last_place_down():
    asked = []

    def draw(n):
        asked.append(n)
        return 0

    same("order", shuffled("abcd", draw), ["b", "c", "d", "a"])
    same("bounds", asked, [4, 3, 2])


def draws_of_a_turn_count_on():
    replay = {"game_id": "g_" + "0" * 26, "seed": f"{1:064x}", "beacon": {"status": "off", "randomness": None}}
    draws = Draws(replay)
    draws.begin(7)
    draws.below(6)
    first = draws.taken()
    draws.below(20)
    same("first", first, drawn(replay["game_id"], 7, 6, replay["seed"], None))
    same("second", draws.taken(), drawn(replay["game_id"], 7, 20, replay["seed"], None, 1))
    draws.begin(8)
    same("in the next turn", draws.counter, 0)


def empty_cells_go_to_the_winner_only_by_the_rules():
    rules = Othello("standard")
    rules.discs = {place: "X" for place in list(NAMES.values())[:10]}
    outcome = rules.outcome()
    same("by the rules", rules.points(outcome), {"p0": 64, "p1": 0})
    same("by resignation", rules.points(rules.won_by("p1", "resignation")), {"p0": 10, "p1": 0})


def a_hand_is_won_by_pair_then_rank():
    for deck, board, chips in (("Qs Kh Qh", True, 1), ("Qs Kh Js", True, -1), ("Qs Qh Kh", True, 0)):
        rules = LeducPoker("standard")
        order = deck.split()
        rules.act(lambda n, order=order: 0)
        rules.hand.deck = order + [card for card in rules.hand.deck if card not in order]
        shown = []
        while rules.played == 0:
            if rules.waits():
                rules.act(None)
            else:
                shown = rules.play({rules.movers()[0]: "check"})
        same(f"shown of {deck}", shown, [f"p0 {order[0]} p1 {order[1]}"])
        same(f"won with {deck}, {board}", rules.chips, chips)


def at_dice():
    """A table of four at which p1 is out by the rules."""
    rules = LiarsDice("four")
    rules.out, rules.queue, rules.left["p1"] = ["p1"], ["p0", "p2", "p3"], 0
    return rules, Table(rules)


def places_rank_survivors_then_eliminated_then_vacant():
    rules, table = at_dice()
    table.vacant = ["p3"]
    same("can be spared", [player for player in rules.players if table.can_spare(player)], [])
    result = table.lost_by("p0", "resignation")
    same("winners", result["winners"], ["p2"])
    same("places", result["places"], {"p0": 3, "p1": 2, "p2": 1, "p3": 4})
    same("points", result["points"], {"p0": 5, "p1": 0, "p2": 5, "p3": 5})
    same("aborted", table.counted({"winners": [], "draw": False, "reason": "aborted"})["places"], None)
    same("drawn", table.drawn("strikes")["places"], dict.fromkeys(rules.players, 1))


def who_is_left_alone_has_won_for_the_reason_of_the_last_who_left():
    rules, table = at_dice()
    table.vacant = ["p3", "p0"]
    result = table.decided("clock")
    same("result", (result["winners"], result["reason"]), (["p2"], "clock"))
    same("places", result["places"], {"p0": 3, "p1": 2, "p2": 1, "p3": 4})


def vacant_seats_rank_last_whatever_their_points():
    rules = Goofspiel("four")
    rules.turns, rules.order, rules.turned = 13, list(range(1, 14)), 13
    rules.won = {"p0": 20, "p1": 50, "p2": 20, "p3": 1}
    table = Table(rules)
    table.vacant = ["p1"]
    result = table.decided("resignation")
    same("winners", result["winners"], ["p0", "p2"])
    same("places", result["places"], {"p0": 1, "p1": 4, "p2": 1, "p3": 3})
    same("points", result["points"], rules.won)


CLAIMS = [
    move_sequences_are_as_many_as_published,
    opening_rolls_have_as_many_results_as_published,
    notations_of_backgammon_are_as_pinned,
    openings_are_written_as_the_page_says,
    a_shuffle_goes_from_the_last_place_down,
    draws_of_a_turn_count_on,
    empty_cells_go_to_the_winner_only_by_the_rules,
    a_hand_is_won_by_pair_then_rank,
    places_rank_survivors_then_eliminated_then_vacant,
    who_is_left_alone_has_won_for_the_reason_of_the_last_who_left,
    vacant_seats_rank_last_whatever_their_points,
]


if __name__ == "__main__":
    sys.exit(held(CLAIMS))
