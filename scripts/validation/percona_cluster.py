"""The cluster of docs/validation-percona.md: what is simulated, and what the post says."""

from collections.abc import Callable

from blockyard.types.result import TransactionTotal
from validation.markdown import table
from validation.percona_layouts import (
    INSTANCES,
    LARGE,
    LOCAL,
    PROVISIONED,
    SMALL,
    Layout,
    Outcome,
    outcomes,
)
from validation.run import Run

Runs = list[tuple[Layout, Run]]
# By size, volume and phase.
Found = dict[tuple[str, str, str], Outcome]


def rows(runs: Runs) -> str:
    """All layouts."""
    head = ("nodes", "TPS", "p99", "stopped by flow control", "TPS a cent/h", "with traffic")

    def row(it: Outcome) -> list[str]:
        group = it.total.get("replication")
        of_all = it.layout.volume != SMALL
        return [
            it.layout.title + it.phase,
            f"{it.tps:,.0f}",
            f"{it.p99_ms:,.0f} ms",
            f"{group['paused_s']:,.0f} s" if group and of_all else "",
            f"{it.per_cent:.2f}",
            # The bill has the traffic of the whole run.
            f"{it.per_cent_of_all:.2f}" if of_all else "",
        ]

    return table(head, map(row, outcomes(runs)))


def relations(*flushed: Runs) -> str:
    """What the post says, and whether it holds with each way of flushing."""
    head = ("size", "the post, or the volume's rules",
            "fitted flushing", "product's flushing")  # fmt: skip
    sides = [
        ({(it.layout.size, it.layout.volume, it.phase): it for it in outcomes(runs)}, runs)
        for runs in flushed
    ]
    lines = [
        [size, said, *(_cell(*holds(found, size)) for found, _ in sides)]
        for size in INSTANCES
        for said, holds in RELATIONS
    ]
    lines += [
        [size, "the credits of gp2 200 GB end at 2,250 s",
         *(_cell(*_credits_end(runs, size)) for _, runs in sides)]
        for size in INSTANCES
    ]  # fmt: skip
    return table(head, lines)


def _cell(simulated: str, holds: bool) -> str:
    return f"{'yes' if holds else '**no**'}: {simulated}"


def _does_as_much(found: Found, size: str) -> tuple[str, bool]:
    ratio = found[size, LARGE, ""].tps / found[size, PROVISIONED, ""].tps
    return f"{ratio:.2f} times", abs(ratio - 1) <= 0.15


def _does_more_than_small(found: Found, size: str) -> tuple[str, bool]:
    more = found[size, LARGE, ""].tps / found[size, SMALL, ", without"].tps
    return f"{more:.1f} times", more >= 3


def _is_as_steady(found: Found, size: str) -> tuple[str, bool]:
    large, io1 = (_width(found[size, volume, ""].total) for volume in (LARGE, PROVISIONED))
    return f"{100 * large:.0f} % and {100 * io1:.0f} %", abs(large - io1) <= 0.05


def _is_in_order(found: Found, size: str) -> tuple[str, bool]:
    local, large, io1 = (found[size, at, ""].per_cent for at in (LOCAL, LARGE, PROVISIONED))
    return f"{local:.1f}, {large:.1f}, {io1:.1f}", local > large > io1


RELATIONS: tuple[tuple[str, Callable[[Found, str], tuple[str, bool]]], ...] = (
    ("gp2 3.3 TB does as much as io1, within 15 %", _does_as_much),
    ("and at least 3 times gp2 200 GB without credits", _does_more_than_small),
    ("p99 every 5 s is as steady: middle half by median", _is_as_steady),
    ("TPS for the money: i3, then gp2 3.3 TB, then io1", _is_in_order),
)


def _width(total: TransactionTotal) -> float:
    spread = total.get("by_5s")
    if not spread:
        return 0.0
    p99 = spread["p99_us"]
    return (p99["q3"] - p99["q1"]) / p99["median"]


def _credits_end(runs: Runs, size: str) -> tuple[str, bool]:
    [run] = [run for it, run in runs if (it.size, it.volume) == (size, SMALL)]
    at_s = cliff_s(run)
    return f"at {at_s:,} s", abs(at_s - 2250) <= 225


def cliff_s(run: Run) -> int:
    """The first second from which on the first node's volume does under half of its burst."""
    reads, writes = run.seconds["sysbench.data_b.read"], run.seconds["sysbench.data_b.write"]
    ios = [reads.ios(second) + writes.ios(second) for second in range(3600)]
    return next(second for second in range(300, 3600) if max(ios[second : second + 60]) < 1500)
