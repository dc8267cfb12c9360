"""A run on real storage, on the whole screen."""

import json
from bisect import bisect

from blockyard._core import Interval
from blockyard.cli.interval import Series, series, step
from blockyard.cli.screen.display import Screen
from blockyard.cli.screen.frame import Device, Frame, Listing
from blockyard.cli.screen.history import History, by_device, interval_s
from blockyard.runs.execution import RunSpec
from blockyard.runs.observer import Observer
from blockyard.text.formatting import clock, latency
from blockyard.types.jobs import Jobs, Load

_HEADINGS = ("job", "IOPS", "MiB/s", "p99", "depth", "load")


class BenchScreen(Observer):
    """Every device with its history, and every job with its load step."""

    def __init__(self, run: RunSpec, screen: Screen) -> None:
        self._run = run
        self._screen = screen
        self._history = History()
        jobs: Jobs = json.loads(run.scenario.jobs())
        self._loads = {job["name"]: job["load"] for job in jobs}
        screen.start()
        screen.show(Frame(f"{run.name} on real storage"))

    def prepared(self, device: str, done: int, of: int) -> None:
        """`done` of `of` bytes of a target are written through before the run."""
        far = f"{done / 2**30:,.1f} of {of / 2**30:,.1f} GiB"
        self._screen.show(Frame(f"{self._run.name}: writing {device} through", far, done=done / of))

    def interval(self, interval: Interval) -> None:
        """An interval ended."""
        done_s = interval.done_s
        length_s = self._run.scenario.duration_s
        which = step(self._run.scenario.step_starts_s, done_s)
        found = list(series(interval))
        devices = by_device(found)
        self._screen.show(
            Frame(
                f"{self._run.name} on real storage",
                f"{which}{clock(round(length_s - done_s))} left",
                done=min(1.0, done_s / length_s),
                devices=tuple(
                    Device(name, "", self._history.gauges(name, on)) for name, on in devices.items()
                ),
                listing=Listing(
                    _HEADINGS,
                    tuple(self._row(one, done_s) for one in found),
                    last_is_text=True,
                ),
                at_s=done_s,
                interval_s=interval_s(found),
            )
        )

    def warn(self, message: str) -> None:
        """Show something that the user should know at once."""
        self._screen.warn(message)

    def _row(self, one: Series, done_s: float) -> tuple[str, ...]:
        return (
            one.name,
            f"{one.iops:,.0f}",
            f"{one.mib_per_s:,.1f}",
            "-" if one.p99_us is None else latency(one.p99_us),
            f"{one.depth:,.1f}",
            load_at(self._loads[one.job], done_s - one.length_s),
        )


def load_at(load: Load, at_s: float) -> str:
    """What a job with this load does at a given time, such as `step 2 of 3: 4 proc`."""
    steps = load["steps"]
    number = bisect([start / 1e9 for start, _ in steps], at_s)
    amount = steps[max(0, number - 1)][1]
    what = f"{amount:,}/s" if load["kind"] == "open" else f"{amount:,} proc"
    return f"step {number} of {len(steps)}: {what}" if len(steps) > 1 else what
