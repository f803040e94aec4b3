"""Signatures against the shared vectors."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785

from hall_agent import Key, Origin, errors, identifiers, json_text, origin, signing
from hall_agent.doorbell import Doorbell

Vectors = dict[str, Any]
HALL = Origin.parse("https://hall.example")


def key_of(vector: Vectors) -> Key:
    return Key(HALL, bytes.fromhex(vector["seed"]), "not a secret")


def test_values_have_the_canonical_form_that_every_client_computes(vectors: Vectors) -> None:
    for vector in vectors["canonical_json"]:
        value = json_text.parse_strict(vector["json"].encode())
        assert json_text.canonical(value).decode() == vector["canonical"], vector["name"]
        assert hashlib.sha256(json_text.canonical(value)).hexdigest() == vector["sha256"], vector["name"]
        assert rfc8785.dumps(value) == json_text.canonical(value), vector["name"]


def test_texts_on_which_parsers_disagree_are_refused(vectors: Vectors) -> None:
    for vector in vectors["refused_json"]:
        with pytest.raises(json_text.JsonProblem):
            json_text.parse_strict(bytes.fromhex(vector["hex"]))
            pytest.fail(vector["name"])


@pytest.mark.parametrize("value", [1.0, float("nan"), 2**53, {1: 2}, {"a": {3}}, "\ud800", b"", object()])
def test_values_without_a_canonical_form_are_refused(value: object) -> None:
    with pytest.raises(json_text.JsonProblem):
        json_text.canonical(value)


def test_the_identifier_of_an_agent_follows_from_its_key(vectors: Vectors) -> None:
    for vector in vectors["identities"]:
        key = key_of(vector)
        assert (key.public_key.hex(), key.agent_id) == (vector["public_key"], vector["agent_id"])


def test_invalid_handles_and_identifiers_are_refused(vectors: Vectors) -> None:
    assert all(identifiers.is_handle(text) for text in vectors["handles"]["good"])
    assert not any(identifiers.is_handle(text) for text in vectors["handles"]["bad"])
    for vector in vectors["game_ids"]["good"]:
        data = bytes.fromhex(vector["hex"])
        assert identifiers.encode_id("g", data) == vector["text"]
        assert identifiers.decode_id("g", vector["text"]) == data
    assert [identifiers.decode_id("g", text) for text in vectors["game_ids"]["bad"]] == [None] * len(
        vectors["game_ids"]["bad"]
    )


def test_one_hall_has_one_written_form(vectors: Vectors) -> None:
    for vector in vectors["origins"]["good"]:
        parsed = Origin.parse(vector["text"])
        assert (str(parsed), parsed.folder_name) == (vector["origin"], vector["folder"])
        assert Origin.parse(str(parsed)) == parsed
    for text in vectors["origins"]["bad"]:
        with pytest.raises(origin.OriginProblem):
            Origin.parse(text)
            pytest.fail(text)


def test_key_files_of_all_clients_have_the_same_format(vectors: Vectors) -> None:
    vector = vectors["key_file"]
    key = Key.from_text(vector["text"])
    assert (str(key.hall), key.seed.hex(), key.operator_token) == (
        vector["hall"],
        vector["seed"],
        vector["operator_token"],
    )
    assert key.to_text() == vector["text"]
    for other in vector["other_halls"]:
        with pytest.raises(errors.OtherHall):
            key.check_hall(Origin.parse(other))
            pytest.fail(other)


def test_the_headers_of_requests_are_signed_as_the_specification_says(vectors: Vectors) -> None:
    for vector in vectors["requests"]:
        body = None if vector["body"] is None else vector["body"].encode()
        headers = signing.auth_headers(
            key_of(vector), vector["handle"], vector["challenge"], vector["method"], vector["target"], body
        )
        path = vector["target"].partition("?")[0]
        message = signing.auth_message(vector["handle"], vector["challenge"], vector["method"], path, body)
        assert message == vector["message"]
        assert headers == {
            "X-Svc-Agent": vector["handle"],
            "X-Svc-Challenge": vector["challenge"],
            "X-Svc-Signature": vector["signature"],
        }


def test_the_bodies_of_moves_are_canonical_and_signed(vectors: Vectors) -> None:
    for vector in vectors["moves"]:
        game_id, turn_index = vector["body"]["game_id"], vector["body"]["turn_index"]
        fields = {name: value for name, value in vector["body"].items() if name not in ("game_id", "turn_index")}
        signed = signing.sign_move(key_of(vector), game_id, turn_index, fields)
        assert json_text.canonical(vector["body"]).decode() == vector["canonical"]
        assert signed.body_sha256 == vector["body_sha256"]
        assert signing.move_message(game_id, turn_index, signed.body_sha256) == vector["message"]
        assert signed.signature == vector["signature"]
        assert signed.body.decode() == vector["sent"]
        assert json.loads(signed.body) == {**vector["body"], "signature": vector["signature"]}


def test_a_doorbell_signs_its_own_agent_and_address_only(vectors: Vectors) -> None:
    vector = vectors["doorbell"]
    assert signing.doorbell_message(vector["handle"], vector["challenge"], vector["url"]) == vector["message"]
    bell = Doorbell(key_of(vector), vector["handle"], vector["url"], [])
    asked = {"x-svc-agent": vector["handle"], "X-SVC-CHALLENGE": vector["challenge"]}
    reply = bell.answer("GET", asked, b"", 0)
    assert (reply.status, reply.headers) == (200, {"X-Svc-Doorbell-Signature": vector["signature"]})
    for refused in vector["refused"]:
        headers = {"X-Svc-Agent": refused["agent"], "X-Svc-Challenge": refused["challenge"]}
        reply = bell.answer("GET", headers, b"", 0)
        assert (reply.status, reply.headers) == (400, {}), refused["name"]
    assert bell.answer("GET", {}, b"", 0).status == 400
    assert bell.answer("DELETE", {}, b"", 0).status == 405
