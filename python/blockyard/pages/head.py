"""What a report says at its head of each run."""

from dataclasses import dataclass
from typing import Self

from blockyard.runs.run import Run


@dataclass(frozen=True)
class Head:
    """A run: its name, facts as (what, value), and its scenario if it has one."""

    name: str
    facts: tuple[tuple[str, str], ...]
    scenario: str | None

    @classmethod
    def of(cls, run: Run) -> Self:
        """What is to be said of a run."""
        path = str(run.path) if run.path else None
        facts = run.told.head(path, has_scenario=run.scenario is not None)
        return cls(run.name, tuple(facts), run.scenario)
