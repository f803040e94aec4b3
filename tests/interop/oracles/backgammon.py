"""Backgammon against OpenSpiel's, against GNU Backgammon's move generator where `gnubg-nn` is installed, and against a
second form of the notation, written from its rules, which the verifier of replays uses too.

Legal moves are compared by the positions that they lead to. OpenSpiel plays a double as two turns of two dice each; both
together are one move of the hall, and where they cannot use the same number of dice only the longest count. OpenSpiel ends
a game after a number of turns of its own, which is set above the hall's limit.
"""

import re

import pyspiel

from oracles import check
from verify_replay.rules.backgammon import notations

try:
    import gnubg_nn
except ImportError:
    gnubg_nn = None

GAME = pyspiel.load_game("backgammon(scoring_type=full_scoring,max_player_turns=5000)")
LIMIT = 2000
STATE = re.compile(
    r"(-?\d+(?:,-?\d+){23}) bar (\d+),(\d+) off (\d+),(\d+) dice (?:([1-6])([1-6]) to p([01])|- to -)"
)
PART = re.compile(r"(bar|\d+)((?:/(?:\d+)\*)*)/(off|\d+)(\*?)(?:\((\d)\))?")
BAR, OFF = 25, 0


def follow(game):
    theirs = GAME.new_initial_state()
    positions = turns = 0
    for step in game["steps"]:
        compare_state(step, theirs, turns)
        if "act" in step:
            check("the public outcome", step["outcome"], step["act"])
            roll(theirs, step["act"], turns == 0)
        elif "moves" in step:
            ((player, notation),) = step["moves"]
            play(theirs, int(player[1]), step["legal"][player], notation, step["state"])
            turns += 1
        positions += 1
    compare_end(game["result"], theirs, turns)
    return positions


def board_of(state):
    """What stands on each side's own points, [p0, p1], 0 being off and 25 the bar."""
    features = state.observation_tensor(0)
    halves = []
    for player in (0, 1):
        # One, two, three and how many more at each place; its places run from the first player's point 24 down to its 1.
        places = iter(features[96 * player : 96 * (player + 1)])
        points = [int(one + 2 * two + 3 * three + (more + 3 if more else 0)) for one, two, three, more in zip(*[places] * 4)]
        half = (int(features[193 + 3 * player]), *points[:: -1 if player == 0 else 1], int(features[192 + 3 * player]))
        check("the number of checkers", sum(half), 15)
        halves.append(half)
    return tuple(halves)


def dice_of(state):
    return tuple(sorted((int(die) for die in state.observation_tensor(0)[198:200]), reverse=True))


def compare_state(step, theirs, turns):
    board = board_of(theirs)
    points = [board[0][point] - board[1][25 - point] for point in range(1, 25)]
    off, bar = [board[0][OFF], board[1][OFF]], [board[0][BAR], board[1][BAR]]
    mover = theirs.current_player()
    is_drawn = turns >= LIMIT
    is_move = mover >= 0 and not is_drawn
    dice = list(dice_of(theirs)) if is_move else None
    check("the public state", step["public"], {
        "points": points, "bar": {"p0": bar[0], "p1": bar[1]}, "off": {"p0": off[0], "p1": off[1]}, "dice": dice,
    })
    text = f"{','.join(map(str, points))} bar {bar[0]},{bar[1]} off {off[0]},{off[1]}"
    text += f" dice {dice[0]}{dice[1]} to p{mover}" if is_move else " dice - to -"
    check("the state string", step["state"], text)
    check("who is to move", step["to_move"], [f"p{mover}"] if is_move else [])
    check("whether nature is to act", "act" in step, theirs.is_chance_node() and not is_drawn)
    check("whether it is over", "act" not in step and "moves" not in step, theirs.is_terminal() or is_drawn)
    for player in ("p0", "p1"):
        check("who has legal moves", bool(step["legal"][player]), player in step["to_move"])


