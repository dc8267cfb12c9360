"""Fills docs/validation-cost.md: bills beside published ones."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from blockyard._core import Scenario
from blockyard.runs import billing
from blockyard.runs.billing import Terms
from marked import fill
from validation.markdown import off, table

# Percona's post names no day of its prices.
TERMS = Terms("us-east-1", "2018-03-28", "1y-all-upfront", hours_per_month=720)


@dataclass(frozen=True)
class Published:
    """A layout of the post, with what it says that an hour costs."""

    title: str
    instance: str
    volume: dict[str, object]
    cents: float

    def cells(self) -> list[str]:
        """A row of the table."""
        layout = {
            "name": "percona",
            "duration": "1s",
            "host": {"instance": self.instance},
            "storage": {"data": self.volume},
        }
        bill = billing.of_scenario(Scenario.load(json.dumps(layout), "percona.yaml"), TERMS)
        host, *volume = (100 * line["per_hour"] for line in bill["lines"])
        cents = 100 * bill["per_hour"]
        parts = f"{host:.2f} + {sum(volume):.2f}"
        return [self.title, f"{self.cents}", parts, f"{cents:.2f}", off(cents, self.cents)]


GP2: dict[str, object] = {"type": "gp2", "size": "3400GiB"}
IO1: dict[str, object] = {"type": "io1", "size": "200GiB", "iops": 10_000}

PUBLISHED = (
    Published("r4.2xlarge, gp2 of 3.3 TB", "r4.2xlarge", GP2, 78.5),
    Published("r4.2xlarge, io1 of 200 GB with 10,000 IOPS", "r4.2xlarge", IO1, 125.03),
    Published("r4.4xlarge, gp2 of 3.3 TB", "r4.4xlarge", GP2, 109.25),
    Published("r4.4xlarge, io1 of 200 GB with 10,000 IOPS", "r4.4xlarge", IO1, 156.32),
)


def rows() -> Iterator[list[str]]:
    """Every layout."""
    yield from (one.cells() for one in PUBLISHED)


def filled(page: str) -> str:
    """The page with its table."""
    head = ["layout", "published, cents an hour", "instance + volume", "bill", "off"]
    return fill(page, "percona", table(head, rows()))
