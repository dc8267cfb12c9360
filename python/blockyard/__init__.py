"""The proving ground for the block storage under a database.

    >>> import blockyard
    >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", {"duration": "30s"})
    >>> [total["job"] for total in run.result["totals"]]
    ['readers']

What storage and workloads do is computed in Rust (`blockyard._core`); Python
holds the command line, the run directory and what people look at.
"""

from blockyard._core import (
    FileError,
    Histogram,
    Latencies,
    MachineError,
    RunError,
    Scenario,
    ScenarioError,
    __version__,
)
from blockyard.api import bench, simulate
from blockyard.comparison import compare
from blockyard.likeness import UnlikeError
from blockyard.loading import load, load_all
from blockyard.run import Run

__all__ = [
    "FileError",
    "Histogram",
    "Latencies",
    "MachineError",
    "Run",
    "RunError",
    "Scenario",
    "ScenarioError",
    "UnlikeError",
    "__version__",
    "bench",
    "compare",
    "load",
    "load_all",
    "simulate",
]
