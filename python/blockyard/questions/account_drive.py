"""Was it the drive? What a host's load waited for, by CloudWatch's means and checks."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from blockyard.formats.aws.account import CHECKS, Account
from blockyard.formats.aws.demand import Demand
from blockyard.formats.aws.hosts import Host
from blockyard.formats.foreign.observations import (
    JOB,
    Interval,
    Observed,
    Source,
    run_of,
    totals_of,
)
from blockyard.questions.observed import TIMES
from blockyard.runs import tables
from blockyard.runs.run import Run
from blockyard.types.result.observed import EbsStatistics
from blockyard.types.verdict import Verdict

_OPS = {"reads": ("read", "read_bytes"), "writes": ("write", "write_bytes")}


def was_it_the_drive(
    account: Account, host: Host, load: Demand, scenario: str
) -> tuple[Verdict, str] | None:
    """What the load of a host waited for, and that in a sentence; None if its latencies lack.

    Raises ScenarioError for a scenario that is not valid.
    """
    rows: list[Interval] = []
    for device in load.flows:
        for flow in _OPS:
            times = _times_us(account, host, load, device, flow)
            if times is None and any(load.flows[device][flow]):
                return None
            rows += _intervals(load, device, flow, times or {})
    run = dataclasses.replace(
        _run(host, load, rows), storage=scenario, ebs=dict(_exceeded(account, host, load))
    )
    verdict, sentence = run.told.was_it_the_drive()
    return json.loads(verdict), sentence


def _times_us(
    account: Account, host: Host, load: Demand, device: str, flow: str
) -> dict[int, float] | None:
    """How long all IOs of an interval took together, by its number; None if no file has it."""
    of = next(one.id for one in host.devices if one.name == device)
    total, mean = next((total, mean) for name, total, _, mean in TIMES if name == flow)
    found: dict[int, float] = {}
    if series := account.metrics.get((of, total)):
        for time, seconds in series.points.items():
            at = (time - load.start) // load.interval_s
            found[at] = found.get(at, 0.0) + seconds * 1e6
        return found
    if series := account.metrics.get((of, mean)):
        ios = load.flows[device][flow]
        parts = load.interval_s / series.period_s
        for time, seconds in series.points.items():
            at = (time - load.start) // load.interval_s
            if 0 <= at < len(ios):
                found[at] = found.get(at, 0.0) + seconds * 1e6 * ios[at] / parts
        return found
    return None


def _intervals(
    load: Demand, device: str, flow: str, times_us: Mapping[int, float]
) -> Iterator[Interval]:
    op, size = _OPS[flow]
    amounts = zip(load.flows[device][flow], load.flows[device][size], strict=True)
    for at, (ios, moved) in enumerate(amounts):
        yield Interval(
            start_s=float(at * load.interval_s),
            length_s=float(load.interval_s),
            series=(JOB, device, op),
            ios=ios,
            bytes=moved,
            mean_us=times_us[at] / ios if ios and at in times_us else None,
            histogram=None,
        )


def _run(host: Host, load: Demand, rows: list[Interval]) -> Run:
    ordered = sorted(rows, key=lambda row: row.start_s)
    table = pa.Table.from_pylist([row.row() for row in ordered], schema=tables.INTERVALS)
    length_s = float(load.interval_s)
    duration_s = load.intervals * length_s
    totals = totals_of(table, length_s, duration_s)
    seen = Observed(duration_s, totals, table, sampled_s=length_s)
    return run_of(Source(Path(host.name), "cloudwatch", "CloudWatch"), seen)


def _exceeded(account: Account, host: Host, load: Demand) -> Iterator[tuple[str, EbsStatistics]]:
    """For how long a device's demand exceeded limits, to a check's period; if all checks are there.

    A check says that it did so at some time in the period.
    """
    for device in host.devices:
        owners = (device.id, device.id, host.id, host.id)
        series = [account.metrics.get(pair) for pair in zip(owners, CHECKS, strict=True)]
        lasted = [
            float(one.period_s * sum(value > 0 for value in one.points.values()))
            for one in series
            if one is not None and one.points
        ]
        if len(lasted) == len(CHECKS) and device.name in load.flows:
            volume_iops, volume_throughput, instance_iops, instance_throughput = lasted
            yield (
                device.name,
                {
                    "volume_iops_exceeded_s": volume_iops,
                    "volume_throughput_exceeded_s": volume_throughput,
                    "instance_iops_exceeded_s": instance_iops,
                    "instance_throughput_exceeded_s": instance_throughput,
                    "ops": [],
                },
            )
