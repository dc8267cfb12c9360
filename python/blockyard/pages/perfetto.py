"""A run as a trace for Perfetto's viewer: counters, limits, and slices for what took time.

The format is TrackEvent, by Perfetto's own library, which the extra `trace` brings.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from blockyard.runs.new_folder import new_file
from blockyard.runs.run import Run
from blockyard.text.limit_names import host, host_by_volume, possessive
from blockyard.types.result import Cycle

# All packets come from one writer.
_WRITER = 1

# The phases of a write-daemon cycle in their order; updates are held during the first.
_PHASES = (
    "list of blocks, updates held",
    "WIJ",
    "journal",
    "database",
    "clearing the WIJ",
)


def write(run: Run, path: Path) -> None:
    """Write a new file. Raises OSError, and ImportError without the extra."""
    from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

    with new_file(path) as file:
        tracks = _Tracks(StreamingTraceProtoBuilder(file), file)
        root = tracks.new(run.name, None)
        _devices(run, tracks, root)
        _volumes(run, tracks, root)
        _steps(run, tracks, root)
        _cycles(run, tracks, root)
        if events := run.result.get("events"):
            track = tracks.new("events", root)
            for event in events:
                tracks.instant(track, event["t_s"], event["what"])


class _Tracks:
    """Writes packets; tracks are numbered as they come."""

    def __init__(self, builder: Any, file: BinaryIO) -> None:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent

        self._builder = builder
        self._file = file
        self._type = TrackEvent
        self._last = 0

    def new(self, name: str, parent: int | None, *, unit: str | None = None) -> int:
        """A track below `parent`; one of a counter if it has a unit."""
        self._last += 1
        packet = self._packet(0)
        packet.track_descriptor.uuid = self._last
        packet.track_descriptor.name = name
        if parent is not None:
            packet.track_descriptor.parent_uuid = parent
        if unit is not None:
            packet.track_descriptor.counter.unit_name = unit
        self._builder.write_packet(packet)
        return self._last

    def counter(self, track: int, t_s: float, value: float) -> None:
        packet = self._event(track, t_s, self._type.TYPE_COUNTER)
        packet.track_event.double_counter_value = value
        self._builder.write_packet(packet)

    def piece(self, track: int, start_s: float, end_s: float, name: str) -> None:
        """A slice; those of one track are told in the order of their begins."""
        packet = self._event(track, start_s, self._type.TYPE_SLICE_BEGIN)
        packet.track_event.name = name
        self._builder.write_packet(packet)
        self._builder.write_packet(self._event(track, end_s, self._type.TYPE_SLICE_END))

    def instant(self, track: int, t_s: float, name: str) -> None:
        packet = self._event(track, t_s, self._type.TYPE_INSTANT)
        packet.track_event.name = name
        self._builder.write_packet(packet)

    def _event(self, track: int, t_s: float, kind: int) -> Any:
        packet = self._packet(t_s)
        packet.track_event.type = kind
        packet.track_event.track_uuid = track
        return packet

    def _packet(self, t_s: float) -> Any:
        packet = self._builder.create_packet()
        packet.timestamp = round(t_s * 1e9)
        packet.trusted_packet_sequence_id = _WRITER
        return packet


def _devices(run: Run, tracks: _Tracks, root: int) -> None:
    """IOPS, throughput, latency and queue depth of each job on each device."""
    figures = (("IOPS", "IOPS"), ("throughput", "MiB/s"), ("p99", "ms"), ("queue depth", "IOs"))
    places: dict[str, int] = {}
    series: dict[tuple[str, str, str], list[int]] = {}
    for row, length_s in _lengths(run.intervals.to_pylist()):
        key = (row["device"], row["job"], row["op"])
        if row["device"] not in places:
            places[row["device"]] = tracks.new(row["device"], root)
        if key not in series:
            series[key] = [
                tracks.new(f"{row['job']} {row['op']} {figure}", places[row["device"]], unit=unit)
                for figure, unit in figures
            ]
        p99_us = row["latency_p99_us"]
        values = (
            row["ios"] / length_s,
            row["bytes"] / length_s / 2**20,
            None if p99_us is None else p99_us / 1000,
            row["queue_depth"],
        )
        for track, value in zip(series[key], values, strict=True):
            if value is not None:
                tracks.counter(track, row["t_s"], value)


def _volumes(run: Run, tracks: _Tracks, root: int) -> None:
    """What volumes were granted, their limits in force and what these throttled, and credits."""
    known: dict[tuple[str, str], int] = {}

    def count(volume: str, name: str, unit: str, t_s: float, value: float) -> None:
        if (volume, "") not in known:
            known[volume, ""] = tracks.new(volume, root)
        if (volume, name) not in known:
            known[volume, name] = tracks.new(name, known[volume, ""], unit=unit)
        tracks.counter(known[volume, name], t_s, value)

    hosts = host_by_volume(run.facts)
    for row, length_s in _lengths(run.volumes.to_pylist()):
        volume, t_s = row["volume"], row["t_s"]
        count(volume, "IOPS granted", "IOPS", t_s, row["ios"] / length_s)
        for limit, value in row["limits"]:
            count(volume, f"limit: {limit}", "1/s", t_s, value)
        for limit, throttled_us in row["throttled_us"]:
            count(volume, f"throttled by {limit}", "ms", t_s, throttled_us / 1000)
        if row["balance_pct"] is not None:
            count(volume, "burst balance", "%", t_s, row["balance_pct"])
        if row["host_balance_pct"] is not None:
            whose = possessive(hosts.get(volume, host(None)))
            count(volume, f"{whose} burst balance", "%", t_s, row["host_balance_pct"])


def _lengths(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], float]]:
    """Each row with the length of its interval, which the next one's begin tells."""
    rows = list(rows)
    starts = sorted({row["t_s"] for row in rows})
    lengths = {start: end - start for start, end in pairwise(starts)}
    usual = max(lengths.values(), default=1.0)
    return ((row, lengths.get(row["t_s"], usual)) for row in rows)


