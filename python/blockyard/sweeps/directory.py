"""What a sweep's directory has in it."""

from pathlib import Path

RUNS = "runs.parquet"
LATENCIES = "latencies.parquet"
ABOUT = "sweep.json"
SWEEP = "sweep.yaml"
SCENARIO = "scenario.yaml"
# Pieces of both tables, until the sweep is complete.
PARTS = "parts"


def is_sweep(path: Path) -> bool:
    """Whether a path is the directory of a sweep."""
    return (path / ABOUT).is_file()
