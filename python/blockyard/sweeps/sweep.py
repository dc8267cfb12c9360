"""A sweep that was carried out, read back."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from blockyard.sweeps import about, directory, store
from blockyard.sweeps.about import About


@dataclass(frozen=True)
class Sweep:
    """A sweep: its tables, and what is known beside them."""

    path: Path
    about: About

    @property
    def name(self) -> str:
        """What it is called: its directory."""
        return self.path.resolve().name

    @cached_property
    def runs(self) -> pa.Table:
        """A row for each run: axes, figures, goals met, cost, limits.

        Raises OSError, and FileError if it is torn.
        """
        return store.read(self.path / directory.RUNS)

    @cached_property
    def latencies(self) -> pa.Table:
        """How often which latency was measured, for each run, job and operation.

        Raises OSError, and FileError if it is torn.
        """
        return store.read(self.path / directory.LATENCIES)

    @property
    def axes(self) -> list[str]:
        """The axes with more than one value."""
        return [axis for axis in self.about.axes if len(self.runs[axis].unique()) > 1]


def read(path: Path) -> Sweep:
    """The sweep of a directory.

    Raises OSError, and FileError if it is none or of another version.
    """
    return Sweep(path, about.read(path))
