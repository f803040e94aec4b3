"""How a turn ends the game without a move: the operator's verdict, a resignation, an agreement, or a forfeit."""

from . import bodies, clocks
from .claims import demand, same
from .shape import milliseconds
from .table import ILLEGAL_MOVES_TO_STRIKE


def end(turn, entry):
    """A turn that ended the game without a move."""
    player, game, what = entry["player"], turn.game, turn.what
    same(f"{what}: draws", entry["draws"], [])
    if player is None:
        game.result = settled(turn, entry)
        turn.clocks.stand_still(entry, list(filter(turn.is_acting, turn.movers)))
    else:
        demand(f"{what}: {player} ends the game, but is not to move", turn.is_acting(player))
        turn.clocks.resolve(entry, player, entry["forced"] or clocks.REQUEST, turn.attempted[player])
        game.result = given_up(turn, entry) if entry["forced"] is None else forfeited(turn, entry)
        same(f"{what}: number of winners", len(game.result["winners"]), 0 if game.result["draw"] else 1)
        turn.clocks.close([entry])
    same(f"{what}: state hash", entry["state_hash"], game.state_hash(turn.index + 1))
    # Who gives up, or is out, declines a standing offer; replays from before that was told have no event.
    declines = player and not game.result["draw"] and game.offered_to(player)
    if declines and game.is_told("draw_declined", entry):
        game.tell("draw_declined", entry)


def settled(turn, entry):
    """The operator decided; only the form of that can be judged."""
    told, what = turn.game.replay["result"], turn.what
    same(f"{what}: only the operator ends nobody's turn", told["reason"] in ("adjudicated", "aborted"), True)
    for name in ("forced", *bodies.SIGNED):
        same(f"{what}: {name}", entry[name], None)
    is_decided = not told["draw"] and told["reason"] == "adjudicated"
    same(f"{what}: number of winners", len(told["winners"]), 1 if is_decided else 0)
    demand(f"{what}: an aborted game is no draw", not (told["draw"] and told["reason"] == "aborted"))
    demand(f"{what}: the winner has no seat", all(winner in turn.game.seats for winner in told["winners"]))
    return turn.table.counted({name: told[name] for name in ("winners", "draw", "reason")})


def given_up(turn, entry):
    """A resignation or an agreement."""
    player, game = entry["player"], turn.game
    is_free = player not in turn.struck and turn.attempts[player] < ILLEGAL_MOVES_TO_STRIKE
    demand(f"{turn.what}: ends by itself, but the hall was to act", is_free)
    body, reason = turn.read(entry), game.replay["result"]["reason"]
    agrees = game.offered_to(player)
    if body is None:
        agrees = agrees and reason == "agreement"
        demand(f"{turn.what}: without a move it ends the game", agrees or reason == "resignation")
    else:
        agrees = agrees and bool(body.get("draw_offer") or body.get("draw_accept"))
        demand(f"{turn.what}: a move, but none was played", agrees or body.get("resign") is True)
    return turn.table.drawn("agreement") if agrees else turn.table.lost_by(player, "resignation")


def forfeited(turn, entry):
    """The player's side clock, or its third strike; or that of all who were left, in a shared turn."""
    player, forced = entry["player"], entry["forced"]
    turn.check_unsigned(entry)
    used_up = forced == clocks.DEADLINE and turn.clocks.is_used_up(player)
    if used_up:
        demand(f"{turn.what}: a strike, but the clock was used up", player not in turn.struck)
    else:
        same(f"{turn.what}: cause of the last strike", turn.struck.get(player), forced)
        demand(f"{turn.what}: forfeited before the third strike", turn.is_struck_out(player))
    if turn.rules.simultaneous and forced == clocks.DEADLINE and all_are_out(turn, entry):
        for other in filter(turn.is_acting, turn.table.seated()):
            if other != player:
                turn.clocks.charge_sealed(entry, other, clocks.DEADLINE, milliseconds(entry["at"]), [])
        struck = [it for it in turn.table.seated() if it in turn.struck]
        return turn.table.drawn("strikes" if struck else "clock")
    return turn.table.lost_by(player, "clock" if used_up else "strikes")


def all_are_out(turn, entry):
    """Whether the deadline of the turn takes everybody out who is seated, all at once."""
    others = [player for player in turn.table.seated() if player != entry["player"]]
    return all(
        turn.is_acting(player) and (turn.is_struck_out(player) or turn.clocks.runs_out(entry, player))
        for player in others
    )
