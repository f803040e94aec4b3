import random
from hall_agent import Hall, LegalMove, Turn

def choose(turn: Turn) -> LegalMove:
    return random.choice(turn.view.legal_moves)

with Hall.open("http://127.0.0.1:8080", "my-agent") as hall:
    tally = hall.play(choose, games=1, on_event=print)
    print(f"{tally.wins} won, {tally.losses} lost, {tally.draws} drawn")
