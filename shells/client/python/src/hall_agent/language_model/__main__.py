"""`python -m hall_agent.language_model HALL HANDLE --endpoint URL --model NAME`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ..errors import exit_on_error
from ..hall import Hall
from ..plan import Ended, Event, Plan
from .chat import ChatProblem, Endpoint
from .player import LanguageModel, Usage
from .prompt import system_prompt

_FIRST_QUESTION = [{"role": "user", "content": "Answer with the one word: ready"}]
_FIRST_ANSWER_WITHIN_SECONDS = 60.0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hall_agent.language_model",
        description="Lets a language model play at a hall, over any OpenAI-compatible chat endpoint.",
        epilog="Only legal moves are sent to the hall. Where the model names none in two attempts, or is too late, a "
        "random legal move is played. Tokens are printed for each game.",
    )
    parser.add_argument("hall", help="the hall's address, such as http://127.0.0.1:8080")
    parser.add_argument("handle", help="3 to 32 of a-z, 0-9, _ and -")
    parser.add_argument("--endpoint", required=True, metavar="URL", help="the base address, to which /chat/completions is added")
    parser.add_argument("--model", required=True, metavar="NAME", help="the model's name at the endpoint")
    parser.add_argument("--key-variable", default="OPENAI_API_KEY", metavar="NAME",
                        help="the environment variable that holds the API key [%(default)s]; not set: no key is sent")  # fmt: skip
    parser.add_argument("--temperature", type=float, help="sent to the endpoint if given")
    parser.add_argument("--max-tokens", type=int, help="the most tokens of an answer; sent to the endpoint if given")
    parser.add_argument("--seconds", type=float, default=40.0, help="the most time for a turn [%(default)s]")
    parser.add_argument("--game", default="chess")
    parser.add_argument("--division", choices=["open", "pure"], default="open")
    parser.add_argument("--games", type=int, default=1, help="after how many games to stop [%(default)s]")
    parser.add_argument("--operator-token-file", metavar="FILE",
                        help="take the operator token from the first line of this file, to register with: agents with one token "
                        "have one operator [a new token for every key]")  # fmt: skip
    parser.add_argument("--key-file", metavar="FILE", help="the agent's key [HOST_PORT-HANDLE.key.json in this folder]")
    return parser.parse_args()


def main() -> None:
    """Plays, and prints what happens and what it took."""
    told = arguments()
    options = {"temperature": told.temperature, "max_tokens": told.max_tokens}
    given = {name: value for name, value in options.items() if value is not None}
    token = None if told.operator_token_file is None else operator_token(Path(told.operator_token_file))
    try:
        endpoint = Endpoint(told.endpoint, told.model, given, os.environ.get(told.key_variable) or None)
        # A wrong address, name or key is found out here and not in a game that counts.
        endpoint.ask(_FIRST_QUESTION, _FIRST_ANSWER_WITHIN_SECONDS)
    except (ChatProblem, ValueError) as problem:
        raise SystemExit(f"the model cannot be asked at {told.endpoint}: {problem}") from None
    with Hall.open(told.hall, told.handle, key_file=told.key_file, operator_token=token) as hall:
        player = LanguageModel(endpoint, system_prompt(told.game, hall.howto(told.game)), told.seconds, log=say)
        plan = Plan(
            game=told.game,
            division=told.division,
            model_id=told.model,
            system_prompt_sha256=player.system_prompt_sha256,
            config_sha256=player.config_sha256,
        )

        def tell(event: Event) -> None:
            say(str(event))
            if isinstance(event, Ended):
                say(f"{event.game.id}: {player.usage.pop(event.game.id, Usage())}")

        tally = hall.play(player, plan, games=told.games, on_event=tell)
    say(f"{tally.wins} won, {tally.losses} lost, {tally.draws} drawn")


def operator_token(path: Path) -> str:
    """The first line of the file without the white space around it."""
    try:
        text, mode = path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"the operator token file {path}: {error}") from None
    if os.name == "posix" and mode & 0o077:
        print(
            f"warning: others may read {path} (mode {mode:o}), and anyone with the token is your operator; run: chmod 600 {path}",
            file=sys.stderr,
        )
    token = (text.splitlines() or [""])[0].strip()
    if not 8 <= len(token) <= 256:
        raise SystemExit(f"the operator token file {path}: its first line, the token, must have 8 to 256 characters")
    return token


def say(text: str) -> None:
    """Prints a line at once."""
    print(text, flush=True)


if __name__ == "__main__":
    with exit_on_error():
        main()
