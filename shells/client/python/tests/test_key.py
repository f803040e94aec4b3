"""Key files: private, whole, never overwritten, and good at one hall only."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hall_agent import Hall, Key, Origin, exit_on_error
from hall_agent.errors import BadRequest, KeyProblem, OtherHall

HALL = Origin.parse("https://hall.example")


def test_a_saved_key_reads_back_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "ada.json"
    key = Key.generate(HALL)
    key.save(path)
    assert Key.load(path, HALL) == key
    assert len(key.operator_token) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(path.parent) == ["ada.json"], "no temporary file stays"


def test_an_existing_key_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "ada.json"
    first = Key.load_or_generate(path, HALL)
    with pytest.raises(FileExistsError):
        Key.generate(HALL).save(path)
    assert Key.load_or_generate(path, HALL) == first
    assert os.listdir(tmp_path) == ["ada.json"]


def test_a_key_is_refused_at_every_other_hall(tmp_path: Path) -> None:
    path = tmp_path / "ada.json"
    Hall.open("https://hall.example", "ada", key_file=path).close()
    for other in ("http://hall.example", "https://hall.example:444", "https://other.example"):
        with pytest.raises(OtherHall):
            Hall.open(other, "ada", key_file=path)
    Hall.open("https://HALL.example:443/", "ada", key_file=path).close()


def test_simultaneous_creators_of_a_key_file_all_get_the_same_key(tmp_path: Path) -> None:
    keys: list[Key] = []
    threads = [
        threading.Thread(target=lambda: keys.append(Key.load_or_generate(tmp_path / "ada.json", HALL)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len({key.seed for key in keys}) == 1


@pytest.mark.parametrize("exposed", [0o604, 0o640, 0o644])
def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path, exposed: int) -> None:
    path = tmp_path / "ada.json"
    Key.generate(HALL).save(path)
    path.chmod(exposed)
    with pytest.raises(KeyProblem, match="chmod 600"):
        Key.load(path, HALL)


def test_a_damaged_file_is_refused_without_its_secrets_in_the_message(tmp_path: Path) -> None:
    key = Key.generate(HALL, "the operator's secret")
    good = key.to_text()
    for bad in (
        good.replace("hall-key/1", "hall-key/2"),
        good.replace(key.seed.hex(), key.seed.hex().upper().replace("0", "A") + "A"),
        good.replace(key.public_key.hex(), "0" * 64),
        good.replace(key.operator_token, "short"),
        good.replace("https://", "gopher://"),
        good.replace('"hall-key/1"', "1"),
        good[: len(good) // 2],
        "",
    ):
        with pytest.raises(KeyProblem) as caught:
            Key.from_text(bad)
        assert key.seed.hex() not in str(caught.value)
        assert "secret" not in str(caught.value)
    assert key.seed.hex() not in repr(key)
    assert "secret" not in repr(key)


def test_agents_of_one_operator_may_share_a_token(tmp_path: Path) -> None:
    shared = "a secret of the operator"
    with Hall.open("https://hall.example", "ada", key_file=tmp_path / "ada.json", operator_token=shared) as hall:
        assert hall.key.operator_token == shared
    assert Key.load(tmp_path / "ada.json", HALL).operator_token == shared
    with pytest.raises(KeyProblem):
        Key.generate(HALL, "short")


def test_a_program_ends_with_a_sentence_instead_of_a_traceback(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is not a handle: 3 to 32 of a-z"), exit_on_error():
        Hall.open("https://hall.example", "Ada", key_file=tmp_path / "ada.json")
    with pytest.raises(ZeroDivisionError), exit_on_error():
        raise ZeroDivisionError


def test_an_invalid_handle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        Hall.open("https://hall.example", "Ada", key_file=tmp_path / "ada.json")
