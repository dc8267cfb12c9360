"""Sets what the model says of all rows beside what was measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from validation import percona
from validation.measured.cases import Case, cases, figures_of
from validation.measured.figures import Figure, figures
from validation.measured.loads import transactions
from validation.measured.reasons import Reason
from validation.measured.rows import Row
from validation.measured.runs import Run, simulated

# How the catalog refuses what it has no figures for. Any other refusal is a fault of the scenario.
REFUSAL = "the catalog has no IOPS"


@dataclass(frozen=True)
class Compared:
    """A figure that was measured, and the model's."""

    row: str
    part: str
    figure: Figure
    predicted: float
    # The share of its IOs' time that limits took, by the model.
    throttled: float = 0.0
    # The model's figure with nothing saved up, where nobody says how much was.
    empty: float | None = None
    # Whether its error counts: it does not where credits ended and nobody says when.
    counts: bool = True

    @property
    def error(self) -> float:
        """How far the model is off: relative, and for `excess_s` in seconds."""
        if self.figure.quantity == "excess_s":
            return self.predicted - self.figure.measured
        return self.predicted / self.figure.measured - 1


@dataclass(frozen=True)
class Left:
    """A row that is not compared: why, and what the catalog said if it refused it."""

    reason: Reason
    said: str = ""


@dataclass(frozen=True)
class Outcome:
    """Of every row: the figures compared, or why there are none."""

    compared: dict[str, tuple[Compared, ...]]
    left: dict[str, Left]
    # What valid rows measured that the model has no answer to.
    refused: dict[str, tuple[Figure, ...]] = field(default_factory=dict)


# What changes a scenario; None leaves the case out.
Change = Callable[[dict[str, Any]], dict[str, Any] | None]


def compare(rows: Sequence[Row], change: Change | None = None) -> Outcome:
    """Compare all rows; takes as many threads as there are processors.

    With `change`, only the cases that it changes, with their scenarios changed.
    Raises ValueError if a scenario is wrong.
    """
    left: dict[str, Left] = {}
    planned: list[Case] = []
    compared = {} if change else _transactions(rows)
    for row in rows:
        made = cases(row)
        if isinstance(made, Reason):
            left[row.id] = Left(made)
        else:
            planned += made
    ended = {row.id for row in rows if "gp2_burst_end" in row.classes}
    if change:
        planned = _changed(planned, change)
    for case, run in zip(planned, simulated(planned), strict=True):
        if run.error and REFUSAL not in run.error:
            raise ValueError(f"{case.row} {case.part}: {run.error}")
        if run.error:
            left[case.row] = Left(Reason.CATALOG, run.error)
        else:
            found = _figures(case, run, case.row not in ended)
            compared[case.row] = compared.get(case.row, ()) + found
    refused = {row.id for row in rows if row.id in left and left[row.id].reason.refused}
    return Outcome(compared, left, {row.id: figures_of(row) for row in rows if row.id in refused})


def _figures(case: Case, run: Run, counts: bool) -> tuple[Compared, ...]:
    """The figures of a case."""
    empty = run.empty
    return tuple(
        Compared(
            case.row,
            case.part,
            figure,
            run.figure(figure),
            run.throttled,
            empty.figure(figure) if empty else None,
            counts,
        )
        for figure in case.figures
    )


def _changed(planned: Sequence[Case], change: Change) -> list[Case]:
    made = ((case, change(case.scenario)) for case in planned)
    return [
        replace(case, scenario=scenario, empty=None)
        for case, scenario in made
        if scenario is not None and scenario != case.scenario
    ]


def _transactions(rows: Sequence[Row]) -> dict[str, tuple[Compared, ...]]:
    """Rates of transactions, as the page of their own has them: each takes minutes to simulate."""
    simulated_as = dict(percona.on_page())
    found: dict[str, tuple[Compared, ...]] = {}
    for row in rows:
        if transactions(row) and not isinstance(cases(row), Reason):
            volume = row.volume
            own = percona.gp2(volume.size_gib or 0) if volume.type == "gp2" else None
            own = own or percona.io1(volume.iops or 0)
            predicted = simulated_as[own.title]
            found[row.id] = tuple(
                Compared(row.id, "", figure, predicted) for figure in figures(row)
            )
    return found
