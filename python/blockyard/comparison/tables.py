"""A comparison as tables: each figure side by side, and what to make of the difference."""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

from blockyard.comparison.figures import RATES
from blockyard.comparison.sides import Comparison
from blockyard.text.formatting import latency, rate
from blockyard.types.comparison import Basis, Change, Load, Row, StepRow, Verdict


@dataclass(frozen=True)
class Line:
    """A figure of the first side and of another, as text."""

    figure: str
    first: str
    other: str
    change: str
    # The 95 % interval of the change.
    interval: str
    verdict: Verdict | Literal["on one side only"]

    @property
    def brief(self) -> str:
        """The change where it is shown, and else that it is not."""
        return _BRIEF.get(self.verdict, self.change)


_BRIEF: dict[str, str] = {
    "alike within 5%": "alike",
    "no difference shown": "not shown",
    "too little to tell": "too little",
}

_BASES: dict[Basis, str] = {
    "paired seeds": "the ratio varies from seed to seed",
    "repeats": "figures vary from run to run",
    "blocks of one run": "figures vary within the one run of each side",
    "repeats, and blocks of one run": "figures vary from run to run, or within the only one",
}


def bases(comparison: Comparison) -> list[str]:
    """The source of the intervals, a line for each kind."""
    seeds, lines = comparison["seeds"], []
    if seeds:
        sides = "both" if len(comparison["sides"]) == 2 else "all"
        which = f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}"
        lines.append(f"{sides} sides simulated with {which}: figures are means over these")
    changes = (change for row in comparison["rows"] for change in row["changes"] if change)
    found = dict.fromkeys(change["basis"] for change in changes if change["basis"])
    return [*lines, *(f"95% intervals: by how {_BASES[basis]}" for basis in found)]


def against(comparison: Comparison, side: int) -> list[Line]:
    """Every figure that both the first and another side have.

    Of what only one side did there is the rate.
    """
    devices = {(row["job"], row["device"]) for row in comparison["rows"] if row["device"]}
    several = {job for job, times in Counter(job for job, _ in devices).items() if times > 1}
    found = []
    for row in comparison["rows"]:
        name = _name(row, several)
        line = _of_row(name, row, side) or _of_one_side(name, row, side)
        if line is not None:
            found.append(line)
    return found


def _of_one_side(name: str, row: Row, side: int) -> Line | None:
    """A rate that only one side has."""
    values = row["values"][0], row["values"][side]
    if row["figure"] not in RATES or values.count(None) != 1:
        return None
    first, other = ("-" if it is None else _shown(row["figure"], it) for it in values)
    return Line(name, first, other, change="", interval="", verdict="on one side only")


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
    # Of MiB a second tenths tell, up to a million.
    return f"{value:,.1f}" if figure not in RATES and 1 <= value < 999_500 else rate(value)


def _percent(change: float) -> str:
    """A change with its sign; of none that is seen, 0 has none."""
    return f"{change:+.1%}".replace("-0.0%", "0.0%").replace("+0.0%", "0.0%")


@dataclass(frozen=True)
class StepLine:
    """A load step of the first side and of another, as text."""

    # Of the job and its operation.
    name: str
    load: str
    # IOPS or TPS.
    rate: Line
    # None without latencies.
    p99: Line | None


def by_step(comparison: Comparison, side: int) -> list[StepLine]:
    """Every load step that both the first and another side have: its IOPS or TPS, and p99."""
    steps: dict[tuple[str, str], dict[str, StepRow]] = {}
    for row in comparison["steps"]:
        name = ".".join(filter(None, (row["job"], row["op"])))
        times = f" ({row['time']})" if row["time"] > 1 else ""
        steps.setdefault((name, _load(row["load"]) + times), {})[row["figure"]] = row
    found = []
    for (name, offered), rows in steps.items():
        lines = {figure: _of_row(figure, row, side) for figure, row in rows.items()}
        per_second = lines.get("tps", lines.get("iops"))
        if per_second is not None:
            p99 = lines.get("latency.p99")
            found.append(StepLine(name=name, load=offered, rate=per_second, p99=p99))
    return found


def _load(offered: Load) -> str:
    """What a job offers in a step: `4 processes`, `6,000/s`."""
    if "rate" in offered:
        return f"{offered['rate']:,}/s"
    count = offered["processes"]
    return f"{count:,} process" + ("" if count == 1 else "es")


def _of_row(name: str, row: Row, side: int) -> Line | None:
    change = row["changes"][side - 1]
    first, other = row["values"][0], row["values"][side]
    if change is None or first is None or other is None:
        return None
    return _line(name, row["figure"], first, other, change)
