"""Records of single IOs: `ios.csv`, and fio's logs of each IO."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard._core import FileError, Measurements
from blockyard.fitting import origin
from blockyard.formats.foreign.fio_samples import Samples
from blockyard.formats.foreign.observations import DEVICE
from blockyard.runs.run import Run
from blockyard.types.result import LostEvents

if TYPE_CHECKING:
    import pyarrow as pa

_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000
_FIRST = b"issued_ns,"
_NUMBERS = ["issued_ns", "bytes", "completed_ns"]
_WORDS = ["device", "op"]
_OPS = ["read", "write"]


def is_record(path: Path) -> bool:
    """Whether a file begins as `ios.csv` does."""
    with path.open("rb") as file:
        return file.read(len(_FIRST)) == _FIRST


@dataclass(frozen=True)
class IoRecords:
    """An `ios.csv`, of a run if that is known."""

    path: Path
    run: Run | None
    # Those that completed later are left out.
    until_s: float | None = None

    @property
    def name(self) -> str:
        """What errors and notes call it."""
        return str(self.path)

    def devices(self) -> dict[str, str]:
        """The devices that it has IO on, and where each of them lies, if it says."""
        import pyarrow.compute as pc

        if self.run:
            return origin.devices(self.run)
        names = [
            name for piece in pieces(self.path, _NUMBERS) for name in pc.unique(piece["device"])
        ]
        return {name.as_py(): "" for name in dict.fromkeys(names)}

    def add(self, measurements: Measurements, device: str) -> list[str]:
        """Add what was measured on a device; give what a reader must know of it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for piece in pieces(self.path, _NUMBERS):
            ours = pc.and_(
                pc.equal(piece["device"], device),
                pc.and_(pc.is_in(piece["op"], pa.array(_OPS)), pc.is_valid(piece["completed_ns"])),
            )
            ios = piece.filter(ours)
            if self.until_s is not None:
                ios = ios.filter(pc.less(ios["completed_ns"], round(self.until_s * _NS_PER_S)))
            latency = pc.subtract(ios["completed_ns"], ios["issued_ns"])
            _check(self.path, latency, "completed before it was issued")
            _check(self.path, ios["issued_ns"], "issued before the run began")
            _add(
                measurements, ios["issued_ns"], latency, ios["bytes"], pc.equal(ios["op"], "write")
            )
        notes = origin.notes(self.run) if self.run else []
        return notes + _ended(measurements, self.name, origin.lost(self.run) if self.run else [])


@dataclass(frozen=True)
class FioLogs:
    """Logs of fio with a line for each IO."""

    path: Path
    logs: Sequence[Samples]

    @property
    def name(self) -> str:
        """What errors and notes call it."""
        return str(self.path)

    def devices(self) -> dict[str, str]:
        """The devices that it has IO on, and where each of them lies, if it says."""
        return {DEVICE: ""}

    def add(self, measurements: Measurements, device: str) -> list[str]:  # noqa: ARG002
        """Add what was measured, on whatever device; give what a reader must know of it."""
        import pyarrow.compute as pc

        for log in self.logs:
            for piece in log.table.to_batches():
                ios = piece.filter(pc.less(piece["op"], len(_OPS)))
                end = pc.multiply(ios["ms"], _NS_PER_MS)
                issued = pc.max_element_wise(pc.subtract(end, ios["value"]), 0)
                _add(measurements, issued, ios["value"], ios["block"], pc.equal(ios["op"], 1))
        return _ended(measurements, self.name)


def pieces(path: Path, numbers: Sequence[str]) -> Iterator["pa.RecordBatch"]:
    """The columns of numbers that are needed, `device` and `op`, a piece at a time.

    Raises FileError if it has others.
    """
    import pyarrow as pa
    import pyarrow.csv

    types = dict.fromkeys(numbers, pa.int64()) | dict.fromkeys(_WORDS, pa.string())
    options = pyarrow.csv.ConvertOptions(
        column_types=types, include_columns=[*numbers, *_WORDS], strings_can_be_null=False
    )
    path.open("rb").close()
    try:
        with pyarrow.csv.open_csv(path, convert_options=options) as found:
            yield from found
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        said = " ".join(str(error).split())
        expected = f"expected an ios.csv, with the column {numbers[-1]}"
        raise FileError(f"{path}: {said}; {expected}") from error


def _check(path: Path, column: "pa.Array", problem: str) -> None:
    import pyarrow.compute as pc

    least = pc.min(column).as_py()
    if least is not None and least < 0:
        raise FileError(f"{path}: an IO that was {problem}")


def _add(
    measurements: Measurements,
    issued: "pa.Array",
    latency: "pa.Array",
    sizes: "pa.Array",
    writes: "pa.Array",
) -> None:
    import pyarrow as pa

    start, took, size = (in_bytes(it.cast(pa.int64()), 8) for it in (issued, latency, sizes))
    measurements.add_ios(start, took, size, in_bytes(writes.cast(pa.uint8()), 1))


def in_bytes(column: "pa.Array", width: int) -> bytes:
    """A column without nulls, as Rust takes it; of values of so many bytes."""
    if not len(column):
        return b""
    held = memoryview(column.buffers()[1])
    return bytes(held[column.offset * width : (column.offset + len(column)) * width])


def _ended(measurements: Measurements, name: str, lost: Sequence[LostEvents] = ()) -> list[str]:
    times = [(round(span["from_s"] * _NS_PER_S), round(span["to_s"] * _NS_PER_S)) for span in lost]
    left_out = measurements.end_record(times)
    return [f"{name}: the last {left_out:,} IOs are left out: too many"] if left_out else []
