"""A row as scenarios, each with the figures that were measured in it.

What rows leave unsaid has one rule for all of them; measurements/README.md lists these rules.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from validation.measured.figures import Figure, figures
from validation.measured.jobs import job, jobs_of
from validation.measured.loads import transactions
from validation.measured.reasons import Reason, reason_of
from validation.measured.rows import Row
from validation.measured.storage import count, emptied, stand_in, storage

# What a tool that measures capacity keeps in flight on each disk, and its sequential block.
CAPACITY_IN_FLIGHT, CAPACITY_STREAM = 256, 131072
# Of a map, these lines and columns.
MAP_READS, MAP_WRITES = (1, 5, 9, 13, 17), (0, 5, 10, 15, 20)
MAP_LEAST_MS = 1.0

# A longer run is cut to this. Its beginning is only counted: by then a second of tokens has gone
# to whatever asks for 2.5 % more than the rate. Local disks have next to no tokens and serve
# millions of IOs a second, so their runs are cut to a number of IOs.
LONGEST_S, BEGINNING_S, MOST_IOS = 60, 40, 800_000


@dataclass(frozen=True)
class Case:
    """A scenario, what it stands for, and what was measured."""

    row: str
    # Which of the row's tests; empty if it is one.
    part: str
    # Without its times, which are set when it is run.
    scenario: dict[str, Any]
    # How long the measured run took, if that is known, and what of its beginning was not
    # measured.
    runtime_s: float | None
    ramp_s: float
    # How much of it is simulated, and how much of that is counted apart.
    simulated_s: float
    beginning_s: float
    figures: tuple[Figure, ...]
    # The same with nothing saved up, where nobody says how much was.
    empty: dict[str, Any] | None = None


def cases(row: Row) -> tuple[Case, ...] | Reason:
    """What to simulate for a row, or why it cannot be.

    Nothing for transactions, of which `validation.percona` has the scenario.
    """
    reason = reason_of(row)
    if reason:
        return reason
    if transactions(row):
        return ()
    made = tuple(case for case in _parts(row) if case.figures)
    return made or Reason.NOTHING


def figures_of(row: Row) -> tuple[Figure, ...]:
    """What a valid row measured, whether or not the model has an answer."""
    if transactions(row):
        return figures(row)
    return tuple(figure for case in _parts(row) for figure in case.figures)


def _parts(row: Row) -> Iterator[Case]:
    if row.workload.rw == "capacity":
        yield from _capacity(row)
    elif row.workload.rw == "map":
        yield from _map(row)
    else:
        yield _case(row, "", jobs_of(row), figures(row), _rate(row))


def _case(
    row: Row, part: str, jobs: dict[str, Any], measured: tuple[Figure, ...], rate: float
) -> Case:
    scenario: dict[str, Any] = {
        "name": row.id,
        "seed": zlib.crc32(row.id.encode()) >> 1,
        "storage": storage(row),
        "workload": jobs,
    }
    if row.date:
        scenario["as_of"] = (row.date + "-01-01"[len(row.date) - 4 :])[:10]
    if row.instance and "instance_limit_unknown" not in row.flags:
        scenario["host"] = {"instance": stand_in(row) or row.instance}
    ramp = row.workload.ramp_s or 0
    runtime = row.workload.runtime_s
    longest = LONGEST_S
    if row.volume.type == "instance-store":
        longest = min(LONGEST_S, max(2, MOST_IOS // max(1, int(rate))))
    cut = runtime is None or ramp + runtime > longest + 1
    return Case(
        row.id,
        part,
        scenario,
        runtime,
        ramp,
        longest if runtime is None or cut else ramp + runtime,
        max(1, BEGINNING_S * longest // LONGEST_S) if cut else ramp,
        measured,
        emptied(row, scenario),
    )


def _rate(row: Row) -> float:
    """IOs a second that were measured, to foresee how long a simulation takes."""
    return sum((made.iops or 0) for made in (row.results.read, row.results.write) if made)


def _capacity(row: Row) -> Iterator[Case]:
    """What each disk serves: random 4 KiB, and a stream, of reads and of writes."""
    flown = {"outstanding": CAPACITY_IN_FLIGHT, "processes": count(row)}
    for op, read_pct in (("read", 100), ("write", 0)):
        made = row.results.of(op)
        if made is None:
            continue
        for what, block, random_pct, value in (
            ("iops", 4096, 100, made.iops),
            ("mib_per_s", CAPACITY_STREAM, 0, made.bw_mibps),
        ):
            if value:
                flood = job(row, block, read_pct, random_pct) | flown
                rate = value if what == "iops" else value * 1048576 / block
                figure = Figure(what, op, at_limit=True, measured=value)
                yield _case(row, f"{op} {what}", {"job": flood}, (figure,), rate)


def _map(row: Row) -> Iterator[Case]:
    """Cells of a map of rates: below the limit where it says that they were."""
    grid, load = row.results.grid, row.workload
    if grid is None or not grid.read_iops_steps:
        return
    for line in MAP_READS:
        for column in MAP_WRITES:
            p50, p95 = grid.p50_ms[line][column], grid.p95_ms[line][column]
            if p50 is None or p95 is None or p95 >= MAP_LEAST_MS:
                continue
            reads, written = grid.read_iops_steps[line], grid.write_bytes_per_s_steps[column]
            writes = round(written / (load.block_write or 1))
            jobs = {"reads": job(row, load.block_read or 0, 100, 100) | {"rate": f"{reads:.0f}/s"}}
            if writes:
                jobs["writes"] = job(row, load.block_write or 0, 0, 0) | {
                    "rate": f"{writes}/s",
                    "max_outstanding": load.write_in_flight or 1,
                }
            found = tuple(
                Figure(name, "read", at_limit=False, measured=1000 * value)
                for name, value in (("p50", p50), ("p95", p95))
            )
            part = f"{reads:.0f} reads/s, {written / 1e6:.0f} MB/s"
            yield _case(row, part, jobs, found, reads + writes)
