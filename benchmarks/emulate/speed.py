"""How fast the front ends are, beside nbdkit, nbdfuse and loop over nbdfuse.

    python3 benchmarks/emulate/speed.py [--rounds N] [--seconds S]

An unlimited volume in memory, and nbdkit's memory plugin; 4 KiB random reads by the
same fio, in turn. Prints medians and ratios. Needs `make build`, fio, nbdkit and
nbdfuse, and root for loop devices.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from common import Service, emulated, fio, output, row, serving, until

SCENARIO = "{name: speed, storage: {data: {type: unlimited, size: 1GiB}}}"
URI = "--ioengine=nbd", "--uri={}"
FILE = "--ioengine=io_uring", "--direct=1", "--filename={}"


@dataclass(frozen=True)
class Measured:
    """What fio saw, and what the server used."""

    iops: float
    p50_us: float
    cpu_us: float
    # How much of a processor fio's own thread took, in percent.
    client_pct: float


@contextlib.contextmanager
def nbdkit() -> Iterator[Service]:
    """Serve nbdkit's memory plugin on a unix socket."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "nbd"
        command = ["nbdkit", "-f", "-U", str(socket), "memory", "1G"]
        with serving(command, folder) as process:
            until(socket)
            yield Service(process, f"nbd+unix:///?socket={socket}")


@contextlib.contextmanager
def nbdfuse() -> Iterator[Service]:
    """Mount nbdfuse over nbdkit's memory plugin."""
    with tempfile.TemporaryDirectory() as folder:
        mount = Path(folder) / "mount"
        mount.mkdir()
        command = ["nbdfuse", str(mount), "[", "nbdkit", "--exit-with-parent"]
        with serving([*command, "memory", "1G", "]"], folder) as process:
            until(mount / "nbd")
            try:
                yield Service(process, str(mount / "nbd"))
            finally:
                subprocess.run(["fusermount3", "-u", "-z", mount], check=False)  # noqa: S603, S607


@contextlib.contextmanager
def loop_over_nbdfuse() -> Iterator[Service]:
    """A loop device with direct IO over nbdfuse's file."""
    with nbdfuse() as fuse:
        device = output("losetup", "--find", "--show", "--direct-io=on", fuse.place).strip()
        try:
            yield Service(fuse.process, device)
        finally:
            output("losetup", "--detach", device)


@contextlib.contextmanager
def ours(kind: str) -> Iterator[Service]:
    """`blockyard emulate` of the unlimited volume."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "place"
        if kind == "fuse":
            place.mkdir()
        front = kind if kind == "block" else f"{kind}={place}"
        with emulated(SCENARIO, "--as", front) as service:
            yield service


# What is compared: the way to reach it, our front end, and the peer.
PAIRS = {
    "NBD, unix socket": (URI, "nbd", "nbdkit", nbdkit),
    "FUSE file": (FILE, "fuse", "nbdfuse", nbdfuse),
    "loop over FUSE": (FILE, "block", "loop over nbdfuse", loop_over_nbdfuse),
}


def measure(service: Service, way: tuple[str, ...], depth: int, seconds: int) -> Measured:
    """One round of fio."""
    before = service.cpu_s()
    job = fio([part.format(service.place) for part in way], depth, seconds)
    reads = job["read"]
    return Measured(
        iops=reads["iops"],
        p50_us=reads["clat_ns"]["percentile"]["50.000000"] / 1e3,
        cpu_us=(service.cpu_s() - before) * 1e6 / reads["total_ios"],
        client_pct=job["usr_cpu"] + job["sys_cpu"],
    )


def compare(name: str, rounds: int, seconds: int) -> None:
    """Both sides in turn, at every depth."""
    way, kind, peer, start = PAIRS[name]
    for depth in (1, 16, 64):
        mine, theirs = [], []
        for _ in range(rounds):
            with ours(kind) as service:
                mine.append(measure(service, way, depth, seconds))
            with start() as service:
                theirs.append(measure(service, way, depth, seconds))
        figures = [
            [median(getattr(one, figure) for one in side) for side in (mine, theirs)]
            for figure in ("iops", "p50_us", "cpu_us", "client_pct")
        ]
        (iops, their_iops), (p50, their_p50), (cpu, their_cpu), (client, their_client) = figures
        spread = max(one.iops for one in mine) / min(one.iops for one in mine) - 1
        row(
            name,
            depth,
            f"{iops:,.0f}",
            f"{p50:.1f}",
            f"{cpu:.1f}",
            f"{client:.0f}%",
            peer,
            f"{their_iops:,.0f}",
            f"{their_p50:.1f}",
            f"{their_cpu:.1f}",
            f"{their_client:.0f}%",
            f"{iops / their_iops:.2f}",
            f"{p50 / their_p50:.2f}",
            f"{spread:.0%}",
        )


def main() -> int:
    """Measures what this machine can."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--only", choices=list(PAIRS))
    arguments = parser.parse_args()
    row(
        *("way", "depth", "IOPS", "p50 µs", "server CPU µs", "client"),
        *("peer", "IOPS", "p50 µs", "server CPU µs", "client"),
        *("IOPS ratio", "p50 ratio", "spread"),
    )
    row(*["---"] * 14)
    for name in PAIRS:
        if arguments.only in (None, name):
            if name.startswith("loop") and os.geteuid() != 0:
                print("loop devices need root; left out", file=sys.stderr)
                continue
            compare(name, arguments.rounds, arguments.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
