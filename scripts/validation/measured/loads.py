"""What kind of load a row had, as far as that decides how it becomes a scenario."""

from validation.measured.rows import Row

# Classes of rows in which a limit held the load.
SATURATED = {"saturated_iops", "saturated_throughput", "capacity"}
LEAST_OVER_PCT = -2.0
# A sync that took no more did nothing, if the device saw hardly more than the job's own writes.
NO_SYNC_US, ALL_WRITES = 1.0, 1.01


def held(row: Row) -> bool:
    """Whether a limit held the load: by its class, unless its rate was clearly below the limit."""
    over = row.derived.get("rate_over_limit_pct")
    below = isinstance(over, float | int) and over < LEAST_OVER_PCT
    return bool(SATURATED & set(row.classes)) and not below


def buffered_stream(row: Row) -> bool:
    """Whether it reads in sequence through the page cache."""
    return row.workload.rw == "read" and row.workload.direct is False


def synced(row: Row) -> bool:
    """Whether each write was followed by a sync that wrote something."""
    return row.workload.sync in {"dsync", "fdatasync", "fsync"} and not _sync_wrote_nothing(row)


def buffered_sync_us(row: Row) -> float | None:
    """How long a sync took that wrote what the page cache had: the write's time is in it."""
    took = row.results.sync_us.get("mean")
    buffered = synced(row) and row.workload.direct is False
    return took if buffered and isinstance(took, float | int) else None


def transactions(row: Row) -> bool:
    """Whether it is of Percona's series, whose engine, settings and data are published."""
    return row.workload.tool == "sysbench-tpcc"


def in_flight(row: Row) -> bool:
    """Whether it is stated how many IOs were in flight."""
    return row.workload.iodepth is not None and row.workload.numjobs is not None


def _sync_wrote_nothing(row: Row) -> bool:
    writes, seen = row.results.write, row.results.device.get("writes")
    took = row.results.sync_us.get("mean")
    if writes is None or not writes.total_ios:
        return False
    if not isinstance(seen, float | int) or not isinstance(took, float | int):
        return False
    return took <= NO_SYNC_US and seen <= ALL_WRITES * writes.total_ios
