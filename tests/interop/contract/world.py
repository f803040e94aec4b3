"""A hall with games and other data, and agents that sign: they make generated requests real."""

import contextlib
import datetime
import http.server
import ipaddress
import itertools
import os
import ssl
import subprocess
import threading
import time

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hall_agent.json_text import canonical
from hall_agent.key import Key
from hall_agent.origin import Origin
from hall_agent.signing import auth_headers, auth_message, doorbell_message, sign_move

CHECKPOINT_WITHIN_SECONDS = 30
VERIFICATIONS_AN_HOUR = 5
ZERO_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
OPEN, PURE = {"game": "chess", "division": "open"}, {"game": "chess", "division": "pure"}
# Games of other kinds than chess: dice, hidden cards, a large board, turns that three share, a table of four.
OTHERS = [("backgammon", "standard"), ("leduc_poker", "kuhn"), ("go", "13x13"), ("goofspiel", "three"), ("liars_dice", "four")]


class Refused(Exception):
    """The hall refused a request that prepares a case."""


class Actor:
    """An agent with a key; `call` makes signed requests besides the generated ones."""

    def __init__(self, world, handle, operator):
        self.world, self.handle = world, handle
        self.key = Key.generate(Origin.parse(world.base), operator)
        self.agent_id, self.verifications = self.key.agent_id, 0

    def headers(self, method, target, body=None):
        """The three headers, with a fresh challenge."""
        return auth_headers(self.key, self.handle, self.challenge(), method, target, body)

    def challenge(self):
        return self.world.read(f"/api/auth/challenge?agent={self.handle}")["challenge"]

    def call(self, method, target, body=None):
        raw = None if body is None else (body if isinstance(body, bytes) else canonical(body))
        headers = {**self.headers(method, target, raw), "Content-Type": "application/json"}
        return self.world.data_of(self.world.http.request(method, self.world.base + target, data=raw, headers=headers))

    def registration(self):
        public = self.key.public_key.hex()
        token = self.key.operator_token
        return {"handle": self.handle, "model_id": "made up", "pubkey": public, "operator_token": token}

    def filing(self, division):
        hashed = {"system_prompt_sha256": ZERO_SHA256, "config_sha256": ZERO_SHA256}
        kind = {"model_id": "made up", "adapter_kind": "other", "endpoint_url": None, "tool_access": "pure"}
        return {"season_id": "current", "division": division, **hashed, **kind}

    def enter(self, division):
        self.call("POST", "/api/agents", self.registration())
        self.call("POST", f"/api/agents/{self.agent_id}/homologate", self.filing(division))
        return self

    def join(self, lobby):
        return self.call("POST", "/api/lobby/join", lobby)["game_id"]

    def say(self, game, turn, **fields):
        signed = sign_move(self.key, game, turn, fields)
        return self.call("POST", f"/api/games/{game}/moves", signed.body)

    def my_games(self, status="live"):
        return self.call("GET", f"/api/my/games?status={status}&limit=200")["games"]

    def tool_auth(self, method, path, body=None):
        """The arguments that sign the call of a tool: those of the equal request (decision 11.2)."""
        challenge = self.challenge()
        raw = None if body is None else canonical(body)
        signature = self.key.sign(auth_message(self.handle, challenge, method, path, raw))
        return {"agent": self.handle, "challenge": challenge, "signature": signature}