def _steps(run: Run, tracks: _Tracks, root: int) -> None:
    steps = {
        (step["job"], step["from_s"]): (step["to_s"], step["processes"], step["rate"])
        for step in run.result["steps"]
    }
    jobs = {job: tracks.new(f"{job} load", root) for job in dict.fromkeys(job for job, _ in steps)}
    for (job, from_s), (to_s, processes, rate) in sorted(steps.items()):
        load = f"{processes} processes" if processes is not None else f"{rate} IOs/s"
        tracks.piece(jobs[job], from_s, to_s, load)


def _cycles(run: Run, tracks: _Tracks, root: int) -> None:
    """A slice for each write-daemon cycle, over slices of its phases."""
    cycles: defaultdict[str, list[Cycle]] = defaultdict(list)
    for cycle in run.result["cycles"]:
        cycles[cycle["job"]].append(cycle)
    for job, its in cycles.items():
        whole = tracks.new(f"{job} cycles", root)
        phases = tracks.new(f"{job} phases", root)
        for number, cycle in enumerate(its, 1):
            tracks.piece(whole, cycle["start_s"], cycle["end_s"], f"cycle {number}")
            for name, (start_s, end_s) in zip(_PHASES, pairwise(_ends(cycle)), strict=True):
                if end_s > start_s:
                    tracks.piece(phases, start_s, end_s, name)


def _ends(cycle: Cycle) -> list[float]:
    """When a cycle began, and when each of its phases ended, in seconds of the run."""
    return [
        cycle["start_s"],
        cycle["listed_s"],
        cycle["wij_done_s"],
        cycle["journal_done_s"],
        cycle["database_done_s"],
        cycle["end_s"],
    ]
