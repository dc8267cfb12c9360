"""Writes instance-store-streams.csv, what local disks stream for each IO that is published.

    python3 catalog/generate_instance_store_streams.py measurements/rows.jsonl

Bytes a second of a sequential stream on a disk, for each IO a second that instance-store.csv has
of that disk: the median of a family's types, as iotune measured them. A row of a family alone
stands for each type of it without one of its own. A family without a row is taken to have the disks
of one whose published IOPS are the same in most of its sizes. Without such a family it has the
median of all that were measured. `--check` compares with the table in the tree.
"""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from generated import command, csv_text

TABLE = Path(__file__).with_name("instance-store-streams.csv")
ORIGIN = (
    "bytes a second of a stream for each IO a second of 4 KiB in instance-store.csv, medians of "
    "the types that iotune measured (scylladb/scylla-machine-image at f25b2c5); `like` where none "
    "were: a family with the same published IOPS, or all; made by "
    "generate_instance_store_streams.py"
)
MIB = 1048576

# Of a family without a row and without known disks: the median of all that have rows.
ALL = "all"

# Reads and writes; how many disks, and of how many GB.
Pair = tuple[float, float]
Size = tuple[int, int]


class Disk(NamedTuple):
    """One local disk of an instance type: its size, and its published reads and writes a second."""

    number: int
    gb: int
    iops: Pair


def main() -> int:
    """Write the table or check it."""
    return command(__doc__, TABLE, "measurements/rows.jsonl", text_of)


def text_of(rows: Path) -> str:
    """The table."""
    disks, streams = published(), capacities(rows)
    families = sorted({family_of(name) for name in disks})
    measured = {it: list(ratios_of(it, disks, streams)) for it in families}
    own = {family: medians(ratios) for family, ratios in measured.items() if ratios}
    lines: list[list[str | int]] = []
    for family in families:
        like = "" if family in own else same_disks(family, list(own), disks) or ALL
        reads, writes = own.get(like or family) or medians(own.values())
        lines.append([family, round(reads), round(writes), len(measured[family]) or "", like])
    return csv_text(ORIGIN, ["family", "read_bytes", "write_bytes", "types", "like"], lines)


def published() -> dict[str, Disk]:
    """The disks of all types whose IOPS are published."""
    types = {line["type"]: line for line in table("instances.csv")}
    found: dict[str, Disk] = {}
    for line in table("instance-store.csv"):
        of = types[line["type"]]
        number = int(of["disks"])
        iops = (int(line["read_iops"]) / number, int(line["write_iops"]) / number)
        found[line["type"]] = Disk(number, int(of["disk_gb"]), iops)
    return found


def table(name: str) -> Iterator[dict[str, str]]:
    """The lines of a table of this folder."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return iter(csv.DictReader(line for line in lines if not line.startswith("#")))


def family_of(name: str) -> str:
    """`c5d` of `c5d.large`."""
    return name.partition(".")[0]


def capacities(rows: Path) -> dict[str, Pair]:
    """MiB a second of one disk, reads and writes, by the type or family that was measured."""
    found: dict[str, Pair] = {}
    for line in rows.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        volume, is_capacity = row["volume"], row["workload"]["rw"] == "capacity"
        if (volume["type"], is_capacity, volume.get("scope")) == ("instance-store", True, "disk"):
            results = row["results"]
            streams = (results["read"]["bw_mibps"], results["write"]["bw_mibps"])
            found[row.get("instance") or row["instance_family"]] = streams
    return found


def ratios_of(family: str, disks: dict[str, Disk], streams: dict[str, Pair]) -> Iterator[Pair]:
    """Bytes for each published IO, of each type of the family that was measured."""
    for name, disk in disks.items():
        stream = streams.get(name, streams.get(family))
        if family_of(name) == family and stream:
            yield stream[0] * MIB / disk.iops[0], stream[1] * MIB / disk.iops[1]


def medians(pairs: Iterable[Pair]) -> Pair:
    """Of reads and of writes."""
    reads, writes = zip(*pairs, strict=True)
    return median(reads), median(writes)


def same_disks(family: str, others: list[str], disks: dict[str, Disk]) -> str | None:
    """Of the others the one that has the same disks in most of the family's sizes."""
    mine = by_size(family, disks)
    shared = {other: alike(mine, by_size(other, disks)) for other in reversed(others)}
    most = max(shared, key=lambda other: shared[other])
    return most if 2 * shared[most] > len(mine) else None


def alike(mine: dict[Size, Pair], theirs: dict[Size, Pair]) -> int:
    """How many sizes both have, if the published IOPS are the same in each."""
    both = mine.keys() & theirs.keys()
    return len(both) if all(mine[size] == theirs[size] for size in both) else 0


def by_size(family: str, disks: dict[str, Disk]) -> dict[Size, Pair]:
    """A family's published IOPS by the number and size of disks."""
    own = [disk for name, disk in disks.items() if family_of(name) == family]
    return {(disk.number, disk.gb): disk.iops for disk in own}


if __name__ == "__main__":
    sys.exit(main())
