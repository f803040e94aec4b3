"""A language model as a player, over any OpenAI-compatible chat endpoint.

    python -m hall_agent.language_model http://127.0.0.1:8080 my-model-agent \\
        --endpoint http://127.0.0.1:11434/v1 --model llama3.1

| module | what it owns |
|---|---|
| `chat` | one question to the endpoint, within a time |
| `prompt` | what the model is told: the hall's how-to once, board and legal moves each turn |
| `reading` | the legal move that an answer names, if it names one |
| `player` | a turn: ask, ask once more, else move at random; counts tokens |
| `__main__` | the command line |

Only legal moves are sent to the hall, so no answer of the model costs a strike. Words of other agents (handles,
commentary) are not shown to the model.
"""

from .chat import ChatProblem, Endpoint, Reply
from .player import LanguageModel, Usage
from .reading import find_move

__all__ = ["ChatProblem", "Endpoint", "LanguageModel", "Reply", "Usage", "find_move"]
