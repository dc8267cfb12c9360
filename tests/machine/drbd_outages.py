"""DRBD as a peer: what becomes of its mirror when its nodes lose each other. Runs in the machine.

    python3 drbd_outages.py NEAR FAR

The mirror of `drbd.py`, over a loopback interface that loses every packet for a time. Each case
prints a line: its name, then what DRBD says of it.

- `cut WRITTEN COPIED`: KiB written meanwhile, and then copied to the other node.
- `split FIRST SECOND`: each node was written to alone. How each is connected afterwards.
- `discarded WRITTEN COPIED`: the first gives up what it has: KiB that either wrote, and copied.
- `fenced WAITED PRIMARY`: milliseconds that a write waited beyond the time that fencing took, and
  whether the other node becomes primary.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

# It stands beside this program, not in a package.
from drbd import (  # type: ignore[import-not-found]
    call,
    connect,
    join,
    leave,
    load,
    ports,
    writes,
)

KIB = 4
FENCING_S = 4
HELPER = Path("/sys/module/drbd/parameters/usermode_helper")
# Both sides notice a cut within some seconds.
NOTICES = ("--timeout=20", "--ping-int=2", "--ping-timeout=10", "--connect-int=1")


def cut(*, is_cut: bool) -> None:
    """Have the nodes lose each other, or reach each other again."""
    does = ("loss", "100%") if is_cut else ("delay", "0ms")
    call("tc", "qdisc", "replace", "dev", "lo", "root", "netem", *does)


def connection(minor: int) -> str:
    """How a node is connected."""
    told = Path("/proc/drbd").read_text()
    found = re.search(rf"^ *{minor}: cs:(\w+)", told, re.MULTILINE)
    return found.group(1) if found else "?"


def wait_for(minor: int, *states: str) -> None:
    """Wait until a node is connected in one of these ways."""
    until = time.monotonic() + 120
    while connection(minor) not in states:
        if time.monotonic() > until:
            print(f"failed: {minor} is {connection(minor)}, not {states}")  # noqa: T201 - a program
            sys.exit(1)
        time.sleep(0.1)


def alone(minor: int) -> None:
    """Wait until a node has given the other up."""
    wait_for(minor, "WFConnection", "StandAlone", "Unconnected")


def copied(since: int) -> int:
    """KiB copied to the other node, by what the kernel has said since."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        said = kernel()[since:]
        found = re.findall(r"as SyncSource \(will sync (\d+) KB", said)
        if found and "Resync done" in said.partition("SyncSource")[2]:
            return int(found[-1])
        time.sleep(0.2)
    return 0


def kernel() -> str:
    """All that the kernel has said."""
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout


def fences(seconds: int) -> None:
    """Have a primary that is alone take so long to outdate the other."""
    handler = Path("/tmp/fence-peer")  # noqa: S108 - the machine's own
    handler.write_text(
        f"#!/bin/sh\n[ $1 = fence-peer ] || exit 0\nsleep {seconds}\ndrbdsetup outdate 1\nexit 4\n"
    )
    handler.chmod(0o755)
    HELPER.write_text(str(handler))
    for minor in range(2):
        call("drbdsetup", "disk-options", str(minor), "--fencing=resource-and-stonith")


def main() -> None:
    """Try every case, and leave the legs free."""
    legs = sys.argv[1:]
    load()
    HELPER.write_text("/bin/true")
    connect(legs)
    for minor in range(2):
        call("drbdsetup", "net-options", *ports(minor), *NOTICES)
    writes(1)

    since = len(kernel())
    cut(is_cut=True)
    writes(8)
    alone(1)
    cut(is_cut=False)
    print(f"cut {8 * KIB} {copied(since)}")  # noqa: T201
    wait_for(0, "Connected")

    since = len(kernel())
    cut(is_cut=True)
    writes(6, first=100)
    alone(1)
    call("drbdsetup", "primary", "1")
    writes(5, minor=1, first=200)
    cut(is_cut=False)
    wait_for(0, "StandAlone")
    wait_for(1, "StandAlone", "WFConnection")
    print(f"split {connection(0)} {connection(1)}")  # noqa: T201

    call("drbdsetup", "secondary", "0")
    for minor in range(2):
        subprocess.run(["drbdsetup", "disconnect", *ports(minor)], check=False, capture_output=True)
    join(1, *NOTICES)
    join(0, "--discard-my-data", *NOTICES)
    print(f"discarded {11 * KIB} {copied(since)}")  # noqa: T201
    wait_for(0, "Connected")

    call("drbdsetup", "secondary", "1")
    call("drbdsetup", "primary", "0")
    fences(FENCING_S)
    cut(is_cut=True)
    waited = max(writes(2, first=300)) - 1e3 * FENCING_S
    taken = subprocess.run(["drbdsetup", "primary", "1"], check=False, capture_output=True)
    print(f"fenced {waited:.0f} {'refused' if taken.returncode else 'primary'}")  # noqa: T201
    cut(is_cut=False)
    wait_for(0, "Connected")
    leave()


main()
