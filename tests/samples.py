"""A figure of every kind, and pages of figures, for tests of the page of a report."""

from blockyard.pages.figure import (
    Axis,
    Bar,
    Bars,
    Curve,
    Curves,
    Figure,
    Heat,
    Lane,
    Lanes,
    Level,
    Lines,
    Plot,
    Series,
    Span,
)
from blockyard.pages.head import Head
from blockyard.pages.page import Page, Passage, Section, html
from blockyard.text.table import Table

TIME = Axis("time", "s")
LATENCY = Axis("latency", "ms", "log")


def rates(unit: str) -> Lines:
    """Ten minutes with a gap, a limit and two steps."""
    values = [None if 200 <= t < 220 else 3000.0 + t % 7 for t in range(600)]
    return Lines(
        TIME,
        Axis(unit, unit),
        range(600),
        [
            Series("readers read", values, 0),
            Series("writers write", [1000.0] * 600, 1, "dashed", stepped=True),
        ],
        [Level("limit, 4,000 IOPS", 4000)],
        [Span("10 processes", 0, 300), Span("20 processes", 300, 600), Span("failed", 450, 450)],
    )


CURVES = Curves(
    Axis("share of IOs", "", "nines"),
    LATENCY,
    [
        Curve(
            "readers",
            [(0.0, 0.5, "p0"), (0.9, 1, "p90"), (0.999, 8, "p99.9")],
            0,
            marked=(1, "p90"),
        ),
        Curve("writers", [(0.0, 0.4, "p0"), (0.99, 2, "p99"), (0.9999, 9, "max")], 1, "dashed"),
    ],
)
HEAT = Heat(TIME, LATENCY, [0, 200, 400, 600], [0.1, 1, 10], [[5, 0], [1000, 3], [7, 0]])
# Of two maps: fewer IOs in some cells, more in others.
DIFFERENCE = Heat(TIME, LATENCY, HEAT.x_edges, HEAT.y_edges, [[5, -1], [-1000, 3], [0, 0]])
BARS = Bars(Axis("time throttled", "s"), ["readers", "writers"], [Bar("iops", [906.2, 589.4])])
LANES = Lanes(
    Axis("since the cycle began", "s"),
    ["WIJ", "database"],
    [Lane("80 s", [(0, 2, 0), (2, 13, 1)]), Lane("160 s", [(0, 3, 0), (3, 12, 1)])],
    [Level("next cycle due, 80 s", 80)],
)


def figure(plot: Plot, title: str = "") -> Figure:
    return Figure(type(plot).__name__.lower(), title or type(plot).__name__, "What it shows.", plot)


ALL = [
    figure(rates("IOPS"), "Rates"),
    figure(rates("MiB/s"), "Throughput"),
    figure(CURVES),
    figure(HEAT),
    figure(BARS),
    figure(LANES),
]


def page(*figures: Figure, name: str = "B.083", stills: bool = False) -> str:
    head = Head(name, (("mode", "simulate"), ("seed", "1")), f"name: {name}\n")
    totals = Table("Totals", ["job", "IOPS"], [["readers", "3,000"]])
    verdicts = Table(
        "gp3 against gp2",
        ["figure", "gp2", "gp3", "change", "95% interval", "verdict"],
        [["readers.read.latency.p99", "36.4 ms", "8.21 ms", "-77.4%", "-89% to -54%", "better"]],
        verdict=True,
    )
    words = Passage("What was delivered", ["3,000 IOPS were delivered.", totals, verdicts])
    return html(
        Page(name, ["3,000 IOPS."], [head], [words], [Section("Charts", figures)]), stills=stills
    )
