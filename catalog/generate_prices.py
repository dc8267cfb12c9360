"""Writes instance-prices.csv, the on-demand prices of us-east-1, from Karpenter's table.

    curl -O https://raw.githubusercontent.com/aws/karpenter-provider-aws/COMMIT/FILE
    python3 catalog/generate_prices.py zz_generated.pricing_aws.go

with COMMIT and FILE as below. Karpenter's provider for AWS (Apache-2.0) generates a Go
file from what AWS's price list answered. Its checksum is fixed here, so that the table has
one known source; a new release is a change of COMMIT, DATE and SHA256 together, and of
`KARPENTER` in sources.yaml and prices.yaml. Only types that are in instances.csv are
kept. `--check` compares with the table in the tree instead of writing it.
"""

import argparse
import csv
import hashlib
import io
import re
import sys
from pathlib import Path

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
    text = source.read_bytes()
    found = hashlib.sha256(text).hexdigest()
    if found != SHA256:
        raise ValueError(f"{source} has sha256 {found}; expected {SHA256}")
    prices = re.findall(r'"([a-z0-9-]+\.[a-z0-9-]+)": (\d+\.\d+)', text.decode())
    return {name: price.rstrip("0").rstrip(".") for name, price in prices}


def known_types() -> set[str]:
    """The types of instances.csv."""
    lines = TYPES.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["type"] for row in rows}


def table(prices: dict[str, str]) -> str:
    """The whole text of instance-prices.csv."""
    text = io.StringIO()
    text.write(
        f"# aws/karpenter-provider-aws at {COMMIT} ({DATE}), {FILE},"
        " Apache-2.0; made by catalog/generate_prices.py\n"
    )
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    known = known_types()
    for name in sorted(prices):
        if name in known:
            rows.writerow([SOURCE, REGION, name, prices[name], "", "", ""])
    return text.getvalue()


def main() -> int:
    """Writes or checks the table; the exit status is 1 where they differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", type=Path, help=Path(FILE).name)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    try:
        text = table(read_prices(arguments.source))
    except (OSError, KeyError, ValueError) as error:
        print(f"{arguments.source}: {error}", file=sys.stderr)
        return 2
    if not arguments.check:
        TABLE.write_text(text, encoding="utf-8")
        return 0
    if TABLE.read_text(encoding="utf-8") != text:
        print(f"{TABLE} differs from its source; run without --check", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
