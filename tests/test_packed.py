"""Tables as Rust takes them: every figure in its place, however Arrow keeps them."""

import struct

import pyarrow as pa

from blockyard.runs import packed
from blockyard.runs.tables import INTERVALS, TRANSACTIONS, VOLUMES

ROWS = [
    {"t_s": 1.0, "job": "b", "device": "log", "op": "write", "ios": 4, "bytes": 2048,
     "latency_mean_us": None, "queue_depth": None},
    {"t_s": 0.0, "job": "a", "device": "data", "op": "read", "ios": 3, "bytes": 1024,
     "latency_mean_us": 2.5, "queue_depth": 0.5},
    {"t_s": 2.0, "job": "a", "device": "data", "op": "read", "ios": 5, "bytes": 4096,
     "latency_mean_us": 1.5, "queue_depth": None},
]  # fmt: skip


def intervals(*rows: dict[str, object]) -> pa.Table:
    every = [dict.fromkeys(INTERVALS.names) | row for row in rows]
    return pa.Table.from_pylist(every, INTERVALS)


def floats(column: bytes) -> list[float]:
    return list(struct.unpack(f"{len(column) // 8}d", column))


def integers(column: bytes) -> list[int]:
    return list(struct.unpack(f"{len(column) // 8}Q", column))


def of(table: pa.Table) -> packed.Columns:
    found = packed.tables(table, VOLUMES.empty_table(), TRANSACTIONS.empty_table())
    rows: packed.Columns = found["intervals"]
    return rows


def names(column: packed.Columns) -> list[str]:
    return [column["names"][place] for place in integers(column["index"])]


def test_rows_are_in_order_of_time_and_what_they_lack_is_no_number() -> None:
    rows = of(intervals(*ROWS))
    assert floats(rows["t_s"]) == [0.0, 1.0, 2.0]
    assert names(rows["job"]) == ["a", "b", "a"]
    assert integers(rows["ios"]) == [3, 4, 5]
    first, lacking, last = floats(rows["latency_mean_us"])
    assert (first, last) == (2.5, 1.5)
    assert lacking != lacking


def test_tables_in_pieces_are_packed_as_a_whole_and_parts_as_parts() -> None:
    ordered = intervals(*sorted(ROWS, key=lambda row: float(str(row["t_s"]))))
    pieces = pa.concat_tables([ordered.slice(0, 1), ordered.slice(1)])
    assert of(pieces) == of(ordered)
    rows = of(ordered.slice(1))
    assert floats(rows["t_s"]) == [1.0, 2.0]
    assert names(rows["device"]) == ["log", "data"]
    assert integers(rows["bytes"]) == [2048, 4096]


def test_of_tables_without_rows_there_is_nothing() -> None:
    rows = of(INTERVALS.empty_table())
    assert all(column in (b"", {"names": [], "index": b""}) for column in rows.values())
