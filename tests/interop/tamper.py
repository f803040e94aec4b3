#!/usr/bin/env python3
"""Changes one meaning at a time in genuine replays and demands that the verifiers reject every one of them.

    python3 tamper.py FOLDER_OF_REPLAYS [--hall PATH_TO_HALL] [--each N] [--seed N] [--brief]

The replays are those of genuine_games.py, each also without a log, with one and with a beacon that were made for it,
and a made game whose forced moves were drawn with a verified round. `--hall` runs `hall verify` beside the Python one;
both must accept every genuine replay and reject every tampered one. `--each` tries that many forgeries of each
replay, drawn at random, instead of all; `--brief` does so with lies told in two
places too, and makes no logs and beacons. Prints each forgery that a verifier let pass, and how often the two differed
about what a replay alone need not tell; exits with 1 if one was let pass, or if the folder has no replay.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from forged_mechanisms import mechanisms
from forged_signatures import signed_lies, with_known_keys
from forgeries import Forgery, pairs, tampered
from made_beacon import CHAIN, OPTION, with_beacon
from made_games import forced_by_beacon
from made_log import verifier_key, with_log
from verify_replay.log_proof import NoteKey
from verify_replay.verifier import reject_reason

HALL_WITHIN_SECONDS = 60
FILES_AT_ONCE = 200
ACCEPT, REJECT, ANY = "accept", "reject", "judge either way"


def sample(forgeries, number, dice):
    """The given number of them, in their order; all if there are fewer or the number is 0."""
    forgeries = list(forgeries)
    if not 0 < number < len(forgeries):
        return forgeries
    return [forgeries[place] for place in sorted(dice.sample(range(len(forgeries)), number))]


def variants(name, replay, key, brief):
    """A genuine replay as it is, without and with a log and a beacon made for it; each with its log's key."""
    if replay["log"] is not None:
        yield f"{name} as it is", replay, key
    replay = {**replay, "log": None}
    yield name, replay, verifier_key()
    if brief:
        return
    yield f"{name} logged", with_log(replay), verifier_key()
    if replay["beacon"]["status"] == "off":
        replay = with_beacon(replay)
        yield f"{name} {replay['beacon']['status']} logged", with_log(replay), verifier_key()


def played_in(folder):
    """The names of the replays of a hall, without their suffix."""
    return sorted(name.removesuffix(".json") for name in os.listdir(folder) if name.endswith(".json"))


def material(folder, names, brief):
    for name in names:
        path = os.path.join(folder, name)
        with open(f"{path}.json", encoding="utf-8") as replay, open(f"{path}.vkey", encoding="utf-8") as key:
            yield from variants(name, json.load(replay), key.read(), brief)
    yield from variants("made", forced_by_beacon(), None, brief)


class Verifiers:
    """Both verifiers, and their verdicts."""

    def __init__(self, hall):
        self.hall, self.key = hall, None
        self.said, self.differed = collections.Counter(), collections.Counter()
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.folder = tempfile.TemporaryDirectory()

    def python(self, replay):
        """Why it is rejected, None if not."""
        return reject_reason(replay, [NoteKey(self.key)], [CHAIN])

    def hall_says(self, path):
        """The exit code of `hall verify`: 0 accepts, 1 and 2 reject, anything else breaks the contract."""
        command = [self.hall, "verify", path, "--log-key", self.key, "--chain", OPTION]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=HALL_WITHIN_SECONDS)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace").strip()

    def judge(self, name, key, cases):
        """Counts the failures among pairs of a context manager that gives a document, and the expected verdict."""
        self.key, cases, failures = key, iter(cases), 0
        while batch := [case for _, case in zip(range(FILES_AT_ONCE), cases)]:
            ours, files = [], []
            for forgery, _ in batch:
                with forgery as replay:
                    ours.append(self.python(replay))
                    if self.hall:
                        files.append(self.file(replay, len(files)))
            theirs = list(self.pool.map(self.hall_says, files)) or [None] * len(batch)
            failures += sum(map(self.fails, [name] * len(batch), batch, ours, theirs))
        return failures

    def file(self, replay, number):
        path = os.path.join(self.folder.name, f"{number}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(replay, file, ensure_ascii=False)
        return path

    def fails(self, name, case, reason, theirs):
        """Whether a verifier gave a wrong verdict, which is printed."""
        forgery, expected = case
        accepted = {"python": reason is None}
        code, words = theirs or (None, "")
        if theirs:
            accepted["hall"] = code == 0
        self.said[expected] += 1
        wrong = [who for who, accepts in accepted.items() if expected != ANY and accepts != (expected == ACCEPT)]
        if code not in (None, 0, 1, 2):
            wrong.append(f"hall broke the contract: exit {code}")
        if len(set(accepted.values())) > 1:
            self.differed[forgery.free] += 1
        if wrong:
            print(f"WRONG ({', '.join(wrong)}) {name}: {forgery}")
            print(f"    python: {reason or 'accepts'}")
            if theirs:
                print(f"    hall: {code}, {' '.join(words.splitlines()[-2:])[:300]}")
        return bool(wrong)


def cases_of(replay, each, dice, brief):
    """The genuine replay, then its forgeries."""
    yield Forgery(replay, (), "genuine", []), ACCEPT
    for forgery in sample(tampered(replay), each, dice):
        yield forgery, ANY if forgery.free else REJECT
    # The claims about the log find these at once; without a log the other claims must.
    if replay["log"] is None:
        in_two_places = sample(pairs(replay), each if brief else 0, dice)
        for forgery in (*in_two_places, *mechanisms(replay)):
            yield forgery, ANY if forgery.free else REJECT
        signed_anew = with_known_keys(replay)
        if signed_anew:
            yield Forgery(signed_anew, (), "signed anew", []), ACCEPT
            for forgery in signed_lies(signed_anew):
                yield forgery, ANY if forgery.free else REJECT


def main():
    parser = argparse.ArgumentParser(description="Tampers with replays and runs the verifiers on them.")
    parser.add_argument("replays", metavar="FOLDER_OF_REPLAYS")
    parser.add_argument("--hall", metavar="PATH", help="the hall's binary, whose `verify` is run too")
    parser.add_argument("--each", metavar="N", type=int, default=0, help="so many forgeries of each replay; 0: all")
    parser.add_argument("--brief", action="store_true", help="sample lies in two places too; make no logs and beacons")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="which forgeries --each takes")
    options = parser.parse_args()
    verifiers, dice = Verifiers(options.hall), random.Random(options.seed)
    begun, failures, replays = time.monotonic(), 0, 0
    names = played_in(options.replays)
    if not names:
        sys.exit(f"{options.replays} has no replay of a hall")
    for name, replay, key in material(options.replays, names, options.brief):
        failures += verifiers.judge(name, key, cases_of(replay, options.each, dice, options.brief))
        replays += 1
    said = ", ".join(f"{number} {words}" for words, number in sorted(verifiers.said.items()))
    for why, number in sorted(verifiers.differed.items(), key=str):
        print(f"differ {number} times: {why}")
    print(f"{replays} replays from {len(names)} games; to {said}; {time.monotonic() - begun:.0f} s")
    print(f"{sum(verifiers.said.values()) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
