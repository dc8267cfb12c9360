"""The lines of fio's logs.

A log contains either each IO or means over windows: fio sets the block size of a mean to 0.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from blockyard._core import Histogram
from blockyard.formats.foreign.error import ForeignError, unexpected

OPS = ["read", "write", "trim"]

# More columns may follow.
_COLUMNS = {"ms": "time", "value": "value", "op": "direction", "block": "block size"}
# The names that pyarrow gives columns without a heading.
_GIVEN = [f"f{place}" for place in range(len(_COLUMNS))]
_MOST = 2**50


@dataclass(frozen=True)
class Samples:
    """The columns ms, value, op and block of one log."""

    table: pa.Table

    @property
    def averaged(self) -> bool:
        """Whether the values are means over windows."""
        return not pc.max(self.table["block"]).as_py()

    @property
    def last_ms(self) -> int:
        """Return the time of the last line."""
        return int(pc.max(self.table["ms"]).as_py())


@dataclass(frozen=True)
class Cell:
    """What was done in an interval."""

    ios: int
    bytes: int
    # None where the logs do not say.
    mean_us: float | None = None
    histogram: Histogram | None = None


# Cells by operation and number of the interval.
Cells = dict[tuple[str, int], Cell]


def samples(path: Path, origin_ms: int) -> Samples:
    """Read a log of latencies, IOs or bandwidth, with times since `origin_ms`.

    Raises ForeignError if it is no such log, and OSError.
    """
    try:
        table = _read(path, threads=True)
    except pa.ArrowException:
        table = _found(path)
    for column, meaning in _COLUMNS.items():
        most = len(OPS) - 1 if meaning == "direction" else _MOST
        within = pc.and_(pc.greater_equal(table[column], 0), pc.less_equal(table[column], most))
        row = pc.index(within, False).as_py()
        if row >= 0:
            value = table[column][row].as_py()
            raise unexpected(f"{path}:{row + 1}", value, f"a {meaning} of 0 to {most}")
    since = pc.max_element_wise(pc.subtract(table["ms"], origin_ms), 0)
    return Samples(table.set_column(0, "ms", since))


def _read(path: Path, *, threads: bool) -> pa.Table:
    table = pyarrow.csv.read_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=True, use_threads=threads),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(_GIVEN, pa.int64()),
            include_columns=_GIVEN,
            null_values=[],
        ),
    )
    return table.rename_columns(list(_COLUMNS))


def _found(path: Path) -> pa.Table:
    """Read again with one thread, since only then do errors name the row."""
    try:
        return _read(path, threads=False)
    except pa.ArrowException as error:
        said = " ".join(str(error).split())
        row = re.search(r"Row #(\d+)", said)
        value = re.search(r"invalid value '(.*)'$", said)
        place = f"{path}:{row[1]}" if row else path
        if value:
            raise unexpected(place, value[1], "a whole number") from error
        expected = "time, value, direction and block size, as a log of fio has them"
        raise ForeignError(place, f"expected {expected}") from error
