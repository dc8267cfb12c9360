"""A load on a gp2 volume until its burst credits end."""

import itertools
import math
import statistics
from dataclasses import dataclass
from pathlib import Path

import pytest

from databases.emulated import volumes
from databases.filled import Filled
from serving import Served

#: A gp2 volume's credits when full, in IOs, and how many of them this one starts with.
CREDITS, BALANCE = 5_400_000, "0.1%"

#: A small gp2 volume, and the IOPS that it has without credits.
GIB, BASELINE = 33, 100

#: A balance below this, in percent, is none: a tenth of a second's worth of the baseline.
NONE = 0.0002

#: How long the load lasts, in seconds: longer than the credits, of which it takes 500 in one, or
#: fewer on a busy machine.
LOAD_S = 15


@dataclass(frozen=True)
class End:
    """How the credits of a volume ended, in seconds since the load began."""

    #: When they had to end, by the IOs that were served beyond the baseline.
    used_s: float
    #: When the volume's balance was used up.
    empty_s: float
    #: The first second with fewer transactions.
    slow_s: float
    #: Transactions per second before and from then on.
    before: float
    after: float


def _end(database: Filled, folder: Path) -> tuple[End, Served]:
    """Put a steady load on a volume until its credits have ended.

    Gives the service, too, which has ended.
    """
    layout = f"  data: {{type: gp2, size: {GIB}GiB, burst_balance: {BALANCE}}}\n"
    with volumes(layout, folder) as served:
        with database.on(served.device()) as running:
            start = served.uptime()
            rates = running.steady(LOAD_S)
        rows = [row | {"t_s": row["t_s"] - start} for row in served.end()]
    rows = [row for row in rows if row["t_s"] >= 1]
    # A row counts from its start, and its balance is that at its end.
    left = (rows[0]["balance_pct"] - NONE) / 100 * CREDITS
    spent = itertools.accumulate(row["ios"] - BASELINE for row in rows[1:])
    used = (row["t_s"] + 1 for row, ios in zip(rows[1:], spent, strict=True) if ios >= left)
    empty = (row["t_s"] + 1 for row in rows if row["balance_pct"] < NONE)
    fall = _fall(rates)
    end = End(
        used_s=next(used, math.inf),
        empty_s=next(empty, math.inf),
        slow_s=fall,
        before=statistics.mean(rates[:fall]),
        after=statistics.mean(rates[fall:]),
    )
    return end, served.served


def _fall(rates: list[float]) -> int:
    """The second that best parts the rates into a high and a low level.

    The first one below some threshold would not do: a busy machine is slow now and then.
    """

    def unlike(part: list[float]) -> float:
        return statistics.pvariance(part) * len(part)

    return min(range(1, len(rates)), key=lambda at: unlike(rates[:at]) + unlike(rates[at:]))


def check(database: Filled, folder: Path) -> None:
    """Check that the credits end when they are used up, and that the load slows down then.

    The test is skipped if the load does not and the volume was late.
    """
    end, service = _end(database, folder)
    # Counted, so exact but for the second in which it happens.
    assert end.empty_s == pytest.approx(end.used_s, abs=1), end
    wrong = [
        what
        for what, held in {
            "the load slows down": end.after < 0.7 * end.before,
            # The client's seconds begin when it has connected.
            "it does so when the credits end": abs(end.slow_s - end.empty_s) <= 3,
        }.items()
        if not held
    ]
    if wrong:
        service.skip_if_late()
    assert not wrong, (wrong, end)
