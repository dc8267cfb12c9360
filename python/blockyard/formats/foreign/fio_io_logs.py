"""fio's logs with a line for each IO."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from blockyard._core import Histogram
from blockyard.formats.foreign.fio_samples import OPS, Cell, Cells, Samples

LENGTH_S = 1.0
_MS_PER_S = 1_000
_NS_PER_US = 1_000.0


def cells_of(logs: Sequence[Samples], *, latencies: bool) -> Cells:
    """Count the IOs of each second, with exact latencies if the values are latencies."""
    table = pa.concat_tables(log.table for log in logs)
    second = pc.divide(table["ms"], _MS_PER_S)
    table = table.append_column("second", second).sort_by(
        [("second", "ascending"), ("op", "ascending")]
    )
    table = table.set_column(
        1, "value", pc.divide(pc.cast(table["value"], pa.float64()), _NS_PER_US)
    )
    # One thread keeps the order, so that each group is one piece of the table.
    groups = table.group_by(["second", "op"], use_threads=False).aggregate(
        [("value", "count"), ("value", "mean"), ("block", "sum")]
    )
    cells: Cells = {}
    start = 0
    for group in groups.to_pylist():
        ios = group["value_count"]
        cell = Cell(ios, group["block_sum"])
        if latencies:
            values = table["value"].slice(start, ios).to_pylist()
            cell = Cell(
                ios, group["block_sum"], group["value_mean"], Histogram.of(values, [1] * ios)
            )
        cells[OPS[group["op"]], group["second"]] = cell
        start += ios
    return cells
