"""The volume types of the catalog, by their rules.

Made by scripts/door_types.py from schemas/catalog-volumes.schema.json, the schema of the Rust type
`Vec<VolumeRule>`, which says what each key means.
"""

from typing import Any, Literal, TypedDict


class LatencyPart(TypedDict):
    """A part of a latency profile."""

    part: str
    value: Any
    basis: str
    why: str
    rows: list[str]
    source: str | None


# A day of the Gregorian calendar, `2022-11-10`.
Date = str


# How certain a row is.
Confidence = Literal["high", "medium"]


class VolumeRule(TypedDict):
    """One rule of a volume type, in words."""

    type: str
    variant: str | None
    host: str
    size: str
    iops: str
    throughput: str
    limits: list[str]
    counted_in: str
    discipline: str
    latency: str
    latency_basis: list[LatencyPart]
    observed: Date
    valid_from: Date | None
    valid_to: Date | None
    sources: list[str]
    confidence: Confidence
    assumed: str | None
    default_quota: str | None


VolumeRules = list[VolumeRule]
