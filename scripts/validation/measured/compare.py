"""Simulates the cases of all rows, and sets what comes out beside what was measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blockyard import simulate_many
from validation.measured.cases import Case, cases
from validation.measured.figures import Figure
from validation.measured.reasons import Reason
from validation.measured.rows import Row

MIB = 1048576
# How the catalog refuses what it has no figures for. Any other refusal is a fault of the scenario.
REFUSAL = "the catalog has no IOPS"


@dataclass(frozen=True)
class Compared:
    """A figure that was measured, and the model's."""

    row: str
    part: str
    figure: Figure
    predicted: float

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


def compare(rows: Sequence[Row]) -> Outcome:
    """Compare all rows; takes as many threads as there are processors.

    Raises ValueError if a scenario is wrong.
    """
    left: dict[str, Left] = {}
    planned: list[Case] = []
    for row in rows:
        made = cases(row)
        if isinstance(made, Reason):
            left[row.id] = Left(made)
        else:
            planned += made
    compared: dict[str, tuple[Compared, ...]] = {}
    for case, run in zip(planned, _simulated(planned), strict=True):
        if run.error and REFUSAL not in run.error:
            raise ValueError(f"{case.row} {case.part}: {run.error}")
        if run.error:
            left[case.row] = Left(Reason.CATALOG, run.error)
        else:
            found = tuple(
                Compared(case.row, case.part, figure, run.figure(figure)) for figure in case.figures
            )
            compared[case.row] = compared.get(case.row, ()) + found
    return Outcome(compared, left)


@dataclass(frozen=True)
class _Run:
    """What a case came to: totals by operation, of its beginning and of the rest."""

    case: Case
    error: str
    beginning: Mapping[str, Mapping[str, Any]]
    rest: Mapping[str, Mapping[str, Any]]

    def figure(self, figure: Figure) -> float:
        """The model's figure."""
        if figure.quantity == "excess_s":
            limit = figure.limit or 1
            return (self._rate(None, "ios") / limit - 1) * (self.case.runtime_s or 0)
        if figure.quantity == "iops":
            return self._rate(figure.op, "ios")
        if figure.quantity == "mib_per_s":
            return self._rate(figure.op, "bytes") / MIB
        if figure.op == "sync":
            return float(sum(self.rest[op]["latency_mean_us"] for op in ("write", "flush")))
        return float(self.rest[figure.op][f"latency_{figure.quantity}_us"])

    def _rate(self, op: str | None, what: str) -> float:
        """The rate over the whole of the measured run, of which the rest goes on to its end."""
        case = self.case
        ops = [op] if op else list(self.rest)
        rest = sum(self.rest[op][what] for op in ops) / (case.simulated_s - case.beginning_s)
        if case.runtime_s is None or case.beginning_s == case.ramp_s:
            return float(rest)
        beginning = sum(self.beginning[op][what] for op in ops if op in self.beginning)
        return float(beginning + rest * (case.runtime_s - case.beginning_s)) / case.runtime_s


def _simulated(planned: Sequence[Case]) -> Iterable[_Run]:
    """Each case's rest, and its beginning where that is counted apart."""
    asked: list[dict[str, Any]] = []
    places: list[tuple[int, int | None]] = []
    for case in planned:
        asked.append(case.scenario | _times(case.simulated_s, case.beginning_s))
        beginning = None
        if case.runtime_s is not None and case.beginning_s != case.ramp_s:
            beginning = len(asked)
            asked.append(case.scenario | _times(case.beginning_s, 0))
        places.append((len(asked) - (1 if beginning is None else 2), beginning))
    totals: list[dict[str, dict[str, Any]]] = [{} for _ in asked]
    errors = [""] * len(asked)
    for line in simulate_many(asked).to_pylist():
        if line["error"]:
            errors[line["scenario"]] = line["error"]
        else:
            _add(totals[line["scenario"]], line)
    for case, (rest, beginning) in zip(planned, places, strict=True):
        at_first = totals[beginning] if beginning is not None else {}
        yield _Run(case, errors[rest], at_first, totals[rest])


def _add(totals: dict[str, dict[str, Any]], line: dict[str, Any]) -> None:
    """Take in a line of totals; jobs of one operation only have their rates in common."""
    known = totals.setdefault(line["op"], line | {"ios": 0, "bytes": 0})
    known["ios"] += line["ios"]
    known["bytes"] += line["bytes"]


def _times(duration_s: float, warmup_s: float) -> dict[str, str]:
    """The times of a run, in hundredths of a second where they are not whole."""
    whole = float(duration_s).is_integer() and float(warmup_s).is_integer()
    return {
        "duration": f"{max(1, round(100 * duration_s)) * 10}ms",
        "warmup": f"{round(100 * warmup_s) * 10}ms",
        "interval": "1s" if whole else "10ms",
    }
