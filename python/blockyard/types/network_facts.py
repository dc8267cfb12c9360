"""What held jobs that is no limit: links of mirrors, and events. Part of a run's facts."""

from typing import Literal, TypedDict

LinkCause = Literal["socket_buffer", "flow_control", "processor", "bandwidth", "down", "loss"]


class JobHeld(TypedDict):
    """What held a job: the share of all its latency."""

    job: str
    waited: float


class LinkHold(TypedDict):
    """What IO of mirrors waited for on a link, in one direction."""

    link: str
    from_host: str
    cause: LinkCause
    # Of the latency of all jobs that waited.
    waited: float
    # Those that felt it, the one that waited most first.
    jobs: list[JobHeld]


class EventHold(TypedDict):
    """An event, by its place in the result, in which jobs waited."""

    event: int
    # Those that felt it, the one that waited most first.
    jobs: list[JobHeld]
