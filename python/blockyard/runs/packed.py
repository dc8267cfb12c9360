"""The tables of a run as Rust takes them: columns of plain figures, eight bytes each."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# The columns of a table: names once, and figures.
Columns = dict[str, Any]


def tables(intervals: "pa.Table", volumes: "pa.Table", transactions: "pa.Table") -> Columns:
    """All tables of a run, their rows in order of time."""
    import pyarrow as pa

    rows = _in_order(intervals)
    of_volumes = _in_order(volumes)
    counted = _in_order(transactions)
    percents = ("balance_pct", "host_balance_pct")
    return {
        "intervals": {
            "t_s": _figures(rows["t_s"], pa.float64()),
            **{name: _names(rows[name]) for name in ("job", "device", "op")},
            **{name: _figures(rows[name], pa.uint64()) for name in ("ios", "bytes")},
            **{
                name: _figures(rows[name], pa.float64())
                for name in ("latency_mean_us", "queue_depth")
            },
        },
        "volumes": {
            "served": served(of_volumes),
            **{name: _figures(of_volumes[name], pa.float64()) for name in percents},
        },
        "transactions": {
            "t_s": _figures(counted["t_s"], pa.float64()),
            "job": _names(counted["job"]),
            "count": _figures(counted["count"], pa.uint64()),
            "latency_mean_us": _figures(counted["latency_mean_us"], pa.float64()),
        },
    }


def served(volumes: "pa.Table") -> Columns:
    """Of the table of volumes what these served, what IOs waited for, and what limits let pass."""
    import pyarrow as pa
    import pyarrow.compute as pc

    waits, limits, us = _entries(volumes["throttled_us"])
    throttled = pc.greater(us, 0)
    return {
        "t_s": _figures(volumes["t_s"], pa.float64()),
        "volume": _names(volumes["volume"]),
        "ios": _figures(volumes["ios"], pa.uint64()),
        "bytes": _figures(volumes["bytes"], pa.uint64()),
        "waits_us": _by_limit(
            (waits.filter(throttled), limits.filter(throttled), us.filter(throttled)), pa.float64()
        ),
        "rates": _by_limit(_entries(volumes["limits"]), pa.uint64()),
    }


def _in_order(table: "pa.Table") -> "pa.Table":
    """The table with its rows in order of time, as what runs write has them already."""
    import pyarrow.compute as pc

    starts = _whole(table["t_s"])
    if pc.all(pc.less_equal(starts[:-1], starts[1:])).as_py() is not False:
        return table
    return table.sort_by("t_s")


def _entries(column: "pa.ChunkedArray") -> "tuple[pa.Array, pa.Array, pa.Array]":
    """Rows, names and figures of a column of maps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    maps = _whole(column)
    rows = pc.list_parent_indices(pa.ListArray.from_arrays(maps.offsets, maps.items))
    return rows, maps.keys, maps.items


def _by_limit(entries: "tuple[pa.Array, pa.Array, pa.Array]", kind: "pa.DataType") -> Columns:
    import pyarrow as pa

    rows, limits, values = entries
    return {
        "row": _figures(rows, pa.uint64()),
        "limit": _names(limits),
        "value": _figures(values, kind),
    }


def _names(column: Any) -> Columns:
    import pyarrow as pa

    found = _whole(column).dictionary_encode()
    return {
        "names": found.dictionary.to_pylist(),
        "index": _figures(found.indices, pa.uint64()),
    }


def _figures(column: Any, kind: "pa.DataType") -> bytes:
    """The figures of a column in the machine's order; what a row lacks is not a number, or 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    figures = _whole(column).cast(kind)
    if figures.null_count:
        figures = pc.fill_null(figures, math.nan if kind == pa.float64() else 0)
    values = figures.buffers()[1]
    start = 8 * figures.offset
    return bytes(values)[start : start + 8 * len(figures)] if values else b""


def _whole(column: Any) -> Any:
    """A column in one piece."""
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
