"""The same random operations on two NBD servers; prints what differs.

For a Python with libnbd's bindings: `python3 tests/nbd_differential.py URI URI OPS SEED`. Both
are emptied first. A failure names the seed; more operations and other seeds find more.
"""

import random
import sys
from collections.abc import Callable
from typing import Any

import nbd  # type: ignore[import-not-found]

MIB = 1 << 20
# The most bytes that a request may move with either server.
LARGEST = 32 * MIB

# The outcome of an operation: bytes, an error's number, or nothing.
Outcome = bytes | int | None
Operation = tuple[str, Callable[[Any], Outcome]]


class Operations:
    """A stream of operations on an export of `size` bytes."""

    def __init__(self, seed: int, size: int) -> None:
        self._random = random.Random(seed)
        self._size = size
        self._kinds = [self._read, self._write, self._zero, self._trim, self._flush, self._status]

    def draw(self) -> Operation:
        """The next operation, in words and as a call."""
        kinds = self._random.choices(self._kinds, weights=(6, 6, 2, 2, 1, 1))
        return kinds[0]()

    def _range(self) -> tuple[int, int]:
        """A range: mostly of the export, in blocks or bytes; sometimes beyond the end or too long.

        Never empty, which the protocol leaves undefined.
        """
        chance = self._random.random()
        if chance < 0.04:
            offset = self._random.choice([self._size, self._size - 1, self._size + 4096, 1 << 62])
            return offset, self._random.choice([1, 2, 4096, 70_000])
        if chance < 0.05:
            return 0, LARGEST + 1
        unit = self._random.choice([1, 1, 512, 4096, 4096])
        most = self._random.choice([4096, 70_000, 600_000]) // unit
        length = unit * self._random.randint(1, most)
        places = (self._size - length) // unit
        # Few places, so that operations overlap.
        return unit * self._random.randint(0, min(places, 4 * MIB // unit)), length

    def _flag(self, *flags: int) -> int:
        chosen = 0
        for flag in flags:
            chosen |= flag * self._random.randint(0, 1)
        return chosen

    def _read(self) -> Operation:
        offset, length = self._range()
        flags = self._flag(nbd.CMD_FLAG_DF)
        return f"read {length} at {offset}, {flags:#x}", lambda server: bytes(
            server.pread(length, offset, flags)
        )

    def _write(self) -> Operation:
        offset, length = self._range()
        length = min(length, LARGEST)
        data = self._random.randbytes(min(length, MIB)).ljust(length)
        flags = self._flag(nbd.CMD_FLAG_FUA)
        return f"write {length} at {offset}, {flags:#x}", lambda server: server.pwrite(
            data, offset, flags
        )

    def _zero(self) -> Operation:
        offset, length = self._range()
        flags = self._flag(nbd.CMD_FLAG_FUA, nbd.CMD_FLAG_NO_HOLE)
        return f"zero {length} at {offset}, {flags:#x}", lambda server: server.zero(
            length, offset, flags
        )

    def _trim(self) -> Operation:
        offset, length = self._range()
        flags = self._flag(nbd.CMD_FLAG_FUA)
        return f"trim {length} at {offset}, {flags:#x}", lambda server: server.trim(
            length, offset, flags
        )

    def _flush(self) -> Operation:
        return "flush", lambda server: server.flush()

    def _status(self) -> Operation:
        offset, length = self._range()
        return f"status of {length} at {offset}", lambda server: status(server, offset, length)


def status(server: Any, offset: int, length: int) -> None:
    """Asks for block status; what is reported to read as zeros must do so.

    Which parts are holes is up to each server.
    """
    found: list[tuple[int, bool]] = []

    def extent(_context: str, _offset: int, entries: list[int], _error: int) -> None:
        found.extend(
            (size, bool(flags & 2)) for size, flags in zip(entries[::2], entries[1::2], strict=True)
        )

    server.block_status(length, offset, extent)
    assert found, "no extents"
    for size, zero in found:
        size = min(size, length, server.get_size() - offset)
        assert size > 0
        if zero:
            assert not any(server.pread(min(size, LARGEST), offset)), f"no zeros at {offset}"
        offset, length = offset + size, length - size
        if length <= 0:
            return


def outcome(operation: Callable[[Any], Outcome], server: Any) -> Outcome:
    """Its outcome on a server."""
    try:
        return operation(server)
    except nbd.Error as error:
        return int(error.errnum)


def connected(uri: str) -> Any:
    """An emptied server; libnbd passes on every request, valid or not."""
    server = nbd.NBD()
    server.add_meta_context("base:allocation")
    server.connect_uri(uri)
    server.set_strict_mode(0)
    server.trim(server.get_size(), 0)
    return server


def say(words: str) -> None:
    """Print a line to standard output."""
    sys.stdout.write(f"{words}\n")


def shown(result: Outcome) -> str:
    """An outcome in words; of bytes only their number."""
    return f"{len(result)} bytes" if isinstance(result, bytes) else repr(result)


def compare(servers: list[Any], count: int, seed: int) -> int:
    """The exit status: 1 with a line about the first difference."""
    size = servers[0].get_size()
    operations = Operations(seed, size)
    for number in range(count):
        words, operation = operations.draw()
        results = [outcome(operation, server) for server in servers]
        if results[0] != results[1]:
            told = " and ".join(shown(result) for result in results)
            say(f"seed {seed}, operation {number}: {words}: {told}")
            return 1
    contents = [[bytes(server.pread(MIB, at)) for at in range(0, size, MIB)] for server in servers]
    if contents[0] != contents[1]:
        say(f"seed {seed}: the contents differ after {count} operations")
        return 1
    say(f"{count} operations alike")
    return 0


if __name__ == "__main__":
    _, *uris, ops, seed = sys.argv
    sys.exit(compare([connected(uri) for uri in uris], int(ops), int(seed)))
