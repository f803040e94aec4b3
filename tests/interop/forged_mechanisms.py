"""Forgeries that tell one lie in every place: other dice, cards, bids, boards, vacated seats and results.

They are made for replays without a log, whose events can be rewritten. Each is a named lie about one mechanism; the
verifier must find it by the draws, the signatures, or the rules.
"""

import copy

from forgeries import Forgery
from oracles.written_draws import WrittenDraws
from verify_replay.identity import sha256
from verify_replay.rules import GAMES

# The events that cannot be left out, and what spectators would miss.
TOLD = ("chance", "shown", "move_sealed", "seat_vacated", "move", "strike", "illegal_attempt")


def mechanisms(replay):
    yield from nature(replay)
    yield from rounds(replay)
    yield from bids(replay)
    yield from boards(replay)
    yield from seats(replay)
    yield from results(replay)
    yield from silences(replay)
    yield from disorder(replay)
    yield from pauses(replay)


def lie(replay, path, words, rewrite):
    """A forgery by `rewrite`, which changes a copy of the replay; None if it changes nothing."""
    forged = copy.deepcopy(replay)
    rewrite(forged)
    changes = [(replay, name, forged[name]) for name in replay if forged[name] != replay[name]]
    return [Forgery(replay, path, words, changes)] if changes else []


def data_of_kind(replay, kind):
    return [entry["event"]["data"] for entry in replay["events"] if entry["event"]["type"] == kind]


