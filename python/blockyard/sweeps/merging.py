"""Latencies of several runs as one: counts are added, percentiles never averaged."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc


def merged(latencies: pa.Table, combinations: Sequence[int]) -> pa.Table:
    """The latencies of each combination, job and operation, over all of its runs.

    `combinations` says of each row which it is of; those of one follow each other.
    """
    table = latencies.append_column("combination", pa.array(combinations, pa.int64()))
    by = ["combination", "job", "op"]
    total = pc.multiply(table["mean_us"], pc.cast(table["ios"], pa.float64()))
    whole = (
        table.append_column("total_us", total)
        .group_by(by, use_threads=False)
        .aggregate([("ios", "sum"), ("total_us", "sum"), ("max_us", "max"), ("ios", "count")])
    )
    lists: dict[str, list[list[int]]] = {name: [] for name in ("ns", "count")}
    counts = _counts(table, by)
    for row in whole.select(by).to_pylist():
        own = counts[row["combination"], row["job"], row["op"]]
        lists["ns"].append([ns for ns, _ in own])
        lists["count"].append([count for _, count in own])
    of_list = pa.list_(pa.field("element", pa.int64(), nullable=False))
    return pa.table(
        {
            "combination": whole["combination"],
            "job": whole["job"],
            "op": whole["op"],
            "runs": whole["ios_count"],
            "ios": whole["ios_sum"],
            "mean_us": pc.divide(whole["total_us_sum"], pc.cast(whole["ios_sum"], pa.float64())),
            "max_us": whole["max_us_max"],
            "ns": pa.array(lists["ns"], of_list),
            "count": pa.array(lists["count"], of_list),
        }
    )


def _counts(
    table: pa.Table, by: Sequence[str]
) -> dict[tuple[int, str, str], list[tuple[int, int]]]:
    """How often each latency was measured, by combination, job and operation, rising."""
    parents = pc.list_parent_indices(table["ns"])
    flat = pa.table(
        {name: table[name].take(parents) for name in by}
        | {"ns": pc.list_flatten(table["ns"]), "count": pc.list_flatten(table["count"])}
    )
    summed = flat.group_by([*by, "ns"], use_threads=False).aggregate([("count", "sum")])
    found: dict[tuple[int, str, str], list[tuple[int, int]]] = {}
    for row in summed.to_pylist():
        key = (row["combination"], row["job"], row["op"])
        found.setdefault(key, []).append((row["ns"], row["count_sum"]))
    return {key: sorted(counts) for key, counts in found.items()}
