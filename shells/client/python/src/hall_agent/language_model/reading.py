"""The legal move that an answer of a model names, however it is written.

Nothing but an entry of the legal moves ever comes out of here, so what is read wrongly is a poor move and never an illegal
one. An answer that names several moves, and none of them as its choice, names none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..answers import LegalMove

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_CHOICE = re.compile(r"(?<![^\W_])move\W{0,4}[:=]\W{0,6}(.*)", re.IGNORECASE)
_ORNAMENTS = re.compile(r"[*_`\"'“”{}\[\]()]")
_SQUARES = re.compile(r"([a-h][1-8])\s*(?:-|–|x|to|\s)?\s*([a-h][1-8])\s*=?\s*([qrbn])?(?![a-z0-9])", re.IGNORECASE)
_SAN = re.compile(r"(?<![\w-])([KQRBN])?([a-h])?([1-8])?x?([a-h][1-8])(?:=?([QRBN]))?(?![\w-])")
_CASTLING = re.compile(r"(?<![\w-])(?:O-O-O|0-0-0|O-O|0-0)(?![\w-])", re.IGNORECASE)
_PIECES = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "": "pawn"}


def find_move(text: str, legal_moves: Sequence[LegalMove]) -> LegalMove | None:
    """The one legal move that the answer names: in its last line `MOVE: …`, else in its last line, else anywhere."""
    said = _THOUGHTS.sub(" ", text)
    chosen = _CHOICE.findall(said)
    lines = [line for line in said.splitlines() if _plain(line)]
    for part in [*chosen[-1:], *lines[-1:], said]:
        named = _named(part, legal_moves)
        if len(named) == 1:
            return named[0]
    return None


def _named(text: str, legal_moves: Sequence[LegalMove]) -> list[LegalMove]:
    """The legal moves that a text names, each once: as they stand in the list, else without ornaments, else in another
    spelling."""
    plain = _plain(text)
    return (
        _standing_in(text, [(move.notation, move) for move in legal_moves])
        or _standing_in(plain, [(_plain(move.notation), move) for move in legal_moves])
        or _respelled(plain, legal_moves)
    )


def _plain(text: str) -> str:
    """The text without ornaments; in backgammon those of a notation, as in `bar/22*` and `6/off(2)`, are among them."""
    return re.sub(r" ?/ ?", "/", " ".join(_ORNAMENTS.sub(" ", text).split()))


def _standing_in(text: str, notations: Sequence[tuple[str, LegalMove]]) -> list[LegalMove]:
    """The moves whose notations stand in a text, the longest one where one is a part of another: `6/off(2)` does not name
    `6/off`."""
    found: dict[str, tuple[LegalMove, list[tuple[int, int]]]] = {}
    for notation, move in notations:
        # An underscore is an ornament; a slash goes on with the way of a checker.
        edge = "[-/]|[^\\W_]" if "/" in notation else "-|[^\\W_]"
        pattern = rf"(?<!{edge}){re.escape(notation)}(?!{edge})"
        spans = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)] if notation else []
        if spans:
            found[move.notation] = move, spans
    all_spans = {span for _, spans in found.values() for span in spans}

    def is_part(span: tuple[int, int]) -> bool:
        return any(one != span and one[0] <= span[0] and span[1] <= one[1] for one in all_spans)

    return [move for move, spans in found.values() if not all(is_part(span) for span in spans)]


def _respelled(text: str, legal_moves: Sequence[LegalMove]) -> list[LegalMove]:
    """Chess moves as people write them: `e2-e4`, `Nf3`, `O-O`, `e8=Q`. The summaries of the legal moves say which piece
    moves, so no rules are needed; in other games nothing is found."""
    found: list[LegalMove] = []

    def add(named: list[LegalMove]) -> None:
        found.extend(move for move in named[:2] if move not in found)

    for start, end, promoted in _SQUARES.findall(text):
        wanted = (start + end + (promoted or "")).lower()
        # A promotion without its letter means the queen.
        add([move for note in (wanted, wanted + "q") for move in legal_moves if move.notation == note][:1])
    for castling in _CASTLING.findall(text):
        side = "castles queenside" if castling.count("-") == 2 else "castles kingside"
        add([move for move in legal_moves if side in move.summary])
    if not found:
        for piece, file, rank, end, promoted in _SAN.findall(text):
            add([move for move in legal_moves if _is_san(move, piece, file, rank, end, promoted)])
    return found


def _is_san(move: LegalMove, piece: str, file: str, rank: str, end: str, promoted: str) -> bool:
    start, ends, promotes = move.notation[:2], move.notation[2:4], move.notation[4:]
    return (
        move.summary.startswith(f"{_PIECES[piece]} ")
        and ends == end
        and start.startswith(file)
        and start.endswith(rank)
        and promotes == ((promoted or "q").lower() if promotes else "")
    )