def nature(replay):
    """Other outcomes, told wherever the true one is; other counters; acts that never were."""
    acts = replay.get("chance", [])
    for place in sorted({0, len(acts) // 2, len(acts) - 1} if acts else ()):
        for words, outcome in other_outcomes(replay["game"], acts[place]["outcome"]):

            def tell(forged, place=place, outcome=outcome):
                true = forged["chance"][place]["outcome"]
                forged["chance"][place]["outcome"] = outcome
                retell(forged, place, true, outcome)

            yield from lie(replay, ("chance", place), words, tell)

        def one_on(forged, place=place):
            for draw in forged["chance"][place]["draws"]:
                draw["counter"] += 1

        def never(forged, place=place):
            del forged["chance"][place]
            kinds = [number for number, entry in enumerate(forged["events"]) if entry["event"]["type"] == "chance"]
            drop(forged, kinds[place])

        yield from lie(replay, ("chance", place), "its counters begin at 1", one_on)
        yield from lie(replay, ("chance", place), "nature never acted", never)


def rounds(replay):
    """The beacon's round told before it was needed, or after the last draw."""
    for place in [place for place, entry in enumerate(replay["events"]) if entry["event"]["type"] == "beacon"]:
        for behind, words in ((0, "told at once"), (len(replay["events"]) - 3, "told at the end")):

            def move(forged, place=place, behind=behind):
                moved = forged["events"].pop(place)
                moved["created_at"] = forged["events"][behind]["created_at"]
                forged["events"].insert(behind + 1, moved)
                renumber(forged)

            # Where nature needs it at once, it may be missed at once.
            is_early = replay["beacon"]["status"] == "missed" and not replay.get("chance")
            if words == "told at the end" or is_early:
                yield from lie(replay, ("events", place), f"the beacon's round, {words}", move)


def other_outcomes(game, outcome):
    if game == "backgammon" and " " not in outcome:
        yield "another die", f"6{outcome[1]}" if outcome[0] != "6" else ("65" if outcome != "65" else "66")
    elif game == "backgammon":
        yield "the other side starts", "p0 {1} p1 {0}".format(*outcome.split()[1::2])
    elif game == "chess960":
        yield "another start", str((int(outcome) + 1) % 960)
    elif game == "liars_dice":
        first = outcome.split()[1]
        yield "another die", outcome.replace(f" {first}", f" {int(first) % 6 + 1}", 1)
    elif outcome.startswith("prize") or outcome.startswith("board"):
        yield "another card", f"{outcome.split()[0]} {'2' if outcome.startswith('prize') else 'Qh'}"
    else:
        words = outcome.split()
        yield "two cards exchanged", " ".join([*words[:-2], words[-1], words[-2]])
        place = 1 if words[0] == "order" else 0
        words[place], words[place + 1] = words[place + 1], words[place]
        yield "the first two cards exchanged", " ".join(words)


def retell(forged, place, true, outcome):
    """The public text of the act, what was shown of it, and what was hidden."""
    public = data_of_kind(forged, "chance")[place]
    if public["outcome"] == true:
        public["outcome"] = outcome
    elif public["outcome"] is not None:
        public["outcome"] = f"prize {outcome.split()[1]}"
    for shown in data_of_kind(forged, "shown"):
        if shown["text"] == true:
            shown["text"] = outcome
    hidden = forged["hidden"] or {}
    number = sum(len(act["draws"]) > 0 for act in forged["chance"][:place])
    if "hands" in hidden and not outcome.startswith("board"):
        hidden["hands"][number] = outcome.split()[:2]
    if "order" in hidden and outcome.startswith("order"):
        hidden["order"] = [int(card) for card in outcome.split()[1:]]
    if "rolls" in hidden:
        face = hidden["rolls"][number][outcome.split()[0]]
        face[0] = int(outcome.split()[1])


def shared_turns(replay):
    """Places of the moves of one turn, where several players share it."""
    turns = {}
    for place, move in enumerate(replay["moves"]):
        turns.setdefault(move["turn_index"], []).append(place)
    return [places for places in turns.values() if len(places) > 1]


def bids(replay):
    """Two players' sealed bids exchanged, with and without what they signed; and bids that were void."""
    for places in shared_turns(replay)[:2]:
        for names in (("notation",), ("notation", "body", "signature", "body_sha256"), ("at",), ("draws", "forced")):

            def exchange(forged, places=places, names=names):
                one, other = (forged["moves"][place] for place in places[:2])
                told = {data["player"]: data for data in moves_of_turn(forged, one["turn_index"])}
                for name in names:
                    one[name], other[name] = other[name], one[name]
                    if name in told[one["player"]]:
                        for move in (one, other):
                            told[move["player"]][name] = move[name]

            yield from lie(replay, ("moves", places[0]), f"{', '.join(names)} exchanged with the next seat", exchange)
    for place, action in enumerate(replay.get("unresolved", [])):

        def forget(forged, place=place):
            del forged["unresolved"][place]

        def of_another(forged, place=place):
            action = forged["unresolved"][place]
            others = [seat["player"] for seat in forged["seats"] if seat["player"] != action["player"]]
            action["player"] = others[0]

        def unsigned(forged, place=place):
            forged["unresolved"][place].update(body=None, signature=None)

        yield from lie(replay, ("unresolved", place), "it was never sealed", forget)
        yield from lie(replay, ("unresolved", place), "another player sealed it", of_another)
        if action["signature"]:
            yield from lie(replay, ("unresolved", place), "nobody signed it", unsigned)


def moves_of_turn(replay, turn_index):
    return [data for data in data_of_kind(replay, "move") if data["turn_index"] == turn_index]


def boards(replay):
    """Another legal move, with the hash of the board that follows, and the draw that would have chosen it."""
    for forced in (False, True):
        places = [
            place
            for place, move in enumerate(replay["moves"])
            if move["notation"] and bool(move["draws"]) == forced and [place] not in shared_turns(replay)
        ]
        for place in places[-1:]:
            rules, move = before(replay, place), replay["moves"][place]
            if rules.simultaneous:
                continue
            legal = rules.legal_moves(move["player"])
            other = legal[(legal.index(move["notation"]) + 1) % len(legal)]
            if other == move["notation"]:
                continue
            rules.play({move["player"]: other})
            state = f"svc.state.v1:{replay['game_id']}:{move['turn_index'] + 1}:{rules.state_string()}"

            def play(forged, place=place, other=other, state=state, value=legal.index(other)):
                move = forged["moves"][place]
                (told,) = moves_of_turn(forged, move["turn_index"])
                for account in (move, told):
                    account.update(notation=other, state_hash=sha256(state))
                if move["draws"]:
                    move["draws"][-1]["value"] = value

            words = "another move was drawn" if forced else "another move was played"
            yield from lie(replay, ("moves", place), words, play)


def before(replay, place):
    """The game as it stood before an entry of the moves."""
    rules, acts = GAMES[replay["game"]](replay["variant"]), list(replay.get("chance", []))
    turn, moves = replay["moves"][place]["turn_index"], {}
    for index in range(turn + 1):
        while rules.waits() and acts and acts[0]["turn_index"] == index:
            rules.act(WrittenDraws(rules, acts.pop(0)["outcome"]).below)
        moves = {move["player"]: move["notation"] for move in replay["moves"] if move["turn_index"] == index}
        if index < turn:
            rules.play(moves)
    return rules


def seats(replay):
    """Who left the table, why, and who acted for a seat that was vacant."""
    players = [seat["player"] for seat in replay["seats"]]
    for place, data in enumerate(data_of_kind(replay, "seat_vacated")):
        for other in players:

            def left(forged, place=place, other=other):
                data_of_kind(forged, "seat_vacated")[place]["player"] = other

            yield from lie(replay, ("events",), f"{other} left instead of {data['player']}", left)
        for reason in ("resignation", "strikes", "clock"):

            def because(forged, place=place, reason=reason):
                true = data_of_kind(forged, "seat_vacated")[place]["reason"]
                data_of_kind(forged, "seat_vacated")[place]["reason"] = reason
                for result in results_of(forged):
                    result["reason"] = reason if result["reason"] == true else result["reason"]

            yield from lie(replay, ("events",), f"{data['player']} left by {reason}", because)
    vacated = [place for place, move in enumerate(replay["moves"]) if move["forced"] == "vacated"]
    for place in vacated[-1:]:
        for forced in ("deadline", None):

            def by(forged, place=place, forced=forced):
                move = forged["moves"][place]
                for account in (move, *moves_of_turn(forged, move["turn_index"])):
                    if account["player"] == move["player"]:
                        account["forced"] = forced

            yield from lie(replay, ("moves", place), f"forced by {forced}, not because the seat was vacant", by)


def results_of(replay):
    return [replay["result"], replay["events"][-1]["event"]["data"]["result"]]


def results(replay):
    """Points and places that others have won; in the result and in the last event."""
    if replay["moves"][-1]["player"] is None:
        # Points and places follow from an operator's verdict too, but who wins does not.
        names = ("points", "places")
    else:
        names = ("points", "places", "winners")
    for name in names:

        def shifted(forged, name=name):
            for result in results_of(forged):
                if name == "winners":
                    others = [seat["player"] for seat in forged["seats"] if seat["player"] not in result["winners"]]
                    result["winners"] = others[:1]
                elif result.get(name):
                    one, *_, last = result[name]
                    result[name][one] += 1
                    result[name][last] -= 1

        def rotated(forged, name=name):
            for result in results_of(forged):
                if name != "winners" and result.get(name):
                    values = list(result[name].values())
                    result[name] = dict(zip(result[name], [*values[1:], values[0]]))

        def without(forged, name=name):
            for result in results_of(forged):
                result.pop(name, None)

        yield from lie(replay, ("result", name), "one goes to another seat", shifted)
        yield from lie(replay, ("result", name), "each has those of the next seat", rotated)
        yield from lie(replay, ("result", name), "left out", without)


def drop(forged, place):
    del forged["events"][place]
    renumber(forged)


def renumber(forged):
    for seq, entry in enumerate(forged["events"], 1):
        entry["seq"] = seq


def silences(replay):
    """The first and the last event of each kind left out, the others renumbered."""
    for kind in TOLD:
        places = [place for place, entry in enumerate(replay["events"]) if entry["event"]["type"] == kind]
        for place in sorted({places[0], places[-1]} if places else ()):

            def leave_out(forged, place=place):
                drop(forged, place)

            yield from lie(replay, ("events", place), f"no {kind} is told", leave_out)


def disorder(replay):
    """Two neighbouring events exchanged, once for each pair of kinds; strikes and sealed moves that never were."""
    seen = set()
    for place, (one, other) in enumerate(zip(replay["events"][1:-1], replay["events"][2:-1]), 1):
        kinds = one["event"]["type"], other["event"]["type"]
        players = {event["event"]["data"].get("player") for event in (one, other)} - {None}
        by_operator = any(entry["event"]["data"].get("reason") == "adjudicated" for entry in (one, other))
        is_free = len(players) > 1 or by_operator or not set(kinds) <= {*TOLD, "beacon"}
        if kinds in seen or kinds[0] == kinds[1] or is_free:
            continue
        if "beacon" in kinds and "chance" not in kinds:
            continue
        seen.add(kinds)

        def exchange(forged, place=place):
            one, other = forged["events"][place : place + 2]
            one["event"], other["event"] = other["event"], one["event"]

        yield from lie(replay, ("events", place), f"{kinds[1]} before {kinds[0]}", exchange)
    for kind in ("move", "move_sealed", "game_ended"):
        places = [place for place, entry in enumerate(replay["events"]) if entry["event"]["type"] == kind]
        for place in places[-1:]:
            data = replay["events"][place]["event"]["data"]
            if data["player"] is None:
                continue

            given = {"turn_index": data["turn_index"], "player": data["player"]}
            invented = {"strike": {**given, "cause": "deadline", "count": 1}, "move_sealed": given}
            for told, data in invented.items():

                def insert(forged, place=place, told=told, data=data):
                    entry = {**forged["events"][place], "event": {"type": told, "data": data}}
                    forged["events"].insert(place, entry)
                    renumber(forged)

                yield from lie(replay, ("events", place), f"a {told} before the {kind}", insert)


def pauses(replay):
    """A pause that shortens the time, in its event and in the turns."""
    for place, data in enumerate(data_of_kind(replay, "deadline_extended")):
        changed = "2020" + data["deadline_utc"][4:]

        def move(forged, place=place, changed=changed):
            told = data_of_kind(forged, "deadline_extended")[place]
            for turn in forged["moves"]:
                if turn["deadline_utc"] == told["deadline_utc"]:
                    turn["deadline_utc"] = changed
            told["deadline_utc"] = changed

        def afterwards(forged, place=place):
            kinds = [entry["event"]["type"] for entry in forged["events"]]
            (one,) = [number for number, kind in enumerate(kinds) if kind == "deadline_extended"][place : place + 1]
            other = kinds.index("move", one) if "move" in kinds[one:] else one
            moved = forged["events"].pop(one)
            moved["created_at"] = forged["events"][other - 1]["created_at"] if other > one else moved["created_at"]
            forged["events"].insert(other, moved)
            renumber(forged)

        def late(forged, place=place):
            told = [entry for entry in forged["events"] if entry["event"]["type"] == "deadline_extended"][place]
            for entry in forged["events"][told["seq"] - 1 :]:
                entry["created_at"] = "2099" + entry["created_at"][4:]

        yield from lie(replay, ("events",), f"a pause until {changed}", move)
        yield from lie(replay, ("events",), "a pause told after the next move", afterwards)
        yield from lie(replay, ("events",), "a pause told when it had passed", late)
