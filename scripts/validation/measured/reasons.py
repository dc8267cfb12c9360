"""Why a row is not compared with the model: the first of these that holds."""

from collections.abc import Callable
from enum import Enum

from validation.measured.loads import (
    buffered_stream,
    buffered_sync_us,
    held,
    in_flight,
    synced,
    transactions,
)
from validation.measured.rows import Row


class Reason(Enum):
    """A reason, as the pages put it."""

    PROVIDER = "another provider's volumes"
    DATABASE = "a database or an application, whose load is not stated"
    SUSPECT = "reads or writes answered by a cache, or of blocks never written"
    SETTINGS = "settings of volume or load not stated"
    SYNC = "a sync after each write, its file system or latency not stated"
    NOTHING = "no figure that can be compared"
    ENGINE = "a database engine that is not modelled"
    FIRST_TOUCH = "first touch of a new volume's blocks, not modelled"
    INSTANCE = "throttled by an instance whose limits the catalog lacks"
    CATALOG = "local disks whose IOPS the catalog lacks"

    @property
    def refused(self) -> bool:
        """Whether the row is valid: it states all that a model needs, and this one has no answer.

        Where coverage counts as accuracy it is an error of 100 %.
        """
        return self in {Reason.ENGINE, Reason.FIRST_TOUCH, Reason.INSTANCE, Reason.CATALOG}


# Rows of these classes and flags show something else than the storage that they name.
SUSPECT_CLASSES = {"suspect_reads", "suspect_writes"}
SUSPECT_FLAGS = {"server_cache", "host_cache", "unwritten", "above_limit"}
# What the rest of the translation can say as jobs.
LOADS = {"randread", "randwrite", "randrw", "read", "write", "rw", "capacity", "map", "tpcc"}


def reason_of(row: Row) -> Reason | None:
    """Why the model cannot be asked what the row measured; None if it can."""
    return next((reason for reason, holds in _RULES if holds(row)), None)


def _database(row: Row) -> bool:
    database = bool(row.results.db) or "database" in row.classes
    return database and not transactions(row)


def _sync_known(row: Row) -> bool:
    writes = row.results.write
    known = writes is not None and (writes.lat_us.get("mean") or row.workload.sync == "dsync")
    known = bool(known) or buffered_sync_us(row) is not None
    return known and row.workload.filesystem in {"ext4", "xfs"}


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
    if not (buffered_stream(row) or transactions(row)) and not _load_stated(row):
        return True
    return not _size_follows(row)


def _load_stated(row: Row) -> bool:
    """Whether the size of IOs and their number in flight are stated, or do not matter."""
    load = row.workload
    # At a limit enough are in flight, and with a rate that is held it needs no number.
    number = in_flight(row) or load.rate_iops or held(row)
    # A write and its sync take as long for any size up to a profile's smallest.
    size = load.block_read or load.block_write or buffered_sync_us(row)
    return bool(number and size)


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
    (Reason.DATABASE, _database),
    (Reason.ENGINE, lambda row: transactions(row) and row.workload.engine != "innodb"),
    (Reason.SUSPECT, _suspect),
    (Reason.FIRST_TOUCH, lambda row: "first_touch" in row.classes),
    (Reason.SYNC, lambda row: synced(row) and not _sync_known(row)),
    (Reason.SETTINGS, _unstated),
    (Reason.INSTANCE, _unknown_instance),
)
