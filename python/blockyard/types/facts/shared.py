"""What several parts of a run's facts have.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type
`Facts`, which says what each key means.
"""

from typing import Literal, TypedDict

# What a limit counts.
Counted = Literal["ios", "bytes"]


# Which requests a limit applies to.
AppliesTo = Literal["both", "reads", "writes"]


class LimitId(TypedDict):
    """A limit of a device's volumes, of those of a leg of it, or of a host."""

    device: str | None
    leg: str | None
    host: str | None
    counts: Counted
    applies: AppliesTo
    credits: bool
    network: bool


# What a limit's value counts, as its provider states it.
RateUnit = Literal["IOPS", "MiB/s", "MB/s"]
