"""Which rows the model's own numbers rest on: those are in-sample, all others out-of-sample."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from validation.measured.loads import transactions
from validation.measured.rows import Row

ROOT = Path(__file__).parents[3]
CATALOG = ROOT / "catalog"
# What names rows by their ids: numbers of the catalog, and rules of the model.
NAMING = (*sorted(CATALOG.glob("*.yaml")), *sorted(CATALOG.glob("*.csv")), ROOT / "docs/model.md")
# What takes numbers from whole sources: `source: MIZ` of these files.
CITING = tuple(
    CATALOG / f"{name}.yaml" for name in ("latency", "volumes", "instances", "file_systems")
)

# `liang-001`, `dyu-029 and 030`, `longhorn-009 to 012`.
_IDS = re.compile(r"\b([a-z0-9]+)-(\d{3})\b((?:(?:,| and| to|, and) \d{3}\b)*)")
_MORE = re.compile(r"(,| and| to) (\d{3})")


def in_sample(rows: Sequence[Row]) -> frozenset[str]:
    """The rows that a number or a rule of the model rests on, by their ids.

    They are named there, or the source as a whole is; or the model was fitted to them before they
    were collected.
    """
    named = set(_named(text.read_text() for text in NAMING))
    sources = _sources()
    return frozenset(
        row.id
        for row in rows
        if row.id in named
        or row.source in sources
        or "fitted_before" in row.flags
        # The engine's numbers were fitted to them.
        or transactions(row)
    )


def _named(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        for prefix, first, more in _IDS.findall(text):
            last = int(first)
            yield f"{prefix}-{first}"
            for joint, number in _MORE.findall(more):
                begin = last + 1 if joint == " to" else int(number)
                last = int(number)
                yield from (f"{prefix}-{one:03}" for one in range(begin, last + 1))


def _sources() -> frozenset[str]:
    """Repositories that the catalog takes numbers from as a whole, as rows call them."""
    cited = {key for text in CITING for key in re.findall(r"source: (\w+)", text.read_text())}
    entries = re.findall(
        r"^(\w+):\n  title: .*\n  url: https://github\.com/([^/\n]+/[^/\n]+)",
        (CATALOG / "sources.yaml").read_text(),
        re.MULTILINE,
    )
    return frozenset(repository for key, repository in entries if key in cited)
