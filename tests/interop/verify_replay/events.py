"""The events that spectators saw agree with the moves (decisions 7 and 13)."""

from .bodies import WITHHELD
from .claims import demand, same
from .shape import milliseconds
from .turns import Opens

# These may occur anywhere; every other event has exactly one place.
FREE = ("deadline_extended", "beacon")


def check_events(replay, walk):
    entries = replay["events"]
    same("seqs of the events", [entry["seq"] for entry in entries], list(range(1, len(entries) + 1)))
    times = [milliseconds(entry["created_at"]) for entry in entries]
    demand("the events are out of order in time", times == sorted(times))
    check_first(replay, walk)
    fixed = [entry for entry in entries[1:] if entry["event"]["type"] not in FREE]
    same("kinds of events", [entry["event"]["type"] for entry in fixed], [kind for kind, *_ in walk.told])
    for entry, (kind, data, earliest, exact) in zip(fixed, walk.told):
        what, created = f"event {entry['seq']}", milliseconds(entry["created_at"])
        same(what, entry["event"], {"type": kind, "data": completed(what, data, entry["event"]["data"], walk)})
        demand(f"{what}: told before it happened", created >= earliest)
        demand(f"{what}: not told when it happened", exact in (None, created))
    check_free(replay)
    check_acts(entries)


def check_acts(entries):
    """Nature acts at once after what calls for it, unless something else happened meanwhile, such as a wait."""
    for before, entry in zip(entries, entries[1:]):
        if entry["event"]["type"] == "chance" and before["event"]["type"] not in FREE:
            same(f"event {entry['seq']}: nature acts at once", entry["created_at"], before["created_at"])


def completed(what, data, shown, walk):
    """The expected members of an event, with those that only the event itself has: withheld words, times as text."""
    if data.get("commentary") is WITHHELD:
        # Withheld words leave their hash; absent words leave nothing.
        kept = {name: shown[name] for name in ("commentary_sha256",) if name in shown}
        data = {**data, "commentary": None, **kept}
    if isinstance(data.get("deadline_utc"), Opens):
        opens = data["deadline_utc"]
        if shown["deadline_utc"] is not None or not opens.may_be_untold:
            check_deadline(what, shown["deadline_utc"], walk.published[opens.turn_index])
        data = {**data, "deadline_utc": shown["deadline_utc"]}
    return data


def check_deadline(what, shown, published):
    """The deadline of the turn that an event opens, in milliseconds."""
    demand(f"{what}: deadline is missing", shown is not None)
    same(f"{what}: deadline", milliseconds(shown), published)


def check_first(replay, walk):
    first, beacon = replay["events"][0], replay["beacon"]
    data = first["event"]["data"]
    shared = ("game", "variant", "division", "season_id", "seats", "ruleset_version", "commitment")
    same("game_started", {name: data[name] for name in shared}, {name: replay[name] for name in shared})
    opening = {"turn_index": 0, **walk.opening}
    same("first turn", {name: data[name] for name in opening}, completed("first event", opening, data, walk))
    status = "off" if beacon["status"] == "off" else "waiting"
    promised = {"chain_hash": beacon["chain_hash"], "round": beacon["round"], "status": status}
    same("beacon promised at the start", data["beacon"], promised)
    if data["to_move"]:
        same("start of the first turn", replay["moves"][0]["started_at"], first["created_at"])


def check_free(replay):
    """Extensions are of the turn that is live at their place; the beacon's round comes before the first draw."""
    beacon, drawn, seen, turn, acts = replay["beacon"], turns_with_draws(replay), 0, 0, 0
    reported = {name: beacon[name] for name in ("round", "status", "randomness", "signature")}
    known = beacon["status"] == "off"
    for entry in replay["events"]:
        what, kind, data = f"event {entry['seq']}", entry["event"]["type"], entry["event"]["data"]
        if kind == "chance":
            has_draws, acts = bool(replay["chance"][acts]["draws"]), acts + 1
            demand(f"{what}: drawn before the beacon was settled", known or not has_draws)
        elif kind in ("move", "move_sealed"):
            has_draws = (data["turn_index"], data["player"]) in drawn
            demand(f"{what}: drawn before the beacon was settled", known or not has_draws)
            turn = data["turn_index"] + (kind == "move")
        elif kind == "deadline_extended":
            same(f"{what}: turn", data["turn_index"], turn)
            later = milliseconds(data["deadline_utc"]) >= milliseconds(entry["created_at"])
            demand(f"{what}: extended to a time already past", later)
        elif kind == "beacon":
            same(what, data, reported)
            demand(f"{what}: missed without need", beacon["status"] == "verified" or needs_draw(replay, drawn, turn))
            known, seen = True, seen + 1
    same("number of beacon events", seen, 1 if beacon["status"] in ("verified", "missed") else 0)


def turns_with_draws(replay):
    """(turn, player) of each move with draws, (turn, None) of each act of nature."""
    moves = {(move["turn_index"], move["player"]) for move in replay["moves"] if move["draws"]}
    return moves | {(act["turn_index"], None) for act in replay.get("chance", []) if act["draws"]}


def needs_draw(replay, drawn, turn):
    """Only a turn that needs a draw can miss the round; the operator may end the game meanwhile."""
    last = replay["moves"][-1]
    settled = last["player"] is None and last["turn_index"] == turn
    return settled or bool(replay.get("unresolved")) or any(drawn_in == turn for drawn_in, _ in drawn)
