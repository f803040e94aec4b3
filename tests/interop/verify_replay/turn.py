"""One turn: attempts, strikes and vacated seats, who signed what, what was forced, and what the turn led to."""

import collections

from . import bodies, clocks
from .claims import demand, same
from .ending import end
from .identity import sha256
from .shape import milliseconds
from .table import ILLEGAL_MOVES_TO_STRIKE, STRIKES_TO_FORFEIT


class Turn:
    """A turn of the walk `game`. `own` has the entry of each player, only one where the turn ended the game."""

    def __init__(self, game, index):
        self.game, self.index, self.what = game, index, f"turn {index}"
        self.rules, self.table, self.clocks = game.rules, game.table, game.clocks
        self.movers = self.rules.movers()
        self.absent = {player for player in self.movers if self.table.is_vacant(player)}
        self.ends = game.moves[0]["notation"] is None
        settled = self.ends and game.moves[0]["player"] is None
        demand(f"{self.what}: nobody is to move", bool(self.movers) or settled)
        self.entries = [game.moves.pop(0) for _ in range(1 if self.ends else len(self.movers)) if game.moves]
        self.own = {entry["player"]: entry for entry in self.entries}
        same(f"{self.what}: turn index", [entry["turn_index"] for entry in self.entries], [index] * len(self.entries))
        if not self.ends:
            same(f"{self.what}: player", [entry["player"] for entry in self.entries], self.movers)
        # By player in this turn: illegal moves, the cause of a strike, why the seat was vacated, what was played.
        self.attempts, self.struck, self.gone, self.played = collections.Counter(), {}, {}, {}
        self.attempted = collections.defaultdict(list)
        # Who has sealed an action in a turn that ended the game.
        self.void, self.said = set(), {}

    def resolve(self):
        self.publish()
        for entry in self.game.steps.pop(self.index, []):
            event = entry["event"]
            self.step(event["type"], event["data"]["player"], event["data"])
        if self.ends:
            end(self, self.entries[0])
        else:
            if not self.rules.simultaneous:
                self.act(self.movers[0])
            same(f"{self.what}: who acted", sorted(self.played), self.movers)
            self.apply()
        total = sum(len(entry["attempts"]) for entry in self.entries)
        same(f"{self.what}: illegal attempts told", sum(self.attempts.values()), total)

    def publish(self):
        """Judges when the turn began, and works out the deadline in the event that opened it."""
        running = [player for player in self.movers if player not in self.absent]
        if running:
            # A turn that ended the game has one entry, whoever it is of.
            started = milliseconds((self.own.get(running[0]) or self.entries[0])["started_at"])
            self.game.published[self.index] = self.clocks.published_deadline(started, running)
        for entry in self.entries:
            if entry["player"] in self.absent:
                continue
            player = entry["player"] or self.first_waiting()
            if player is None:
                same(f"{self.what}: a deadline, but no clock ran", entry["deadline_utc"], None)
            else:
                self.clocks.check_start(entry, player, self.game.sealed_at.get((self.index, player)))
        self.check_extension()

    def check_extension(self):
        """The event of a pause tells the earliest deadline of those who had not acted."""
        extension = (self.clocks.extensions.get(self.index) or [None])[-1]
        if self.ends:
            self.clocks.check_given_back(self.entries[0], set(self.movers) - self.absent)
        if extension is None or self.ends:
            return
        late = [
            milliseconds(entry["deadline_utc"])
            for player, entry in self.own.items()
            if entry["deadline_utc"] and self.game.sealed_at.get((self.index, player), extension.seq) >= extension.seq
        ]
        same(f"{self.what}: deadline after a pause", extension.deadline, min(late, default=None))

    def first_waiting(self):
        """Of those who had not acted when the operator ended the game, the one whose clock was to end first.

        None if nobody was to move, or the hall waited for the beacon to act for a seat.
        """
        waiting = [player for player in self.movers if (self.index, player) not in self.game.sealed_at]
        steps = (entry["event"] for entry in self.game.steps[self.index])
        left = {step["data"]["player"] for step in steps if step["type"] == "seat_vacated"}
        if (self.absent | left).intersection(waiting):
            return None
        return min(waiting, key=lambda player: (self.clocks.left or {}).get(player, 0), default=None)

    def is_acting(self, player):
        is_open = player in self.movers and player not in self.played and player not in self.void
        return is_open and not self.table.is_vacant(player)

    def due(self):
        """Who must act at once in a shared turn: whose move is forced, then vacant seats in seat order."""
        waiting = [it for it in self.movers if it not in self.played and it not in self.void]
        forced = [it for it in waiting if it in self.struck and self.table.strikes[it] < STRIKES_TO_FORFEIT]
        return (forced or [it for it in waiting if self.table.is_vacant(it)] or [None])[0]

    def step(self, kind, player, data):
        by_operator = kind == "seat_vacated" and data["reason"] == "adjudicated"
        if self.rules.simultaneous and self.due() and not by_operator:
            same(f"{self.what}: who acts next", (kind, player), ("move_sealed", self.due()))
        steps = {
            "illegal_attempt": self.attempt,
            "strike": self.strike,
            "seat_vacated": self.vacate,
            "move_sealed": self.seal,
        }
        steps[kind](player, data)

    def attempt(self, player, _data):
        demand(f"{self.what}: an illegal attempt of {player}, who is not to move", self.is_acting(player))
        demand(f"{self.what}: an illegal attempt after a strike", player not in self.struck)
        self.attempts[player] += 1
        count, name = self.attempts[player], f"{self.what}, attempt {self.attempts[player]}"
        demand(f"{name}: more attempts than a turn has", count <= ILLEGAL_MOVES_TO_STRIKE)
        # An entry that ends the game has the attempts of all players, in order of time.
        place = sum(self.attempts.values()) if self.ends else count
        listed = self.entries[0]["attempts"] if self.ends else self.own[player]["attempts"]
        demand(f"{name}: it is not listed", place <= len(listed))
        attempt = listed[place - 1]
        hashed = "body_sha256" in attempt
        demand(f"{name}: either the body or, if that is withheld, its hash", hashed == (attempt["body"] is None))
        seat, game = self.game.seats[player], self.game
        turn = {"turn_index": self.index, "player": player, "at": attempt["at"]}
        body = bodies.read(name, game.id, turn, attempt, seat)
        if body is None:
            game.withheld.add(self.index)
        else:
            self.check_illegal(name, body, player)
        bodies.check_request(name, game.id, attempt, seat)
        demand(f"{name}: a challenge was used before", attempt["challenge"] not in game.challenges)
        game.challenges.add(attempt["challenge"])
        # A header signature holds for a hash, and what else was in the request is not known.
        sent = game.requests.setdefault((self.index, attempt["signature"]), attempt["request_sha256"])
        if sent != attempt["request_sha256"]:
            game.counted_again.add(self.index)
        at, entry = milliseconds(attempt["at"]), self.own.get(player, self.entries[0])
        demand(f"{name}: it comes before its turn", at >= self.clocks.earliest(entry))
        self.attempted[player].append(at)
        game.tell("illegal_attempt", turn, count=count)

    def check_illegal(self, name, body, player):
        demand(f"{name}: no move in it", "move" in body)
        agrees = body.get("draw_accept") or (body.get("draw_offer") and self.game.offered_to(player))
        demand(f"{name}: it resigns or accepts a draw, so no move was judged", not (body.get("resign") or agrees))
        self.check_offers(name, body)
        legal = bodies.legal_move(body["move"], self.rules, player)
        demand(f"{name}: {body['move']!r} is legal", legal is None)

    def check_offers(self, name, body):
        offers = body.get("draw_offer") or body.get("draw_accept")
        demand(f"{name}: speaks of a draw in a game without offers", self.game.has_offers or not offers)

    def strike(self, player, data):
        demand(f"{self.what}: a strike for {player}, who is not to move", self.is_acting(player))
        demand(f"{self.what}: a second strike in the turn", player not in self.struck)
        by_attempts = self.attempts[player] == ILLEGAL_MOVES_TO_STRIKE
        same(f"{self.what}: cause of the strike", data["cause"], clocks.ILLEGAL if by_attempts else clocks.DEADLINE)
        self.struck[player] = data["cause"]
        self.table.strikes[player] += 1
        self.tell("strike", player, cause=data["cause"], count=self.table.strikes[player])

    def vacate(self, player, data):
        reason = data["reason"]
        demand(f"{self.what}: {player} cannot be spared", self.table.can_spare(player))
        same(f"{self.what}: {player} has its third strike", self.is_struck_out(player), reason == "strikes")
        if reason != "adjudicated":
            demand(f"{self.what}: {player} leaves out of turn", self.is_acting(player))
        self.table.vacant.append(player)
        self.gone[player] = self.game.last_reason = reason
        self.tell("seat_vacated", player, reason=reason)

    def is_struck_out(self, player):
        return player in self.struck and self.table.strikes[player] == STRIKES_TO_FORFEIT

    def seal(self, player, _data):
        demand(f"{self.what}: nothing is sealed here", self.rules.simultaneous)
        is_open = player in self.movers and player not in self.played and player not in self.void
        demand(f"{self.what}: {player} acts twice or out of turn", is_open)
        if self.ends:
            self.note_void(player)
        else:
            self.act(player)
        self.tell("move_sealed", player)

    def tell(self, kind, player, **more):
        """An event of the turn, which cannot be earlier than the turn itself."""
        entry = self.own.get(player, self.entries[0])
        at = entry["at"] if kind in ("strike", "move_sealed") and player in self.own else entry["started_at"]
        self.game.tell(kind, {"turn_index": self.index, "player": player}, at, **more)

    def act(self, player):
        """What the player did, or the hall in its place."""
        entry, what, forced = self.own[player], self.what, self.own[player]["forced"]
        if self.table.is_vacant(player):
            same(f"{what}: forced", forced, "vacated")
        else:
            same(f"{what}: forced", forced, self.struck.get(player))
            demand(f"{what}: a move after the third strike", not self.is_struck_out(player))
            missed = self.attempts[player] == ILLEGAL_MOVES_TO_STRIKE and not forced
            demand(f"{what}: the third illegal move forces one", not missed)
        if player in self.absent:
            self.check_absent(what, player, entry["at"])
        self.clocks.resolve(entry, player, self.resolved_by(player), self.attempted[player])
        used_up = forced and self.resolved_by(player) == clocks.DEADLINE and self.clocks.is_used_up(player)
        same(f"{what}: a used-up clock", bool(used_up), self.gone.get(player) == "clock")
        notation, body = self.signed(entry) if forced is None else self.forced(entry, player)
        same(f"{what}: draws", entry["draws"], self.game.draws.taken())
        same(f"{what}: notation", entry["notation"], notation)
        self.played[player], self.said[player] = notation, body

    def check_absent(self, what, player, at):
        """When the hall acted for a seat that was vacant as the turn began."""
        started = self.own.get(player, self.entries[0])["started_at"]
        if player in self.game.left_early:
            same(f"{what}: when the seat was vacated", at, self.game.left_early[player])
            same(f"{what}: when nature had acted", milliseconds(started), self.clocks.opened_at)
        else:
            demand(f"{what}: its times are out of order", at >= started)

    def resolved_by(self, player):
        """What charged the player's clock to its end."""
        if player in self.absent:
            return clocks.ABSENT
        reasons = {"resignation": clocks.REQUEST, "clock": clocks.DEADLINE, "adjudicated": clocks.OPERATOR}
        return reasons.get(self.gone.get(player), self.struck.get(player, clocks.REQUEST))

    def read(self, entry, name=None):
        """The signed body of an entry; None if it is withheld."""
        name = name or self.what
        for member in ("signature", "body_sha256"):
            demand(f"{name}: {member} is missing", entry[member] is not None)
        body = bodies.read(name, self.game.id, entry, entry, self.game.seats[entry["player"]])
        if body is None:
            self.game.withheld.add(self.index)
            return None
        same(f"{name}: hash of the body", entry["body_sha256"], sha256(entry["body"]))
        self.check_offers(name, body)
        return body

    def signed(self, entry):
        """A move that the player signed, and the body; of a withheld one only what the replay tells besides."""
        player, body = entry["player"], self.read(entry)
        if body is None:
            demand(f"{self.what}: {entry['notation']!r} is not legal", self.rules.is_legal(player, entry["notation"]))
            told = {"draw_offer": self.game.is_told("draw_offered", entry), "commentary": bodies.WITHHELD}
            return entry["notation"], told
        demand(f"{self.what}: resigns, and moves", not body.get("resign"))
        return self.named(self.what, body, player), body

    def named(self, name, body, player):
        agrees = self.game.offered_to(player) and body.get("draw_offer")
        demand(f"{name}: accepts a draw", not (agrees or body.get("draw_accept")))
        demand(f"{name}: no move in the body", "move" in body)
        notation = bodies.legal_move(body["move"], self.rules, player)
        demand(f"{name}: {body['move']!r} is not legal", notation is not None)
        return notation

    def forced(self, entry, player):
        """A move that the hall chose; the player who has just resigned has signed that."""
        if self.gone.get(player) == "resignation":
            body = self.read(entry)
            demand(f"{self.what}: does not resign", body is None or body.get("resign") is True)
        else:
            self.check_unsigned(entry)
        # Three illegal moves always play at random.
        by_attempts = self.struck.get(player) == clocks.ILLEGAL and player not in self.gone
        default = None if by_attempts else self.rules.default(player)
        if default is not None:
            return default, {}
        legal = self.rules.legal_moves(player)
        return legal[self.game.draws.below(len(legal))], {}

    def check_unsigned(self, entry):
        for name in bodies.SIGNED:
            same(f"{self.what}: {name} of a forced turn", entry[name], None)

    def note_void(self, player):
        """An action that was sealed when the game ended: it counts for nothing, but what was signed was signed."""
        demand(f"{self.what}: {player}'s sealed action is missing", bool(self.game.unresolved))
        action, name = self.game.unresolved.pop(0), f"{self.what}, sealed by {player}"
        same(f"{name}: player", action["player"], player)
        if player in self.absent:
            self.check_absent(name, player, action["at"])
        else:
            demand(f"{name}: it comes before its turn", action["at"] >= self.entries[0]["started_at"])
        demand(f"{name}: it comes after its turn", action["at"] <= self.entries[0]["at"])
        is_vacant, struck = self.table.is_vacant(player), player in self.struck
        self.void.add(player)
        by, attempts = self.resolved_by(player), self.attempted[player]
        self.clocks.charge_sealed(self.entries[0], player, by, milliseconds(action["at"]), attempts)
        if self.gone.get(player) == "resignation" or not (is_vacant or struck):
            demand(f"{name}: nobody signed it", action["signature"] is not None)
        else:
            same(f"{name}: signed, but the hall acted", (action["body"], action["signature"]), (None, None))
        if action["body"] is None:
            if action["signature"] is not None:
                self.game.unread.append(player)
            return
        turn = {"turn_index": self.index}
        body = bodies.read(name, self.game.id, turn, action, self.game.seats[player])
        self.check_offers(name, body)
        if is_vacant:
            demand(f"{name}: does not resign", body.get("resign") is True)
        else:
            demand(f"{name}: resigns", not body.get("resign"))
            self.named(name, body, player)

    def apply(self):
        """Plays what was chosen, and tells it in seat order."""
        game = self.game
        sans = {player: self.rules.san(player, notation) for player, notation in self.played.items()}
        shown = self.rules.play({player: self.played[player] for player in self.movers})
        game.result = self.table.decided(game.last_reason)
        after = {"state_hash": game.state_hash(self.index + 1), **game.opened(self.index + 1)}
        self.clocks.close(self.entries)
        for entry in self.entries:
            player = entry["player"]
            same(f"{self.what}: state hash", entry["state_hash"], after["state_hash"])
            told = {name: entry[name] for name in ("notation", "forced", "at", "body_sha256", "clocks_ms")}
            said = self.said[player].get("commentary") if entry["forced"] is None else None
            game.tell("move", entry, san=sans[player], commentary=said, **told, **after)
        for text in shown:
            data = {"turn_index": self.index, "text": text}
            game.told.append(("shown", data, milliseconds(self.entries[-1]["at"]), None))
        if game.has_offers:
            self.settle_offer(self.entries[0])

    def settle_offer(self, entry):
        game, player = self.game, entry["player"]
        if game.offered_to(player):
            game.tell("draw_declined", entry)
            game.offer = None
        if game.result is None and self.said[player].get("draw_offer"):
            game.tell("draw_offered", entry)
            game.offer = player
