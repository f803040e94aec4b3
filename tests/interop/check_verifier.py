#!/usr/bin/env python3
"""Checks the Python verifier against vectors of other projects, and its command line against its contract.

    python3 check_verifier.py

The vectors: rounds of drand's quicknet as they were published, the trees of Certificate Transparency, the note of
Go's documentation, and those of the hall's own pages. Each function is a claim; ends with the number that held.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import made_beacon
import made_games
import made_log
from made_games import forced_by_beacon
from nacl.signing import SigningKey
from verify_replay import beacon, draws, identity, log_proof, strict_json
from verify_replay.claims import Difference, demand, same
from verify_replay.verifier import reject_reason, verify

ROUNDS = {
    42: "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
}
RANDOMNESS_OF_42 = "8ada64bae5c6c0f5540a6a13af56e663240edfbd2c76ac6a8f27671eb7259ce3"
QUICKNET_GROUP = "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
NOTE_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NOTE = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
NOTE_SIGNATURE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
# Of RFC 8032: its first key and that key's signature of nothing.
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
    "655141438e7a100b"
)
GAME_OF_THE_PAGES, SEED_OF_THE_PAGES = "g_" + "0" * 26, f"{1:064x}"


def recorded_rounds_of_quicknet_verify_and_belong_to_no_other_round():
    for number, signature in ROUNDS.items():
        same(f"round {number}", beacon.is_round(beacon.QUICKNET.public_key, number, signature), True)
        same(f"round {number} + 1", beacon.is_round(beacon.QUICKNET.public_key, number + 1, signature), False)
    same("randomness", hashlib.sha256(bytes.fromhex(ROUNDS[42])).hexdigest(), RANDOMNESS_OF_42)
    same("as another chain's", beacon.is_round(made_beacon.CHAIN.public_key, 42, ROUNDS[42]), False)


def what_is_no_point_is_no_round():
    for words, signature in (("infinity", "c0" + "00" * 47), ("not on the curve", "80" + "00" * 46 + "01")):
        same(words, beacon.is_round(beacon.QUICKNET.public_key, 42, signature), False)


def the_key_of_quicknet_hashes_to_its_chain():
    chain = beacon.QUICKNET
    about = chain.period.to_bytes(4, "big") + chain.genesis.to_bytes(8, "big") + bytes.fromhex(chain.public_key)
    digest = hashlib.sha256(about + bytes.fromhex(QUICKNET_GROUP) + b"quicknet").hexdigest()
    same("chain hash", chain.chain_hash, digest)


def a_round_is_the_first_that_is_due_three_seconds_later():
    chain = beacon.Chain("", "", 1000, 3)
    for formed, number in ((0, 1), (997_000, 1), (997_001, 2), (1_000_000, 2), (1_000_001, 3), (1_003_000, 3)):
        same(f"formed at {formed}", chain.first_round_after(formed), number)


def trees_of_certificate_transparency_have_their_roots_and_paths():
    leaves = [bytes.fromhex(leaf) for leaf in LEAVES]
    for size, root in enumerate(ROOTS, 1):
        same(f"root of {size}", made_log.root(leaves[:size]).hex(), root)
        for index in range(size):
            path = made_log.path(leaves[:size], index)
            same(f"{index} in {size}", log_proof.root_of(leaves[index], index, size, path).hex(), root)
            same(f"{index} in {size}, path too long", log_proof.root_of(leaves[index], index, size, [*path, b""]), None)
            if path:
                same(f"{index} in {size}, too short", log_proof.root_of(leaves[index], index, size, path[:-1]), None)


def the_note_of_go_verifies():
    key = log_proof.NoteKey(NOTE_KEY)
    raw = log_proof.decoded(NOTE_SIGNATURE)
    same("key id", raw[:4], key.id)
    same("signature", identity.is_signature(key.key, NOTE.encode(), raw[4:]), True)
    for wrong in (NOTE_KEY.replace("c7", "c8"), NOTE_KEY[:-1], NOTE_KEY.replace("+A", "+B"), NOTE_KEY[:-4], ""):
        refused(log_proof.NoteKey, wrong)


def signatures_are_verified_strictly():
    same("as it is", identity.is_signature(KEY, b"", SIGNATURE), True)
    larger = int.from_bytes(SIGNATURE[32:], "little") + identity.GROUP_ORDER
    same("S + L", identity.is_signature(KEY, b"", SIGNATURE[:32] + larger.to_bytes(32, "little")), False)
    for y in identity.SMALL_ORDER_Y:
        for sign in (0, 1 << 255):
            point = (y | sign).to_bytes(32, "little")
            # With S = 0 such a key and R satisfy the equation for many messages.
            same(f"small order {y}", identity.is_signature(point, b"", point + bytes(32)), False)
    refused(identity.check_point, "y not reduced", (identity.FIELD + 3).to_bytes(32, "little"))


def the_points_of_small_order_are_complete():
    """Eight times a point whose y is in the table is the neutral element; there are eight of them."""
    field = identity.FIELD
    d = -121665 * pow(121666, -1, field) % field
    doubled = set()
    for y in identity.SMALL_ORDER_Y:
        # Doubling on y alone, x² = (y² - 1) / (d y² + 1): y₂ = (y² + x²) / (1 - d x² y²)
        for _ in range(3):
            x2 = (y * y - 1) * pow(d * y * y + 1, -1, field) % field
            y = (y * y + x2) * pow(1 - d * x2 * y * y, -1, field) % field
        doubled.add(y)
    same("eight times", doubled, {1})
    same("ys: four pairs of x and -x, but where x is 0", len(identity.SMALL_ORDER_Y), 5)


def vectors_of_the_pages_hold():
    same("agent id", identity.agent_id_of(KEY.hex()), "a_2vdats26ppvypw33qjws4v08q6")
    commitment = identity.sha256(f"svc.seed.v1:{GAME_OF_THE_PAGES}:{SEED_OF_THE_PAGES}")
    same("commitment", commitment, "957e5e97dceb27a4c0346e68c15bdfe718b72ddef8c8a9256cc66378d2f27c26")
    taken = draws.drawn(GAME_OF_THE_PAGES, 0, 20, SEED_OF_THE_PAGES, None)
    same("draw", taken, [{"counter": 0, "n": 20, "x": "a223e0b70adbfcd1", "value": 9}])


def json_has_one_meaning():
    for text in ('{"a":1,"a":1}', '"\\ud800"', "1.0", "1e0", "-0", "9007199254740992", "[1] 2", "", "NaN", "[" * 99999):
        refused(strict_json.read, text)
    refused(strict_json.read, b'"\xff"')
    refused(strict_json.read, b"\xef\xbb\xbf1")
    same("astral text", strict_json.read('"\\ud83d\\ude00"'), "😀")


def a_round_that_was_not_checked_is_named_and_never_vouched_for():
    signed, unknowable = "the chain signed the beacon's round", "that nobody could know the game's random numbers"
    made = forced_by_beacon()
    known = verify(made, (), [made_beacon.CHAIN])
    demand("with a verified round", signed in known.held and not any(unknowable in words for words in known.unchecked))
    unknown = verify(made)
    demand("the chain is unknown", any("the beacon's signature" in words for words in unknown.unchecked))
    demand("the chain is unknown, but vouched for", signed not in unknown.held)


def a_beacon_of_another_round_or_chain_is_found():
    made = forced_by_beacon()
    impostor = made_beacon.CHAIN._replace(public_key=beacon.QUICKNET.public_key)
    for words, chain in (
        ("another key", impostor),
        ("another genesis", made_beacon.CHAIN._replace(genesis=made_beacon.CHAIN.genesis - 3)),
        ("another period", made_beacon.CHAIN._replace(period=4)),
    ):
        demand(words, reject_reason(made, (), [chain]) is not None)


def withheld_words_are_not_checked_but_their_signatures_are():
    made = forced_by_beacon()
    turns = [turn for turn in made["moves"] if turn["attempts"] or turn["body"]]
    for turn in turns:
        turn["body"] = None
        for attempt in turn["attempts"]:
            attempt["body_sha256"] = identity.sha256(attempt["body"])
            attempt["body"] = None
    logged = made_log.with_log(made)
    said = verify(logged, [log_proof.NoteKey(made_log.verifier_key())], [made_beacon.CHAIN]).unchecked
    demand("what is withheld is named", any("turn 0, 1, 2, 3" in words for words in said))
    signed = next(turn for turn in logged["moves"] if turn["body_sha256"])
    attempt = next(attempt for turn in logged["moves"] for attempt in turn["attempts"])
    for words, owner, name, value in (
        ("another hash of a move", signed, "body_sha256", "5a" * 32),
        ("another signature", signed, "signature", "5a" * 64),
        ("another hash of an attempt", attempt, "body_sha256", "5a" * 32),
        ("both body and hash", attempt, "body", "{}"),
        ("another request", attempt, "challenge", "5a" * 32),
    ):
        before, owner[name] = owner[name], value
        demand(words, reject_reason(logged, (), [made_beacon.CHAIN]) is not None)
        owner[name] = before
    del attempt["body_sha256"]
    demand("neither body nor hash", reject_reason(logged, (), [made_beacon.CHAIN]) is not None)


def a_request_may_have_come_after_a_deadline_and_before_the_hall_acted():
    for words, seconds_ago, holds in (("after the deadline", 2, True), ("before the deadline", 4, False)):
        game = made_games.MadeGame()
        game.beacon_comes()
        game.sleep()
        game.move(game.game.legal_moves(None)[0], seconds_ago)
        same(words, reject_reason(game.resign(), (), [made_beacon.CHAIN]) is None, holds)


def any_text_may_be_an_illegal_move():
    game = made_games.MadeGame()
    game.beacon_comes()
    for text in ("\u202e", "a\u0085b"):
        game.attempt(text)
    same("rejected", reject_reason(game.resign(), (), [made_beacon.CHAIN]), None)


def what_a_hall_has_recorded_holds():
    """In the folder are replays of every kind, which the verifier of the hall must accept, too."""
    recorded = sorted((pathlib.Path(__file__).parents[2] / "shells/verify/tests/replays").glob("*.json"))
    for path in recorded:
        same(path.stem, reject_reason(strict_json.read(path.read_bytes()), (), [made_beacon.CHAIN]), None)
    demand("replays", len(recorded) > 20)


def a_body_that_is_counted_for_two_different_requests_is_named():
    made = forced_by_beacon()
    first, second, _ = made["moves"][0]["attempts"]
    second |= {name: first[name] for name in ("body", "signature")}
    for words, request in (("sent twice", first["request_sha256"]), ("sent with something else", identity.sha256("other"))):
        second |= made_games.header(made["moves"][0]["player"], second["challenge"], request)
        unchecked = verify(made, (), [made_beacon.CHAIN]).unchecked
        doubted = any("one signed body of turn 0 twice" in doubt for doubt in unchecked)
        demand(words, doubted == (words != "sent twice"))


def the_command_line_keeps_its_contract():
    made = forced_by_beacon()
    logged = made_log.with_log(made)
    key = ("--log-key", made_log.verifier_key())
    chain = ("--chain", made_beacon.OPTION)
    answered(logged, (*key, *chain), 0, "every claim holds", "-")
    answered({"ok": True, "data": {"replay": logged}, "metadata": {}}, (*key, *chain), 0, "every claim holds")
    answered(logged, chain, 0, "not checked: the signature of the checkpoint")
    answered(logged, key, 0, "not checked: the beacon's signature")
    answered(made, (*key, *chain), 0, "not checked: that the game stands in the hall's log")
    answered({**logged, "seed": "00" * 32}, (*key, *chain), 1, "FAILED: commitment")
    answered(logged, ("--log-key", NOTE_KEY), 1, "FAILED: checkpoint: origin")
    replaced = ("--log-key", made_log.verifier_key(SigningKey(hashlib.sha256(b"another key").digest())))
    answered(logged, replaced, 1, "FAILED: checkpoint: not signed by the log key; if it was replaced since")
    answered(logged, (*replaced, "--log-key", NOTE_KEY, *key, *chain), 0, "every claim holds")
    for wrong in ({**made, "version": "svc.replay.v2"}, [], {"ok": False}, "", 1):
        answered(wrong, (), 2, "")
    answered(made, (), 2, "", "no such file")
    answered(made, ("--log-key", "none"), 2, "")
    answered(made, ("--chain", "none"), 2, "")


def answered(document, options, code, words, source=None):
    """The program's output for a document, read from a file unless another source is named."""
    raw = json.dumps(document).encode()
    program = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "verify_replay")]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(raw)
        file.flush()
        command = [*program, source or file.name, *options]
        done = subprocess.run(command, input=raw, capture_output=True, timeout=60)
    same(f"exit for {words or options}: {done.stderr.decode()}", done.returncode, code)
    same(f"answer for {words or options}", words in done.stdout.decode(), True)


