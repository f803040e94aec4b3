"""See the package: python -m oracles GAME FILE..."""

import importlib
import json
import sys

from oracles import Difference


def main():
    name, *files = sys.argv[1:]
    follow = importlib.import_module(f"oracles.{name}").follow
    games = positions = 0
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                game = json.loads(line)
                try:
                    positions += follow(game)
                except Difference as difference:
                    sys.exit(f"{game['game']} {game['variant']}, seed {game['seed']}: {difference}")
                games += 1
    if positions == 0:
        sys.exit(f"{name}: no position was compared")
    print(f"{name}: {games} games, {positions} positions, no difference")


if __name__ == "__main__":
    main()
