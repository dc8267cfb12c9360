"""A run that was made: its result, its tables and its latencies."""

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


@dataclass(frozen=True)
class Run:
    """What a run directory holds, or as much of it as a foreign file says.

    Where a foreign file says nothing, lists and tables are empty and `scenario` is None.
    """

    # How reports call it.
    name: str
    path: Path
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
        return Scenario.load(self.scenario or "", str(self.path / "scenario.yaml"))

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
        import polars

        frame = polars.from_arrow(getattr(self, table))
        assert isinstance(frame, polars.DataFrame)  # noqa: S101 - of a table, it is one
        return frame

    def to_pandas(self, table: Table = "intervals") -> "pandas.DataFrame":
        """One of its tables for pandas, which must be installed."""
        frame: pandas.DataFrame = getattr(self, table).to_pandas()
        return frame

    def _repr_html_(self) -> str:
        """The summary, for notebooks."""
        from blockyard import summary

        return summary.html(self.result, self.path)
