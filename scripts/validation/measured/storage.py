"""The storage of a row as devices of a scenario."""

import csv
import math
from functools import cache
from pathlib import Path
from typing import Any

from validation.measured.rows import Row

INSTANCES = Path(__file__).parents[3] / "catalog" / "instances.csv"

# mdadm's default, where no chunk is stated.
CHUNK = "512KiB"
# IOPS for each GiB, where IOPS or the size follow from the other.
MOST_IOPS = {"gp3": 500, "io1": 50, "io2": 500}


def storage(row: Row) -> dict[str, Any]:
    """The devices of a row's scenario."""
    one, width = _volume(row), count(row)
    if row.volume.layout == "separate":
        return {f"data{place}": one for place in range(width)}
    if width > 1:
        return {"data": {"stripe": {"chunk": CHUNK, "width": width}, "of": one}}
    return {"data": one}


def count(row: Row) -> int:
    """How many volumes or local disks there are."""
    return _disks()[row.instance or ""] if row.volume.scope == "array" else row.volume.count


@cache
def _disks() -> dict[str, int]:
    """The local disks of each instance type."""
    lines = [line for line in INSTANCES.read_text().splitlines() if not line.startswith("#")]
    return {line["type"]: int(line["disks"] or 0) for line in csv.DictReader(lines)}


def _volume(row: Row) -> dict[str, Any]:
    volume = row.volume
    if volume.type == "instance-store":
        return {"type": volume.type}
    size, iops = volume.size_gib, volume.iops
    file_gib = math.ceil(file_mib(row) / 1024 / volume.count)
    if size is None:
        # The least that permits the settings and holds the file.
        size = max(file_gib, math.ceil((iops or 0) / MOST_IOPS.get(volume.type, 50)), 4)
    elif iops is None and volume.type in {"io1", "io2"}:
        iops = min(64000, size * MOST_IOPS[volume.type])
    made: dict[str, Any] = {"type": volume.type, "size": f"{size}GiB"}
    if volume.type in MOST_IOPS:
        made["iops"] = iops
    if volume.type == "gp3" and volume.throughput_mibps:
        made["throughput"] = f"{volume.throughput_mibps:g}MiB/s"
    if row.workload.gap_s is not None:
        # A second of tokens flows in again within a second.
        made["tokens"] = f"{min(100, round(100 * row.workload.gap_s))}%"
    return made


def file_mib(row: Row) -> int:
    """The size of its file."""
    return row.workload.file_mib or 1024
