"""All claims about one replay, in order; the first that fails ends it."""

from .beacon import QUICKNET, check_beacon
from .claims import Claims, Difference, Unreadable, same
from .events import check_events
from .identity import check_seats, sha256
from .log_proof import check_log
from .pgn import check_pgn
from .rules import CHESS_FAMILY
from .shape import check_replay
from .turns import Walk

VERSION = "svc.replay.v1"


def replay_in(document):
    """The replay, bare or in its envelope; raises `Unreadable`."""
    for name in ("data", "replay"):
        if isinstance(document, dict) and "version" not in document:
            document = document.get(name, document)
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise Unreadable(f"this is no document of version {VERSION}")
    return document


def verify(replay, log_keys=(), chains=()):
    """Judges a replay and returns the `Claims`; raises `Difference` at the first that fails.

    `log_keys` are `log_proof.NoteKey`s, any of which may have signed, `chains` are drand chains known besides quicknet.
    """
    claims = Claims()
    check_replay(replay)
    claims.holds("the document has the form of a replay")
    check_seats(replay["seats"])
    claims.holds("agent ids come from the keys of the seats")
    same("commitment", replay["commitment"], sha256(f"svc.seed.v1:{replay['game_id']}:{replay['seed']}"))
    claims.holds("the seed is the one committed to")
    check_log(replay, log_keys, claims)
    walk = Walk(replay)
    walk.walk()
    claims.holds("moves are signed, in turn, legal and in time as the hall dates it, and lead to the states and the result")
    if walk.unread:
        claims.not_checked(f"what {', '.join(walk.unread)} sealed when the game ended", "it is withheld, with its hash")
    if walk.rules.has_chance:
        claims.holds("nature's acts are those that seed and beacon draw")
    if replay["hidden"] is not None:
        claims.holds("what was hidden is what was dealt or rolled")
    if walk.withheld:
        turns = ", ".join(map(str, sorted(walk.withheld)))
        reason = "they are withheld; their signatures hold for their hashes"
        claims.not_checked(f"that the signed words of turn {turns} named what was played", reason)
    if walk.counted_again:
        turns = ", ".join(map(str, sorted(walk.counted_again)))
        reason = "it is counted twice, for two different requests"
        claims.not_checked(f"that the player sent one signed body of turn {turns} twice", reason)
    if any(turn["draws"] for turn in replay["moves"]):
        claims.holds("forced moves are those that seed and beacon draw")
    check_events(replay, walk)
    claims.holds("the events say what the moves say")
    if replay["game"] in CHESS_FAMILY:
        check_pgn(replay, walk.rules)
        claims.holds("the PGN says what the moves say")
    check_beacon(replay, len(walk.draws.turns), [QUICKNET, *chains], claims)
    return claims


def reject_reason(replay, log_keys=(), chains=()):
    """Why a replay fails, None if it holds: `verify` for callers that try many."""
    try:
        verify(replay_in(replay), log_keys, chains)
    except (Difference, Unreadable) as reason:
        return str(reason)
    return None
