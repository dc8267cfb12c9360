"""Runs of other programs' files, as tests look at them."""

from pathlib import Path

from blockyard.formats import foreign
from blockyard.runs.run import Run
from blockyard.types.result import Total


def load(path: Path) -> Run:
    """The run that a file holds."""
    run = foreign.read(path)
    assert run is not None
    return run


def total(run: Run, op: str) -> Total:
    """The only totals of an operation."""
    [found] = [total for total in run.result["totals"] if total["op"] == op]
    return found
