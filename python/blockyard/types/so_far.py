"""What observed devices have done so far.

Made by scripts/door_types.py from schemas/so-far.schema.json, the schema of the Rust type
`Vec<SoFar>`, which says what each key means.
"""

from typing import TypedDict


class SoFar(TypedDict):
    """A device's counts since the run began."""

    name: str
    in_flight: int
    reads: int
    writes: int
    flushes: int
    trims: int
    read_bytes: int
    write_bytes: int
    read_time_s: float
    write_time_s: float


ByDevice = list[SoFar]
