"""Demand by interval as text, from what a run or a table shows: what a `demand` job reads."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from blockyard._core import ScenarioError
from blockyard.formats import loading
from blockyard.questions import described_rest
from blockyard.questions.demand_window import FLOWS, Flow, Window

_COLUMNS = ("at", "reads", "writes", "size")
_HEADER = ",".join(_COLUMNS)


def demand_of(path: str | Path, device: str | None = None) -> str:
    """Give the demand that a file shows, of `device` if it has several.

    The file is a Parquet table with the columns `at`, `reads`, `writes` and `size`, or anything
    that reports read: a run directory, output of sar or iostat. Raises
    ScenarioError, and what `loading.load` does.
    """
    if Path(path).suffix == ".parquet":
        return "\n".join([_HEADER, *_rows_of_table(Path(path))]) + "\n"
    run = loading.load(path)
    window = described_rest.moving(run)
    devices = sorted({device for slot in window.slots for device, _ in slot.flows})
    if device is None and len(devices) > 1:
        raise ScenarioError(
            f"{run.name} has IO on {', '.join(devices)}; say which: --device {devices[0]}"
        )
    wanted = device or devices[0]
    if wanted not in devices:
        raise ScenarioError(f"--device: `{wanted}`; {run.name} has {', '.join(devices)}")
    return "\n".join([_HEADER, *_rows(window, wanted)]) + "\n"


def _rows(window: Window, device: str) -> Iterator[str]:
    """A line for each slot, and one for the idle time between two."""
    end = window.slots[0].start_s
    for slot in window.slots:
        if slot.start_s > end + 1e-6:
            yield f"{_number(end - window.start_s)},0,0,0"
        nothing = Flow(0, 0, None)
        reads, writes = (slot.flows.get((device, op), nothing) for op in FLOWS)
        ios = reads.ios + writes.ios
        size = round((reads.bytes + writes.bytes) / ios) if ios else 0
        rates = [_number(flow.ios / window.length_s) for flow in (reads, writes)]
        yield f"{_number(slot.start_s - window.start_s)},{','.join(rates)},{size}"
        end = slot.start_s + window.length_s


def _rows_of_table(path: Path) -> Iterator[str]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        table = parquet.read_table(path)
    except FileNotFoundError as error:
        raise ScenarioError(f"{path}: no such file") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise ScenarioError(f"{path}: {error}") from error
    missing = [name for name in _COLUMNS if name not in table.column_names]
    if missing:
        raise ScenarioError(f"{path}: no column `{missing[0]}`; expected {', '.join(_COLUMNS)}")
    if table.num_rows == 0:
        raise ScenarioError(f"{path}: no rows; expected one for each interval")
    first, before = None, -math.inf
    for number, row in enumerate(table.select(_COLUMNS).to_pylist()):
        place = f"{path}: row {number}"
        at = _seconds(place, row["at"])
        if at <= before:
            raise ScenarioError(f"{place}: at {row['at']} does not come after the row before")
        first, before = at if first is None else first, at
        yield ",".join(
            [
                _number(at - first),
                *(_number(_amount(place, name, row[name])) for name in _COLUMNS[1:]),
            ]
        )


def _seconds(place: str, at: object) -> float:
    """When a row begins; of a time only the distance to others counts."""
    if isinstance(at, datetime):
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    return _amount(place, "at", at, "expected seconds or a time")


def _amount(
    place: str, name: str, value: object, expected: str = "expected a number from 0 on"
) -> float:
    if value is None and name != "at":
        return 0.0
    if not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ScenarioError(f"{place}: {name} {value}; {expected}")
    return float(value)


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
