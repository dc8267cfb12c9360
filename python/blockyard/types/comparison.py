"""Figures side by side, as `_core.compare` gives them."""

from typing import Literal, TypedDict

# The operation under which transactions are compared.
TRANSACTION = "transaction"

# The figures that count what was done in a second.
RATES = ("iops", "tps")

# What jobs and devices are called that are taken together.
ALL = "all"

Verdict = Literal["better", "worse", "alike within 5%", "no difference shown", "too little to tell"]

# What an interval rests on.
Basis = Literal["paired seeds", "repeats", "blocks of one run", "repeats, and blocks of one run"]


class Change(TypedDict):
    """How a figure differs from that of the first side."""

    # 0.05 is 5 % more.
    relative: float
    # Where it lies with a confidence of 95 %; None if there is too little to tell.
    interval: tuple[float, float] | None
    # What that rests on.
    basis: Basis | None
    verdict: Verdict


class Row(TypedDict):
    """A figure, side by side."""

    job: str
    # None for all together.
    device: str | None
    # None for reads and writes; `transaction` of transactions, on no one device.
    op: str | None
    # As goals name it; of transactions `tps` in place of `iops`.
    figure: str
    # IOs, transactions and MiB a second, latencies in µs; None where nothing was measured.
    values: list[float | None]
    # Of each further side; None where one of both has no value.
    changes: list[Change | None]


class Load(TypedDict, total=False):
    """What a job offers in a load step: one of both."""

    processes: int
    # IOs a second of an open loop.
    rate: int


class StepRow(Row):
    """A figure of a load step, side by side."""

    load: Load
    # Which of the job's steps with this load it is, from 1.
    time: int


class Outcome(TypedDict):
    """What became of a condition."""

    condition: str
    # The side that was compared with the first, from 1.
    side: int
    holds: bool
    measured: str
