"""A series of values as a line of small bars."""

from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"

# For terminals that cannot show blocks.
ASCII = ".:-=+*#@"


def sparkline(values: Sequence[float | None], *, width: int, top: float, bars: str = BLOCKS) -> str:
    """The last `width` values, the newest rightmost, each as one of `bars`.

    Zero is the lowest bar, `top` and above the highest. A blank stands for a missing value,
    and for the time before the first one.
    """
    shown = values[-width:] if width > 0 else []
    return "".join(_bar(value, top, bars) for value in shown).rjust(max(width, 0))


def _bar(value: float | None, top: float, bars: str) -> str:
    if value is None:
        return " "
    share = value / top if top > 0 else 0.0
    return bars[round(max(0.0, min(share, 1.0)) * (len(bars) - 1))]
