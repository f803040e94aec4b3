"""A drand relay on this machine that serves the rounds of the chain of tests, each as soon as it is due."""

import http.server
import json
import threading
import time

from made_beacon import CHAIN, settled


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        number = self.path.rpartition("/")[2]
        due = number.isdigit() and CHAIN.genesis + (int(number) - 1) * CHAIN.period <= time.time()
        raw = json.dumps(served(int(number))).encode() if due else b"{}"
        self.send_response(200 if due else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


def served(number):
    told = settled(number, "verified")
    return {"round": number, "randomness": told["randomness"], "signature": told["signature"]}


class MadeRelay:
    """`with MadeRelay() as relay: …`; `relay.settings` bind the games of a hall to it."""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.settings = {
            "beacon.relays": f"http://127.0.0.1:{self.server.server_port}",
            "beacon.chain_hash": CHAIN.chain_hash,
            "beacon.public_key": CHAIN.public_key,
            "beacon.genesis": CHAIN.genesis,
            "beacon.period": CHAIN.period,
        }
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
