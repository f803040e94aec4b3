"""Backgammon without doubling cube, and its notation from the rules that pin it."""

import functools

from .rules import Alternating

BAR, OFF, CHECKERS, FACES = 25, 0, 15, 6
TURN_LIMIT = 2000
WORTH = {"single": 1, "gammon": 2, "backgammon": 3}
# Checkers by point at the start, each side counting from its own side.
START = {24: 2, 13: 5, 8: 3, 6: 5}


class Backgammon(Alternating):
    """Both halves of the board as numbers of checkers by place: 0 off, 1 to 24 the points, 25 the bar."""

    has_chance = True
    reasons = (*WORTH, "move_limit")

    def __init__(self, variant):
        super().__init__(variant)
        self.halves = [[START.get(place, 0) for place in range(BAR + 1)] for _ in self.players]
        self.dice = None
        # The seat that is to move, or that moved last.
        self.seat = None

    def waits(self):
        return self.dice is None and self.outcome() is None

    def act(self, draw):
        if self.seat is not None:
            self.seat = 1 - self.seat
            self.dice = tuple(sorted((draw(FACES) + 1, draw(FACES) + 1), reverse=True))
            outcome = "{}{}".format(*self.dice)
            return outcome, outcome
        ours = theirs = None
        while ours == theirs:
            ours, theirs = draw(FACES) + 1, draw(FACES) + 1
        self.seat = int(theirs > ours)
        self.dice = (max(ours, theirs), min(ours, theirs))
        return f"p0 {ours} p1 {theirs}", f"p0 {ours} p1 {theirs}"

    def movers(self):
        return [] if self.dice is None or self.outcome() else [self.players[self.seat]]

    def legal_moves(self, _player):
        mine, other = self.halves[self.seat], self.halves[1 - self.seat]
        return list(notations(tuple(mine), tuple(other), self.dice))

    def default(self, player):
        return "pass" if self.legal_moves(player) == ["pass"] else None

    def play(self, moves):
        (text,) = moves.values()
        mine, other = self.halves[self.seat], self.halves[1 - self.seat]
        for start, stops, times in parts_of(text):
            mine[start] -= times
            mine[stops[-1][0]] += times
            for point, hits in stops:
                if hits:
                    other[25 - point] -= 1
                    other[BAR] += 1
        self.dice = None
        self.turns += 1
        return []

    def state_string(self):
        dice = self.dice
        ours, theirs = self.halves
        points = ",".join(str(ours[point] - theirs[25 - point]) for point in range(1, 25))
        rolled = f"{dice[0]}{dice[1]} to {self.players[self.seat]}" if dice else "- to -"
        return f"{points} bar {ours[BAR]},{theirs[BAR]} off {ours[OFF]},{theirs[OFF]} dice {rolled}"

    def outcome(self):
        for seat, half in enumerate(self.halves):
            if half[OFF] == CHECKERS:
                loser = self.halves[1 - seat]
                # The winner's home is the loser's points from 19 on.
                far = any(loser[place] for place in range(19, BAR + 1))
                return self.won_by(self.players[seat], "single" if loser[OFF] else "backgammon" if far else "gammon")
        return self.drawn("move_limit") if self.turns >= TURN_LIMIT else None

    def points(self, result):
        worth = WORTH.get(result["reason"], 1) if len(result["winners"]) == 1 else 0
        return {player: worth if player in result["winners"] else -worth for player in self.players}


def parts_of(text):
    """The parts of a notation as (from, [(point, whether it hits there), …], how often)."""
    parts = []
    for part in text.split(" ") if text != "pass" else []:
        part, _, times = part.rstrip(")").partition("(")
        start, *stops = part.split("/")
        stops = [(OFF if stop == "off" else int(stop.rstrip("*")), stop.endswith("*")) for stop in stops]
        parts.append((BAR if start == "bar" else int(start), stops, int(times or 1)))
    return parts


@functools.lru_cache(maxsize=1 << 15)
def notations(mine, other, dice):
    """The notation of each position that can result, in the order of their bytes."""
    orders = [(dice[0],) * 4] if dice[0] == dice[1] else [dice, dice[::-1]]
    found = [walk for order in orders for walk in walks(mine, other, order)]
    longest = max(len(walk.used) for walk in found)
    if longest == 0:
        return ("pass",)
    found = [walk for walk in found if len(walk.used) == longest]
    if longest == 1 and any(walk.used[0] == max(dice) for walk in found):
        found = [walk for walk in found if walk.used[0] == max(dice)]
    best = {}
    for walk in found:
        text = walk.written()
        best[walk.result()] = min(best.get(walk.result(), text), text)
    return tuple(sorted(merged(text) for _, text in best.values()))


class Walk:
    """A way to play some dice: its parts as (from, stops) in the order in which their checkers set out."""

    def __init__(self, mine, other, parts=(), used=()):
        self.mine, self.other, self.parts, self.used = mine, other, parts, used

    def key(self):
        """What tells it from others that use the same dice: checkers from different points may set out in any order."""
        return tuple(sorted(self.parts, key=lambda part: -part[0]))

    def result(self):
        return self.mine, self.other

    def longer(self, die):
        """The ways to use one die more."""
        furthest = max(place for place in range(BAR + 1) if self.mine[place] or place == OFF)
        for start in [BAR] if self.mine[BAR] else [point for point in range(1, BAR) if self.mine[point]]:
            to = max(start - die, OFF)
            if start <= die and (furthest > 6 or (start < die and start != furthest)):
                continue
            defenders = self.other[25 - to] if to else 0
            if defenders > 1:
                continue
            stop, used = (to, defenders == 1), (*self.used, die)
            mine, other = moved(self.mine, start, to), moved(self.other, 25 - to, BAR) if defenders else self.other
            here = [place for place, (_, stops) in enumerate(self.parts) if stops[-1][0] == start]
            for place in here:
                begun, stops = self.parts[place]
                grown = (begun, (*stops, stop))
                yield Walk(mine, other, (*self.parts[:place], grown, *self.parts[place + 1 :]), used)
            if self.mine[start] > len(here):
                yield Walk(mine, other, (*self.parts, (start, (stop,))), used)

    def written(self):
        """The number of parts, and the text with parts in order; fewer parts, then smaller bytes are better."""
        ordered = sorted(self.parts, key=lambda part: (-part[0], -part[1][-1][0]))
        return len(ordered), " ".join(map(written, ordered))


def moved(half, start, to):
    half = list(half)
    half[start] -= 1
    half[to] += 1
    return tuple(half)


def walks(mine, other, dice):
    """All ways to play these dice in this order, each as far as it goes; of those with one key one is enough."""
    ended, going = [], {(): Walk(mine, other)}
    for die in dice:
        further = {}
        for walk in going.values():
            more = {longer.key(): longer for longer in walk.longer(die)}
            further.update(more)
            if not more:
                ended.append(walk)
        going = further
    return ended + list(going.values())


def written(part):
    start, stops = part
    points = [f"/{point}*" for point, hits in stops[:-1] if hits]
    last, hits = stops[-1]
    return ("bar" if start == BAR else str(start)) + "".join(points) + "/" + (str(last) if last else "off") + "*" * hits


def merged(text):
    parts, texts = text.split(" "), []
    while parts:
        times = next((place for place, part in enumerate(parts) if part != parts[0]), len(parts))
        texts.append(parts[0] if times == 1 else f"{parts[0]}({times})")
        parts = parts[times:]
    return " ".join(texts)
