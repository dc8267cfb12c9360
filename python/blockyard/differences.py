"""A comparison as tables: each figure side by side, and what to make of the difference."""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

from blockyard.comparison import Change, Comparison, Row, Verdict
from blockyard.formatting import latency, number

# IOs a second from which on parts of one are not shown.
_MANY = 10


@dataclass(frozen=True)
class Line:
    """A figure of the first side and of another, as text."""

    figure: str
    first: str
    other: str
    change: str
    # The 95 % interval of the change.
    interval: str
    verdict: Verdict


def against(comparison: Comparison, side: int) -> list[Line]:
    """Every figure that both the first and another side have."""
    devices = {(row["job"], row["device"]) for row in comparison["rows"] if row["device"]}
    several = {job for job, times in Counter(job for job, _ in devices).items() if times > 1}
    found = []
    for row in comparison["rows"]:
        change = row["changes"][side - 1]
        first, other = row["values"][0], row["values"][side]
        if change is not None and first is not None and other is not None:
            found.append(_line(_name(row, several), row["figure"], first, other, change))
    return found


def _line(name: str, figure: str, first: float, other: float, change: Change) -> Line:
    interval = change["interval"]
    return Line(
        figure=name,
        first=_shown(figure, first),
        other=_shown(figure, other),
        change=_percent(change["relative"]),
        interval=" to ".join(map(_percent, interval)) if interval else "",
        verdict=change["verdict"],
    )


def _name(row: Row, on_several: Container[str]) -> str:
    """As conditions name it; with the device where the job has several."""
    device = row["device"] if row["job"] in on_several else None
    return ".".join(part for part in (row["job"], device, row["op"], row["figure"]) if part)


def _shown(figure: str, value: float) -> str:
    if figure.startswith("latency"):
        return latency(value)
    if value < 1:
        return number(value, 2)
    return f"{value:,.0f}" if figure == "iops" and value >= _MANY else f"{value:,.1f}"


def _percent(change: float) -> str:
    """A change with its sign; of none that is seen, 0 has none."""
    return f"{change:+.1%}".replace("-0.0%", "0.0%").replace("+0.0%", "0.0%")