class World:
    """Two ended games and live ones, feedback, entries of the docket, ratings, a doorbell that was verified."""

    def __init__(self, hall, endpoint):
        self.base, self.hall, self.endpoint = hall.base, hall, endpoint
        self.http, self._serial = requests.Session(), itertools.count()
        # Players and agents that only join and leave use different divisions, and so never meet.
        self.players = self.some("player", 4, 2)
        self.joiners = self.some("joiner", 6, 3, "pure")
        self.clerks = self.some("clerk", 3, 3)
        self.ringers = self.some("ringer", 12, 12)
        self.tables = self.some("table", 4, 4)
        self.ended = [self.resigned(), self.mate(), *(self.given_up(self.table(*other)) for other in OTHERS)]
        self.live = [self.game()[0], *(self.table(*other) for other in OTHERS)]
        self.clerks[0].call("POST", "/api/feedback", {"kind": "docs", "subject": "One", "body": "Two\nthree"})
        self.clerks[0].call("POST", "/api/feedback", {"kind": "bug", "subject": "Four", "body": "Five"})
        for number in range(3):
            self.admin("docket", "add", "--kind", "note", "--subject", f"Subject {number}", "--reason", "A test.")
        self.ringers[0].call("POST", "/api/doorbell", {"url": endpoint.url(self.ringers[0])})
        self.ringers[0].call("POST", "/api/doorbell/verify", b"")
        give_up = time.monotonic() + CHECKPOINT_WITHIN_SECONDS
        while any(self.read(f"/api/games/{game}/replay")["replay"]["log"] is None for game in self.ended):
            if time.monotonic() > give_up:
                raise TimeoutError("no checkpoint covers the games")
            time.sleep(0.1)

    def data_of(self, answer):
        envelope = answer.json()
        if not envelope["ok"]:
            raise Refused(f"{answer.request.method} {answer.request.path_url}: {envelope['error']}")
        return envelope["data"]

    def read(self, target):
        return self.data_of(self.http.get(self.base + target))

    def admin(self, *words):
        path = f"storage.path={self.hall.settings['storage.path']}"
        subprocess.run([self.hall.binary, "admin", "--set", path, *words], check=True, capture_output=True, timeout=30)

    def stranger(self):
        """An agent that is not registered."""
        number = next(self._serial)
        return Actor(self, f"stranger-{number}", f"operator of stranger {number}")

    def some(self, name, count, operators, division="open"):
        actors = [Actor(self, f"{name}-{n}", f"operator {n % operators} of {name}s") for n in range(count)]
        return [actor.enter(division) for actor in actors]

    def game(self):
        """A new game of two players: its id, and the players in the first and second seat."""
        one, two = self.players[:2]
        one.join(OPEN)
        game = two.join(OPEN)
        handles = [seat["handle"] for seat in self.read(f"/api/games/{game}")["game"]["seats"]]
        return game, *sorted((one, two), key=lambda actor: handles.index(actor.handle))

    def resigned(self):
        game, white, black = self.game()
        white.say(game, 0, move="e2e4", commentary="½? \u2028 😀", draw_offer=True)
        for _ in range(3):
            with contextlib.suppress(Refused):
                black.say(game, 1, move="e1h1")
        white.say(game, 2, resign=True)
        return game

    def mate(self):
        game, *seats = self.game()
        for turn, move in enumerate("f2f3 e7e5 g2g4 d8h4".split()):
            seats[turn % 2].say(game, turn, move=move)
        return game

    def table(self, game, variant):
        """A new game of another kind, in which each player has moved once or could have."""
        lobby = {"game": game, "variant": variant, "division": "open"}
        formed = next(filter(None, (actor.join(lobby) for actor in self.tables)))
        for actor in self.seated(formed):
            view = actor.call("GET", f"/api/games/{formed}/view")["view"]
            if view["legal_moves"]:
                actor.say(formed, view["turn_index"], move=view["legal_moves"][0]["move"])
        return formed

    def seated(self, game):
        """The players of a table, in seat order."""
        handles = [seat["handle"] for seat in self.read(f"/api/games/{game}")["game"]["seats"]]
        return sorted((actor for actor in self.tables if actor.handle in handles), key=lambda it: handles.index(it.handle))

    def given_up(self, game):
        """The game after players who are to move have resigned, until it is over."""
        while (now := self.read(f"/api/games/{game}")["game"])["result"] is None:
            self.seated(game)[int(now["to_move"][0][1:])].say(game, now["turn_index"], resign=True)
        return game

    def turn(self, dice):
        """A player whose turn it is, and its view; a new game if there is none."""
        for attempt in range(2):
            movers = [*self.players[:2], *self.tables]
            waiting = [(actor, game) for actor in movers for game in actor.my_games() if game["your_turn"]]
            if waiting:
                actor, game = dice.choice(waiting)
                return actor, actor.call("GET", f"/api/games/{game['id']}/view")["view"]
            self.live.append(self.game()[0])
        raise RuntimeError("it is nobody's turn in a new game")

    def ringer(self):
        """An agent whose doorbell awaits verification and has attempts left."""
        ready = next(actor for actor in self.ringers if actor.verifications < VERIFICATIONS_AN_HOUR - 1)
        ready.verifications += 1
        ready.call("POST", "/api/doorbell", {"url": self.endpoint.url(ready)})
        return ready


class Endpoint:
    """The doorbells of all agents: signs verifications, and answers rings."""

    def __init__(self, folder):
        self.certificate = os.path.join(folder, "endpoint.pem")
        self.actors, endpoint = {}, self

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self):
                actor = endpoint.actors.get(self.headers.get("X-Svc-Agent"))
                self.send_response(200 if actor else 404)
                if actor:
                    message = doorbell_message(actor.handle, self.headers["X-Svc-Challenge"], endpoint.url(actor))
                    self.send_header("X-Svc-Doorbell-Signature", actor.key.sign(message))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, make_certificate(self.certificate))
        # The answering thread makes the handshake, so that no client delays the others.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, actor):
        self.actors[actor.handle] = actor
        return f"https://127.0.0.1:{self.port}/{actor.handle}"

    def settings(self):
        """The settings with which a hall rings here and nowhere else."""
        return {
            "doorbell.allow_private_addresses": "true",
            "doorbell.ports": self.port,
            "doorbell.ca_file": self.certificate,
        }


def make_certificate(path):
    """Writes a self-signed certificate for 127.0.0.1. Returns the path of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test's endpoint")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with open(path, "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    with open(f"{path}.key", "wb") as file:
        file.write(private)
    return f"{path}.key"
