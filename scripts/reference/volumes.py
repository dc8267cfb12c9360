"""The catalog's volume types and latency profiles as parts of a reference page."""

import json
import re
from typing import Any

from blockyard import _core
from blockyard.types.catalog_volumes import LatencyPart, VolumeRule, VolumeRules

# The quantiles of a latency that the page shows; `catalog/latency.yaml` has the others.
_SHOWN = ("min", "p50", "p99", "p99_9", "max")

# Parts of a profile that the page leaves to that file, too.
_NOT_SHOWN = ("base_size", "volume_spread", "slow")

# The profile of a volume that takes no time.
ZERO = "none"


def text() -> str:
    """The newest rule of each volume type, and a section for each latency profile."""
    rows: VolumeRules = json.loads(_core.catalog_volumes())
    newest = {_type(row): row for row in rows}
    types = "\n".join(_line(name, row) for name, row in newest.items())
    return "\n\n".join([types, *_profiles(rows)])


def _type(row: VolumeRule) -> str:
    return " ".join(filter(None, (row["type"], row["variant"])))


def _line(name: str, row: VolumeRule) -> str:
    """What a rule allows; the command has its days and sources, and the rules before it."""
    profile = row["latency"]
    latency = (
        "no latency" if profile == ZERO else f"latency [profile {profile}](#profile-{profile})"
    )
    rules = "; ".join([*_rules(row), f"IO unit {row['counted_in']}", latency])
    assumed = f" Assumed: {row['assumed']}." if row["assumed"] else ""
    return f"- **{name}**: {rules}.{assumed}"


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