def roll(theirs, act, is_opening):
    """Lets OpenSpiel's nature throw the same dice; it names them in some order."""
    if is_opening:
        dice = re.fullmatch(r"p0 ([1-6]) p1 ([1-6])", act)
        p0, p1 = dice.groups()
        wanted = ("X" if p0 > p1 else "O", *sorted((p0, p1)))
        check("an opening without a double", p0 != p1, True)
    else:
        check("the higher die first", act, "".join(sorted(act, reverse=True)))
        wanted = (None, *sorted(act))
    for action, _ in theirs.chance_outcomes():
        starts, one, other = re.search(
            r"(?:([XO]) starts, )?\(roll: ([1-6])([1-6])\)", theirs.action_to_string(-1, action)
        ).groups()
        if (starts, *sorted((one, other))) == wanted:
            theirs.apply_action(action)
            return
    check("a roll that nature can throw", act, None)


def results(theirs, player):
    """Each position that OpenSpiel's player can reach in this turn, with actions that lead there."""
    found = {}
    for actions, used, state in lines(theirs, player):
        found.setdefault(used, {}).setdefault(board_of(state), actions)
    return found[max(found)]


def lines(state, player):
    is_double = len(set(dice_of(state))) == 1
    for action, used, after in one_turn(state, player):
        if is_double and after.current_player() == player:
            for second, used_again, end in one_turn(after, player):
                yield [action, second], used + used_again, end
        else:
            yield [action], used, after


def one_turn(state, player):
    for action in state.legal_actions():
        steps = state.spiel_move_to_checker_moves(player, action)
        used = sum(1 for step in steps if step.pos >= 0)
        yield action, used, state.child(action)


def parse(notation):
    """Parts as (from, points between, to, whether it hits there, how often)."""
    if notation == "pass":
        return []
    parts = []
    for text in notation.split(" "):
        part = PART.fullmatch(text)
        check("a part of a notation", text if part else None, text)
        start, between, to, hits, times = part.groups()
        parts.append((
            BAR if start == "bar" else int(start),
            [int(point) for point in re.findall(r"\d+", between)],
            OFF if to == "off" else int(to),
            hits == "*",
            int(times or 1),
        ))
    return parts


def after(board, player, notation):
    """The board after what the notation says, whatever the rules."""
    mine, other = list(board[player]), list(board[1 - player])
    hits = set()
    for start, between, to, hit, times in parse(notation):
        mine[start] -= times
        mine[to] += times
        hits.update(between)
        if hit:
            hits.add(to)
    for point in hits:
        check(f"a lone checker hit by {notation}", other[25 - point], 1)
        other[25 - point] -= 1
        other[BAR] += 1
    halves = (tuple(mine), tuple(other))
    return halves if player == 0 else halves[::-1]


def play(theirs, player, legal, notation, state):
    board, dice = board_of(theirs), dice_of(theirs)
    wanted = results(theirs, player)
    ours = {text: after(board, player, text) for text in legal}
    check(f"the positions that can result in {state}", sorted(ours.values()), sorted(wanted))
    if gnubg_nn:
        check("what GNU Backgammon finds", sorted(ours.values()), sorted(found_by_gnubg(board, player, dice)))
    check("the order of the legal moves", legal, sorted(legal))
    check(f"the notations in {state}", legal, list(notations(board[player], board[1 - player], dice)))
    for action in wanted[ours[notation]]:
        theirs.apply_action(action)
    check(f"the position after {notation}", ours[notation], board_of(theirs))


def found_by_gnubg(board, player, dice):
    mine, other = board[player], board[1 - player]
    keys = gnubg_nn.moves([list(other[1:]), list(mine[1:])], *dice)
    found = []
    for key in keys:
        halves = [(15 - sum(half), *half) for half in gnubg_nn.board_from_position_key(key)]
        found.append((halves[1], halves[0]) if player == 0 else (halves[0], halves[1]))
    return found or [board]


def compare_end(result, theirs, turns):
    returns = [int(value) for value in theirs.returns()]
    if not theirs.is_terminal():
        check("the turn limit", turns, LIMIT)
        returns = [0, 0]
    check("the points", result["points"], {"p0": returns[0], "p1": returns[1]})
    check("the winners", result["winners"], [f"p{seat}" for seat in (0, 1) if returns[seat] > 0])
    check("whether it is drawn", result["draw"], not any(returns))
    reasons = {0: "move_limit", 1: "single", 2: "gammon", 3: "backgammon"}
    check("the reason", result["reason"], reasons[max(returns)])
