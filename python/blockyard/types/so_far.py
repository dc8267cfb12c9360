"""What a device has done so far, as who looks on from outside is told."""

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
