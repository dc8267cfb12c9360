"""Alerts at the knee that `capacity` found: rules of Prometheus, and alarms of CloudWatch.

A device's load at the knee is that of the largest load at which all goals hold. An alert says
early that the load comes near it, or that IO takes as long as at the least load that missed.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from blockyard._core import SLOW, ScenarioError
from blockyard.types.capacity import Capacity, Point
from blockyard.types.result import Total

# From this share of the knee on, there is time left to act.
NEAR = 0.9
# For how long it must last: longer than a checkpoint or a backup's start.
_MINUTES = 5
# Percent of burst credits.
_LOW_BALANCE = 20
_MIB = 1 << 20
_MOVED = ("read", "write")


@dataclass(frozen=True)
class Knee:
    """What a device does at the largest load, over all its volumes."""

    device: str
    volumes: int
    iops: float
    bytes_per_s: float
    # A mean latency that it does not have at the knee: that of the least load that missed a goal,
    # and well above its own; None where no load missed one.
    slow_s: float | None
    credits: bool


def knees(found: Capacity) -> list[Knee]:
    """The knee of each device. Raises ScenarioError if no load meets the goals."""
    holds = _point(found, found["holds"])
    if holds is None:
        raise ScenarioError(f"{found['scenario']}: no load meets the goals, so there is no knee")
    ended, facts = found["ended"], found["ended"]["facts"]
    missed = _point(found, ended["load"])
    part = _by_job(holds, missed)
    made = []
    for device in facts["devices"]:
        totals = [
            total
            for total in ended["result"]["totals"]
            if total["device"] == device["name"] and total["op"] in _MOVED and total["ios"]
        ]
        if not totals:
            continue
        has_credits = any(
            limit["limit"]["credits"] and limit["limit"]["device"] == device["name"]
            for limit in facts["limits"]
        )
        made.append(
            Knee(
                device["name"],
                sum(len(leg["volumes"]) for leg in device["legs"][:1]),
                sum(total["iops"] * part.get(total["job"], 1.0) for total in totals),
                sum(total["mib_per_s"] * part.get(total["job"], 1.0) for total in totals) * _MIB,
                _slow_s(totals, holds) if missed and not missed["met"] else None,
                has_credits,
            )
        )
    return made


def _point(found: Capacity, load: int | None) -> Point | None:
    tried = (point for point in found["curve"] if point["load"] == load)
    return next(tried, None)


def _by_job(holds: Point, ended: Point | None) -> dict[str, float]:
    """How much of its rate at the end of the search each job has at the knee."""
    there = {job["job"]: job["per_s"] for job in ended["jobs"]} if ended else {}
    return {
        job["job"]: job["per_s"] / there[job["job"]]
        for job in holds["jobs"]
        if there.get(job["job"])
    }


def _slow_s(totals: list[Total], holds: Point) -> float | None:
    there = _mean_s(totals)
    if there is None:
        return None
    jobs = {total["job"] for total in totals}
    known = [
        (job["latency_us"] or {"mean": job.get("mean_us")})["mean"]
        for job in holds["jobs"]
        if job["job"] in jobs and not job["transactions"]
    ]
    own_s = [us / 1e6 for us in known if us]
    return max(there, SLOW * max(own_s)) if own_s else SLOW * there


def _mean_s(totals: list[Total]) -> float | None:
    known = [(total["ios"], total["latency_us"]) for total in totals]
    ios = sum(ios for ios, us in known if us)
    return sum(ios * us["mean"] for ios, us in known if us) / ios / 1e6 if ios else None


def prometheus(found: Capacity) -> str:
    """Rules on what `emulate` and `observe` serve with --metrics."""
    rules = [rule for knee in knees(found) for rule in _rules(knee)]
    group = {"name": f"blockyard-{found['scenario']}", "rules": rules}
    head = f"# At the knee that `blockyard capacity` found of {found['scenario']}.\n"
    return head + yaml.safe_dump({"groups": [group]}, sort_keys=False, width=100)


def _rules(knee: Knee) -> Iterator[dict[str, object]]:
    def rate(*counters: str) -> str:
        of = f'{{volume="{knee.device}"}}[1m]'
        return " + ".join(f"rate({counter}_total{of})" for counter in counters)

    def rule(name: str, condition: str, says: str, minutes: int = _MINUTES) -> dict[str, object]:
        return {
            "alert": name,
            "expr": condition,
            "for": f"{minutes}m",
            "labels": {"severity": "warning"},
            "annotations": {"summary": f"{knee.device}: {says}"},
        }

    ops, moved = (
        rate("VolumeReadOps", "VolumeWriteOps"),
        rate("VolumeReadBytes", "VolumeWriteBytes"),
    )
    iops, mib = NEAR * knee.iops, NEAR * knee.bytes_per_s
    yield rule(
        "VolumeLoadNearKnee",
        f"{ops} > {iops:.0f} or {moved} > {mib:.0f}",
        f"the load is above {NEAR:.0%} of {knee.iops:,.0f} IOPS, the most that meets the goals",
    )
    if knee.slow_s is not None:
        took = rate("VolumeTotalReadTime", "VolumeTotalWriteTime")
        yield rule(
            "VolumeLatencyBeyondKnee",
            f"({took}) / ({ops}) > {knee.slow_s:.6f}",
            f"IO takes longer than {knee.slow_s * 1000:.2f} ms, as no load that meets the goals",
        )
    if knee.credits:
        yield rule(
            "VolumeCreditsLow",
            f'BurstBalance{{volume=~"{_volumes(knee.device)}"}} < {_LOW_BALANCE}',
            f"less than {_LOW_BALANCE}% of the burst credits are left",
        )
    yield rule(
        "VolumeStalled",
        f'VolumeStalledIOCheck{{volume="{knee.device}"}} == 1',
        "IO waits and none completes",
        1,
    )


def _volumes(device: str) -> str:
    """The volumes of a device, as a regular expression in quotes."""
    return re.escape(device).replace("\\", "\\\\") + r"(\\..*)?"


def cloudwatch(found: Capacity) -> str:
    """Alarms on what EBS counts, as a template of CloudFormation."""
    parameters: dict[str, object] = {
        "Topic": {"Type": "String", "Description": "The SNS topic that alarms are sent to."}
    }
    resources: dict[str, object] = {}
    for knee in knees(found):
        for number in range(knee.volumes):
            name = _logical(knee.device) + (str(number) if knee.volumes > 1 else "")
            of = f"{knee.device}.{number}" if knee.volumes > 1 else knee.device
            parameters[f"{name}Volume"] = {
                "Type": "AWS::EC2::Volume::Id",
                "Description": f"The volume {of}.",
            }
            alarms = dict(_alarms(knee, f"{name}Volume"))
            resources |= {f"{name}{kind}": alarm for kind, alarm in alarms.items()}
    said = f"Alarms at the knee that blockyard capacity found of {found['scenario']}."
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": said,
        "Parameters": parameters,
        "Resources": resources,
    }
    return json.dumps(template, indent=2) + "\n"


def _logical(device: str) -> str:
    """As CloudFormation names things: letters and digits."""
    words = re.findall(r"[A-Za-z0-9]+", device)
    return "".join(word[0].upper() + word[1:] for word in words)


def _alarms(knee: Knee, volume: str) -> Iterator[tuple[str, dict[str, object]]]:
    """The alarms of one of its volumes, which share its load."""

    def alarm(
        says: str, limit: float, metrics: list[dict[str, object]], below: bool = False
    ) -> dict[str, object]:
        compare = "LessThanThreshold" if below else "GreaterThanThreshold"
        return {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": {
                "AlarmDescription": f"{knee.device}: {says}",
                "AlarmActions": [{"Ref": "Topic"}],
                "Metrics": metrics,
                "ComparisonOperator": compare,
                "Threshold": limit,
                "EvaluationPeriods": _MINUTES,
                "DatapointsToAlarm": _MINUTES,
                "TreatMissingData": "notBreaching",
            },
        }

    def metric(key: str, name: str, stat: str, *, shown: bool = False) -> dict[str, object]:
        of = [{"Name": "VolumeId", "Value": {"Ref": volume}}]
        named = {"Namespace": "AWS/EBS", "MetricName": name, "Dimensions": of}
        return {
            "Id": key,
            "MetricStat": {"Metric": named, "Period": 60, "Stat": stat},
            "ReturnData": shown,
        }

    def both(name: str, formula: str, *more: dict[str, object]) -> list[dict[str, object]]:
        return [
            {"Id": "all", "Expression": formula, "Label": name, "ReturnData": True},
            metric("reads", f"VolumeRead{name}", "Sum"),
            metric("writes", f"VolumeWrite{name}", "Sum"),
            *more,
        ]

    a_second = "(reads + writes) / PERIOD(reads)"
    iops = round(NEAR * knee.iops / knee.volumes)
    near = f"the load is above {NEAR:.0%} of what meets the goals"
    yield "LoadNearKnee", alarm(near, iops, both("Ops", a_second))
    moved = round(NEAR * knee.bytes_per_s / knee.volumes)
    yield "ThroughputNearKnee", alarm(near, moved, both("Bytes", a_second))
    if knee.slow_s is not None:
        times = [
            metric("reading", "VolumeTotalReadTime", "Sum"),
            metric("writing", "VolumeTotalWriteTime", "Sum"),
        ]
        latency = both("Ops", "(reading + writing) / (reads + writes)", *times)
        slow = f"IO takes longer than {knee.slow_s * 1000:.2f} ms, as no load that meets the goals"
        yield "LatencyBeyondKnee", alarm(slow, round(knee.slow_s, 6), latency)
    if knee.credits:
        balance = [metric("balance", "BurstBalance", "Minimum", shown=True)]
        low = f"less than {_LOW_BALANCE}% of the burst credits are left"
        yield "CreditsLow", alarm(low, _LOW_BALANCE, balance, below=True)
    for kind, name in (
        ("IopsExceeded", "VolumeIOPSExceededCheck"),
        ("ThroughputExceeded", "VolumeThroughputExceededCheck"),
        ("Stalled", "VolumeStalledIOCheck"),
    ):
        check = [metric("check", name, "Maximum", shown=True)]
        yield kind, alarm(f"{name} is 1", 0, check)
