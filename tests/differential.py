"""Random operations on an emulated file or device and on a plain one must give the same.

    .venv/bin/python tests/differential.py [--seed N] [--operations N] fuse|block

The same seed gives the same operations. A difference is an error that names the operation.
"""

import argparse
import contextlib
import ctypes
import fcntl
import mmap
import os
import random
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from serving import serve
from undoing import loop_device

SIZE = 16 << 20
SCENARIO = "{name: disk, storage: {data: {type: unlimited, size: 16MiB}}}"

# The longest operation; discarding goes further.
LONGEST = 256 << 10
SECTOR = 512

# <linux/falloc.h>, <linux/fs.h>
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16
BLKDISCARD, BLKZEROOUT = 0x1277, 0x127F

_LIBC = ctypes.CDLL(None, use_errno=True)

# What an operation returned: a value, or an error's number.
Outcome = tuple[str, object]


@dataclass(frozen=True)
class Subject:
    """A file or device, opened through the page cache, bypassing it, and for durable writes."""

    descriptors: dict[str, int]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open it in each way that it supports."""
        direct, is_file = os.O_DIRECT, stat.S_ISREG(path.stat().st_mode)
        ways = {"direct": direct, "durable": direct | os.O_DSYNC}
        if is_file:
            # A device's page cache does not learn of IO that bypasses it.
            ways["cached"] = 0
        descriptors = {}
        for name, flags in ways.items():
            try:
                descriptors[name] = os.open(path, os.O_RDWR | flags)
            except OSError:
                # A plain file on a file system without direct IO.
                descriptors[name] = os.open(path, os.O_RDWR | flags & ~direct)
        return cls(descriptors)

    def close(self) -> None:
        """Close it."""
        for descriptor in self.descriptors.values():
            os.close(descriptor)

    def content(self) -> bytes:
        """Its whole content."""
        buffer = mmap.mmap(-1, SIZE)
        assert os.preadv(self.descriptors["direct"], [buffer], 0) == SIZE
        return bytes(buffer)


@dataclass(frozen=True)
class Operation:
    """One operation: its name, how the file is open, a range and a byte."""

    name: str
    way: str
    offset: int
    length: int
    fill: int

    def on(self, subject: Subject) -> Outcome:
        """Carry it out."""
        descriptor = subject.descriptors[self.way]
        try:
            return ("gave", self._acts()[self.name](descriptor))
        except OSError as error:
            return ("errno", error.errno)

    def _acts(self) -> dict[str, Callable[[int], object]]:
        place = struct.pack("QQ", self.offset, self.length)
        return {
            "read": self._read,
            "write": self._write,
            "fsync": os.fsync,
            "fdatasync": os.fdatasync,
            "punch": lambda file: self._fallocate(file, PUNCH_HOLE | KEEP_SIZE),
            "zero": lambda file: self._fallocate(file, ZERO_RANGE | KEEP_SIZE),
            "discard": lambda file: fcntl.ioctl(file, BLKDISCARD, place),
            "zeroout": lambda file: fcntl.ioctl(file, BLKZEROOUT, place),
            "end": lambda file: os.lseek(file, 0, os.SEEK_END),
        }

    def _read(self, file: int) -> bytes:
        # Anonymous memory is aligned, as direct IO requires.
        buffer = mmap.mmap(-1, max(self.length, 1))
        return buffer[: os.preadv(file, [memoryview(buffer)[: self.length]], self.offset)]

    def _write(self, file: int) -> int:
        buffer = mmap.mmap(-1, max(self.length, 1))
        # Each byte says where it belongs.
        pattern = bytes((self.fill + step) % 251 + 1 for step in range(SECTOR))
        buffer[: self.length] = (pattern * (self.length // SECTOR + 1))[: self.length]
        return os.pwritev(file, [memoryview(buffer)[: self.length]], self.offset)

    def _fallocate(self, file: int, mode: int) -> int:
        offset, length = ctypes.c_int64(self.offset), ctypes.c_int64(self.length)
        if _LIBC.fallocate(file, mode, offset, length) != 0:
            raise OSError(ctypes.get_errno(), "fallocate")
        return 0


def operations(seed: int, number: int, *, is_file: bool) -> Iterator[Operation]:
    """`number` random operations, for a file or for a device."""
    dice = random.Random(seed)
    names = ["read"] * 30 + ["write"] * 40 + ["fsync", "fdatasync", "end"]
    names += ["punch"] * 6 + ["zero"] * 6 + ([] if is_file else ["discard", "zeroout"] * 6)
    ways = ["direct", "direct", "durable"] + ["cached"] * 3 * is_file
    for _ in range(number):
        name, way = dice.choice(names), dice.choice(ways)
        # Files of some file systems take direct IO in blocks only.
        unit = 1 if way == "cached" else 4096 if is_file else SECTOR
        if not is_file and dice.random() < 0.02:
            unit = 1
        longest = SIZE if name in ("discard", "zeroout") else LONGEST
        offset = dice.randrange(SIZE // unit) * unit
        length = dice.randint(1, max(1, dice.randrange(longest) // unit)) * unit
        if is_file and name != "read":
            # A plain file grows there.
            length = min(length, SIZE - offset)
        elif dice.random() < 0.02:
            offset = SIZE - dice.randrange(3) * unit
        yield Operation(name, way, offset, length, dice.randrange(256))


def compare(seed: int, number: int, ours: Path, plain: Path) -> None:
    """Carry out the same operations on both. Raises AssertionError if they differ."""
    subjects = [Subject.open(ours), Subject.open(plain)]
    is_file = stat.S_ISREG(ours.stat().st_mode)
    try:
        for count, operation in enumerate(operations(seed, number, is_file=is_file)):
            one, other = (operation.on(subject) for subject in subjects)
            where = f"seed {seed}, operation {count}, {operation}"
            assert one == other, f"{where}: {_short(one)}, a plain one {_short(other)}"
            if is_file and operation.name in ("punch", "zero"):
                _check_holes(subjects[0].descriptors["direct"], operation.offset, where)
        assert subjects[0].content() == subjects[1].content(), f"seed {seed}: the content differs"
    finally:
        for subject in subjects:
            subject.close()


def _short(outcome: Outcome) -> str:
    text = repr(outcome)
    return text if len(text) < 80 else f"{text[:80]}… ({len(text)} characters)"


def _check_holes(file: int, offset: int, where: str) -> None:
    """Every reported hole reads as zeros; where holes are is the file system's choice."""
    try:
        data = os.lseek(file, offset, os.SEEK_DATA)
    except OSError:
        data = SIZE
    hole = os.lseek(file, offset, os.SEEK_HOLE)
    assert (data == offset) != (hole == offset), f"{where}: data at {data}, hole at {hole}"
    buffer = mmap.mmap(-1, max(data - offset, 1) + SECTOR)
    length = os.preadv(file, [memoryview(buffer)[: data - offset]], offset)
    assert not any(buffer[:length]), f"{where}: a hole that is none before {data}"


def run(front: str, seed: int, number: int, folder: Path) -> None:
    """Serve a disk as `fuse` or `block` in an empty folder, and compare."""
    plain, backing, files = folder / "plain", folder / "backing", folder / "files"
    backing.mkdir()
    files.mkdir()
    with plain.open("wb") as file:
        file.truncate(SIZE)
    way = f"fuse={files}" if front == "fuse" else front
    device = loop_device(plain, "--direct-io=on", f"--sector-size={SECTOR}")
    with (
        serve(SCENARIO, "--as", way, "--backing", str(backing), folder=folder) as served,
        contextlib.nullcontext(plain) if front == "fuse" else device as peer,
    ):
        compare(seed, number, Path(served.paths["data"]), Path(peer))
        served.stop()
    assert served.errors == ""
    # The backing file contains what was written.
    assert (backing / "data.img").read_bytes() == plain.read_bytes()


def main() -> None:
    """Run as many operations as requested."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--operations", type=int, default=30_000, help="default: %(default)s")
    parser.add_argument("front", choices=["fuse", "block"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.front, arguments.seed, arguments.operations, Path(folder))
    sys.stdout.write("all alike\n")


if __name__ == "__main__":
    main()
