"""Writes instance-history.csv, the EBS limits that instance types had before today's.

    git clone https://github.com/awsdocs/amazon-ec2-user-guide
    python3 catalog/generate_instance_history.py amazon-ec2-user-guide

Every version of the guide's page on EBS-optimised instances says what a type sustains and reaches.
A line of the table is the first day on which a version has these figures; they hold until the next
line of the type. Types whose figures never changed have no lines.

Two kinds of figures are taken for mistakes of the page: those that the next version takes back, and
those above later ones, as limits have only been raised. `--check` compares with the table in the
tree.
"""

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from generated import command, csv_text

# The last version of the page, and its names.
NEWEST = "d289961421fa79447add68ca26e3ec5ae96fdf41"
PAGES = ("doc_source/EBSOptimized.md", "doc_source/ebs-optimized.md")
TABLE = Path(__file__).with_name("instance-history.csv")
TYPES = Path(__file__).with_name("instances.csv")
ORIGIN = (
    "EC2 user guide, all versions of its page on EBS-optimised instances up to d289961 "
    "(2023-05-11): from when a version has these limits; made by generate_instance_history.py"
)
COLUMNS = ["baseline_iops", "baseline_mbps", "maximum_iops", "maximum_mbps"]

_TYPE = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
_LINK = re.compile(r"\[.*?\]\(.*?\)|<.*?>|[*`\\]")

# In the order of COLUMNS.
Limits = tuple[int, int, int, int]
Seen = tuple[str, Limits]


def main() -> int:
    """Write the table or check it."""
    return command(__doc__, TABLE, "a clone of awsdocs/amazon-ec2-user-guide", text_of)


def text_of(clone: Path) -> str:
    """The table. Raises ValueError if the clone lacks the versions."""
    seen: dict[str, list[Seen]] = {}
    for commit, day in versions(clone):
        for name, limits in limits_of(page(clone, commit)).items():
            known = seen.setdefault(name, [])
            if not known or known[-1][1] != limits:
                known.append((day, limits))
    rows: list[tuple[str | int, ...]] = []
    for name, now in sorted(current().items()):
        history = corrected(seen.get(name, []), now)
        if any(limits != now for _, limits in history):
            rows += [(name, day, *limits) for day, limits in history]
    return csv_text(ORIGIN, ["type", "observed", *COLUMNS], rows)


def corrected(seen: list[Seen], now: Limits) -> list[Seen]:
    """Without mistakes, each line unlike the one before."""
    figures = [limits for _, limits in seen]
    around = zip(seen, [None, *figures], [*figures[1:], now], strict=False)
    kept = [it for it, before, after in around if before != after]
    found: list[Seen] = []
    for day, limits in reversed(kept):
        most = found[-1][1] if found else now
        lowered = min(limits[0], most[0]), min(limits[1], most[1])
        found.append((day, (*lowered, min(limits[2], most[2]), min(limits[3], most[3]))))
    found.reverse()
    return [it for it, before in zip(found, [None, *found], strict=False) if changed(it, before)]


def changed(one: Seen, before: Seen | None) -> bool:
    """Whether its limits are not those before."""
    return before is None or one[1] != before[1]


def versions(clone: Path) -> Iterator[tuple[str, str]]:
    """Commits that changed the page, oldest first, with their days."""
    log = ("log", "--reverse", "--format=%H %cs", NEWEST, "--", *PAGES)
    for line in git(clone, *log).splitlines():
        commit, _, day = line.partition(" ")
        yield commit, day


def page(clone: Path, commit: str) -> str:
    """The page as of a commit."""
    names = git(clone, "ls-tree", "--name-only", commit, *PAGES).split()
    return "".join(git(clone, "show", f"{commit}:{name}") for name in names)


def git(clone: Path, *words: str) -> str:
    """What git says."""
    called = ["git", "-C", str(clone), *words]
    done = subprocess.run(called, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return done.stdout


def limits_of(text: str) -> dict[str, Limits]:
    """Of each type the smallest and the largest limits in the page's tables.

    Cells are bandwidth, throughput and IOPS, in newer versions of baseline and maximum in turn;
    older ones have two tables.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for line in text.splitlines():
        cells = [_LINK.sub("", cell).strip() for cell in line.strip().strip("|").split("|")]
        name = _TYPE.match(cells[0]) if line.startswith("|") else None
        figures = [figure for cell in cells[1:] if (figure := number(cell)) is not None]
        if name and len(figures) in (3, 6):
            step = len(figures) // 3
            pairs = zip(figures[2 * step :], figures[:step], strict=True)
            found.setdefault(name[0], []).extend(pairs)
    return {name: (*min(pairs), *max(pairs)) for name, pairs in found.items()}


def number(cell: str) -> int | None:
    """As in `3,500`, and megabytes cut to whole ones; none for words."""
    digits = cell.replace(",", "")
    return int(float(digits)) if re.fullmatch(r"\d+(\.\d+)?", digits) else None


def current() -> dict[str, Limits]:
    """The limits of instances.csv."""
    lines = [line for line in TYPES.read_text().splitlines() if not line.startswith("#")]
    table = [row for row in csv.DictReader(lines) if row["baseline_iops"]]
    return {row["type"]: limits(row) for row in table}


def limits(row: dict[str, str]) -> Limits:
    """Those of a line of instances.csv."""
    baseline_iops, baseline_mbps, maximum_iops, maximum_mbps = (int(row[it]) for it in COLUMNS)
    return baseline_iops, baseline_mbps, maximum_iops, maximum_mbps


if __name__ == "__main__":
    sys.exit(main())
