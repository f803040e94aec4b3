"""The events that spectators saw agree with the moves (decision 7)."""

from .claims import demand, same
from .shape import milliseconds
from .turns import WITHHELD

# These may occur anywhere; every other event has exactly one place.
FREE = ("deadline_extended", "beacon")


def check_events(replay, walk):
    entries = replay["events"]
    same("seqs of the events", [entry["seq"] for entry in entries], list(range(1, len(entries) + 1)))
    times = [milliseconds(entry["created_at"]) for entry in entries]
    demand("the events are out of order in time", times == sorted(times))
    check_first(replay, walk)
    fixed = [entry for entry in entries[1:] if entry["event"]["type"] not in FREE]
    same("kinds of events", [entry["event"]["type"] for entry in fixed], [kind for kind, _, _ in walk.told])
    for entry, (kind, data, earliest) in zip(fixed, walk.told):
        what = f"event {entry['seq']}"
        if kind == "move":
            shown = entry["event"]["data"]
            data = {**data, "deadline_utc": shown["deadline_utc"]}
            if data["commentary"] is WITHHELD:
                data["commentary"] = None
                # Withheld words leave their hash; absent words leave nothing.
                data.update({name: shown[name] for name in ("commentary_sha256",) if name in shown})
            check_deadline(what, data, walk)
        same(what, entry["event"], {"type": kind, "data": data})
        demand(f"{what}: told before it happened", milliseconds(entry["created_at"]) >= earliest)
    check_free(replay)


def check_first(replay, walk):
    first, beacon = replay["events"][0], replay["beacon"]
    data = first["event"]["data"]
    shared = ("game", "variant", "division", "season_id", "seats", "ruleset_version", "commitment")
    same("game_started", {name: data[name] for name in shared}, {name: replay[name] for name in shared})
    same("first turn", (data["turn_index"], data["to_move"]), (0, ["p0"]))
    status = "off" if beacon["status"] == "off" else "waiting"
    promised = {"chain_hash": beacon["chain_hash"], "round": beacon["round"], "status": status}
    same("beacon promised at the start", data["beacon"], promised)
    same("deadline of the first turn", milliseconds(data["deadline_utc"]), walk.published[0])
    same("start of the first turn", replay["moves"][0]["started_at"], first["created_at"])


def check_deadline(what, data, walk):
    """A move opens the next turn and publishes its deadline."""
    following, deadline = data["turn_index"] + 1, data["deadline_utc"]
    if not data["to_move"]:
        same(f"{what}: deadline after the end", deadline, None)
    else:
        demand(f"{what}: deadline is missing", deadline is not None)
        same(f"{what}: deadline", milliseconds(deadline), walk.published[following])


def check_free(replay):
    """Extensions are of the turn that is live at their place; the beacon's round comes before the first draw."""
    turn, known, beacon = 0, replay["beacon"]["status"] == "off", replay["beacon"]
    reported = {name: beacon[name] for name in ("round", "status", "randomness", "signature")}
    seen = 0
    for entry in replay["events"]:
        what, kind, data = f"event {entry['seq']}", entry["event"]["type"], entry["event"]["data"]
        live = replay["moves"][min(turn, len(replay["moves"]) - 1)]
        if kind == "move":
            demand(f"{what}: drawn before the beacon was settled", known or not live["draws"])
            turn += 1
        elif kind == "deadline_extended":
            same(f"{what}: turn", data["turn_index"], turn)
            later = milliseconds(data["deadline_utc"]) >= milliseconds(entry["created_at"])
            demand(f"{what}: extended to a time already past", later)
        elif kind == "beacon":
            same(what, data, reported)
            # Only a turn that needs a draw can miss the round; the operator may end the game meanwhile.
            needed = beacon["status"] == "verified" or live["draws"] or live["player"] is None
            demand(f"{what}: missed without need", needed)
            known, seen = True, seen + 1
    same("number of beacon events", seen, 1 if beacon["status"] in ("verified", "missed") else 0)
