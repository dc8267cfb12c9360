"""Writes instance-zones.csv, in which zones of each region an instance type is offered.

    pip download --no-deps moto==5.2.5
    python3 catalog/generate_zones.py moto-5.2.5-py3-none-any.whl

moto (Apache-2.0) ships what EC2's DescribeInstanceTypeOfferings answered, a gzipped member for
each region. Zones are told by their ids, as `use1-az4`: names, as `us-east-1a`, differ from
account to account. A region's column has the number of each zone, after the prefix that the
column's name ends with. Wheel and date are those of generate_instances.py; the checksum here is of
all members together. Local zones are left out. `--check` compares with the table in the tree.
"""

import gzip
import json
import re
import sys
import zipfile
from pathlib import Path

from generate_instances import DATE, VERSION
from generate_prices import known_types
from generated import command, csv_text, known

FOLDER = "moto/ec2/resources/instance_type_offerings/availability-zone-id/"
SHA256 = "54be82af1d5712df0dac571d05b1b85acdb4079293bcc64bc717ebc8b6635803"

TABLE = Path(__file__).with_name("instance-zones.csv")

Offers = dict[str, dict[str, str]]


def read_offers(wheel: Path) -> tuple[Offers, dict[str, str]]:
    """The zones' numbers by type and region, and each region's prefix.

    Raises ValueError if a number has two digits or a region two prefixes.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith(FOLDER))
        packed = {name: archive.read(name) for name in names}
    known(b"".join(packed.values()), FOLDER, SHA256)
    offers: Offers = {}
    prefixes: dict[str, str] = {}
    for name, data in packed.items():
        region = Path(name).name.removesuffix(".json.gz")
        for offer in json.loads(gzip.decompress(data)):
            zone = re.fullmatch(r"([a-z0-9]+-az)(\d+)", offer["Location"])
            if zone is None:
                continue
            prefix, number = zone.groups()
            if len(number) > 1 or prefixes.setdefault(region, prefix) != prefix:
                raise ValueError(f"{region} has a zone {offer['Location']}")
            regions = offers.setdefault(offer["InstanceType"], {})
            regions[region] = "".join(sorted(regions.get(region, "") + number))
    return offers, prefixes


def text_of(source: Path) -> str:
    """The whole text of instance-zones.csv."""
    offers, prefixes = read_offers(source)
    types = known_types()
    regions = sorted(prefixes)
    origin = (
        f"moto {VERSION} ({DATE}), {FOLDER}, sha256 {SHA256}, Apache-2.0;"
        " made by catalog/generate_zones.py"
    )
    rows = (
        [name, *(offers[name].get(region, "") for region in regions)]
        for name in sorted(offers)
        if name in types
    )
    return csv_text(origin, ["type", *(f"{it}:{prefixes[it]}" for it in regions)], rows)


if __name__ == "__main__":
    sys.exit(command(__doc__, TABLE, f"moto-{VERSION}-py3-none-any.whl", text_of))
