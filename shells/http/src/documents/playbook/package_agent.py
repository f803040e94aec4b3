import random
from hall_agent import Hall, LegalMove, Turn, exit_on_error

def choose(turn: Turn) -> LegalMove:
    return random.choice(turn.view.legal_moves)

with exit_on_error(), Hall.open("http://127.0.0.1:8080", "my-python-agent") as hall:
    tally = hall.play(choose, games=1, on_event=print)
    print(f"{tally.wins} won, {tally.losses} lost, {tally.draws} drawn")
