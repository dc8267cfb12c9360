"""A run in four figures: what it delivered, its p99, its bottleneck, its price."""

import json
from dataclasses import dataclass

from blockyard.runs.run import Run


@dataclass(frozen=True)
class Tile:
    """A figure, what it is, and a few words on it."""

    label: str
    value: str
    note: str
    # What it was of another run that this one is held against.
    before: str = ""


def tiles(run: Run) -> list[Tile]:
    """The figures that are known, of four: real storage shows no limits, and has no bill."""
    return [Tile(**tile) for tile in json.loads(run.told.tiles())]
