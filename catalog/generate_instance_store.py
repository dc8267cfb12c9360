"""Writes instance-store.csv, the published IOPS of local disks.

    git clone https://github.com/awsdocs/amazon-ec2-user-guide
    python3 catalog/generate_instance_store.py amazon-ec2-user-guide

The pages on each purpose's instances have tables of IOs of 4 KiB a second, over all disks of an
instance, with full queues. The newest version that has a type counts. Hard disks are left out:
what the guide has for them cannot be IOPS of theirs (28,800,000 of d3.8xlarge). `--check` compares
with the table in the tree.
"""

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from generated import command, csv_text

# Of the guide: older versions have types that the newest leaves out.
VERSIONS = ("dcfd52bbc4641d131f5d71feab6457b73976ff6f", "d289961421fa79447add68ca26e3ec5ae96fdf41")
PURPOSES = (
    "accelerated-computing",
    "compute-optimized",
    "general-purpose",
    "memory-optimized",
    "storage-optimized",
)

TABLE = Path(__file__).with_name("instance-store.csv")
TYPES = Path(__file__).with_name("instances.csv")
ORIGIN = (
    "EC2 user guide, pages of instances by purpose at d289961 (2023-05-11), for what they lack "
    "at dcfd52b (2023-01-19): IOs of 4 KiB a second over all disks of an instance, queues full; "
    "made by generate_instance_store.py"
)

_CELLS = re.compile(r"\|([^|]*)\|([^|]*)\|([^|]*)\|\s*$")
_TYPE = re.compile(r"[a-z][\w-]*\.[\w-]+")


def main() -> int:
    """Write the table or check it."""
    return command(__doc__, TABLE, "a clone of awsdocs/amazon-ec2-user-guide", text_of)


def text_of(clone: Path) -> str:
    """The table. Raises ValueError if the clone lacks a version."""
    found: dict[str, tuple[int, int]] = {}
    for version in VERSIONS:
        for purpose in PURPOSES:
            found |= rows(page(clone, version, f"doc_source/{purpose}-instances.md"))
    wanted = sorted(found.keys() & with_ssds())
    return csv_text(
        ORIGIN,
        ["type", "read_iops", "write_iops"],
        [(instance, *found[instance]) for instance in wanted],
    )


def page(clone: Path, version: str, path: str) -> str:
    """A page of the guide."""
    done = subprocess.run(  # noqa: S603
        ["git", "-C", str(clone), "show", f"{version}:{path}"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return done.stdout


def rows(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Types with reads and writes a second, from the tables under "Random Read IOPS"."""
    within = False
    for line in text.replace("\\", "").splitlines():
        within = "Random Read IOPS" in line or (within and line.startswith("|"))
        cells = _CELLS.match(line)
        if within and cells and (name := _TYPE.search(cells[1])):
            yield name[0], (number(cells[2]), number(cells[3]))


def number(cell: str) -> int:
    """As in `466,666` and `1.65 million`."""
    digits, _, unit = cell.replace(",", "").strip().partition(" ")
    return round(float(digits) * (1_000_000 if unit == "million" else 1))


def with_ssds() -> set[str]:
    """The types of the catalog whose disks are no hard disks."""
    lines = [line for line in TYPES.read_text().splitlines() if not line.startswith("#")]
    table = csv.DictReader(lines)
    return {row["type"] for row in table if row["disks"] and row["disk_kind"] != "hdd"}


if __name__ == "__main__":
    sys.exit(main())
