"""Messages between two machines: a line of JSON each, with bytes after it where it says so."""

import json
import threading
import time
from dataclasses import dataclass
from typing import IO, Any

# No message has more than a scenario of 4 MiB, or bytes than the copy of Blockyard.
_MOST_LINE = 16 << 20
_MOST_BYTES = 1 << 30

# What the first message begins with: a login may print something before.
HELLO = b'{"kind": "hello"'


class WireError(Exception):
    """The other end said what is no message."""


@dataclass(frozen=True)
class Message:
    """What the other end said."""

    kind: str
    fields: dict[str, Any]
    payload: bytes = b""


class Wire:
    """One end. Any thread may send; one receives."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._turn = threading.Lock()
        # When the other end last said anything.
        self.heard_s = time.monotonic()

    def send(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        """Send a message. Raises OSError if nobody is there any more."""
        whole = {"kind": kind, **fields, **({"bytes": len(payload)} if payload else {})}
        with self._turn:
            self._outgoing.write(json.dumps(whole).encode() + b"\n" + payload)
            self._outgoing.flush()

    def load(self, program: bytes) -> None:
        """Send a program to what reads one: the number of its bytes, and the bytes."""
        with self._turn:
            self._outgoing.write(b"%d\n%b" % (len(program), program))
            self._outgoing.flush()

    def receive(self, beginning: bytes = b"") -> Message | None:
        """The next message, or the first line that has this `beginning`; None at the end.

        Raises WireError for what is no message, and OSError.
        """
        while line := self._incoming.readline(_MOST_LINE):
            self.heard_s = time.monotonic()
            if line.startswith(beginning):
                return self._read(line)
        return None

    def _read(self, line: bytes) -> Message | None:
        try:
            fields = json.loads(line)
            kind, count = str(fields.pop("kind")), int(fields.pop("bytes", 0))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if not line.endswith(b"\n"):
                return None  # It broke off.
            raise WireError(f"not a message: {line[:80].decode(errors='replace')!r}") from error
        if not 0 <= count <= _MOST_BYTES:
            raise WireError(f"a message of {count} bytes; expected at most {_MOST_BYTES}")
        payload = self._incoming.read(count)
        return Message(kind, fields, payload) if len(payload) == count else None
