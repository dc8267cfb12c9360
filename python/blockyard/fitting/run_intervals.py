"""Runs by intervals, with a histogram of each."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypedDict

from blockyard._core import FileError, Measurements, data_writes
from blockyard.fitting import origin
from blockyard.formats.foreign.observations import DEVICE
from blockyard.runs.run import Percentiles, Run
from blockyard.types.result import Result, Total

_OPS = ("read", "write")
# Half a bucket of our histograms, and fio's bins.
_ERROR = 0.0005
_FIO_ERROR = 0.016
# An open loop's latencies count from when IOs were due. If they were issued later by more than
# this share of the mean, they say little of the storage.
_LAG = 0.01


class Series(TypedDict):
    """What one job did on a device with one operation, an interval in each place."""

    tag: str
    write: bool
    # None if sizes differ, or latencies are not the storage's.
    size: int | None
    ios: list[int]
    bytes: list[int]
    latency_mean_us: list[float | None]
    # Of the whole run; empty where histograms are known.
    percentiles: Percentiles


@dataclass(frozen=True)
class RunIntervals:
    """A run of a run directory, or what a file of fio says."""

    run: Run

    @property
    def name(self) -> str:
        """What errors and notes call it."""
        return str(self.run.path or self.run.name)

    def devices(self) -> dict[str, str]:
        """The devices that it has IO on, and where each of them lies, if it says."""
        return origin.devices(self.run)

    def add(self, measurements: Measurements, device: str) -> list[str]:
        """Add what was measured on a device; give what a reader must know of it."""
        notes = origin.notes(self.run)
        totals = [
            total
            for total in self.run.result["totals"]
            if total["device"] in (device, DEVICE) and total["op"] in _OPS and total["ios"]
        ]
        if not totals:
            return [f"{self.name}: no IO on {device}"]
        self._check(totals)
        edges, series = self._intervals(totals)
        if len(edges) == 2:
            notes.append(f"{self.name} has no intervals: a limit may have throttled all of it")
        for one in series:
            if one["size"] is None:
                what = self._unlike(one)
                said = f"{self.name}: {one['tag']} has {what}; its latencies are not taken"
                observed = self.run.result["mode"] == "observe"
                notes.append(said + (": observe with --io-log" if observed else ""))
        error = _FIO_ERROR if self.run.result["mode"] == "fio" else _ERROR
        measurements.add_run(edges, series, self.run.latencies, error)
        return notes

    def _unlike(self, one: Series) -> str:
        """Why the latencies of a series cannot be taken."""
        if self._lags(one["tag"]):
            return "IOs issued late"
        device = one["tag"].rsplit(".", 2)[1]
        empty = one["write"] and origin.mixes_empty_writes(self.run, device)
        return "flush requests among them" if empty else "sizes that differ"

    def _check(self, totals: Sequence[Total]) -> None:
        """Check that the latencies are known: as histograms, or as percentiles of the whole run."""
        tags = {*map(_tag, totals)}
        if tags & {*self.run.latencies.tags}:
            return
        if not tags & self.run.percentiles.keys() or len(self.run.intervals):
            raise FileError(
                f"{self.name}: no histograms or percentiles of latencies; fio writes them with "
                "--output-format=json+, or --write_lat_log"
            )

    def _intervals(self, totals: Sequence[Total]) -> tuple[list[float], list[Series]]:
        tags = {_tag(total): total for total in totals}
        rows: dict[str, dict[float, Mapping[str, object]]] = {tag: {} for tag in tags}
        starts: set[float] = set()
        for row in self.run.intervals.select(
            ["t_s", "job", "device", "op", "ios", "bytes", "latency_mean_us"]
        ).to_pylist():
            starts.add(row["t_s"])
            tag = f"{row['job']}.{row['device']}.{row['op']}"
            if tag in rows:
                rows[tag][row["t_s"]] = row
        if not starts:
            starts = {0.0}
            rows = {tag: {0.0: _whole(total)} for tag, total in tags.items()}
        edges = sorted(starts)
        end = self.run.result["duration_s"]
        step = min((after - at for at, after in pairwise(edges)), default=end)
        series = [self._series(tag, tags[tag], rows[tag], edges) for tag in tags]
        # Foreign runs may end within the last interval; one of no length is none.
        last = end if end > edges[-1] else edges[-1] + step
        return [*edges, last], series

    def _series(
        self,
        tag: str,
        total: Total,
        rows: Mapping[float, Mapping[str, object]],
        edges: Sequence[float],
    ) -> Series:
        ios = [_number(rows, at, "ios") for at in edges]
        moved = [_number(rows, at, "bytes") for at in edges]
        size = total["bytes"] // total["ios"]
        even = all(part == count * size for count, part in zip(ios, moved, strict=True))
        if total["op"] == "write" and origin.mixes_empty_writes(self.run, total["device"]):
            even, ios = False, self._with_data(total["device"], ios, moved, edges)
        known = self.run.latencies.tags
        means = [rows.get(at, {}).get("latency_mean_us") for at in edges]
        return Series(
            tag=tag,
            write=total["op"] == "write",
            size=size if even and not self._lags(tag) else None,
            ios=ios,
            bytes=moved,
            latency_mean_us=[mean if isinstance(mean, float) else None for mean in means],
            percentiles=[] if tag in known else self.run.percentiles.get(tag, []),
        )

    def _with_data(
        self, device: str, ios: Sequence[int], moved: Sequence[int], edges: Sequence[float]
    ) -> list[int]:
        """Writes without those that only ask for a flush, which no volume counts."""
        counted: dict[float, int] = {
            row["t_s"]: row["ios"]
            for row in self.run.volumes.select(["t_s", "volume", "ios"]).to_pylist()
            if row["volume"] == device
        }
        flushes: dict[float, int] = {}
        for row in self.run.intervals.select(["t_s", "device", "op", "ios"]).to_pylist():
            at = row["t_s"]
            if row["device"] == device and row["op"] == "read" and at in counted:
                counted[at] = max(0, counted[at] - row["ios"])
            if row["device"] == device and row["op"] == "flush":
                flushes[at] = row["ios"]
        return [
            data_writes((count, part), flushes.get(at, 0), counted.get(at))
            for at, count, part in zip(edges, ios, moved, strict=True)
        ]

    def _lags(self, tag: str) -> bool:
        """Whether a series' IOs were issued later than they were due, so that latency has both."""
        for total in self.run.result["totals"]:
            for loop in self.run.result["open_loop"]:
                lag, latency = loop.get("lag_us"), total.get("latency_us")
                if _tag(total) == tag and loop["job"] == total["job"] and lag and latency:
                    return lag["mean"] > _LAG * latency["mean"]
        return False


def begin(run: Run, until_s: float) -> Run:
    """A run up to a moment."""
    import pyarrow.compute as pc

    intervals = run.intervals.filter(pc.less(run.intervals["t_s"], until_s))
    sums = intervals.group_by(["job", "device", "op"]).aggregate([("ios", "sum"), ("bytes", "sum")])
    done = {_tag(row): row for row in sums.to_pylist()}
    totals = [
        Total(**{**total, "ios": row["ios_sum"], "bytes": row["bytes_sum"]})
        for total in run.result["totals"]
        if (row := done.get(_tag(total)))
    ]
    result = Result(**{**run.result, "totals": totals, "duration_s": until_s})
    return dataclasses.replace(run, intervals=intervals, result=result)


def _tag(total: Mapping[str, object]) -> str:
    return f"{total['job']}.{total['device']}.{total['op']}"


def _number(rows: Mapping[float, Mapping[str, object]], at: float, column: str) -> int:
    found = rows.get(at, {}).get(column, 0)
    return found if isinstance(found, int) else 0


def _whole(total: Total) -> dict[str, object]:
    latency = total.get("latency_us")
    mean = latency["mean"] if latency else None
    return {"ios": total["ios"], "bytes": total["bytes"], "latency_mean_us": mean}
