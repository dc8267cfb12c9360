"""What a live screen shows, as plain data: made anew after every interval, never changed.

It is drawn in another thread than it is made in.
"""

from collections.abc import Callable
from dataclasses import dataclass

# What is kept of a series: as much as the widest terminal shows.
LONGEST = 512


@dataclass(frozen=True)
class Gauge:
    """A figure that goes up and down, with its past, one value an interval."""

    label: str
    # How a value is written, with its unit unless the label has it.
    written: Callable[[float], str]
    # The newest last; None where there was nothing to measure.
    values: tuple[float | None, ...] = ()
    # What it cannot exceed, such as a limit; None where nothing is known.
    most: float | None = None
    # What else there is to say about the newest value.
    note: str = ""

    @property
    def now(self) -> str:
        """The newest value, written."""
        newest = self.values[-1] if self.values else None
        return "-" if newest is None else self.written(newest)

    @property
    def peak(self) -> float:
        """The greatest value that is kept; 0 without any."""
        return max((value for value in self.values if value is not None), default=0.0)


@dataclass(frozen=True)
class Device:
    """A device: its gauges and what holds it back."""

    name: str
    # Where it is.
    place: str
    gauges: tuple[Gauge, ...]
    # What holds its IOs back; empty if nothing does, None if that is not known.
    throttled_by: str | None = None


@dataclass(frozen=True)
class Listing:
    """A table below the devices: the first column is text, as is the last if so said."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    last_is_text: bool = False


@dataclass(frozen=True)
class Frame:
    """One state of the screen."""

    # What runs.
    title: str
    # How far it is, in words.
    progress: str = ""
    # The part that is done, 0 to 1; None where there is no end.
    done: float | None = None
    devices: tuple[Device, ...] = ()
    listing: Listing | None = None
    # Seconds since the run began.
    at_s: float = 0.0
    # Seconds that each value of a gauge stands for; None before the first.
    interval_s: float | None = None
    # What happened, the newest last: seconds since the run began, and words.
    events: tuple[tuple[float, str], ...] = ()
