"""Draws docs/pictures/b083.svg: two cycles of B.083, from a run directory of it.

Needs what requirements/docs.txt pins; CONTRIBUTING.md has the commands.
"""

import sys
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import pyarrow.parquet as pq
from matplotlib.figure import Figure

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "b083.svg"
FROM_S, TO_S = 265, 425
# Okabe and Ito's colours, which the colour-blind tell apart.
SERIES = (("readers", "#0072b2", "reads"), ("writers", "#d55e00", "database writes"))


def main() -> None:
    """Draws IOPS above and read latency below."""
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/picture.py RUN")
    rows = pq.read_table(
        Path(sys.argv[1]) / "intervals.parquet",
        filters=[("t_s", ">=", FROM_S), ("t_s", "<", TO_S), ("device", "==", "data")],
    ).to_pylist()
    # Text stays text, and the same run gives the same file.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "blockyard", "font.size": 10})
    figure = Figure(figsize=(9, 4.8), facecolor="white", layout="constrained")
    iops, latency = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    moved: Counter[float] = Counter()
    for job, colour, label in SERIES:
        points = [row for row in rows if row["job"] == job and row["op"] != "flush"]
        times = [row["t_s"] for row in points]
        iops.plot(times, [row["ios"] for row in points], color=colour, label=label)
        moved.update({row["t_s"]: row["ios"] for row in points})
        if job == "readers":
            means = [row["latency_mean_us"] / 1000 for row in points]
            p99 = [row["latency_p99_us"] / 1000 for row in points]
            latency.plot(times, means, color=colour, label="mean")
            latency.plot(times, p99, color=colour, alpha=0.45, label="p99")
    iops.plot(list(moved), list(moved.values()), color="#888888", zorder=1, label="both")
    iops.axhline(80_000, color="#444444", linestyle="--", linewidth=1)
    iops.annotate("the instance's 80,000 IOPS", (FROM_S + 75, 82_000), color="#444444")
    iops.set(ylabel="IOPS", ylim=(0, 112_000), title="B.083: five striped gp3 volumes, simulated")
    iops.yaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
    latency.set(xlabel="seconds", ylabel="read latency, ms", ylim=(0, None))
    for axes in (iops, latency):
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", framealpha=0.9)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
