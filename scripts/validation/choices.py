"""What the model is worth in dollars: the layouts it would have chosen, beside the measured best.

Published studies that measured several layouts under one load are taken as shops with so many
goods. For each rate that one of them gave, the model names the cheapest layout that gives as much;
the study knows which one does.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from blockyard._core import Scenario
from blockyard.runs import billing
from blockyard.runs.billing import Terms
from validation import percona
from validation.markdown import table
from validation.measured.cases import Case, cases
from validation.measured.compare import Compared, Outcome
from validation.measured.reasons import Reason
from validation.measured.rows import Row

# How long each run of Percona's took.
RUN_S = 3600

# So close to a rate counts as it: what `blockyard compare` calls alike.
ALIKE = 0.05
# What is missing counts so many times, as in a plan with ranges.
FACTOR = 3

# Sources of fio runs that put several volumes under one load.
SOURCES = {
    "miztiik/ebs-gp3-perf": "random writes, 4 to 256 KiB",
    "liangruibupt/ebs-benchmark-testing": "random writes, 4 and 16 KiB",
}
# Fewer layouts are no choice.
FEWEST = 4


@dataclass(frozen=True)
class Layout:
    """A layout of a study: its rate, measured and predicted, and what it costs."""

    name: str
    measured: float
    predicted: float
    # Dollars, at the list prices of the day.
    a_month: float
    # What its run cost.
    run: float


@dataclass(frozen=True)
class Choice:
    """What is chosen for a rate, and the cheapest that gives it."""

    rate: float
    chosen: Layout | None
    best: Layout

    @property
    def missing(self) -> float:
        """The share of the rate that the chosen layout does not give."""
        if self.chosen is None:
            return 0.0
        share = 1 - self.chosen.measured / self.rate
        return share if share > 0 else 0.0

    @property
    def regret(self) -> float:
        """Dollars a month too many, or what is missing in dollars, as plans count both.

        Zero also where nothing is chosen, which is to be counted apart.
        """
        if self.chosen is None:
            return 0.0
        more = max(0.0, self.chosen.a_month - self.best.a_month)
        return more + FACTOR * self.missing * self.best.a_month


def chosen(layouts: Sequence[Layout]) -> Iterator[Choice]:
    """For each layout's rate, the cheapest that is predicted to give it, and the one that does."""
    for rate in sorted({(1 - ALIKE) * layout.measured for layout in layouts}):
        enough = [layout for layout in layouts if layout.predicted >= rate]
        yield Choice(rate, _cheapest(enough), _cheapest_of(layouts, rate))


def _cheapest_of(layouts: Sequence[Layout], rate: float) -> Layout:
    found = _cheapest([layout for layout in layouts if layout.measured >= rate])
    if found is None:
        raise ValueError(f"no layout gives {rate}")
    return found


def _cheapest(layouts: Sequence[Layout]) -> Layout | None:
    return min(layouts, key=lambda it: (it.a_month, it.name), default=None)


@dataclass(frozen=True)
class Study:
    """Loads that one source put on several layouts."""

    name: str
    load: str
    # For each load.
    layouts: Sequence[Sequence[Layout]]

    def row(self) -> list[str]:
        """What choosing by the model comes to."""
        choices = [choice for of in self.layouts for choice in chosen(of)]
        made = [choice for choice in choices if choice.chosen is not None]
        right = sum(choice.chosen is choice.best for choice in made)
        regret, best = (
            mean(of) for of in zip(*((it.regret, it.best.a_month) for it in made), strict=True)
        )
        runs, needed = self._runs()
        return [
            f"{self.name}: {self.load}",
            f"{len({layout.name for of in self.layouts for layout in of})}",
            f"{len(choices)}", f"{right}", f"{len(choices) - len(made)}",
            f"${regret:,.2f} of ${best:,.2f}",
            f"{100 * max(choice.missing for choice in made):.1f} %",
            f"${runs:,.2f}", f"${runs - needed:,.2f}",
        ]  # fmt: skip

    def _runs(self) -> tuple[float, float]:
        """Dollars for all runs, and for those that would check what the model chooses."""
        needed = 0.0
        for of in self.layouts:
            checked = {choice.chosen.name: choice.chosen for choice in chosen(of) if choice.chosen}
            needed += sum(layout.run for layout in checked.values())
        return sum(layout.run for of in self.layouts for layout in of), needed


HEAD = (
    "study", "layouts", "rates", "best chosen", "none found", "regret, a month",
    "rate missed by at most", "all runs cost", "not needed",
)  # fmt: skip


def worth(rows: Sequence[Row], outcome: Outcome) -> str:
    """The table of all studies; `outcome` is what the model makes of the rows."""
    studies = [of_percona(), *of_rows(rows, outcome)]
    return table(HEAD, (study.row() for study in studies))


def of_percona() -> Study:
    """Percona's single node: rates as they stand on its page, 72 threads on the whole pool."""
    predicted = dict(percona.on_page())
    layouts = []
    for row in (*percona.PUBLISHED, *percona.PREDICTED):
        if not row.sets:
            bill = billing.of_scenario(row.job().scenario, Terms())
            cost = bill["per_hour"] * RUN_S / 3600
            layouts.append(
                Layout(row.title, row.tps, predicted[row.title], bill["per_month"], cost)
            )
    return Study("Percona 2018", "sysbench-tpcc, 72 threads", [layouts])


def of_rows(rows: Sequence[Row], outcome: Outcome) -> Iterator[Study]:
    """Studies of fio, of which every load on at least some layouts counts."""
    for source, load in SOURCES.items():
        own = [row for row in rows if row.source == source]
        loads: dict[str, dict[str, Layout]] = {}
        for row in own:
            for case in _cases(row):
                layout = _layout(row, case, outcome.compared.get(row.id, ()))
                if layout is not None:
                    loads.setdefault(_load(row), {}).setdefault(layout.name, layout)
        enough = [list(of.values()) for of in loads.values() if len(of) >= FEWEST]
        yield Study(source, load, enough)


def _cases(row: Row) -> tuple[Case, ...]:
    made = cases(row)
    return () if isinstance(made, Reason) else made


def _load(row: Row) -> str:
    """What tells loads apart: all but how long they ran."""
    return row.workload.model_dump_json(exclude={"runtime_s", "gap_s", "ramp_s", "file_mib"})


def _layout(row: Row, case: Case, compared: Iterable[Compared]) -> Layout | None:
    """What was written a second, measured and predicted, and the bill."""
    block, runtime_s = row.workload.block_write, case.runtime_s
    if block is None or runtime_s is None:
        return None
    for one in compared:
        if one.figure.op == "write" and one.figure.quantity in ("iops", "mib_per_s"):
            unit = block if one.figure.quantity == "iops" else 1 << 20
            scenario = case.scenario | {"duration": "1s"}
            bill = billing.of_scenario(Scenario.load(json.dumps(scenario), row.id), Terms())
            return Layout(
                _name(row),
                one.figure.measured * unit,
                one.predicted * unit,
                bill["per_month"],
                # Nothing is billed for less than a minute.
                bill["per_hour"] * max(runtime_s, 60) / 3600,
            )
    return None


def _name(row: Row) -> str:
    return f"{row.instance}, {row.volume.model_dump_json(exclude_none=True)}"
