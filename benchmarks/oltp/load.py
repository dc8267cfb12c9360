"""What a database under load is asked for, and what it is measured by."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import ClassVar, Self

#: Connections, each with one transaction at a time and no pause between two.
THREADS = 16


@dataclass(frozen=True)
class Load:
    """What a client saw."""

    transactions: int
    tps: float
    #: Of a transaction's latency, in milliseconds: `mean`, `p50`, `p95`, `p99`.
    latency_ms: dict[str, float]


@dataclass(frozen=True)
class Work:
    """What a transaction does on average, as the server counted it."""

    #: Pages asked for, and how many of these were not in the pool.
    accesses: float
    misses: float
    #: Clean pages that became dirty.
    dirtied: float
    #: Bytes of the log, without images of whole pages.
    log_bytes: float
    #: Images of whole pages in the log (PostgreSQL).
    full_pages: float
    #: More that the server counted, by its own names.
    counted: dict[str, float]


@dataclass(frozen=True)
class Sizes:
    """What stays as it is in a run, in bytes."""

    data: int
    pool: int
    page: int


class Measured(ABC):
    """A server that is put under load and measured: what is added to a test's own server."""

    #: What the `oltp` workload calls it.
    ENGINE: ClassVar[str]
    #: Settings of the server that is measured, and of the one that fills its tables, fast.
    SETTINGS: ClassVar[dict[str, str]]
    FILLING: ClassVar[dict[str, str]]
    #: Among the settings, the size of the pool.
    POOL: ClassVar[str]
    #: How large its tables are, in the load's own unit.
    SCALE: ClassVar[int]

    @classmethod
    def resized(cls, shrink: int, pool: int) -> type[Self]:
        """The same with tables and pool divided by `shrink`, and its pool multiplied by `pool`."""
        size = re.sub(
            r"\d+", lambda size: str(int(size[0]) * pool // shrink), cls.SETTINGS[cls.POOL]
        )
        values = {"SCALE": cls.SCALE // shrink, "SETTINGS": cls.SETTINGS | {cls.POOL: size}}
        return type(cls.__name__, (cls,), values)

    @abstractmethod
    def run(self, seconds: int) -> Load:
        """Put the load on it."""

    @abstractmethod
    def counters(self) -> dict[str, float]:
        """What it has counted so far."""

    @abstractmethod
    def work(self, counted: dict[str, float], transactions: int) -> Work:
        """What a transaction did, of the differences of counters; the load has just ended."""

    @abstractmethod
    def sizes(self) -> Sizes:
        """Sizes of data, pool and page."""

    @abstractmethod
    def variables(self) -> dict[str, float]:
        """Settings that hold in the run and that the model knows too, by the server's names."""

    def bypass(self) -> AbstractContextManager[None]:
        """While the block runs, reads and writes of its pages reach the device."""
        return nullcontext()


def latencies(counted: Iterable[tuple[float, int]]) -> dict[str, float]:
    """Mean and percentiles of latencies in milliseconds, each with how many there were."""
    ordered = sorted(counted)
    total = sum(count for _, count in ordered)
    found = {"mean": round(sum(value * count for value, count in ordered) / total, 3)}
    for percent in (50, 95, 99):
        left = total * percent / 100
        for value, count in ordered:
            left -= count
            if left <= 0:
                found[f"p{percent}"] = round(value, 3)
                break
    return found
