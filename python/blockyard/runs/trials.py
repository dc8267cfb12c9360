"""What would help a simulated run, as it was tried: simulated again with one thing changed.

What is tried, what counts as moved and how much is affordable stands in `crates/experiment`.
"""

from dataclasses import dataclass, field
from typing import Literal, NotRequired, Self, TypedDict, cast

from blockyard import _core
from blockyard.types.facts import Facts, InIos, LimitId, LinkHold, Next, Raising
from blockyard.types.result import LatencyUs

# What limits are raised by.
FACTOR = _core.ADVICE_FACTOR

# Of a run that was made without advice.
_NOT_ASKED = (
    "What is said here without figures was not tried; `blockyard simulate` tries it, but for "
    "--no-advice."
)


class OtherMirror(TypedDict):
    """A mirror that works in another way: acknowledges from the peer's memory, or reads locally."""

    device: str
    acknowledge: NotRequired[Literal["B"]]
    read: NotRequired[Literal["local"]]


class Came(TypedDict):
    """What a job did: its IO on a device by operation, or its transactions."""

    job: str
    # Empty of transactions.
    device: str
    # As results call operations, or `transaction`.
    op: str
    # IOs, or transactions, and the same a second.
    ios: int
    iops: float
    latency_us: LatencyUs | None


@dataclass(frozen=True)
class Moved:
    """What a job did before and after a change, and which of its figures moved."""

    before: Came
    after: Came
    # Whether its IOs a second moved, the mean of its latency, and the 99th percentile of it.
    rate: bool
    mean: bool
    p99: bool

    def latency(self, figure: Literal["mean", "p99"]) -> tuple[float, float] | None:
        """A figure of its latency before and after, in µs, if it moved."""
        before, after = self.before["latency_us"], self.after["latency_us"]
        if before is None or after is None or not (self.p99 if figure == "p99" else self.mean):
            return None
        return before[figure], after[figure]


class _Moved(TypedDict):
    """`Moved`, as Rust has it."""

    before: Came
    after: Came
    rate: bool
    mean: bool
    p99: bool


class _Trial(TypedDict):
    """A change and what it moved."""

    changed: object
    moved: list[_Moved]


class _Untried(TypedDict):
    """Why something was not tried."""

    why: Literal["too_long", "stopped"]
    ios: NotRequired[int]
    most_ios: NotRequired[int]


class Advice(TypedDict):
    """The trials of a run, as Rust has them."""

    raised: list[_Trial]
    beyond: list[tuple[LimitId, list[LimitId]]]
    links: list[_Trial]
    mirrors: list[_Trial]
    without: list[_Trial]
    idle_matter: bool | None
    untried: _Untried | None


@dataclass(frozen=True)
class Trials:
    """The trials of a run, with their outcomes."""

    # The limits that were raised, one at a time.
    raised: list[tuple[LimitId, list[Moved]]] = field(default_factory=list)
    # What those who waited for a limit wait for once it is raised far, the one with most first.
    beyond: list[tuple[LimitId, list[LimitId]]] = field(default_factory=list)
    # What of links was raised, one at a time.
    links: list[tuple[LinkHold, list[Moved]]] = field(default_factory=list)
    # The mirrors that worked in another way, one at a time.
    mirrors: list[tuple[OtherMirror, list[Moved]]] = field(default_factory=list)
    # What silence of a job brought to the others, by job.
    without: dict[str, list[Moved]] = field(default_factory=dict)
    # Whether raising all limits that nothing waited for changed anything; None if not tried.
    idle_matter: bool | None = None
    # Why something was not tried; empty where all was, or nothing can be.
    note: str = ""

    @classmethod
    def of(cls, found: Advice | None) -> Self:
        """The trials that were made when the run was; None stands for none."""
        if found is None:
            return cls(note=_NOT_ASKED)
        return cls(
            raised=[(cast(LimitId, one["changed"]), _moved(one)) for one in found["raised"]],
            beyond=[(limit, met) for limit, met in found["beyond"]],
            links=[(cast(LinkHold, one["changed"]), _moved(one)) for one in found["links"]],
            mirrors=[(cast(OtherMirror, one["changed"]), _moved(one)) for one in found["mirrors"]],
            without={cast(str, one["changed"]): _moved(one) for one in found["without"]},
            idle_matter=found["idle_matter"],
            note=_note(found["untried"]) if found["untried"] else "",
        )

    def raising(self, limit: LimitId) -> list[Moved] | None:
        """What raising a limit moved; None if that was not tried."""
        return next((moved for known, moved in self.raised if known == limit), None)

    def next(self, facts: Facts, limit: LimitId, raising: Raising) -> Next:
        """Which limit comes next: the one that was met, or where that was not tried is seen."""
        met = next((found for known, found in self.beyond if known == limit), None)
        if met is None:
            return raising["next"]
        lasts = raising["lasts"]
        others = [one for one in met if one != limit and not (lasts and one == lasts["limit"])]
        valued = [own for one in others for own in facts["limits"] if own["limit"] == one]
        if not valued:
            return {"kind": "nothing"}
        first, seen = valued[0], raising["next"]
        found: InIos = {
            "limit": first["limit"],
            "value": (first["value"], first["unit"]),
            "ios": seen["ios"]
            if seen["kind"] != "nothing" and seen["limit"] == first["limit"]
            else None,
        }
        return {"kind": "up_to", **found} if self.raising(limit) else {"kind": "at_once", **found}


def _moved(trial: _Trial) -> list[Moved]:
    return [Moved(**one) for one in trial["moved"]]


def _note(untried: _Untried) -> str:
    from blockyard.text.formatting import number

    if untried["why"] == "stopped":
        return "What is said here without figures was not tried: the run was interrupted."
    return (
        f"What is said here without figures was not tried: a trial takes "
        f"{number(untried['ios'])} IOs, and no more than {number(untried['most_ios'])} are "
        "simulated for advice."
    )
