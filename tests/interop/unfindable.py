"""The forgeries that no claim of a replay can find, because the changed value occurs only once."""

import re


def unfindable(replay, path, words):
    """Why no claim of a replay can find a forgery; None if one must."""
    turns, nudge = replay["moves"], words in ("+1 ms", "-1 ms")
    if path == ("log",) and words == "null":
        return "a replay may be read before a checkpoint covers it"
    if path[0] == "moves" and path[2:] == ("body",) and words == "null":
        return "a body that is withheld looks like that"
    if path[0] == "moves" and path[2:] == ("attempts",) and re.fullmatch(r"\d+ before \d+", words):
        return "two requests on their way at once may be counted in either order"
    if path[0] == "moves" and path[-1] == "at" and nudge:
        turn = turns[path[1]]
        if "attempts" in path:
            charged = turn["forced"] == "illegal_moves" and path[3] == len(turn["attempts"]) - 1
            pinned = charged and replay["events"][0]["event"]["data"]["side_ms"] is not None
            return None if pinned else "when an attempt came stands once"
        if path[1] == len(turns) - 1:
            return unpinned(replay, path[1], "at")
    if turns[-1]["player"] is None and is_extended(replay, turns[-1]) and words in ("+1", "+1 ms", "-1 ms"):
        is_last = path[:2] == ("moves", len(turns) - 1) and path[2] in ("deadline_utc", "clocks_ms")
        told = path[0] == "events" and path[-1] == "deadline_utc" and replay["log"] is None
        if told or is_last or (path[0] == "unresolved" and path[2:] == ("at",)):
            return "how much of a pause was given back to whom is told nowhere"
    if path[0] == "unresolved":
        if path[2:] == ("body",) and words == "null":
            return "a body that is withheld looks like that"
        if path[2:] == ("signature",) and words.startswith("digit") and replay["unresolved"][path[1]]["body"] is None:
            return "the hash that a withheld void action was signed with stands nowhere"
        if path[2:] == ("at",) and nudge:
            by_hall = replay["unresolved"][path[1]]["signature"] is None
            if by_hall or replay["events"][0]["event"]["data"]["side_ms"] is None:
                return "no clock depends on when a void action was sealed"
    if path[0] == "moves" and path[-1] == "started_at" and nudge and turns[path[1]]["deadline_utc"] is None:
        return "where no clock ran, when a turn began stands once"
    if path[-1] == "commentary_sha256" and words.startswith("digit") and replay["log"] is None:
        return "without the log the hash of withheld words stands once"
    if path[0] == "events" and path[-1] == "data" and words == "without commentary_sha256" and replay["log"] is None:
        return "whether withheld words were said at all is known by the log alone"
    if path[0] == "events" and replay["log"] is None:
        final = path[1:2] == (len(replay["events"]) - 1,)
        if path[-1] == "created_at" and (nudge or (final and words == "+1 day")):
            return "without the log an event's time stands once"
        if path[-1] == "reason" and replay["events"][path[1]]["event"]["type"] == "deadline_extended":
            return "without the log the reason of a pause stands once"
        if path[-1] == "reason" and replay["events"][path[1]]["event"]["data"].get("reason") == "clock":
            if words == "adjudicated":
                return "the operator may have vacated the seat in the moment in which its clock ran out"
        if path[-1] == "deadline_utc" and words == "null" and opens_beside_vacant_seat(replay, path[1]):
            return "halls of before told no deadline beside a vacant seat"
        if path[-1] == "move_ms" and sleeps_by_clock(replay):
            return "the side clock was the earlier deadline in every turn"
        if path[-1] == "move_ms" and all(turn["deadline_utc"] is None for turn in turns):
            return "no clock ever ran"
    return None


def unpinned(replay, place, name):
    """Whether a turn's time or clock is free: only side clocks fix the time, and a pause is charged to nobody."""
    turn, start = replay["moves"][place], replay["events"][0]["event"]["data"]
    if name == "at" and turn["at"] <= turn["started_at"]:
        return "a request may have come before the turn that it plays"
    if name == "at" and (start["side_ms"] is None or turn["forced"] or turn["player"] is None):
        return "no clock depends on when this was"
    if name in ("at", "clocks_ms") and is_extended(replay, turn):
        return "what a pause took is published nowhere"
    return None


def is_extended(replay, turn):
    """Whether a pause was given back in the turn."""
    told = (entry["event"] for entry in replay["events"] if entry["event"]["type"] == "deadline_extended")
    return any(event["data"]["turn_index"] == turn["turn_index"] for event in told)


def sleeps_by_clock(replay):
    start = replay["events"][0]["event"]["data"]
    return start["side_ms"] is not None and start["side_ms"] <= start["move_ms"]


def opens_beside_vacant_seat(replay, place):
    """Whether the event at this place opens a turn in which the hall acts for a seat that was vacated before."""
    told = [entry["event"] for entry in replay["events"]]
    vacated = {event["data"]["player"] for event in told[:place] if event["type"] == "seat_vacated"}
    return bool(vacated.intersection(told[place]["data"].get("to_move", [])))
