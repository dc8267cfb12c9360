"""The content of a live screen, as plain data: made anew after every interval, never changed.

One thread makes it, another one draws it.
"""

from collections.abc import Callable
from dataclasses import dataclass

# The values kept of a series: as many as the widest terminal shows.
LONGEST = 512


@dataclass(frozen=True)
class Gauge:
    """A figure that goes up and down, with its history: one value for each interval."""

    label: str
    # How a value is written: with its unit, unless the label contains it.
    written: Callable[[float], str]
    # The newest comes last; None where there was nothing to measure.
    values: tuple[float | None, ...] = ()
    # A value that it cannot exceed, such as a limit; None if unknown.
    most: float | None = None
    # A remark on the newest value.
    note: str = ""

    @property
    def now(self) -> str:
        """The newest value, written."""
        newest = self.values[-1] if self.values else None
        return "-" if newest is None else self.written(newest)

    @property
    def peak(self) -> float:
        """The largest value kept; 0 if there is none."""
        return max((value for value in self.values if value is not None), default=0.0)


@dataclass(frozen=True)
class Device:
    """A device: its gauges, and what throttles it."""

    name: str
    # Where it is.
    place: str
    gauges: tuple[Gauge, ...]
    # What throttles its IOs; empty if nothing does, None if that is not known.
    throttled_by: str | None = None


@dataclass(frozen=True)
class Listing:
    """A table below the devices: the first column is text, and the last one if so stated."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    last_is_text: bool = False


@dataclass(frozen=True)
class Frame:
    """One state of the screen."""

    # What runs.
    title: str
    # Its progress in words.
    progress: str = ""
    # The part that is done, 0 to 1; None if it has no end.
    done: float | None = None
    devices: tuple[Device, ...] = ()
    listing: Listing | None = None
    # Seconds since the run began.
    at_s: float = 0.0
    # The seconds that each value of a gauge covers; None before the first value.
    interval_s: float | None = None
    # Events, the newest last: seconds since the run began, and a text.
    events: tuple[tuple[float, str], ...] = ()
