"""The catalog's latency profiles as sections of a reference page."""

import json
import re
from typing import Any

from blockyard import _core
from blockyard.types.catalog_volumes import LatencyPart, VolumeRules

# The quantiles of a latency that the page shows; `catalog/latency.yaml` has the others.
_SHOWN = ("min", "p50", "p99", "p99_9", "max")

# Parts of a profile that the page leaves to that file, too.
_NOT_SHOWN = ("base_size", "volume_spread", "slow")

# The profile of a volume that takes no time.
ZERO = "none"


def text() -> str:
    """A section for each latency profile."""
    rows: VolumeRules = json.loads(_core.catalog_volumes())
    found = {row["latency"]: row["latency_basis"] for row in rows if row["latency_basis"]}
    bases = {name: basis for name, basis in found.items() if name != ZERO}
    return "\n\n".join(f"### Profile {name}\n\n{_parts(name, bases)}" for name in bases)


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
