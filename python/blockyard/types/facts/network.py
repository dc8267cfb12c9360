"""What links of mirrors and events did to a run.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import TypedDict

from blockyard.types.result import LinkCause


class JobHeld(TypedDict):
    """What held a job."""

    job: str
    waited: float


class EventHold(TypedDict):
    """An event that kept the IO of jobs waiting."""

    event: int
    jobs: list[JobHeld]


class LinkHold(TypedDict):
    """What a link kept the IO of jobs waiting for."""

    link: str
    from_host: str
    cause: LinkCause
    waited: float
    jobs: list[JobHeld]
