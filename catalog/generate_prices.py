"""Writes instance-prices.csv, the on-demand prices of us-east-1, from Karpenter's table.

    curl -O https://raw.githubusercontent.com/aws/karpenter-provider-aws/COMMIT/FILE
    python3 catalog/generate_prices.py zz_generated.pricing_aws.go

with COMMIT and FILE as below. Karpenter's provider for AWS (Apache-2.0) generates a Go
file from what AWS's price list answered. Its checksum is fixed here, so that the table has
one known source; a new release is a change of COMMIT, DATE and SHA256 together, and of
`KARPENTER` in sources.yaml and prices.yaml. Only types that are in instances.csv are
kept. `--check` compares with the table in the tree instead of writing it.
"""

import csv
import re
import sys
from pathlib import Path

from generated import command, csv_text, known

COMMIT = "6fc13b5236fd"
DATE = "2026-07-20"
FILE = "pkg/providers/pricing/zz_generated.pricing_aws.go"
SHA256 = "26e52db2933447d1310eb4be575d674a64bbcd95e0cd7defae5fdadc17783ac7"
SOURCE, REGION = "KARPENTER", "us-east-1"

HERE = Path(__file__).parent
TABLE = HERE / "instance-prices.csv"
TYPES = HERE / "instances.csv"
COLUMNS = [
    "source",
    "region",
    "type",
    "on_demand",
    "no_upfront",
    "partial_upfront",
    "all_upfront",
]


def read_prices(source: Path) -> dict[str, str]:
    """Dollars an hour by instance type, without trailing zeros."""
    text = known(source.read_bytes(), source.name, SHA256).decode()
    prices = re.findall(r'"([a-z0-9-]+\.[a-z0-9-]+)": (\d+\.\d+)', text)
    return {name: price.rstrip("0").rstrip(".") for name, price in prices}


def known_types() -> set[str]:
    """The types of instances.csv."""
    lines = TYPES.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["type"] for row in rows}


def text_of(source: Path) -> str:
    """The whole text of instance-prices.csv."""
    prices, types = read_prices(source), known_types()
    origin = (
        f"aws/karpenter-provider-aws at {COMMIT} ({DATE}), {FILE},"
        " Apache-2.0; made by catalog/generate_prices.py"
    )
    rows = (
        [SOURCE, REGION, name, prices[name], "", "", ""] for name in sorted(prices) if name in types
    )
    return csv_text(origin, COLUMNS, rows)


if __name__ == "__main__":
    sys.exit(command(__doc__, TABLE, Path(FILE).name, text_of))
