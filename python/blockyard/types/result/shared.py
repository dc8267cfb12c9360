"""What several parts of `result.json` have.

Made by scripts/door_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`, which says what each key means.
"""

from typing import Literal, TypedDict


class LatencyUs(TypedDict):
    """Latencies in microseconds."""

    mean: float
    p50: float
    p95: float
    p99: float
    p99_9: float
    max: float


Op = Literal["read", "write", "flush", "trim"]


class Held(TypedDict):
    """Extra time of a job's IOs that no limit caused."""

    job: str
    waited_s: float
    lag_s: float
