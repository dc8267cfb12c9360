"""Writes instance-prices-by-region.csv, on-demand prices of every region but us-east-1.

    curl -O https://raw.githubusercontent.com/lamngockhuong/aws-price/COMMIT/FILE
    python3 catalog/generate_region_prices.py ec2-transformed.json

with COMMIT and FILE as below. lamngockhuong/aws-price (MIT) keeps what the price files of
AWS's calculator answered, for Linux, by the region's title. Its checksum is fixed here; a new
release is a change of COMMIT, DATE and SHA256 together, and of `AWSPRICE` in sources.yaml and
prices.yaml. Only regions of prices.yaml and types of instances.csv are kept. us-east-1 is left
out, as instance-prices.csv has it, and newer. `--check` compares with the table in the tree.
"""

import json
import sys
from pathlib import Path

from generate_prices import known_types
from generated import command, csv_text, known

COMMIT = "ce57d15"
DATE = "2025-11-03"
FILE = "lib/data/pricing/ec2-transformed.json"
SHA256 = "9334b426c9763ea2b908db7b4ab824b2a9e5ff9ace05be75507995e0d0938af2"

TABLE = Path(__file__).with_name("instance-prices-by-region.csv")

# The region of each title that the source does not give by its code.
TITLES = {
    "africa-(cape-town)": "af-south-1",
    "asia-pacific-(hong-kong)": "ap-east-1",
    "asia-pacific-(taipei)": "ap-east-2",
    "asia-pacific-(seoul)": "ap-northeast-2",
    "asia-pacific-(osaka)": "ap-northeast-3",
    "asia-pacific-(mumbai)": "ap-south-1",
    "asia-pacific-(hyderabad)": "ap-south-2",
    "asia-pacific-(jakarta)": "ap-southeast-3",
    "asia-pacific-(melbourne)": "ap-southeast-4",
    "asia-pacific-(malaysia)": "ap-southeast-5",
    "asia-pacific-(new-zealand)": "ap-southeast-6",
    "asia-pacific-(thailand)": "ap-southeast-7",
    "canada-(central)": "ca-central-1",
    "canada-west-(calgary)": "ca-west-1",
    "eu-(zurich)": "eu-central-2",
    "eu-(stockholm)": "eu-north-1",
    "eu-(milan)": "eu-south-1",
    "eu-(spain)": "eu-south-2",
    "eu-(paris)": "eu-west-3",
    "israel-(tel-aviv)": "il-central-1",
    "middle-east-(uae)": "me-central-1",
    "middle-east-(bahrain)": "me-south-1",
    "mexico-(central)": "mx-central-1",
    "south-america-(sao-paulo)": "sa-east-1",
}
# Those that it gives by their codes.
CODES = [
    "ap-northeast-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "eu-central-1",
    "eu-west-1",
    "eu-west-2",
    "us-east-2",
    "us-west-1",
    "us-west-2",
]


def read_prices(source: Path) -> dict[str, dict[str, str]]:
    """Dollars an hour by instance type and region, without trailing zeros.

    Raises ValueError if a type has two prices in a region.
    """
    rows = json.loads(known(source.read_bytes(), source.name, SHA256))
    regions = TITLES | {code: code for code in CODES}
    prices: dict[str, dict[str, str]] = {}
    for row in rows:
        region = regions.get(row["region"])
        if region is None or row["attributes"]["operatingSystem"] != "Linux":
            continue
        name, price = row["attributes"]["instanceType"], f"{float(row['pricePerUnit']):.6f}"
        price = price.rstrip("0").rstrip(".")
        if prices.setdefault(name, {}).setdefault(region, price) != price:
            raise ValueError(f"{name} has two prices in {region}")
    return prices


def text_of(source: Path) -> str:
    """The whole text of instance-prices-by-region.csv."""
    prices, types = read_prices(source), known_types()
    regions = sorted([*TITLES.values(), *CODES])
    origin = (
        f"lamngockhuong/aws-price at {COMMIT} ({DATE}), {FILE}, MIT;"
        " made by catalog/generate_region_prices.py"
    )
    rows = (
        [name, *(prices[name].get(region, "") for region in regions)]
        for name in sorted(prices)
        if name in types
    )
    return csv_text(origin, ["type", *regions], rows)


if __name__ == "__main__":
    sys.exit(command(__doc__, TABLE, Path(FILE).name, text_of))
