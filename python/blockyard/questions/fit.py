"""A volume's own latency profile and limits, from what was measured on it.

    fitted = fit("runs/low", "runs/full", like="gp3")
    print(fitted.yaml())

The statistics are the Rust crate `fit`; here files are read and profiles written.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from blockyard._core import FileError, Measurements
from blockyard.fitting import sources
from blockyard.fitting.profile import Fit
from blockyard.fitting.sources import Source
from blockyard.types.fit import Fitted

__all__ = ["Fit", "fit"]


def fit(*paths: str | Path, like: str = "gp3", device: str | None = None) -> Fit:
    """Make a latency profile of one device from run directories, IO records and fio's files.

    What was not measured is kept from the catalog's profile `like`. `device` says which is
    meant where several were measured.

    Raises FileError, in one line, for what cannot be used, ScenarioError if there is no
    profile `like`, and OSError.

        >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", out="made")  # doctest: +SKIP
        >>> blockyard.fit("made").figures["read"][5]["name"]  # doctest: +SKIP
        'p50'
    """
    if not paths:
        raise FileError("no files; expected run directories, IO records or fio's files")
    return of([source for path in paths for source in sources.of(Path(path))], like, device)


def of(found: Sequence[Source], like: str = "gp3", device: str | None = None) -> Fit:
    """The same, of measurements that were found."""
    chosen = sources.device_of(found, device)
    measurements = Measurements()
    notes: list[str] = []
    for source in found:
        notes += source.add(measurements, chosen)
    try:
        figures = cast(Fitted, json.loads(measurements.fit(like)))
    except FileError as error:
        names = ", ".join(source.name for source in found[:3])
        raise FileError(f"{names}{', …' if len(found) > 3 else ''}: {error}") from error
    return Fit(figures, like, chosen, [source.name for source in found], notes)
