"""A run that shows itself: its charts, and its summary in notebooks."""

import dataclasses
from typing import TYPE_CHECKING, Self

from blockyard.runs.run import Run

if TYPE_CHECKING:
    import matplotlib.figure

    from blockyard.pages.figure import Figure


@dataclasses.dataclass(frozen=True, repr=False)
class RunView(Run):
    """A run as `blockyard.load` gives it: with its charts and its summary.

    What draws runs needs only a `Run`.
    """

    @classmethod
    def of(cls, run: Run) -> Self:
        """The view of a run."""
        return cls(**{field.name: getattr(run, field.name) for field in dataclasses.fields(run)})

    def figures(self, bin_s: float | None = None) -> dict[str, "Figure"]:
        """The charts of its report by their names, time in bins of `bin_s` seconds.

        By default the run's length decides on that.
        """
        from blockyard.pages import charts

        return {figure.name: figure for figure in charts.all_figures([self], bin_s)}

    def plot(self, name: str, bin_s: float | None = None) -> "matplotlib.figure.Figure":
        """One of its charts, as `iops-data`, drawn by matplotlib.

        Raises KeyError, which names those there are, if it has no such chart, and
        ImportError without the extra `plots`.
        """
        from blockyard.pages import pictures

        figures = self.figures(bin_s)
        if name not in figures:
            raise KeyError(f"no chart `{name}`; there are {', '.join(figures)}")
        return pictures.drawn(figures[name])

    def __repr__(self) -> str:
        """The head of the summary."""
        from blockyard.words import summary

        return f"<Run {self.name}: {summary.short(self.result)}>"

    def _repr_html_(self) -> str:
        """The summary, for notebooks."""
        from blockyard.words import summary

        return summary.html(self.result, self.path, self.facts, self.advice)
