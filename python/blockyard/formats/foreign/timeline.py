"""The times of a sampling program's reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median_low

from blockyard.text.formatting import duration


@dataclass(frozen=True)
class Timeline:
    """Reports on intervals of equal length."""

    # When the first interval began.
    started: datetime
    length_s: float
    # When each report's interval began, in seconds since `started`.
    starts_s: list[float]

    @property
    def duration_s(self) -> float:
        """Return the time to the end of the last interval."""
        return self.starts_s[-1] + self.length_s

    def gaps(self) -> list[str]:
        """A note on the time without reports, if there is any."""
        between = [after - before - self.length_s for before, after in pairwise(self.starts_s)]
        # Stamps are whole seconds.
        missing = sum(gap for gap in between if gap > max(self.length_s / 2, 1.0))
        if not missing:
            return []
        of = f"{duration(missing)} of {duration(self.duration_s)}"
        return [f"no report covers {of}: the IO of that time is unknown, and counts as none"]


def timeline_of(
    moments: Sequence[datetime], seconds: Sequence[float], kept: Sequence[bool]
) -> Timeline | None:
    """Return the timeline of the reports that are kept, of those made at these times.

    `seconds` are the same times as distances. Each report covers the time before it. None if no
    report is kept, or if all have the same time, which leaves their length unknown.
    """
    steps = [after - before for before, after in pairwise(seconds)]
    rising = [step for step in steps if step > 0]
    if not rising or not any(kept):
        return None
    length = median_low(rising)
    first = kept.index(True)
    ends = _apart(seconds, length)
    starts = [end - ends[first] for end, keep in zip(ends, kept, strict=True) if keep]
    return Timeline(moments[first] - timedelta(seconds=length), length, starts)


def _apart(seconds: Sequence[float], length: float) -> list[float]:
    """Move times that follow the one before by less than `length` to that distance.

    Stamps are whole seconds, and a report that was late is followed by one that seems early.
    """
    places: list[float] = []
    for second in seconds:
        places.append(max(second, places[-1] + length) if places else second)
    return places
