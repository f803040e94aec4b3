"""Proofs of a hall against the shared vectors: draws, log, official addresses, rings."""

from __future__ import annotations

from typing import Any

import pytest
from nacl.signing import SigningKey

from hall_agent import Key, Origin, log
from hall_agent.doorbell import Doorbell, open_ring, parse_ring_key
from hall_agent.draws import Draws, commitment
from hall_agent.errors import ProofProblem

Vectors = dict[str, Any]


def test_draws_can_be_recomputed_by_anybody(vectors: Vectors) -> None:
    for vector in vectors["draws"]:
        assert commitment(vector["game_id"], vector["seed"]) == vector["commitment"]
        draws = Draws(vector["game_id"], vector["turn_index"], vector["seed"], vector["randomness"])
        values = [draws.below(int(bound)) for bound in vector["bounds"]]
        told = [
            {
                "counter": draw.counter,
                "n": str(draw.n),
                "x": f"{draw.x:016x}",
                "value": None if draw.value is None else str(draw.value),
            }
            for draw in draws
        ]
        assert told == vector["draws"]
        assert [str(value) for value in values] == [draw["value"] for draw in told if draw["value"] is not None]


def test_nature_shuffles_as_in_a_recorded_game() -> None:
    seed = "c5552efd9c607e0ba82032520ee375285e9f1da0c77a92caaaefd4b8ee6b32d1"
    draws = Draws("g_01m8bnc7mk4c5k83tgz41877d9", 0, seed)
    assert draws.shuffle(range(1, 14)) == [10, 3, 5, 1, 6, 2, 12, 9, 13, 4, 11, 8, 7]
    counted_on = Draws("g_01m8bnc7mk4c5k83tgz41877d9", 0, seed, first=1)
    assert counted_on.below(12) == list(draws)[1].x % 12


def test_a_draw_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="below"):
        Draws("g_00000000000000000000000000", 0, "00" * 32).below(0)


def test_checkpoints_are_accepted_only_from_the_key_of_their_log(vectors: Vectors) -> None:
    told = vectors["log"]
    for vector in told["notes"]:
        checkpoint = log.open_checkpoint(vector["note"], told["verifier_key"])
        assert (checkpoint.origin, checkpoint.size, checkpoint.root.hex()) == (
            told["origin"],
            told["size"],
            told["root"],
        )
    for vector in told["bad_notes"]:
        with pytest.raises(ProofProblem):
            log.open_checkpoint(vector["note"], told["verifier_key"])
            pytest.fail(vector["name"])
    for key in told["bad_verifier_keys"]:
        with pytest.raises(ProofProblem):
            log.LogKey.parse(key)
            pytest.fail(key)
    assert log.LogKey.parse(told["verifier_key"]).key == SigningKey(bytes.fromhex(told["seed"])).verify_key.encode()


def test_inclusion_paths_lead_from_their_leaf_to_the_root_and_nowhere_else(vectors: Vectors) -> None:
    told = vectors["log"]
    root = bytes.fromhex(told["root"])
    for vector in told["inclusion"]:
        log.check_inclusion(vector["leaf"], vector["index"], vector["size"], vector["path"], root)
        with pytest.raises(ProofProblem):
            log.check_inclusion(vector["leaf"], vector["index"], vector["size"], vector["path"], bytes(32))
    for place, vector in enumerate(told["bad_inclusion"]):
        with pytest.raises(ProofProblem):
            log.check_inclusion(vector["leaf"], vector["index"], vector["size"], vector["path"], root)
            pytest.fail(str(place))


def test_consistency_paths_join_two_trees(vectors: Vectors) -> None:
    def check(vector: Vectors) -> None:
        roots = bytes.fromhex(vector["from_root"]), bytes.fromhex(vector["to_root"])
        log.check_consistency(vector["from"], roots[0], vector["to"], roots[1], vector["path"])

    for vector in vectors["log"]["consistency"]:
        check(vector)
    for place, vector in enumerate(vectors["log"]["bad_consistency"]):
        with pytest.raises(ProofProblem):
            check(vector)
            pytest.fail(str(place))


def test_official_addresses_are_signed_with_the_log_key(vectors: Vectors) -> None:
    told = vectors["official"]
    log.check_official(told["document"], told["verifier_key"])
    for changed in told["changed"]:
        with pytest.raises(ProofProblem):
            log.check_official(changed, told["verifier_key"])
            pytest.fail(str(changed))


def test_rings_are_accepted_only_from_the_hall_and_in_time(vectors: Vectors) -> None:
    told = vectors["rings"]
    for vector in told["good"]:
        ring = open_ring(vector["headers"], vector["body"].encode(), [told["key"]], vector["now"])
        assert (ring.event_id, ring.game_id, ring.turn_index) == (
            told["payload"]["event_id"],
            told["payload"]["game_id"],
            told["payload"]["turn_index"],
        ), vector["name"]
        assert ring.deadline_utc is not None
        assert ring.deadline_utc.isoformat() == "2026-11-20T21:50:00+00:00"
    for vector in told["bad"]:
        with pytest.raises(ProofProblem):
            open_ring(vector["headers"], vector["body"].encode(), [told["key"]], vector["now"])
            pytest.fail(vector["name"])
    for key in told["bad_keys"]:
        with pytest.raises(ProofProblem):
            parse_ring_key(key)
            pytest.fail(key)


def test_an_event_rings_once_and_both_keys_count_during_a_change(vectors: Vectors) -> None:
    told = vectors["rings"]
    key = Key.generate(Origin.parse("https://hall.example"))
    bell = Doorbell(key, "ada", "https://agent.example/ring", [told["old_key"], told["key"]])
    vector = told["good"][0]
    first = bell.answer("POST", vector["headers"], vector["body"].encode(), vector["now"])
    again = bell.answer("POST", vector["headers"], vector["body"].encode(), vector["now"])
    assert (first.status, again.status) == (204, 204)
    assert first.ring is not None
    assert again.ring is None
    forged = bell.answer("POST", vector["headers"], b"{}", vector["now"])
    assert (forged.status, forged.ring) == (401, None)
