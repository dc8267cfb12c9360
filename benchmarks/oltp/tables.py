"""What was measured, and how the model compares with it, as tables."""

from collections.abc import Callable
from statistics import median
from typing import Any

from model import simulated

#: What was measured in one round, as `run.py` writes it down.
Run = dict[str, Any]

#: What was measured, by column, of the rounds on a layout: medians.
MEASURED: dict[str, Callable[[list[Run]], str]] = {
    "TPS": lambda rounds: f"{median(run['tps'] for run in rounds):.1f}",
    "rounds": lambda rounds: " to ".join(
        f"{end(run['tps'] for run in rounds):.1f}" for end in (min, max)
    ),
    "p50, ms": lambda rounds: f"{_of(rounds, 'latency_ms', 'p50'):.0f}",
    "p95": lambda rounds: f"{_of(rounds, 'latency_ms', 'p95'):.0f}",
    "p99": lambda rounds: f"{_of(rounds, 'latency_ms', 'p99'):.0f}",
    "of the IOPS limit": lambda rounds: f"{_of(rounds, 'device', 'limit'):.0%}",
    "machine busy": lambda rounds: f"{median(run['machine_busy'] for run in rounds):.0%}",
}

#: What a transaction did, likewise.
TRANSACTION: dict[str, Callable[[list[Run]], str]] = {
    "accesses": lambda rounds: f"{_of(rounds, 'transaction', 'accesses'):.1f}",
    "misses": lambda rounds: f"{_of(rounds, 'transaction', 'misses'):.2f}",
    "dirtied": lambda rounds: f"{_of(rounds, 'transaction', 'dirtied'):.2f}",
    "log, B": lambda rounds: f"{_of(rounds, 'transaction', 'log_bytes'):.0f}",
    "full pages": lambda rounds: f"{_of(rounds, 'transaction', 'full_pages'):.2f}",
    "CPU, ms": lambda rounds: f"{_of(rounds, 'transaction', 'cpu_us') / 1e3:.2f}",
    "device reads": lambda rounds: f"{_of(rounds, 'device', 'read_ios'):.2f}",
    "device writes": lambda rounds: f"{_of(rounds, 'device', 'write_ios'):.2f}",
    "written, KiB": lambda rounds: f"{_of(rounds, 'device', 'write_bytes') / 1024:.0f}",
}


def show(runs: list[Run], columns: dict[str, Callable[[list[Run]], str]]) -> None:
    """A row for each database and layout."""
    _heading("database", "layout", *columns)
    for case, rounds in _cases(runs).items():
        _row(*case, *(cell(rounds) for cell in columns.values()))


def compare(runs: list[Run]) -> None:
    """Measured beside simulated, and how both change from the first layout to the others.

    Each run is simulated with what was counted in itself. Those of the first layout are simulated
    once more with the volume and the pool of each other: a prediction, for which the other did
    not have to be measured.
    """
    _heading(
        "database", "layout", "TPS measured", "simulated", "off", "predicted", "off",
        "to the first, measured", "simulated", "off", "p99 measured, ms", "simulated",
    )  # fmt: skip
    cases = _cases(runs)
    first = {database: rounds for (database, _), rounds in reversed(cases.items())}
    base: dict[str, tuple[float, float]] = {}
    for (database, layout), rounds in cases.items():
        tps, p99 = _simulated(rounds, rounds)
        predicted, _ = _simulated(first[database], rounds)
        real = median(run["tps"] for run in rounds)
        its = base.setdefault(database, (real, tps))
        ratios = real / its[0], tps / its[1]
        _row(
            database, layout,
            f"{real:.1f}", f"{tps:.1f}", _off(tps, real), f"{predicted:.1f}", _off(predicted, real),
            *(f"{ratio:.2f}" for ratio in ratios), _off(ratios[1], ratios[0]),
            f"{_of(rounds, 'latency_ms', 'p99'):.0f}", f"{p99:.0f}",
        )  # fmt: skip


def _simulated(rounds: list[Run], on: list[Run]) -> tuple[float, float]:
    """TPS and p99 in milliseconds, medians over the rounds."""
    models = [simulated(run, on[0]) for run in rounds]
    return median(each["tps"] for each in models), median(each["p99"] for each in models)


def _off(model: float, real: float) -> str:
    return f"{model / real - 1:+.0%}"


def _cases(runs: list[Run]) -> dict[tuple[str, str], list[Run]]:
    cases: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        cases.setdefault((run["database"], run["layout"]), []).append(run)
    return cases


def _of(rounds: list[Run], part: str, name: str) -> float:
    # What was not counted at all is not written down.
    return float(median(run[part].get(name, 0) for run in rounds))


def _heading(*cells: str) -> None:
    _row(*cells)
    _row(*["---"] * len(cells))


def _row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)
