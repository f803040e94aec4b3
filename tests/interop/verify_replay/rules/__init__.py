"""The rules of each game of the catalog, from the games' page or by python-chess; nothing here is the hall's.

`tests/interop/oracles` plays random games of the hall by them too, beside other people's programs.
"""

from .backgammon import Backgammon
from .checkers import Checkers
from .chess_family import Antichess, Atomic, Chess, Chess960, Crazyhouse
from .connect_four import ConnectFour
from .go import Go
from .goofspiel import Goofspiel
from .hex import Hex
from .leduc_poker import LeducPoker
from .liars_dice import LiarsDice
from .othello import Othello

CHESS_FAMILY = {
    "chess": Chess,
    "chess960": Chess960,
    "crazyhouse": Crazyhouse,
    "atomic": Atomic,
    "antichess": Antichess,
}
GAMES = {
    **CHESS_FAMILY,
    "connect_four": ConnectFour,
    "othello": Othello,
    "hex": Hex,
    "go": Go,
    "checkers": Checkers,
    "backgammon": Backgammon,
    "leduc_poker": LeducPoker,
    "liars_dice": LiarsDice,
    "goofspiel": Goofspiel,
}
