"""The text of a scenario that generates a timeline's load."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from blockyard.formats.fio.load import Stream
from blockyard.formats.fio.timeline import Timeline, Track, named

GIB = 1 << 30
MIB = 1 << 20
SIZES = {"TiB": 1 << 40, "GiB": GIB, "MiB": MIB, "KiB": 1 << 10, "B": 1}
TIMES = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000}


def lines_of(
    timeline: Timeline, *, name: str, seed: int, assumptions: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines of a scenario whose storage is just large enough for the files."""
    devices = _devices([track.stream for track in timeline.tracks])
    yield f"name: {name}"
    if assumptions:
        yield "assumptions:"
    for option, why in assumptions.items():
        yield f"  {option}: {json.dumps(why, ensure_ascii=False)}"
    yield f"seed: {seed}"
    if timeline.warmup:
        yield f"warmup: {_time(timeline.warmup)}"
    yield f"duration: {_time(timeline.duration)}"
    if timeline.interval and timeline.interval < TIMES["s"]:
        yield f"interval: {_time(timeline.interval)}"
    yield "storage:"
    for fio_name, device in devices.items():
        streams = [track.stream for track in timeline.tracks]
        # Files begin at whole MiB.
        sizes = [stream.size + MIB for stream in streams if stream.device == fio_name]
        size = -(-sum(sizes) // GIB)
        yield f"  {device}: {{type: gp3, size: {size}GiB}}" + (f" # {fio_name}" if fio_name else "")
    yield "workload:"
    for track in timeline.tracks:
        yield from _job(track, devices[track.stream.device])


def _devices(streams: list[Stream]) -> dict[str, str]:
    """Name a device for each file, or for each folder of files without a name."""
    devices: dict[str, str] = {}
    for stream in streams:
        if stream.device not in devices:
            plain = named(Path(stream.device).stem) if stream.device else "data"
            taken = list(devices.values())
            numbered = [plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 2))]
            devices[stream.device] = next(name for name in numbered if name not in taken)
    return devices


def _job(track: Track, device: str) -> Iterator[str]:
    stream, pattern = track.stream, track.stream.pattern
    closed = stream.arrivals is None
    reads = closed and stream.in_flight == 1 and pattern.read == pattern.random == 1000
    ranread = reads and track.amount is None
    keys: dict[str, str | list[str]] = {
        "kind": "ranread" if ranread else "access_spec",
        "on": device,
        "file_size": _size(stream.size),
    }
    if ranread:
        keys["block"] = _size(pattern.block)
    else:
        keys["pattern"] = (
            f"{{size: {_size(pattern.block)}, read: {pattern.read / 10:g}%, "
            f"random: {pattern.random / 10:g}%}}"
        )
    if pattern.skew:
        keys["skew"] = pattern.skew
    if stream.fsync_every:
        keys["fsync_every"] = str(stream.fsync_every)
    if stream.read_ahead:
        keys["read_ahead"] = _size(stream.read_ahead)
    if stream.arrivals:
        keys |= {"arrivals": stream.arrivals, "max_outstanding": str(stream.in_flight)}
    elif not (ranread or stream.read_ahead):
        keys["outstanding"] = str(stream.in_flight)
    keys |= _load(track, closed=closed)
    if track.amount is not None:
        keys["amount"] = _size(track.amount)
    yield f"  {track.name}:"
    yield from _lines(keys)


def _load(track: Track, *, closed: bool) -> dict[str, str | list[str]]:
    name, unit = ("processes", "") if closed else ("rate", "/s")
    if len(track.steps) == 1:
        return {name: f"{track.steps[0][1]}{unit}"}
    steps = [f"{{at: {_time(at)}, {name}: {amount}{unit}}}" for at, amount in track.steps]
    return {"schedule": steps}


def _lines(keys: Mapping[str, str | list[str]]) -> Iterator[str]:
    for key, value in keys.items():
        if isinstance(value, str):
            yield f"    {key}: {value}"
        else:
            yield f"    {key}:"
            yield from (f"      - {item}" for item in value)


def _size(size: int) -> str:
    return _in_units(size, SIZES)


def _time(time: int) -> str:
    return _in_units(time, TIMES) if time else "0s"


def _in_units(amount: int, units: Mapping[str, int]) -> str:
    """Write an amount in the largest unit of which it is a whole multiple."""
    unit = next((unit for unit, factor in units.items() if amount % factor == 0), "")
    return f"{amount // units[unit]}{unit}"
