"""Every game by the rules of the verifier of replays, which are not the hall's (`verify_replay.rules`).

They say the state string, who is to move, the legal moves with their notations and order, nature's acts with their
public texts, what is shown, and the result. Public values and what one player knows alone are not asked of them.
"""

from oracles import check
from oracles.written_draws import WrittenDraws
from verify_replay.rules import GAMES
from verify_replay.table import Table


def follow(game):
    rules = GAMES[game["game"]](game["variant"])
    check("the seats", game.get("seats", 2), len(rules.players))
    table = Table(rules)
    for step in game["steps"]:
        at = step["state"]
        check("the state string", at, rules.state_string())
        check(f"who is to move in {at}", step["to_move"], rules.movers())
        for player in rules.players:
            legal = rules.legal_moves(player) if player in rules.movers() else []
            check(f"legal moves of {player} in {at}", step["legal"][player], legal)
        if "act" in step:
            check(f"whether nature is to act in {at}", rules.waits(), True)
            draws = WrittenDraws(rules, step["act"])
            check(f"the act in {at}", (step["act"], step["outcome"]), rules.act(draws.below))
            check(f"draws of the act in {at}", draws.left, [])
        elif "moves" in step:
            shown = rules.play(dict(step["moves"]))
            check(f"what was shown after {at}", step["shown"], shown)
        else:
            check(f"the end in {at}", (rules.movers(), rules.waits()), ([], False))
    check("the result", game["result"], table.decided(None))
    return len(game["steps"])
