"""The storage of a row as devices of a scenario."""

import csv
import math
from functools import cache
from pathlib import Path
from typing import Any

from validation.measured.rows import Row

CATALOG = Path(__file__).parents[3] / "catalog"
INSTANCES, LOCAL_DISKS = CATALOG / "instances.csv", CATALOG / "instance-store.csv"

# mdadm's default, where no chunk is stated.
CHUNK = "512KiB"
# From this size on a gp2 volume's baseline is as high as its burst.
LEAST_WITHOUT_CREDITS_GIB = 1000
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
    if row.volume.scope != "array":
        return row.volume.count
    return int(_table(INSTANCES)[row.instance or ""]["disks"] or 0)


def stand_in(row: Row) -> str | None:
    """The instance of a row of local disks whose IOPS are not published: another of its family.

    Its disks have the same size, so they are taken for the same; None if there is no such type, or
    no need of one.
    """
    own, known = row.instance or "", _table(LOCAL_DISKS)
    if row.volume.type != "instance-store" or own in known or own not in _table(INSTANCES):
        return None
    family, size = own.split(".")[0] + ".", _table(INSTANCES)[own]["disk_gb"]
    alike = (name for name, one in _table(INSTANCES).items() if one["disk_gb"] == size)
    return next((name for name in alike if name.startswith(family) and name in known), None)


def bursts(instance: str | None) -> bool:
    """Whether credits carry an instance above its baseline."""
    one = _table(INSTANCES).get(instance or "")
    return one is not None and one["baseline_mbps"] != one["maximum_mbps"]


@cache
def _table(place: Path) -> dict[str, dict[str, str]]:
    """A table of the catalog, by instance type."""
    lines = [line for line in place.read_text().splitlines() if not line.startswith("#")]
    return {line["type"]: line for line in csv.DictReader(lines)}


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


def emptied(row: Row, scenario: dict[str, Any]) -> dict[str, Any] | None:
    """The scenario with burst credits used up, and tokens too where earlier runs had some."""
    volume: dict[str, str] = {}
    small = row.volume.type == "gp2" and (row.volume.size_gib or 0) < LEAST_WITHOUT_CREDITS_GIB
    if small or row.volume.type in {"st1", "sc1"}:
        volume["burst_balance"] = "0%"
    if "not_rested" in row.flags and row.workload.gap_s is None:
        volume["tokens"] = "0%"
    host = dict(scenario.get("host", {}))
    if row.volume.type != "instance-store" and bursts(host.get("instance")):
        host["burst_balance"] = "0%"
    elif not volume:
        return None
    made = scenario | {"storage": with_volumes(scenario["storage"], volume)}
    return made | {"host": host} if host else made


def with_volumes(devices: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Devices with further keys of each volume."""
    return {
        name: one | {"of": one["of"] | more} if "of" in one else one | more
        for name, one in devices.items()
    }
