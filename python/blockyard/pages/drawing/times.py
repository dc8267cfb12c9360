"""Axes of time: as a clock has it along a run, else in units that change with it."""

import math
from itertools import takewhile

from matplotlib.axis import Axis as PlotAxis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

from blockyard.pages.figure import Axis
from blockyard.text.formatting import clock, quantity

# How long the units of such axes are, in seconds.
UNITS = {"ms": 1e-3, "s": 1.0}

# Seconds between the ticks of a clock, up to two days.
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200)
_DAY = 86_400
_MOST_TICKS = 9
# From here on what no one calls time is read as a clock, too.
_LONG_S = 120
# On a logarithmic axis, where decades of seconds are no round times any more.
_ROUND_S = (60, 600, 3600, 36_000, 86_400, 864_000, 8_640_000)


def lay_out(axis: Axis, plot_axis: PlotAxis) -> bool:
    """Ticks and what is written at them, once the ends of the axis are known.

    Whether it is done: short times are laid out as any figures are.
    """
    if axis.unit not in UNITS:
        return False
    low, high = plot_axis.get_view_interval()
    if axis.unit == "s" and axis.scale == "linear":
        clocked = (axis.label == "time" or high > _LONG_S) and high - low >= 4
        if clocked:
            _clock(axis, plot_axis, low, high)
        return bool(clocked)
    if axis.scale != "log" and high < 1000:
        return False
    plot_axis.set_major_formatter(FuncFormatter(lambda value, _: quantity(value, axis.unit)))
    plot_axis.set_label_text(axis.label)
    if axis.scale == "log":
        _round_times(plot_axis, high, UNITS[axis.unit])
    return True


def _clock(axis: Axis, plot_axis: PlotAxis, low: float, high: float) -> None:
    enough = (high - low) / _MOST_TICKS
    step = next((step for step in _STEPS if step >= enough), math.ceil(enough / _DAY) * _DAY)
    first = math.ceil(low / step) * step
    at = [first + number * step for number in range(math.floor((high - first) / step + 1e-9) + 1)]
    written = "h:min:s" if high >= 3600 else "min:s"
    if written == "h:min:s" and step % 60 == 0:
        plot_axis.set_ticks(at, [_hours(t_s) for t_s in at])
        written = "h:min"
    else:
        plot_axis.set_ticks(at, [clock(t_s) for t_s in at])
    plot_axis.set_label_text(f"{axis.label}, {written}")


def _hours(t_s: float) -> str:
    hours, minutes = divmod(round(t_s / 60), 60)
    return f"{hours}:{minutes:02}"


def _round_times(plot_axis: PlotAxis, high: float, unit_s: float) -> None:
    plot_axis.set_minor_formatter(NullFormatter())
    plot_axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    longest_s = high * unit_s
    if longest_s > _LONG_S:
        decades = takewhile(lambda at: at < _ROUND_S[0], (10.0**power for power in range(-9, 2)))
        plot_axis.set_major_locator(FixedLocator([at / unit_s for at in (*decades, *_ROUND_S)]))
