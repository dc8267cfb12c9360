"""Simulates cases: all at once, long ones in two parts, and some with nothing saved up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blockyard import simulate_many
from validation.measured.cases import Case
from validation.measured.figures import Figure

MIB = 1048576

# By operation.
Totals = Mapping[str, Mapping[str, Any]]


@dataclass
class _Sums:
    """Totals of one simulation."""

    ops: dict[str, dict[str, Any]] = field(default_factory=dict)
    error: str = ""
    # By job, in seconds.
    throttled: dict[str, float] = field(default_factory=dict)
    latency_s: float = 0.0

    def add(self, line: dict[str, Any]) -> None:
        """Take in a line of totals; jobs of one operation only have their rates in common."""
        if line["error"]:
            self.error = line["error"]
            return
        known = self.ops.setdefault(line["op"], line | {"ios": 0, "bytes": 0})
        known["ios"] += line["ios"]
        known["bytes"] += line["bytes"]
        self.latency_s += line["ios"] * (line["latency_mean_us"] or 0) / 1e6
        self.throttled[line["job"]] = sum(seconds for _, seconds in line["throttled_s"] or ())


@dataclass(frozen=True)
class Run:
    """What a case came to: totals by operation, of its beginning and of the rest."""

    case: Case
    error: str
    beginning: Totals
    rest: Totals
    throttled: float
    # With nothing saved up.
    empty: "Run | None" = None

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
        if not _in_two(case) or case.runtime_s is None:
            return float(rest)
        beginning = sum(self.beginning[op][what] for op in ops if op in self.beginning)
        return float(beginning + rest * (case.runtime_s - case.beginning_s)) / case.runtime_s


def simulated(planned: Sequence[Case]) -> Iterator[Run]:
    """Each case's run."""
    asked = [scenario for case in planned for scenario in _scenarios(case)]
    sums = [_Sums() for _ in asked]
    for line in simulate_many(asked).to_pylist():
        sums[line["scenario"]].add(line)
    made = iter(sums)
    for case in planned:
        yield _run(case, made, _run(case, made, None) if case.empty else None)


def _run(case: Case, made: Iterator[_Sums], empty: Run | None) -> Run:
    rest = next(made)
    beginning = next(made).ops if _in_two(case) else {}
    throttled = sum(rest.throttled.values()) / rest.latency_s if rest.latency_s else 0.0
    return Run(case, rest.error, beginning, rest.ops, throttled, empty)


def _scenarios(case: Case) -> Iterator[dict[str, Any]]:
    """What is simulated of a case, what has nothing saved up first."""
    for scenario in filter(None, (case.empty, case.scenario)):
        yield scenario | _times(case.simulated_s, case.beginning_s)
        if _in_two(case):
            yield scenario | _times(case.beginning_s, 0)


def _in_two(case: Case) -> bool:
    """Whether its beginning is counted apart."""
    return case.runtime_s is not None and case.beginning_s != case.ramp_s


def _times(duration_s: float, warmup_s: float) -> dict[str, str]:
    """The times of a run, in hundredths of a second where they are not whole."""
    whole = float(duration_s).is_integer() and float(warmup_s).is_integer()
    return {
        "duration": f"{max(1, round(100 * duration_s)) * 10}ms",
        "warmup": f"{round(100 * warmup_s) * 10}ms",
        "interval": "1s" if whole else "10ms",
    }
