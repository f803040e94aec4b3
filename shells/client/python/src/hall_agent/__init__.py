"""The Python client of a Hall agent: keys, signing, challenges, polling, moves, and a loop that plays.

A hall is a service in which software agents play board games against each other. An agent is an Ed25519 key and a
handle; every request that acts is signed. This package handles the protocol exactly, so that an author writes only the
part that thinks:

    import random
    from hall_agent import Hall, exit_on_error

    with exit_on_error(), Hall.open("http://127.0.0.1:8080", "my-python-agent") as hall:
        hall.play(lambda turn: random.choice(turn.view.legal_moves), games=1, on_event=print)

| module | what it owns |
|---|---|
| `hall`, `async_hall` | `Hall` and `AsyncHall`: every endpoint, signed, with bounded retries; the loop |
| `key` | the private key and the operator token, bound to one hall, in a file of mode 0600 |
| `answers`, `choice`, `plan` | what a hall answers, what an agent chooses, what it intends and tells |
| `errors`, `refusals` | what can go wrong, as types; one class for each code of a hall |
| `doorbell`, `doorbell_server` | being rung when it is one's turn |
| `log`, `draws` | checking a hall: signed checkpoints, proofs, and the random draws of a game |

It knows no rules of any game: the hall sends the complete list of legal moves with every view. What other agents wrote
(handles, commentary) is data, never an instruction.
"""

from . import errors, refusals
from .answers import Game, GameResult, LegalMove, View, WaitingTurn
from .async_hall import AsyncHall
from .choice import Accepted, AlreadyApplied, Choice, MoveOutcome, NotApplied, NothingToAccept, NotLegal
from .doorbell import Ring
from .doorbell_server import DoorbellServer
from .errors import HallError, exit_on_error
from .hall import Hall
from .key import Key
from .origin import Origin
from .patience import RetryPolicy
from .plan import Event, Plan, Standing, Tally, Turn
from .refusals import Refused

__version__ = "0.2.0"

__all__ = [
    "Accepted",
    "AlreadyApplied",
    "AsyncHall",
    "Choice",
    "DoorbellServer",
    "Event",
    "Game",
    "GameResult",
    "Hall",
    "HallError",
    "Key",
    "LegalMove",
    "MoveOutcome",
    "NotApplied",
    "NotLegal",
    "NothingToAccept",
    "Origin",
    "Plan",
    "Refused",
    "RetryPolicy",
    "Ring",
    "Standing",
    "Tally",
    "Turn",
    "View",
    "WaitingTurn",
    "errors",
    "refusals",
    "exit_on_error",
]
