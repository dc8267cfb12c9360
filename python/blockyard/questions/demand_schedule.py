"""A schedule of rates, made of what a file shows of each interval."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from blockyard.questions.demand_window import FLOWS, Window
from blockyard.text.formatting import duration

# Steps of one job; with more, neighbours are taken together.
_MOST_STEPS = 600
# Up to this length a run has a row for each second.
_ROWS_S = 7_200
_SECTOR = 512
# A last second may lack as much. One that lacks more would be a step with too low a rate.
_MISSING_S = 0.1


@dataclass(frozen=True)
class Steps:
    """The schedule's steps: which slots are in each, and how long they are."""

    step_s: int
    duration_s: int
    interval_s: int
    start_s: float
    notes: list[str]

    @classmethod
    def of(cls, window: Window) -> "Steps":
        """Steps of whole seconds, few enough."""
        count = max(1, math.ceil(window.duration_s / window.length_s / _MOST_STEPS))
        step = max(1, round(window.length_s * count))
        notes = []
        if count > 1:
            notes = [
                f"{count} intervals are taken together as one step of {duration(step)}: peaks "
                "between them are lost"
            ]
        length = max(1, math.floor(window.duration_s + _MISSING_S))
        if window.duration_s - length >= _MISSING_S:
            left = duration(window.duration_s - length)
            notes.append(f"the last {left} are left out: steps have whole seconds")
        if length > step:
            length -= length % step
        interval = 1 if length <= _ROWS_S else step
        return cls(step, length, interval, window.start_s, notes)

    def at(self, start_s: float) -> int:
        """The begin of the step of a time."""
        return int((start_s - self.start_s + 1e-6) // self.step_s) * self.step_s


def jobs_of(
    window: Window,
    steps: Steps,
    devices: Mapping[str, str],
    random: Mapping[tuple[str, str], int],
) -> Iterator[tuple[str, dict[str, object]]]:
    """A job for each device, operation and class of sizes, with the rate of each step.

    A class has sizes between a power of two and the next; its IOs have their mean, so IOs are
    kept exactly, and bytes but for rounding. `random` has the percentage of IOs that begin at other
    places than where one ended, by device and operation; all do unless it is known.
    """
    counted: dict[tuple[str, str, int], dict[int, list[int]]] = {}
    for slot in window.slots:
        at = steps.at(slot.start_s)
        if at >= steps.duration_s:
            continue
        for (device, op), flow in slot.flows.items():
            if flow.ios:
                size = round(math.log2(max(_SECTOR, flow.bytes / flow.ios)))
                own = counted.setdefault((devices[device], op, size), {}).setdefault(at, [0, 0])
                own[0] += flow.ios
                own[1] += flow.bytes
    several = len({device for device, _, _ in counted}) > 1
    for (device, op, size), by_step in sorted(counted.items()):
        ios = sum(count for count, _ in by_step.values())
        mean = max(_SECTOR, round(sum(moved for _, moved in by_step.values()) / ios))
        rates = {at: round(count / steps.step_s) for at, (count, _) in by_step.items()}
        if not any(rates.values()):
            continue
        name = f"{device}-" * several + f"{FLOWS[op]}-{_size(1 << size)}"
        yield (
            name,
            {
                "kind": "access_spec",
                "on": device,
                "pattern": {
                    "size": f"{-(-mean // _SECTOR) * _SECTOR}B",
                    "read": "100%" if op == "read" else "0%",
                    "random": f"{random.get((device, op), 100)}%",
                },
                "schedule": list(_schedule(rates, steps)),
            },
        )


def _schedule(rates: Mapping[int, int], steps: Steps) -> Iterator[dict[str, object]]:
    """The steps at which the rate changes."""
    last = None
    for at in range(0, steps.duration_s, steps.step_s):
        rate = rates.get(at, 0)
        if rate != last:
            yield {"at": f"{at}s", "rate": f"{rate}/s"}
        last = rate


def _size(size: int) -> str:
    return f"{size >> 10}k" if size >= 1 << 10 else f"{size}b"
