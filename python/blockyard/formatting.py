"""Times and figures as people read them: three digits, a unit that fits, no exponent."""

import math

# What a time is counted in, and from how many seconds on: one or two of a unit are rather
# counted in the next smaller one.
_UNITS = (
    (172_800.0, 86_400.0, "d"),
    (7_200.0, 3_600.0, "h"),
    (120.0, 60.0, "min"),
    (1.0, 1.0, "s"),
    (1e-4, 1e-3, "ms"),
    (1e-6, 1e-6, "µs"),
    (0.0, 1e-9, "ns"),
)

# How long the units of time are that axes have.
_MICROSECONDS = {"ms": 1e3, "s": 1e6}

# Up to when a duration is written in which two units; a last minute that is rounded up to an
# hour is one.
_PAIRS = (
    (3_599.5, (60, "min"), (1, "s")),
    (172_770.0, (3_600, "h"), (60, "min")),
    (math.inf, (86_400, "d"), (3_600, "h")),
)


def latency(us: float) -> str:
    """A time of microseconds to three digits: `250 ns`, `0.62 ms`, `36.4 ms`, `5.6 min`.

    Tenths of a millisecond have two digits. A year is `365 d`.
    """
    seconds = us / 1e6
    if not seconds:
        return "0 ms"
    # What rounds up to a unit is written in it: 999.9 ms is 1.00 s.
    rounded = float(f"{seconds:.2e}")
    _, unit, name = next(found for found in _UNITS if rounded >= found[0])
    value = seconds / unit
    if name == "ns" or value >= 99.95:
        return f"{value:,.0f} {name}"
    return f"{value:.2f} {name}" if value < 9.995 else f"{value:.1f} {name}"


def quantity(value: float, unit: str) -> str:
    """A figure with its unit; of times with whichever fits: `3,000 IOPS`, `1 ms`, `5.17 min`."""
    if unit in _MICROSECONDS:
        figure, name = latency(_MICROSECONDS[unit] * value).split(" ")
        return f"{_trimmed(figure)} {name}"
    return f"{number(value)} {unit}".rstrip()


def duration(seconds: float) -> str:
    """How long something lasts: `0.5 s`, `90 s`, `30 min`, `5 h 36 min`, `2 d 3 h`.

    To three digits below two minutes, above to the second, from an hour on to the minute
    and from two days on to the hour.
    """
    if seconds < 120:
        return f"{number(seconds)} s"
    _, (large, one), (small, other) = next(pair for pair in _PAIRS if seconds < pair[0])
    whole, rest = divmod(round(seconds / small), large // small)
    return f"{whole:,} {one}" + (f" {rest} {other}" if rest else "")


def clock(seconds: float) -> str:
    """A moment as MINUTES:SECONDS, from an hour on as HOURS:MINUTES:SECONDS.

    With tenths of a second where there are any.
    """
    minutes, tenths = divmod(max(0, round(10 * seconds)), 600)
    hours, minutes = divmod(minutes, 60)
    whole = f"{tenths // 10:02}" + (f".{tenths % 10}" if tenths % 10 else "")
    return f"{hours}:{minutes:02}:{whole}" if hours else f"{minutes}:{whole}"


def number(value: float, digits: int = 3) -> str:
    """A figure to some digits, or all before the point: `0.0123`, `1.23`, `12,345`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    text = f"{value:,.{max(0, places)}f}"
    return _trimmed(text)


def _trimmed(figure: str) -> str:
    return figure.rstrip("0").rstrip(".") if "." in figure else figure
