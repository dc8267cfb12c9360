"""Writes instance-prices-3y.csv, three-year prices of us-east-1 with all paid upfront.

    curl -O https://raw.githubusercontent.com/Netflix-Skunkworks/service-capacity-modeling/COMMIT/FILE
    python3 catalog/generate_reserved_prices.py 3yr-reserved_ec2.json

with COMMIT and FILE as below. Netflix's capacity modelling (Apache-2.0) keeps what AWS's price
list answered, in dollars a year: the price of a standard reserved instance, and for types that are
not sold as such the rate of the EC2 Instance Savings Plan. A year has 8,760 hours. Its checksum is
fixed here; a new release is a change of COMMIT, DATE and SHA256 together, and of `NETFLIX3Y` in
sources.yaml and prices.yaml. `--check` compares with the table in the tree.
"""

import json
import sys
from pathlib import Path

from generate_prices import known_types
from generated import command, csv_text, known

COMMIT = "c15e03e10639"
DATE = "2026-06-09"
FILE = "service_capacity_modeling/hardware/profiles/pricing/aws/3yr-reserved_ec2.json"
SHA256 = "473c94f491b522150e07d0d95b069c44f6b95614e21f07144e8b44c231de165d"
REGION, HOURS = "us-east-1", 8760

TABLE = Path(__file__).with_name("instance-prices-3y.csv")


def text_of(source: Path) -> str:
    """The whole text of instance-prices-3y.csv."""
    text = known(source.read_bytes(), source.name, SHA256)
    instances, types = json.loads(text)[REGION]["instances"], known_types()
    origin = (
        f"Netflix-Skunkworks/service-capacity-modeling at {COMMIT} ({DATE}), {FILE},"
        " Apache-2.0; made by catalog/generate_reserved_prices.py"
    )
    rows = (
        [name, f"{instances[name]['annual_cost'] / HOURS:.6f}".rstrip("0").rstrip(".")]
        for name in sorted(instances)
        if name in types
    )
    return csv_text(origin, ["type", REGION], rows)


if __name__ == "__main__":
    sys.exit(command(__doc__, TABLE, Path(FILE).name, text_of))
