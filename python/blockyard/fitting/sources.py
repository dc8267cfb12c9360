"""Where measurements come from: runs by intervals, and records of single IOs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from blockyard._core import FileError, Measurements
from blockyard.fitting import io_records, run_intervals
from blockyard.fitting.io_records import FioLogs, IoRecords
from blockyard.fitting.run_intervals import RunIntervals
from blockyard.formats.foreign import fio_logs
from blockyard.formats.foreign.observations import DEVICE
from blockyard.formats.loading import load_all
from blockyard.runs.directory import IO_LOG
from blockyard.runs.run import Run


class Source(Protocol):
    """Something that was measured."""

    @property
    def name(self) -> str:
        """What errors and notes call it."""

    def devices(self) -> dict[str, str]:
        """The devices that it has IO on, and where each of them lies, if it says."""

    def add(self, measurements: Measurements, device: str) -> list[str]:
        """Add what was measured on a device; give what a reader must know of it."""


def of(path: Path) -> list[Source]:
    """What a file or a folder has.

    Raises FileError for what cannot be used, and OSError.
    """
    if path.is_file() and io_records.is_record(path):
        return [IoRecords(path, None)]
    if not (path.is_dir() and (path / "result.json").exists()):
        logs = fio_logs.each_io(path)
        if logs:
            return [FioLogs(path, logs)]
    return [of_run(run) for run in load_all(path)]


def of_run(run: Run, until_s: float | None = None) -> Source:
    """What a run has, all of it or up to a moment."""
    records = run.path / IO_LOG if run.path else None
    if records and (run.scenario or run.result.get("observed")) and records.exists():
        return IoRecords(records, run, until_s)
    return RunIntervals(run if until_s is None else run_intervals.begin(run, until_s))


def device_of(found: Sequence[Source], wanted: str | None) -> str:
    """The device that is meant: the one that has IO, or the one that is `wanted`.

    fio's logs name none, so theirs is any. Raises FileError if there are several.
    """
    names: dict[str, str] = {}
    places: dict[str, dict[str, str]] = {}
    for source in found:
        for device, place in source.devices().items():
            names.setdefault(device, source.name)
            if place:
                places.setdefault(device, {}).setdefault(place, source.name)
    known = [name for name in names if name != DEVICE] or list(names)
    if not known:
        raise FileError(f"{found[0].name}: no read or write in it")
    if wanted is not None and wanted not in known:
        raise FileError(f"--device: `{wanted}`; expected {' or '.join(known)}")
    if wanted is None and len(known) > 1:
        seen = ", ".join(f"{name} ({names[name]})" for name in known)
        raise FileError(f"IO on several devices: {seen}; choose one with --device")
    chosen = wanted or known[0]
    where = places.get(chosen, {})
    if len(where) > 1:
        seen = ", ".join(f"{place} ({name})" for place, name in where.items())
        raise FileError(f"`{chosen}` is not the same everywhere: {seen}")
    return chosen
