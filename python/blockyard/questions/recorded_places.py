"""How much of a load goes on where it was, of runs that kept each IO."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from blockyard._core import sequential
from blockyard.fitting.io_records import in_bytes, pieces
from blockyard.questions.demand_window import FLOWS
from blockyard.runs.directory import IO_LOG
from blockyard.runs.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBERS = ["due_ns", "offset", "bytes"]
_PERCENT = 100


def random_percent(run: Run, devices: Mapping[str, str]) -> dict[tuple[str, str], int]:
    """The share of IOs that do not go on where another ended, by device and operation.

    `devices` has the name to use of each device. Empty where single IOs were not kept. Raises
    FileError if their file cannot be used, and OSError.
    """
    path = run.path / IO_LOG if run.path else None
    if path is None or not path.exists():
        return {}
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = list(pieces(path, _NUMBERS))
    if not parts:
        return {}
    # Empty writes only ask for a flush.
    table = pa.Table.from_batches(parts).filter(pc.field("bytes") > 0).sort_by("due_ns")
    counted: dict[tuple[str, str], list[int]] = {}
    for seen, device in devices.items():
        for op in FLOWS:
            own = table.filter((pc.field("device") == seen) & (pc.field("op") == op))
            sums = counted.setdefault((device, op), [0, 0])
            sums[0] += sequential(_column(own, "offset"), _column(own, "bytes"))
            sums[1] += own.num_rows
    return {
        key: round(_PERCENT * (1 - going_on / ios))
        for key, (going_on, ios) in counted.items()
        if ios
    }


def _column(table: "pa.Table", name: str) -> bytes:
    return in_bytes(table[name].combine_chunks(), 8)
