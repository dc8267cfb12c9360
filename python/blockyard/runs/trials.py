"""What would help a simulated run, as it was tried: simulated again with one thing changed.

What is tried, what counts as moved and how much is affordable stands in `crates/experiment`; what
is said of it, in `crates/report`.
"""

from dataclasses import dataclass, field
from typing import Self

from blockyard.types.facts import LimitId, LinkHold
from blockyard.types.findings import Advice, Moved, OtherMirror


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

    @classmethod
    def of(cls, found: Advice) -> Self:
        """The trials that were made when the run was."""
        return cls(
            raised=found["raised"],
            beyond=found["beyond"],
            links=found["links"],
            mirrors=found["mirrors"],
            without=dict(found["without"]),
            idle_matter=found["idle_matter"],
        )
