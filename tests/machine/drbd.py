"""DRBD as a peer: what writes to its mirrors take. Runs in the machine, as a program.

    python3 drbd.py LETTERS NEAR FAR

Two block devices become the legs of a mirror of DRBD 8.4. Both of its nodes are on this machine,
which its kernel allows, and reach each other over the loopback interface, which is delayed. Each
case, a letter of LETTERS (A, B or C) and a round trip, prints one line: the letter, the round trip,
and the median, the least and the most that a write of 4 KiB took, one after another; in
milliseconds.
"""

import mmap
import os
import subprocess
import sys
import time

ROUND_TRIPS_MS = (20, 60)
WRITES = 11
SIZE = 4096
PORTS = ("127.0.0.1:7001", "127.0.0.1:7002")


def call(*command: str) -> None:
    """Carry a command out, silently."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"failed: {' '.join(command)}: {done.stdout}{done.stderr}")  # noqa: T201 - a program
        sys.exit(1)


def ports(minor: int) -> list[str]:
    """The addresses of a node and of the other."""
    return list(PORTS if minor == 0 else reversed(PORTS))


def join(minor: int, *options: str) -> None:
    """Have a node connect, with its protocol C."""
    call("drbdsetup", "connect", f"node{minor}", *ports(minor), "--protocol=C", *options)


def connect(legs: list[str]) -> None:
    """Have both nodes know each other, in sync, and the first accept writes."""
    for minor, leg in enumerate(legs):
        node = f"node{minor}"
        call("drbdmeta", "--force", str(minor), "v08", leg, "internal", "create-md")
        call("drbdsetup", "new-resource", node)
        call("drbdsetup", "new-minor", node, str(minor), "0")
        call("drbdsetup", "attach", str(minor), leg, leg, "internal")
    for minor in range(2):
        join(minor)
    call("drbdsetup", "wait-connect", "0")
    # Both are empty, so that nothing needs to be copied.
    call("drbdsetup", "new-current-uuid", "0", "--clear-bitmap")
    call("drbdsetup", "primary", "0")


def writes(count: int, minor: int = 0, first: int = 0) -> list[float]:
    """What each of so many writes takes, one after another, in milliseconds.

    They begin with the block number `first` of a node's device.
    """
    page = mmap.mmap(-1, SIZE)
    file = os.open(f"/dev/drbd{minor}", os.O_WRONLY | os.O_DIRECT)
    took = []
    for number in range(first, first + count):
        start = time.monotonic()
        os.pwrite(file, page, number * SIZE)
        took.append(1e3 * (time.monotonic() - start))
    os.close(file)
    return took


def load() -> None:
    """Have the kernel know DRBD, and its interface work."""
    os.makedirs("/run/lock", exist_ok=True)  # noqa: PTH103 - fewer modules, as loading is slow
    call("modprobe", "-a", "drbd", "sch_netem")
    call("ip", "link", "set", "lo", "up")


def main() -> None:
    """Measure every case, and leave the legs free."""
    _, letters, *legs = sys.argv
    load()
    connect(legs)
    # The first write to 4 MiB also has DRBD's activity log written.
    writes(1)
    for round_trip in ROUND_TRIPS_MS:
        # Each packet passes the interface once, so this is one way.
        delay = f"{round_trip / 2}ms"
        call("tc", "qdisc", "replace", "dev", "lo", "root", "netem", "delay", delay)
        for letter in letters:
            call("drbdsetup", "net-options", *PORTS, f"--protocol={letter}")
            took = sorted(writes(WRITES))
            middle, least, most = took[WRITES // 2], took[0], took[-1]
            print(f"{letter} {round_trip} {middle:.2f} {least:.2f} {most:.2f}")  # noqa: T201
    leave()


def leave() -> None:
    """Have both nodes go, and the interface be as it was."""
    for minor in range(2):
        call("drbdsetup", "down", f"node{minor}")
    call("tc", "qdisc", "del", "dev", "lo", "root")


if __name__ == "__main__":
    main()
