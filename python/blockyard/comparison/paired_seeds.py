"""Further seeds: simulated runs are simulated again, with the same seeds on every side.

How, and how often, stands in `crates/experiment`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from blockyard._core import SEEDS, Paired, Scenario, ScenarioError, paired
from blockyard.runs.observer import Tried
from blockyard.runs.run import Run
from blockyard.text.formatting import number
from blockyard.types.fewer_seeds import Fewer


@dataclass(frozen=True)
class Drawn:
    """Simulations of all sides with the same seeds."""

    # None where nothing was simulated again.
    paired: Paired | None
    # Why there are fewer than could be, in a sentence; empty if there is nothing to say.
    note: str

    @property
    def seeds(self) -> list[int]:
        """The seeds that each side has; empty where nothing was simulated again."""
        return self.paired.seeds if self.paired else []


def unseen(_last: str, _ios: int, _most_ios: int) -> None:
    """Look on at simulations, and show nothing."""


def drawn(sides: Sequence[Sequence[Run]], wanted: int | None, tried: Tried = unseen) -> Drawn:
    """Simulate the runs of all sides again, with `wanted` seeds from the first side's on.

    Without `wanted` with as many, up to 8, as take no more than some seconds. Only of sides that
    are one simulated run each; what is simulated must come to the same figures with the run's
    own seed. Raises KeyboardInterrupt on Ctrl-C.
    """
    runs = [side[0] for side in sides if len(side) == 1]
    if wanted == 1 or len(runs) < len(sides) or not all(map(_can_be_drawn, runs)):
        return Drawn(None, "")
    try:
        asked = [(_single(run), json.dumps(run.result)) for run in runs]
        found = paired(asked, wanted, tried)
    except ScenarioError as error:
        return Drawn(None, f"not simulated again with other seeds: {error}")
    why = found.why()
    note = _note(runs, len(found.seeds), cast(Fewer, json.loads(why))) if why else ""
    return Drawn(found if found.seeds else None, note)


def _can_be_drawn(run: Run) -> bool:
    result = run.result
    return result["mode"] == "simulate" and result["status"] == "complete" and bool(run.scenario)


def _single(run: Run) -> Scenario:
    """Its scenario, of which one repeat is simulated."""
    return Scenario.load(run.scenario or "", run.name, [f"seed={run.result['seed']}", "repeats=1"])


def _note(runs: Sequence[Run], seeds: int, fewer: Fewer) -> str:
    if fewer["why"] == "longer":
        return f"{seeds} seeds, as {SEEDS} would take longer"
    if fewer["why"] == "other_figures":
        name = runs[fewer["side"]].name
        return (
            f"simulated again, {name} gives other figures, as by another version of Blockyard: "
            "only what was recorded is compared"
        )
    names = " and ".join(run.name for run in runs)
    return (
        f"one seed each: {names} would take long to simulate again ({number(fewer['ios'])} IOs a "
        f"seed); --seeds {SEEDS} does it all the same"
    )
