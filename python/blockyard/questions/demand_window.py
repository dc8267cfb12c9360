"""What a run asked of its storage over time, and the part of that which is simulated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from blockyard._core import ScenarioError
from blockyard.runs.run import Run
from blockyard.text.formatting import duration, latency

# Reads and writes; trims and flushes are no load of a volume.
FLOWS = {"read": "reads", "write": "writes"}
# How many intervals a longer one has, to see what means hide.
_LONGER = 6
_PEAKY = 1.2
# From this factor over the median on, a latency is taken for waiting: of so many intervals one
# after another, in a file of at least so many.
_WAITING = 2.5
_FEW, _FEWEST = 3, 20


@dataclass(frozen=True)
class Flow:
    """What was done in an interval with one operation on one device."""

    ios: int
    bytes: int
    # None where it is not known.
    mean_us: float | None


@dataclass(frozen=True)
class Slot:
    """An interval: its begin, and its flows by device and operation."""

    start_s: float
    flows: Mapping[tuple[str, str], Flow]

    @property
    def ios(self) -> int:
        """All IOs."""
        return sum(flow.ios for flow in self.flows.values())

    @property
    def bytes(self) -> int:
        """All bytes."""
        return sum(flow.bytes for flow in self.flows.values())

    def mean_us(self) -> float | None:
        """The mean latency of all IOs."""
        known = [flow for flow in self.flows.values() if flow.mean_us is not None and flow.ios]
        ios = sum(flow.ios for flow in known)
        return sum(flow.ios * (flow.mean_us or 0.0) for flow in known) / ios if ios else None


@dataclass(frozen=True)
class Window:
    """Successive intervals of equal length; idle ones may be missing."""

    length_s: float
    slots: Sequence[Slot]
    duration_s: float

    @property
    def ios(self) -> float:
        """All IOs; of an interval that is longer than the window the part in it."""
        return sum(slot.ios for slot in self.slots) * min(1.0, self.duration_s / self.length_s)

    @property
    def start_s(self) -> float:
        """When it begins."""
        return self.slots[0].start_s

    def mean_us(self, op: str) -> float | None:
        """The mean latency of an operation over all of it."""
        return Slot(
            0.0,
            {
                (device, str(number)): flow
                for number, slot in enumerate(self.slots)
                for (device, own), flow in slot.flows.items()
                if own == op
            },
        ).mean_us()


def whole(run: Run) -> Window:
    """All of a run. Raises ScenarioError if it has no intervals, or neither reads nor writes."""
    by_time: dict[float, dict[tuple[str, str], Flow]] = {}
    names = ["t_s", "device", "op", "ios", "bytes", "latency_mean_us"]
    columns = (run.intervals[name].to_pylist() for name in names)
    for start, device, op, ios, moved, mean_us in zip(*columns, strict=True):
        if op in FLOWS:
            flows = by_time.setdefault(start, {})
            old, new = flows.get((device, op)), Flow(ios, moved, mean_us)
            flows[device, op] = _both(old, new) if old else new
    slots = [Slot(start, flows) for start, flows in sorted(by_time.items())]
    if not sum(slot.ios for slot in slots):
        known = any(total["ios"] and total["op"] in FLOWS for total in run.result["totals"])
        sums = "sums of all of it; record it over time, as with fio's --status-interval=1"
        why = sums if known else "no IO at all"
        raise ScenarioError(f"{run.name}: no intervals with reads or writes, but {why}")
    return Window(run.interval_s, slots, run.result["duration_s"])


def _both(one: Flow, other: Flow) -> Flow:
    """What two jobs did on a device."""
    mean = Slot(0.0, {("", "0"): one, ("", "1"): other}).mean_us()
    return Flow(one.ios + other.ios, one.bytes + other.bytes, mean)


def busiest(window: Window, most_ios: int) -> Window:
    """The busiest interval and what is around it, up to so many IOs.

    Busy is what has many IOs or bytes, both measured by the window's highest. An interval with too
    many IOs becomes shorter, as its rates are the same throughout.
    """
    if window.ios <= most_ios:
        return window
    slots = window.slots
    top = (max(slot.ios for slot in slots), max(slot.bytes for slot in slots) or 1)
    busy = [slot.ios / top[0] + slot.bytes / top[1] for slot in slots]
    first = last = max(range(len(slots)), key=lambda at: busy[at])
    ios = slots[first].ios
    if ios > most_ios:
        length = max(1.0, window.length_s * most_ios // ios)
        return Window(window.length_s, [slots[first]], length)
    while True:
        before = busy[first - 1] if first else -1.0
        after = busy[last + 1] if last + 1 < len(slots) else -1.0
        at = first - 1 if before > after else last + 1
        if max(before, after) < 0 or ios + slots[at].ios > most_ios:
            break
        ios += slots[at].ios
        first, last = min(first, at), max(last, at)
    length = slots[last].start_s - slots[first].start_s + window.length_s
    return Window(window.length_s, slots[first : last + 1], length)


def carried(window: Window, started: str) -> Iterator[str]:
    """How much of the truth means over intervals carry; `started` is when the first began."""
    each = duration(window.length_s)
    yield (
        f"the file has means of {each}: demand, and a lower bound of its peaks. Within them IOs "
        "are simulated as of many independent users (Poisson): latencies and percentiles are the "
        "simulation's, at best lower bounds of what the database saw"
    )
    if hidden := _hidden(window):
        yield hidden
    if waiting := _waiting(window, started):
        yield waiting


def _hidden(window: Window) -> str | None:
    """What longer intervals of the same file would hide, as the file's hide shorter peaks."""
    slots = window.slots
    if len(slots) < 2 * _LONGER:
        return None
    peak = max(slot.ios for slot in slots)
    sums = [sum(slot.ios for slot in slots[at : at + _LONGER]) for at in range(len(slots))]
    factor = peak * _LONGER / max(sums)
    if factor < _PEAKY:
        return None
    short, long = duration(window.length_s), duration(window.length_s * _LONGER)
    return (
        f"its busiest {short} have {factor:.2g} times the rate of its busiest {long}: means of "
        f"{short} hide shorter peaks likewise"
    )


