"""The series of a run: one operation of one job on one device each."""

from collections.abc import Iterable
from typing import NamedTuple

from blockyard.runs.run import Run


class SeriesKey(NamedTuple):
    """One operation of one job on one device."""

    job: str
    device: str
    op: str

    @property
    def tag(self) -> str:
        """Its name in the latency log."""
        return ".".join(self)

    @property
    def label(self) -> str:
        """Its name where the device is understood."""
        return f"{self.job} {self.op}"


def series(run: Run) -> list[SeriesKey]:
    """The series of a run that did IO, in the order of its totals.

    Left out are flushes that had nothing to wait for, as on modelled storage.
    """
    return [
        SeriesKey(total["job"], total["device"], total["op"])
        for total in run.result["totals"]
        if total["ios"] and not (total["latency_us"] and total["latency_us"]["max"] == 0)
    ]


def movers(run: Run) -> list[SeriesKey]:
    """The series that move bytes, which limits count."""
    return [key for key in series(run) if key.op in ("read", "write")]


def devices(found: Iterable[SeriesKey]) -> list[str]:
    """The devices of series, each once."""
    return list(dict.fromkeys(key.device for key in found))


def colours(found: Iterable[SeriesKey]) -> dict[str, int]:
    """A place in the palette for each job and operation, whatever the device."""
    labels = dict.fromkeys(key.label for key in found)
    return {label: number for number, label in enumerate(labels)}
