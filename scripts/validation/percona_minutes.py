"""Transactions a second minute by minute, published and by table, from a cold and a warm start.

`PYTHONPATH=scripts python -m validation.percona_minutes "io1 6,000 IOPS"` prints how far each start
is off; it takes a minute a start. `measurements/` has the minutes of five rows.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from validation.markdown import table
from validation.percona import PUBLISHED, Row
from validation.percona_tables import BASE
from validation.run import Job

ROWS = Path(__file__).parents[2] / "measurements" / "rows.jsonl"
IDS = {
    "gp2 1,000 GB": "perc1808-031",
    "gp2 3,400 GB": "perc1808-055",
    "io1 4,000 IOPS": "perc1808-025",
    "io1 6,000 IOPS": "perc1808-027",
    "io1 20,000 IOPS": "perc1808-013",
}
MINUTES = 60
# Seconds 900 to 3,600 are what other tables compare.
WARM_UP = 15


def published(title: str) -> list[float]:
    """The means of each minute of a row."""
    for line in ROWS.read_text().splitlines():
        row = json.loads(line)
        if row["id"] == IDS[title]:
            return [float(mean) for mean in row["results"]["db"]["tps_60s_means"][:MINUTES]]
    raise KeyError(IDS[title])


def simulated(row: Row, start: str) -> list[float]:
    """The same of the scenario, from a start that is `cold` or `warm`."""
    sets = row.job(f"workload.tpcc.start={start}", "warmup=0s").sets
    counts = [0] * MINUTES
    for second in Job(BASE, sets).run().transactions:
        counts[int(second.start_s) // 60] += second.ended
    return [count / 60 for count in counts]


def _off(done: Sequence[float], own: Sequence[float]) -> str:
    errors = (abs(one / other - 1) for one, other in zip(done, own, strict=True))
    return f"{100 * median(errors):.1f} %"


def main() -> int:
    """Print the median errors of the rows that are named, or of all."""
    rows = {row.title: row for row in PUBLISHED}
    lines = []
    for title in sys.argv[1:] or IDS:
        own = published(title)
        for start in ("cold", "warm"):
            done = simulated(rows[title], start)
            off = (_off(done[:WARM_UP], own[:WARM_UP]), _off(done[WARM_UP:], own[WARM_UP:]))
            lines.append([title, start, *off])
    print(table(("volume", "start", f"first {WARM_UP} minutes", "then"), lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
