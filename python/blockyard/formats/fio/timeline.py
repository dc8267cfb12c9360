"""When the jobs of a job file run, and which of them are load steps of one job."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from blockyard.formats.fio.load import Load, Stream

SECOND = 1_000_000_000

# Intervals up to a second, longest first: whole milliseconds that divide it.
_INTERVALS = [SECOND // parts for parts in range(1, 1001) if 1000 % parts == 0]


@dataclass
class Track:
    """A scenario's job: a stream, and how much of it from which time on.

    Steps are pairs of a time in nanoseconds and an amount; the last ends at `end`.
    """

    name: str
    stream: Stream
    steps: list[tuple[int, int]]
    end: int
    # Bytes after which it is done, before its end; None if only time ends it.
    amount: int | None = None


@dataclass
class Timeline:
    """The whole run. Times are in nanoseconds."""

    tracks: list[Track] = field(default_factory=list)
    warmup: int = 0
    duration: int = 0

    @property
    def interval(self) -> int | None:
        """The longest interval up to a second that divides all times; None if there is none."""
        times = [self.warmup, self.duration]
        times += [at for track in self.tracks for at, _ in track.steps]
        common = math.gcd(*times)
        return next((length for length in _INTERVALS if common % length == 0), None)


def timeline_of(loads: Sequence[Load]) -> Timeline:
    """Lay out the jobs in time.

    A job after a stonewall begins when those before it have ended. Jobs that issue the same stream
    one after another become load steps of one job.
    """
    timeline = Timeline()
    starts: list[int] = []
    begin = 0
    ends: dict[str, int] = {}
    for load in loads:
        if load.after_others:
            begin = timeline.duration
        if load.after is not None and load.after not in ends:
            load.given.wrong("wait_for", "expected the name of an earlier job that does IO")
        start = max(begin, ends.get(load.after or "", 0)) + load.delay
        ends[load.name] = start + load.ramp + load.run
        starts.append(start)
        timeline.duration = max(timeline.duration, ends[load.name])
        _add(timeline.tracks, load, start)
    _end_by_amount(timeline, loads, starts)
    timeline.warmup = max(
        (load.ramp for load, start in zip(loads, starts, strict=True) if start == 0), default=0
    )
    for load, start in zip(loads, starts, strict=True):
        measured = start + load.ramp
        if (load.ramp or start < timeline.warmup) and measured != timeline.warmup:
            load.given.findings.differs(
                "figures leave out one warm-up at the beginning, not the ramp_time of each job"
            )
    for track in timeline.tracks:
        if track.end < timeline.duration:
            track.steps.append((track.end, 0))
    return timeline


def _end_by_amount(timeline: Timeline, loads: Sequence[Load], starts: Sequence[int]) -> None:
    """Give jobs their amounts where all begin at once: none waits for another's end here."""
    at_once = not any(starts) and not any(load.ramp for load in loads)
    for number, load in enumerate(loads):
        stream, amount = load.stream, load.done_after
        if amount is None:
            continue
        io = stream.read_ahead or stream.pattern.block
        if at_once and stream.arrivals is None and amount // io >= load.amount:
            # None of them is a load step of another.
            timeline.tracks[number].amount = amount
        else:
            load.given.findings.differs("without time_based fio may end a job earlier, by its size")


def _add(tracks: list[Track], load: Load, start: int) -> None:
    end = start + load.ramp + load.run
    for track in tracks:
        if track.stream == load.stream and track.end <= start:
            if track.end < start:
                track.steps.append((track.end, 0))
            track.steps.append((start, load.amount))
            track.end = end
            return
    rest = [(0, 0)] if start else []
    name = _free_name(load.name, {track.name for track in tracks})
    tracks.append(Track(name, load.stream, [*rest, (start, load.amount)], end))


def _free_name(name: str, taken: set[str]) -> str:
    """Return a scenario's name for a job, without a step's number."""
    plain = named(re.sub(r"\.\d+$", "", name))
    candidates = [plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 2))]
    return next(candidate for candidate in candidates if candidate not in taken)


def named(text: str) -> str:
    """Turn any text into a name of letters, digits, `_` and `-`."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")
    # YAML would read null as no name.
    return "job" if plain.lower() in ("", "null") else plain
