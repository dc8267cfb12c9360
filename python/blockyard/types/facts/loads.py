"""What the jobs of a run were to do.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import Literal, TypedDict


class ClosedLoad(TypedDict):
    """Processes that wait for their IO."""

    kind: Literal["closed"]
    processes: tuple[int, int]
    outstanding: int


class OpenLoad(TypedDict):
    """IOs that are due by the clock."""

    kind: Literal["open"]
    per_s: tuple[int, int]


class DatabaseLoad(TypedDict):
    """A database's updates, which write daemons write out."""

    kind: Literal["database"]
    processes: tuple[int, int]
    updates_per_s: int


class TransactionsLoad(TypedDict):
    """Transactions of an engine."""

    kind: Literal["transactions"]
    threads: tuple[int, int]
    per_s: tuple[int, int] | None


# What makes a job issue IO, and how much: of load steps the lightest and the heaviest, those that
# rest aside.
Load = ClosedLoad | OpenLoad | DatabaseLoad | TransactionsLoad


class JobLoad(TypedDict):
    """What a job was to do."""

    job: str
    load: Load
