"""The table of volumes as Rust takes it: columns of plain figures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def packed(volumes: "pa.Table") -> dict[str, Any]:
    """The columns: names once, and lists of what stands in rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = volumes.combine_chunks()
    waits, limits, us = _entries(table["throttled_us"])
    throttled = pc.greater(us, 0)
    return {
        "t_s": _bytes(table["t_s"], pa.float64()),
        "volume": _names(table["volume"]),
        "ios": _bytes(table["ios"], pa.uint64()),
        "bytes": _bytes(table["bytes"], pa.uint64()),
        "waits_us": _figures(
            (waits.filter(throttled), limits.filter(throttled), us.filter(throttled)), pa.float64()
        ),
        "rates": _figures(_entries(table["limits"]), pa.uint64()),
    }


def _entries(column: "pa.ChunkedArray") -> "tuple[pa.Array, pa.Array, pa.Array]":
    """Rows, names and figures of a column of maps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    maps = column.combine_chunks()
    rows = pc.list_parent_indices(pa.ListArray.from_arrays(maps.offsets, maps.items))
    return rows, maps.keys, maps.items


def _figures(entries: "tuple[pa.Array, pa.Array, pa.Array]", kind: "pa.DataType") -> dict[str, Any]:
    import pyarrow as pa

    rows, limits, values = entries
    return {
        "row": _bytes(rows, pa.uint64()),
        "limit": _names(limits),
        "value": _bytes(values, kind),
    }


def _names(column: Any) -> dict[str, Any]:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    found = column.dictionary_encode()
    return {
        "names": found.dictionary.to_pylist(),
        "index": _bytes(found.indices, pa.uint64()),
    }


def _bytes(column: Any, kind: "pa.DataType") -> bytes:
    """The figures of a column in the machine's order, eight bytes each."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    figures = column.cast(kind)
    values = figures.buffers()[1]
    start = 8 * figures.offset
    return bytes(values)[start : start + 8 * len(figures)] if values else b""
