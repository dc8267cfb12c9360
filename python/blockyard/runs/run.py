"""A run: its result, its tables and its latencies."""

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from blockyard._core import Latencies, Report, Scenario, ScenarioError
from blockyard.runs import billing, findings, price_folder, told
from blockyard.runs.trials import Trials
from blockyard.types.facts import Facts
from blockyard.types.findings import Advice, Findings
from blockyard.types.result import Result

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from blockyard.types.bill import Bill
    from blockyard.types.result.observed import EbsStatistics
    from blockyard.types.verdict import Verdict


# Shares of IOs and the latencies that they do not exceed, in µs, rising.
Percentiles = Sequence[tuple[float, float]]

Table = Literal["intervals", "volumes", "transactions"]


@dataclass(frozen=True, repr=False)
class Run:
    """What a run directory holds, or as much of it as a foreign file says.

    Where a foreign file says nothing, lists and tables are empty, and `scenario` and `facts`
    are None.
    """

    # Its name in reports.
    name: str
    # Where it is; None if it was not kept.
    path: Path | None
    # As in `result.json`.
    result: Result
    # The effective scenario; None of an observation too.
    scenario: str | None
    # By interval, job, device and operation: `tables.INTERVALS`.
    intervals: "pa.Table"
    # By interval and volume: `tables.VOLUMES`.
    volumes: "pa.Table"
    # By interval and job that does any: `tables.TRANSACTIONS`.
    transactions: "pa.Table"
    # Latencies by interval under the tag JOB.DEVICE.OP; of transactions JOB.transaction.
    latencies: Latencies
    # Of the whole run, under the same tags, where another tool's file has no more of latencies.
    percentiles: Mapping[str, Percentiles] = field(default_factory=dict)
    # The time between samples of another program, which may have left idle ones out.
    sampled_s: float | None = None
    # What the observed devices are, as a scenario, if that is known.
    storage: str | None = None
    # What EBS itself counted of devices, where another tool's file has it.
    ebs: Mapping[str, "EbsStatistics"] = field(default_factory=dict)
    # What was found out about it when it was made; None where that is not stored.
    stored: Findings | None = None

    def asked(self) -> Scenario:
        """The scenario that it was asked to run. Raises ScenarioError if it is no longer valid.

        Requires `scenario`.
        """
        return self._asked

    @cached_property
    def _asked(self) -> Scenario:
        place = self.path / "scenario.yaml" if self.path else f"{self.name}: scenario"
        return Scenario.load(self.scenario or "", str(place))

    @property
    def warmup_s(self) -> float:
        """The seconds at its beginning that are not in its totals."""
        return self.asked().warmup_s if self.scenario else 0.0

    @cached_property
    def interval_s(self) -> float:
        """The time from row to row of its tables, in seconds; 1 with fewer than two."""
        if self.sampled_s is not None:
            return self.sampled_s
        import pyarrow.compute as pc

        starts = sorted(pc.unique(self.intervals["t_s"]).to_pylist())[:2]
        return float(starts[1] - starts[0]) if len(starts) == 2 else 1.0

    @property
    def facts(self) -> Facts | None:
        """What its figures say of its limits; None for foreign files, which name none.

        Raises ScenarioError if its scenario is no longer valid, and FileError if its result
        cannot be read.
        """
        return self._found["facts"] if self._found else None

    @property
    def bill(self) -> "Bill | None":
        """What its storage and its hosts cost, on usual terms, by the prices that were imported.

        None for foreign files and for benched runs, whose storage is whatever was mapped.

        Raises ScenarioError, in one line, if a price is not known or its scenario is no longer
        valid.
        """
        return self._bill

    @cached_property
    def _bill(self) -> "Bill | None":
        found = self._found
        if found is None or (found["bill"] is None and found["unpriced"] is None):
            return None
        if price_folder.imported() is not None:
            return billing.of_result(self.asked(), self.result)
        if found["unpriced"]:
            raise ScenarioError(found["unpriced"])
        return found["bill"]

    @property
    def advice(self) -> Advice | None:
        """What would help it, as it was tried when it was made; None if nothing was.

        Raises what `facts` does.
        """
        return self._found["advice"] if self._found else None

    @property
    def trials(self) -> Trials:
        """The trials that its advice rests on. Raises what `facts` does."""
        return Trials.of(self.advice) if self.advice else Trials()

    @property
    def drive(self) -> "Verdict | None":
        """Was it the drive? What an observed load waited for, as far as that can be told.

        None of runs with a scenario, whose `facts` say it. Raises ScenarioError for storage that
        is no longer valid.
        """
        if self.scenario is not None:
            return None
        found: Verdict = json.loads(self.told.was_it_the_drive()[0])
        return found

    @cached_property
    def told(self) -> Report:
        """What is told of it, in words and figures. Raises what `facts` does."""
        return told.of_run(self)

    def __getstate__(self) -> dict[str, Any]:
        """What copies of it need: they work out again what is told."""
        return {name: value for name, value in vars(self).items() if name != "told"}

    @cached_property
    def _found(self) -> Findings | None:
        """What is stored, or is found out again where nothing is; None for foreign files."""
        if self.scenario is None or self.result["mode"] not in ("simulate", "bench", "emulate"):
            return None
        if self.stored is not None:
            return self.stored
        text = json.dumps(self.result)
        return findings.of(str(self.path or self.name), text, self.asked(), self.volumes)

    def to_polars(self, table: Table = "intervals") -> "polars.DataFrame":
        """One of its tables for polars, which must be installed."""
        _needed("polars")
        import polars

        frame = polars.from_arrow(self._table(table))
        assert isinstance(frame, polars.DataFrame)  # noqa: S101 - of a table, it is one
        return frame

    def to_pandas(self, table: Table = "intervals") -> "pandas.DataFrame":
        """One of its tables for pandas, which must be installed."""
        _needed("pandas")
        frame: pandas.DataFrame = self._table(table).to_pandas()
        return frame

    def _table(self, name: str) -> "pa.Table":
        tables = {table: getattr(self, table) for table in get_args(Table)}
        if name not in tables:
            raise ValueError(f"no table `{name}`; expected one of {', '.join(tables)}")
        table: pa.Table = tables[name]
        return table


def _needed(library: str) -> None:
    """Check that a library is installed. Raises ImportError that says how to install it."""
    try:
        importlib.import_module(library)
    except ImportError as error:
        message = f"needs {library}; install it with: pip install {library}"
        raise ImportError(message, name=library) from error
