"""The catalog's volume types as sections of a reference page."""

import json
import re
from itertools import groupby
from typing import Any

from blockyard import _core
from blockyard.types.catalog_volumes import LatencyPart, VolumeRule, VolumeRules

# The quantiles of a latency that the page shows; `catalog/latency.yaml` has the others.
_SHOWN = ("min", "p50", "p99", "p99_9", "max")

# Parts of a profile that the page leaves to that file, too.
_NOT_SHOWN = ("base_size", "volume_spread", "slow")

# The profile of a volume that takes no time.
ZERO = "none"

_SOURCE = re.compile(r"(.*) <(\S+)>")
_DATED = re.compile(r"(.*?) (\d{4}.*)")


def text() -> str:
    """A section for each volume type and each latency profile."""
    rows: VolumeRules = json.loads(_core.catalog_volumes())
    types = {name: list(part) for name, part in groupby(rows, key=_type)}
    sections = [_section(name, part) for name, part in types.items()]
    return "\n\n".join([*sections, *_profiles(rows)])


def _type(row: VolumeRule) -> str:
    return " ".join(filter(None, (row["type"], row["variant"])))


def _section(name: str, rows: list[VolumeRule]) -> str:
    """The rules of a type by date, and their sources."""
    latest = rows[-1]
    profile = latest["latency"]
    latency = (
        "no latency" if profile == ZERO else f"latency [profile {profile}](#profile-{profile})"
    )
    about = f"IO unit {latest['counted_in']}, {latency}."
    lines = [f"### {name}", "", about, ""]
    lines += [f"- {_days(row)}: {'; '.join(_rules(row))}." for row in rows]
    assumed = [row["assumed"] for row in rows if row["assumed"]]
    lines += [f"\nAssumed: {'; '.join(assumed)}."] if assumed else []
    sources = dict.fromkeys(source for row in rows for source in row["sources"])
    lines += [f"\nSources: {_linked(sources)}."] if sources else []
    return "\n".join(lines).rstrip()


def _rules(row: VolumeRule) -> list[str]:
    """What a rule allows, part by part."""
    parts = ("size", row["size"]), ("iops", row["iops"]), ("throughput", row["throughput"])
    on = [row["host"]] if row["host"] != "any instance" else []
    stated = [f"{key} {value}" for key, value in parts if value]
    limits = [limit for limit in row["limits"] if not limit.endswith(": as provisioned")]
    return [*on, *stated, *(["limits " + ", ".join(limits)] if limits else [])]


def _profiles(rows: list[VolumeRule]) -> list[str]:
    """A section for each latency profile."""
    found = {row["latency"]: row["latency_basis"] for row in rows if row["latency_basis"]}
    bases = {name: basis for name, basis in found.items() if name != ZERO}
    return [f"### Profile {name}\n\n" + _parts(name, bases) for name in bases]


def _parts(profile: str, bases: dict[str, list[LatencyPart]]) -> str:
    """The parts of a profile; what is as in another profile on one line."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for part in (it for it in bases[profile] if it["part"] not in _NOT_SHOWN):
        value = _value(part["value"])
        like = re.match(r"as (\w+)", part["why"])
        others = bases.get(like[1], []) if like else []
        same = any(it["part"] == part["part"] and it["value"] == part["value"] for it in others)
        if like and same:
            value = f"as {like[1]}"
        key = value, part["basis"], ", ".join(part["rows"])
        lines.setdefault(key, []).append(f"`{part['part']}`")
    return "\n".join(
        f"- {', '.join(names)} ({': '.join(filter(None, (basis, ids)))}): {value}"
        for (value, basis, ids), names in lines.items()
    )


def _value(value: Any) -> str:
    """A value of a latency profile, in words."""
    match value:
        case {"p50": _}:
            return ", ".join(f"{key} {value[key]}" for key in _SHOWN if key in value)
        case dict():
            return ", ".join(f"{key} {_value(inner)}" for key, inner in value.items())
        case list():
            return "; ".join(map(_value, value)) or "none"
        case _:
            return str(value)


def _days(row: VolumeRule) -> str:
    """When a rule holds, as far as that is known."""
    start = row["valid_from"] or f"{row['observed']} (first observed)"
    return f"{start} to {row['valid_to'] or 'now'}"


def _linked(sources: Any) -> str:
    """Sources as links, those of one document by their dates."""
    documents: dict[str, list[str]] = {}
    for source in sources:
        match = _SOURCE.fullmatch(source)
        name, address = (match[1], match[2]) if match else (source, "")
        dated = _DATED.fullmatch(name)
        document, date = (dated[1], dated[2]) if dated else (name, "")
        shown = date or document
        link = f"[{shown}]({address})" if address else shown
        documents.setdefault(document, []).append(link)
    return "; ".join(
        ", ".join(links)
        if links[0].startswith((f"[{name}]", name))
        else f"{name} {', '.join(links)}"
        for name, links in documents.items()
    )