def refused(parse, *arguments):
    with contextlib.suppress(ValueError, Difference):
        parse(*arguments)
        raise AssertionError(f"{parse.__name__} takes {str(arguments)[:80]}")


CLAIMS = [
    recorded_rounds_of_quicknet_verify_and_belong_to_no_other_round,
    what_is_no_point_is_no_round,
    the_key_of_quicknet_hashes_to_its_chain,
    a_round_is_the_first_that_is_due_three_seconds_later,
    trees_of_certificate_transparency_have_their_roots_and_paths,
    the_note_of_go_verifies,
    signatures_are_verified_strictly,
    the_points_of_small_order_are_complete,
    vectors_of_the_pages_hold,
    json_has_one_meaning,
    a_round_that_was_not_checked_is_named_and_never_vouched_for,
    a_beacon_of_another_round_or_chain_is_found,
    withheld_words_are_not_checked_but_their_signatures_are,
    a_request_may_have_come_after_a_deadline_and_before_the_hall_acted,
    any_text_may_be_an_illegal_move,
    what_a_hall_has_recorded_holds,
    a_body_that_is_counted_for_two_different_requests_is_named,
    the_command_line_keeps_its_contract,
]


def held(claims):
    """Prints the claims that do not hold, and how many do; the exit code of the program."""
    failed = 0
    for claim in claims:
        try:
            claim()
        except Exception:  # whatever goes wrong, the claim does not hold
            failed += 1
            print(f"FAIL {claim.__name__}")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(claims) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(held(CLAIMS))
