"""The catalog's volume types as sections of a reference page."""

import json
import re
from itertools import groupby
from typing import Any

from blockyard import _core

Row = dict[str, Any]

_SOURCE = re.compile(r"(.*) <(\S+)>")


def text() -> str:
    """A section for each volume type."""
    rows: list[Row] = json.loads(_core.catalog_volumes())
    return "\n\n".join(_section(name, list(part)) for name, part in groupby(rows, key=_type))


def _type(row: Row) -> str:
    return " ".join(filter(None, (row["type"], row["variant"])))


def _section(name: str, rows: list[Row]) -> str:
    """The rules of a type by date, and their sources."""
    lines = [f"### {name}", ""]
    lines += ["| days | hosts | size | IOPS | throughput | limits |", "| --- " * 6 + "|"]
    for row in rows:
        cells = [_days(row), row["host"], row["size"], row["iops"], row["throughput"]]
        lines.append(f"| {' | '.join([*cells, '<br>'.join(row['limits'])])} |")
    latest = rows[-1]
    lines += ["", f"An IO counts once for each started {latest['counted_in']}."]
    if latest["latency_basis"]:
        lines[-1] += f" Its latency, profile `{latest['latency']}`:"
        lines += ["", "| part | value | basis | from what, or why | measurements |"]
        lines += ["| --- " * 5 + "|", *map(_part, latest["latency_basis"])]
    lines += [f"\nWhat waits is served by {latest['discipline']}."]
    assumed = [row["assumed"] for row in rows if row["assumed"]]
    lines += [f"\nAssumed: {'; '.join(assumed)}."] if assumed else []
    sources = dict.fromkeys(source for row in rows for source in row["sources"])
    lines += [f"\nSources: {', '.join(_link(source) for source in sources)}."] if sources else []
    return "\n".join(lines).rstrip()


def _part(part: Row) -> str:
    """A part of a latency profile, as a row of a table."""
    source = f" ({_link(part['source'])})" if part["source"] else ""
    cells = [part["part"], _value(part["value"]), part["basis"], f"{part['why']}{source}"]
    return f"| {' | '.join([*cells, ', '.join(part['rows'])])} |"


def _value(value: Any) -> str:
    """A value of a latency profile, in words."""
    match value:
        case dict():
            return ", ".join(f"{key} {_value(inner)}" for key, inner in value.items())
        case list():
            return "; ".join(map(_value, value)) or "none"
        case _:
            return str(value)


def _days(row: Row) -> str:
    """When a rule holds, as far as that is known."""
    start = row["valid_from"] or f"{row['observed']} (first observed)"
    return f"{start} to {row['valid_to'] or 'now'}"


def _link(source: str) -> str:
    match = _SOURCE.fullmatch(source)
    return f"[{match[1]}]({match[2]})" if match else source
