"""What would help a simulated run, as it was tried: simulated again with one thing changed.

What is tried, what counts as moved and how much is affordable stands in `crates/experiment`.
"""

from dataclasses import dataclass, field
from typing import Self

from blockyard import _core
from blockyard.types.facts import Facts, InIos, LimitId, LinkHold, Next, Raising
from blockyard.types.findings import Advice, Moved, OtherMirror, Untried

# What limits are raised by.
FACTOR = _core.ADVICE_FACTOR

# Of a run that was made without advice.
_NOT_ASKED = (
    "What is said here without figures was not tried; `blockyard simulate` tries it, but for "
    "--no-advice."
)


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
            raised=found["raised"],
            beyond=found["beyond"],
            links=found["links"],
            mirrors=found["mirrors"],
            without=dict(found["without"]),
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


def _note(untried: Untried) -> str:
    from blockyard.text.formatting import number

    if untried["why"] == "stopped":
        return "What is said here without figures was not tried: the run was interrupted."
    if untried["why"] == "failed":
        return f"What is said here without figures was not tried: {untried['reason']}."
    return (
        f"What is said here without figures was not tried: a trial takes "
        f"{number(untried['ios'])} IOs, and no more than {number(untried['most_ios'])} are "
        "simulated for advice."
    )
