"""What `result.json` says of events.

Made by scripts/door_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.result.shared import Held

# An event's kind.
EventKind = Literal[
    "fail",
    "cut",
    "resume",
    "pause",
    "degrade",
    "modify",
    "grow",
    "failover",
    "switch",
    "reconnect",
    "add",
    "trouble",
    "catch_up",
    "takeover",
    "frozen",
    "not_promoted",
    "split_brain",
    "discarded",
    "silent",
    "left",
    "outdated",
    "state_transfer",
    "log_full",
    "no_quorum",
    "asynchronous",
    "fault",
    "set",
    "note",
]


# Steps of a cluster's outage.
StepKind = Literal[
    "detection", "stop", "no_node", "fencing", "detach", "attach", "import", "recovery", "start"
]


class OutagePart(TypedDict):
    """A part of an outage, up to the end of the run; the parts add up to it."""

    step: StepKind
    t_s: float
    length_s: float
    assumed: bool


class Outage(TypedDict):
    """A time in which no node had a cluster's disks; none for other events."""

    from_node: str
    to_node: NotRequired[str | None]
    total_s: float
    parts: list[OutagePart]


class EventEffect(TypedDict):
    """An event's effect on its devices' IO, of all jobs together.

    None for changes from outside, or if it touched no device.
    """

    outage_s: float
    recovered_s: NotRequired[float | None]
    failed_ios: int
    iops_before: NotRequired[float | None]
    iops_during: NotRequired[float | None]
    iops_after: NotRequired[float | None]


class Event(TypedDict):
    """An event of the scenario or, in an emulation, a change or fault from outside."""

    t_s: float
    what: str
    kind: NotRequired[EventKind]
    on: NotRequired[str | None]
    until_s: NotRequired[float | None]
    outage: NotRequired[Outage | None]
    effect: NotRequired[EventEffect | None]
    held: NotRequired[list[Held]]
