"""Limits in words: `data IOPS`, `instance throughput`, `primary's IOPS baseline`.

What a limit is stands in the fields of a `LimitId`; the names that results, tables and `steer` have
for limits are read in Rust.
"""

import json

from blockyard._core import (
    host_in_words,
    limit_counts,
    limit_in_words,
    limit_owner,
    possessive,
)
from blockyard.types.facts import Facts, LimitId

__all__ = ["counted", "host", "host_by_volume", "in_words", "owner", "possessive"]


def in_words(limit: LimitId) -> str:
    """A limit of a device, of a leg or of a host: `data read IOPS`, `data.far IOPS`."""
    return limit_in_words(json.dumps(limit))


def counted(limit: LimitId) -> str:
    """What a limit counts: `IOPS` or `throughput`."""
    return limit_counts(json.dumps(limit))


def owner(limit: LimitId) -> str:
    """Whose it is: `data`, of a leg `data.far`, of a host `instance` or `primary's`."""
    return limit_owner(limit["device"], limit["leg"], limit["host"])


def host(name: str | None) -> str:
    """A host: `instance`, or the name that it has."""
    return host_in_words(name)


def host_by_volume(facts: Facts | None) -> dict[str, str]:
    """The host of each volume: `instance` where it has no name."""
    legs = [leg for device in facts["devices"] for leg in device["legs"]] if facts else []
    return {volume: host(leg["host"]) for leg in legs for volume in leg["volumes"]}
