"""Times and figures as people read them: three digits, a unit that fits, no exponent."""

import math
import re
from collections.abc import Container

# What a time is counted in, and from how many seconds on.
_UNITS = (
    (1.0, 1.0, "s"),
    (1e-4, 1e-3, "ms"),
    (1e-6, 1e-6, "µs"),
    (0.0, 1e-9, "ns"),
)

# From when on times are written in two units; what rounds to it is.
_LONG_S = 119.5

# What is counted in millions: what rounds to one.
_MILLION = 999_500

# IOs a second from which on parts of one are not shown.
_MANY = 10

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
    """A time of microseconds to three digits: `250 ns`, `0.62 ms`, `36.4 ms`, `5 min 10 s`.

    Tenths of a millisecond have two digits. From two minutes on it is as long as `duration`s.
    """
    seconds = us / 1e6
    if not seconds:
        return "0 ms"
    if seconds >= _LONG_S:
        return duration(seconds)
    # What rounds up to a unit is written in it: 999.9 ms is 1.00 s.
    rounded = float(f"{seconds:.2e}")
    _, unit, name = next(found for found in _UNITS if rounded >= found[0])
    value = seconds / unit
    if name == "ns" or value >= 99.95:
        return f"{value:,.0f} {name}"
    return f"{value:.2f} {name}" if value < 9.995 else f"{value:.1f} {name}"


def sentence(said: str, names: Container[str] = ()) -> str:
    """What was said as a sentence: a capital letter, unless it begins with a name.

    That is one of `names`, or has a figure, as volume and instance types have.
    """
    first = re.match(r"[\w.-]+", said)
    named = first is not None and (
        first[0].rstrip(".") in names or bool(re.search(r"\d", first[0]))
    )
    return f"{said if named else said[:1].upper() + said[1:]}."


def quantity(value: float, unit: str) -> str:
    """A figure with its unit; of times with whichever fits: `3,000 IOPS`, `1 ms`, `5 min 10 s`."""
    if unit in _MICROSECONDS:
        figure, name = latency(_MICROSECONDS[unit] * value).split(" ", 1)
        return f"{_trimmed(figure)} {name}"
    return f"{number(value)} {unit}".rstrip()


def rate(value: float, parts: bool = False) -> str:
    """An amount a second: `0.25`, `7.5`, `3,000`, `1.2 million`; with tenths if `parts` are."""
    if value < 1:
        return number(value, 2)
    if value >= _MILLION:
        return number(value)
    return f"{value:,.1f}" if parts or value < _MANY else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """How long something lasts: `0.5 s`, `90 s`, `30 min`, `5 h 36 min`, `2 d 3 h`.

    To three digits below two minutes, above to the second, from an hour on to the minute
    and from two days on to the hour.
    """
    if seconds < _LONG_S:
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
    """A figure to some digits, or all before the point: `0.0123`, `12,345`, `1.2 million`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) >= _MILLION:
        return f"{_plain(value / 1e6, digits)} million"
    return _plain(value, digits)


def size(of: int) -> str:
    """Bytes in the largest binary unit that they have one of: `2 TiB`, `1.5 GiB`, `512 B`."""
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    power = min(max(of.bit_length() - 1, 0) // 10, len(units) - 1)
    return f"{number(of / (1 << 10 * power), 4)} {units[power]}"


def price(dollars: float) -> str:
    """A price as exact as it is stated, to the millionth: `0.0455`."""
    return f"{dollars:.6f}".rstrip("0").rstrip(".")


def _plain(value: float, digits: int) -> str:
    places = digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    text = f"{value:,.{max(0, places)}f}"
    return _trimmed(text)


def _trimmed(figure: str) -> str:
    return figure.rstrip("0").rstrip(".") if "." in figure else figure
