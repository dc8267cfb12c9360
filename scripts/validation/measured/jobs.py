"""The load of a row as jobs of a scenario."""

import math
from typing import Any

from validation.measured.loads import buffered_stream, buffered_sync_us, held, in_flight, synced
from validation.measured.rows import Row
from validation.measured.storage import file_mib

# The kernel's read-ahead: a buffered reader has two requests of this size in flight.
READ_AHEAD = 131072
# In flight where a limit held a number that is not stated, and a size that does not matter.
ENOUGH, SMALL = 64, 4096


def jobs_of(row: Row) -> dict[str, Any]:
    """The jobs of a row, by name."""
    load = row.workload
    block = load.block_read if load.rw in {"randread", "read"} else load.block_write
    block = block or load.block_read or load.block_write
    if buffered_sync_us(row):
        block = block or SMALL
    depth, processes = load.iodepth or 1, load.numjobs or 1
    if held(row) and not in_flight(row):
        depth = ENOUGH
    if buffered_stream(row):
        block, depth = READ_AHEAD, 2
    if "serial_engine" in row.flags:
        depth = 1
    made = job(row, block or 0, _read_pct(row), 100 if load.rw.startswith("rand") else 0)
    if load.rate_iops:
        return {"job": made | {"rate": f"{load.rate_iops}/s", "max_outstanding": depth}}
    made["outstanding"] = depth
    if synced(row):
        made |= {"fsync_every": 1, "file_system": load.filesystem}
    if row.volume.layout != "separate":
        return {"job": made | {"processes": processes}}
    shares = [len(range(place, processes, row.volume.count)) for place in range(row.volume.count)]
    return {
        f"job{place}": made | {"on": f"data{place}", "processes": share}
        for place, share in enumerate(shares)
        if share
    }


def job(row: Row, block: int, read_pct: int, random_pct: int) -> dict[str, Any]:
    """A job without what it keeps in flight."""
    size = max(file_mib(row), math.ceil(block / 1048576))
    pattern = {"size": f"{block}B", "read": f"{read_pct}%", "random": f"{random_pct}%"}
    return {"kind": "access_spec", "on": "data", "file_size": f"{size}MiB", "pattern": pattern}


def _read_pct(row: Row) -> int:
    stated = row.workload.read_pct
    if stated is not None:
        return stated
    return {"randread": 100, "read": 100, "randrw": 50, "rw": 50}.get(row.workload.rw, 0)
