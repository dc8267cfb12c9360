"""Why a row is not compared with the model: the first of these that holds."""

from collections.abc import Callable
from enum import Enum

from validation.measured.rows import Row


class Reason(Enum):
    """A reason, as the pages put it."""

    PROVIDER = "another provider's volumes, not in the catalog"
    DATABASE = "figures of a database or an application, whose IOs are not stated"
    SUSPECT = "reads or writes answered by a cache, or of blocks never written"
    FIRST_TOUCH = "first touch of a new volume's blocks, not modelled"
    SETTINGS = "settings of volume, load or syncs not stated"
    SYNC = "a sync after each write, its file system or latency not stated"
    INSTANCE = "throttled by an instance without published limits"
    NOTHING = "no comparable figure"
    CATALOG = "refused by the catalog"


# Rows of these classes and flags show something else than the storage that they name.
SUSPECT_CLASSES = {"suspect_reads", "suspect_writes"}
SUSPECT_FLAGS = {"server_cache", "host_cache", "unwritten", "above_limit"}
# What the rest of the translation can say as jobs.
LOADS = {"randread", "randwrite", "randrw", "read", "write", "rw", "capacity", "map"}


def reason_of(row: Row) -> Reason | None:
    """Why the model cannot be asked what the row measured; None if it can."""
    return next((reason for reason, holds in _RULES if holds(row)), None)


def buffered_stream(row: Row) -> bool:
    """Whether it reads in sequence through the page cache."""
    return row.workload.rw == "read" and row.workload.direct is False


def synced(row: Row) -> bool:
    """Whether each write was followed by a sync."""
    return row.workload.sync in {"dsync", "fdatasync", "fsync"}


def _sync_known(row: Row) -> bool:
    writes = row.results.write
    known = writes is not None and (writes.lat_us.get("mean") or row.workload.sync == "dsync")
    return bool(known) and row.workload.filesystem in {"ext4", "xfs"}


def _suspect(row: Row) -> bool:
    return bool(SUSPECT_CLASSES & set(row.classes) or SUSPECT_FLAGS & set(row.flags))


def _unstated(row: Row) -> bool:
    load, volume = row.workload, row.volume
    if volume.type == "unknown" or "settings_unstated" in row.flags or load.sync == "unknown":
        return True
    if load.rw not in LOADS:
        return True
    if load.rw == "map":
        return not (row.results.grid and row.results.grid.read_iops_steps)
    if load.rw == "capacity":
        return not row.instance
    if not buffered_stream(row):
        in_flight = load.iodepth is not None and load.numjobs is not None
        # A rate needs no number in flight.
        if not (in_flight or load.rate_iops) or not (load.block_read or load.block_write):
            return True
    return not _size_follows(row)


def _size_follows(row: Row) -> bool:
    """Whether its size, stated or the least that permits its settings, decides its limits."""
    volume = row.volume
    if volume.size_gib or volume.type == "instance-store":
        return True
    if volume.type == "gp2":
        return volume.throughput_mibps is not None
    return volume.type in {"gp3", "io1", "io2"} and volume.iops is not None


def _unknown_instance(row: Row) -> bool:
    return "instance_limit_unknown" in row.flags and "saturated_throughput" in row.classes


_RULES: tuple[tuple[Reason, Callable[[Row], bool]], ...] = (
    (Reason.PROVIDER, lambda row: row.provider != "aws" or row.volume.type == "local-ssd"),
    (Reason.DATABASE, lambda row: bool(row.results.db) or "database" in row.classes),
    (Reason.SUSPECT, _suspect),
    (Reason.FIRST_TOUCH, lambda row: "first_touch" in row.classes),
    (Reason.SYNC, lambda row: synced(row) and not _sync_known(row)),
    (Reason.SETTINGS, _unstated),
    (Reason.INSTANCE, _unknown_instance),
)