def _waiting(window: Window, started: str) -> str | None:
    """When intervals look as if storage held them back: IOs took much longer than usual."""
    known = [(slot, mean) for slot in window.slots if (mean := slot.mean_us()) is not None]
    if len(known) < _FEWEST:
        return None
    usual = median(mean for _, mean in known)
    ios = sorted(slot.ios for slot, _ in known)
    many = ios[len(ios) // 2] / 2
    busy = [slot.ios >= many and mean > _WAITING * usual for slot, mean in known]
    first, last = _longest(busy)
    if last - first < _FEW:
        return None
    means = median(mean for _, mean in known[first:last])
    begin, end = known[first][0].start_s, known[last - 1][0].start_s + window.length_s
    return (
        f"{times(started, begin, end - begin)} IOs took {latency(means)}, against "
        f"{latency(usual)} usually: storage probably held them back, and a faster one would have "
        "been asked for more"
    )


def _longest(marked: Sequence[bool]) -> tuple[int, int]:
    """The longest run of marks, as the first place and the one behind the last."""
    best = (0, 0)
    begin = 0
    for at, one in enumerate([*marked, False]):
        if not one:
            if at - begin > best[1] - best[0]:
                best = (begin, at)
            begin = at + 1
    return best


def times(started: str, begin_s: float, length_s: float) -> str:
    """From when to when, by the clock if the file has it."""
    if not started:
        return f"{duration(begin_s) if begin_s else '0 s'} to {duration(begin_s + length_s)}"
    begin = datetime.fromisoformat(started.rstrip("Z")) + timedelta(seconds=begin_s)
    return f"{begin:%Y-%m-%d %H:%M:%S} to {begin + timedelta(seconds=length_s):%H:%M:%S}"
