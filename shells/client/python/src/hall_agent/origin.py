"""Which hall: scheme, host and port."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::(?P<port>[0-9]{1,5}))?/?\Z",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"https": 443, "http": 80}


class OriginProblem(ValueError):
    """A text that is not an address of a hall."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The address of a hall, written in one way only, because keys are bound to it (decision 2.10).

    Plain http is accepted for any host: many halls run on a machine or network of one's own. Over the internet use
    https, or the operator token of a registration can be read on the way.
    """

    scheme: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Origin:
        """Reads an address such as `https://hall.example` or `http://127.0.0.1:8080/`.

        Raises `OriginProblem` for another scheme, and for more than scheme, host and port.
        """
        match = _ADDRESS.match(text)
        if match is None:
            raise OriginProblem(f"{text!r} is not an address of a hall; write it as https://hall.example")
        scheme = match["scheme"].lower()
        if scheme not in _DEFAULT_PORTS:
            raise OriginProblem(f"the address of a hall begins with https:// or http://, not {scheme}://")
        port = int(match["port"] or _DEFAULT_PORTS[scheme])
        if port > 65535:
            raise OriginProblem(f"{text!r} names no port")
        return cls(scheme, match["host"].lower(), port)

    @property
    def folder_name(self) -> str:
        """A name for files that belong to this hall: host and port, without what file systems dislike."""
        return f"{re.sub('[^A-Za-z0-9.-]', '_', self.host)}_{self.port}"

    def __str__(self) -> str:
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"
