"""A run that was made: its result, its tables and its latencies."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from blockyard._core import Latencies, Scenario
from blockyard.result import Result

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas
    import polars
    import pyarrow as pa

    from blockyard.report.figure import Figure


Table = Literal["intervals", "volumes"]


@dataclass(frozen=True, repr=False)
class Run:
    """What a run directory holds, or as much of it as a foreign file says.

    Where a foreign file says nothing, lists and tables are empty and `scenario` is None.
    """

    # How reports call it.
    name: str
    # Where it is; None if it was not kept.
    path: Path | None
    # As in `result.json`.
    result: Result
    # The effective scenario.
    scenario: str | None
    # By interval, job, device and operation: `tables.INTERVALS`.
    intervals: "pa.Table"
    # By interval and volume: `tables.VOLUMES`.
    volumes: "pa.Table"
    # Latencies by interval under the tag JOB.DEVICE.OP.
    latencies: Latencies

    def asked(self) -> Scenario:
        """The scenario that it was asked to run. Raises ScenarioError if it is no more one.

        Not to be asked for without `scenario`.
        """
        place = self.path / "scenario.yaml" if self.path else f"{self.name}: scenario"
        return Scenario.load(self.scenario or "", str(place))

    @property
    def warmup_s(self) -> float:
        """Seconds at its beginning that its totals leave out."""
        return self.asked().warmup_s if self.scenario else 0.0

    def figures(self, bin_s: float = 5.0) -> dict[str, "Figure"]:
        """The charts of its report by their names, time in bins of `bin_s` seconds."""
        from blockyard.report import charts

        return {figure.name: figure for figure in charts.drawn([self], bin_s)}

    def plot(self, name: str, bin_s: float = 5.0) -> "matplotlib.figure.Figure":
        """One of its charts, as `iops-data`, drawn by matplotlib.

        Raises KeyError, which names those there are, if it has no such chart, and
        ImportError without the extra `plots`.
        """
        from blockyard.report import static

        figures = self.figures(bin_s)
        if name not in figures:
            raise KeyError(f"no chart `{name}`; there are {', '.join(figures)}")
        return static.drawn(figures[name])

    def to_polars(self, table: Table = "intervals") -> "polars.DataFrame":
        """One of its tables for polars, which must be installed."""
        _needed("polars")
        import polars

        frame = polars.from_arrow(getattr(self, table))
        assert isinstance(frame, polars.DataFrame)  # noqa: S101 - of a table, it is one
        return frame

    def to_pandas(self, table: Table = "intervals") -> "pandas.DataFrame":
        """One of its tables for pandas, which must be installed."""
        _needed("pandas")
        frame: pandas.DataFrame = getattr(self, table).to_pandas()
        return frame

    def __repr__(self) -> str:
        """The head of the summary."""
        from blockyard import summary

        return f"<Run {self.name}: {summary.short(self.result)}>"

    def _repr_html_(self) -> str:
        """The summary, for notebooks."""
        from blockyard import summary

        return summary.html(self.result, self.path)


def _needed(library: str) -> None:
    """Check that a library is installed. Raises ImportError that says how to install it."""
    try:
        importlib.import_module(library)
    except ImportError as error:
        message = f"needs {library}; install it with: pip install {library}"
        raise ImportError(message, name=library) from error
