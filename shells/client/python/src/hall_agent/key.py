"""The key of an agent: who it is at one hall."""

from __future__ import annotations

import json
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from nacl.signing import SigningKey

from .errors import KeyProblem, OtherHall
from .identifiers import agent_id
from .origin import Origin

_FORMAT = "hall-key/1"
_LARGEST_FILE = 16 * 1024
_MEMBERS = ("format", "hall", "public_key", "private_key", "operator_token")


@dataclass(frozen=True, slots=True)
class Key:
    """The private key of an agent and the operator token beside it, bound to one hall (decision 2.10).

    The messages that an agent signs name no hall, so a hall that is shown a signature could use it at another one.
    Therefore a key belongs to the hall it was made for and is refused everywhere else. The file of a key is the one
    that `hall agent` and the other clients use: a JSON object with mode 0600.
    """

    hall: Origin
    seed: bytes = field(repr=False)
    operator_token: str = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.seed) != 32:
            raise KeyProblem("a private key has 32 bytes")
        if not 8 <= len(self.operator_token) <= 256:
            raise KeyProblem("an operator token has 8 to 256 characters")

    @classmethod
    def generate(cls, hall: Origin, operator_token: str | None = None) -> Key:
        """A new key for `hall`, with a new operator token of 32 random bytes unless one is given."""
        return cls(hall, secrets.token_bytes(32), operator_token or secrets.token_hex(32))

    @property
    def public_key(self) -> bytes:
        """The 32 bytes that the hall knows."""
        return SigningKey(self.seed).verify_key.encode()

    @property
    def agent_id(self) -> str:
        """The identifier that every hall gives an agent with this key."""
        return agent_id(self.public_key)

    def sign(self, message: str) -> str:
        """The signature of `message` in UTF-8: 128 lowercase hexadecimal digits."""
        return SigningKey(self.seed).sign(message.encode()).signature.hex()

    def check_hall(self, hall: Origin) -> None:
        """Raises `OtherHall` unless the key belongs to `hall`."""
        if self.hall != hall:
            raise OtherHall(str(self.hall), str(hall))

    def with_operator_token(self, operator_token: str) -> Key:
        """The same key under another operator token, which counts at registration only.

        Agents that share a token are of one operator and are never paired with each other.
        """
        return Key(self.hall, self.seed, operator_token)

    @classmethod
    def load(cls, path: str | os.PathLike[str], hall: Origin) -> Key:
        """Reads the key file at `path`, which must belong to `hall`.

        Raises `FileNotFoundError`, `OtherHall`, or `KeyProblem` for a file that others may read or that is none.
        """
        key = cls.from_text(_read_private(Path(path)), str(path))
        key.check_hall(hall)
        return key

    @classmethod
    def load_or_generate(cls, path: str | os.PathLike[str], hall: Origin, operator_token: str | None = None) -> Key:
        """Reads the key file at `path`, or makes a key for `hall` and keeps it there.

        Of several processes that do this at once all end up with the same key. Raises as `load` and `save`.
        """
        try:
            return cls.load(path, hall)
        except FileNotFoundError:
            key = cls.generate(hall, operator_token)
        try:
            key.save(path)
        except FileExistsError:
            return cls.load(path, hall)
        return key

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps the key in a new file with mode 0600, making its folder where there is none.

        The file appears whole and synced or not at all. Raises `FileExistsError` if there is one: the key in it could
        not be had back.
        """
        target = Path(path)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "w", encoding="utf-8", newline="\n") as file:
                file.write(self.to_text())
                file.flush()
                os.fsync(file.fileno())
            _publish(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        if os.name == "posix":
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    @classmethod
    def from_text(cls, text: str, name: str = "this text") -> Key:
        """Reads the text of a key file. Errors never quote it. Raises `KeyProblem`."""

        def bad(reason: str) -> KeyProblem:
            return KeyProblem(f"{name} is not a key file: {reason}")

        try:
            contents = json.loads(text)
        except ValueError:
            raise bad("it is not JSON") from None
        if not isinstance(contents, dict) or not all(isinstance(contents.get(member), str) for member in _MEMBERS):
            raise bad("it is not the JSON of a key")
        if contents["format"] != _FORMAT:
            raise bad(f"its format is not {_FORMAT}")
        try:
            hall = Origin.parse(contents["hall"])
        except ValueError:
            raise bad("its hall is not an address") from None
        digits = contents["private_key"]
        if len(digits) != 64 or not set(digits) <= set("0123456789abcdef"):
            raise bad("its private_key is not 64 lowercase hexadecimal digits")
        key = cls(hall, bytes.fromhex(digits), contents["operator_token"])
        if contents["public_key"] != key.public_key.hex():
            raise bad("its public_key is not that of its private_key")
        return key

    def to_text(self) -> str:
        """The text of a key file: a secret."""
        values = (_FORMAT, str(self.hall), self.public_key.hex(), self.seed.hex(), self.operator_token)
        return json.dumps(dict(zip(_MEMBERS, values, strict=True)), indent=2, ensure_ascii=False) + "\n"


def _read_private(path: Path) -> str:
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        if os.name == "posix" and about.st_mode & 0o077:
            mode = stat.S_IMODE(about.st_mode)
            raise KeyProblem(f"{path} can be read by others (mode {mode:o}); run: chmod 600 {path}")
        if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST_FILE:
            raise KeyProblem(f"{path} is not a key file: it is not a small file")
        try:
            return file.read(_LARGEST_FILE).decode()
        except UnicodeDecodeError:
            raise KeyProblem(f"{path} is not a key file: it is not UTF-8") from None


def _publish(temporary: Path, target: Path) -> None:
    # A link, unlike a rename, never replaces what is there.
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links. Then a check must do, with a moment between it and the rename.
        if target.exists():
            raise FileExistsError(str(target)) from None
        temporary.rename(target)
