#!/usr/bin/env python3
"""Holds the built hall to the OpenAPI document that it serves: no server error, no undocumented status or media type,
no answer that breaks its schema, nothing accepted that the document forbids.

    python3 contract.py PATH_TO_HALL FOLDER

schemathesis generates the requests from the document (schemathesis.toml says how), cases.py makes a good part of them
real, and signs them. Prints how often each operation answered which status; exits with 1 if a check failed, with the
failing requests printed, or if an operation never succeeded.
"""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import schemathesis  # noqa: E402
from cases import Cases  # noqa: E402  (it lies in the first folder just named)
from running_hall import RunningHall  # noqa: E402  (it lies in the second)
from schemathesis.cli import schemathesis as program  # noqa: E402
from world import Endpoint, World  # noqa: E402

# No deadline and no quota is reached: the test is about answers, not about times.
UNHURRIED = {
    "games.chess.move_seconds": 3600,
    "games.chess.side_seconds": 0,
    "limits.joins_per_day": 0,
    "limits.concurrent_games": 0,
    "limits.feedback_per_day": 0,
}


def look(base, document, cases, folder):
    """Runs schemathesis. Returns its exit code."""

    @schemathesis.hook
    def before_call(context, case, kwargs):
        signature = cases.prepare(case)
        if signature:
            kwargs["auth"] = signature

    @schemathesis.hook
    def after_call(context, case, response):
        cases.count(case, response)

    options = ["--no-color", "--config-file", os.path.join(HERE, "schemathesis.toml"), "run", document, "--url", base]
    reports = ["--report", "ndjson", "--report-ndjson-path", os.path.join(folder, "report.ndjson")]
    try:
        return program(options + reports, standalone_mode=False) or 0
    except SystemExit as ended:
        return ended.code


def table(answers):
    """How often each operation answered which status."""
    statuses = sorted({status for of_operation in answers.values() for status in of_operation})
    print("".join(["operation".ljust(20), *(str(status).rjust(6) for status in statuses)]))
    for name, of_operation in sorted(answers.items()):
        print("".join([name.ljust(20), *(str(of_operation.get(status, "")).rjust(6) for status in statuses)]))


def main():
    binary, folder = (os.path.abspath(path) for path in sys.argv[1:3])
    begun = time.monotonic()
    endpoint = Endpoint(folder)
    with RunningHall(binary, os.path.join(folder, "hall"), {**UNHURRIED, **endpoint.settings()}) as hall:
        world = World(hall, endpoint)
        cases = Cases(world)
        # From a file, because schemathesis skips the operation from which it loads the document.
        document = os.path.join(folder, "openapi.json")
        with open(document, "wb") as file:
            file.write(world.http.get(f"{hall.base}/openapi.json").content)
        code = look(hall.base, document, cases, folder)
    described = operations(document)
    table(cases.answers)
    succeeded = {name for name, found in cases.answers.items() if any(200 <= status < 300 for status in found)}
    never = sorted(set(described) - succeeded)
    total = sum(sum(of_operation.values()) for of_operation in cases.answers.values())
    signed = ", ".join(f"{manner} {count}" for manner, count in cases.manners.items())
    print(f"{total} requests to {len(described)} operations; keys and challenges of the signed ones: {signed}")
    print(f"in {time.monotonic() - begun:.0f} s; schemathesis ended with {code}")
    if never:
        print(f"FAIL never succeeded: {', '.join(never)}")
    return 1 if code or never or not total else 0


def operations(document):
    """The ids of the document's operations."""
    with open(document, encoding="utf-8") as file:
        paths = json.load(file)["paths"]
    return [operation["operationId"] for methods in paths.values() for operation in methods.values()]


if __name__ == "__main__":
    sys.exit(main())
