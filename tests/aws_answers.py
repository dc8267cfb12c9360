"""Answers of AWS as its command line saves them, of an account that is made up.

`python tests/aws_answers.py` writes those of the how-tos to scenarios/examples/aws. `orders` is a
database on an instance with a gp2 volume for its data and another for its log, for a week. Each
night a batch reads more than the baseline; on Thursday it takes longer than the credits last.
`billing` is a database of RDS on 500 GiB of gp2, for a day with reports in the morning.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

SAMPLES = Path(__file__).parent.parent / "scenarios" / "examples" / "aws"

START = datetime(2026, 11, 16, tzinfo=UTC)
INSTANCE = "i-0a1b2c3d4e5f60718"
DATA = "vol-0d0d0d0d0d0d0d0d1"
LOG = "vol-0d0d0d0d0d0d0d0d2"
ROOT = "vol-0d0d0d0d0d0d0d0d3"

# Of IOs a second at a second since the start.
Rate = Callable[[int], float]

THURSDAY = 3


def attached(name: str, device: str, instance: str = INSTANCE) -> list[dict[str, object]]:
    return [{"Device": device, "InstanceId": instance, "State": "attached", "VolumeId": name}]


def volume(
    name: str, device: str, size: int, kind: str = "gp2", tag: str = "", **more: object
) -> dict[str, object]:
    tags = [{"Key": "Name", "Value": tag}] if tag else []
    return {
        "Attachments": attached(name, device),
        "AvailabilityZone": "us-east-1a",
        "Encrypted": True,
        "Size": size,
        "SnapshotId": "",
        "State": "in-use",
        "VolumeId": name,
        "VolumeType": kind,
        "Tags": tags,
        **more,
    }


def volumes() -> dict[str, object]:
    return {
        "Volumes": [
            volume(DATA, "/dev/sdf", 500, Iops=1500, tag="data"),
            volume(LOG, "/dev/sdg", 100, Iops=300, tag="log"),
            volume(ROOT, "/dev/xvda", 30, "gp3", Iops=3000, Throughput=125),
        ]
    }


def instances(kind: str = "r6i.2xlarge") -> dict[str, object]:
    own = {
        "InstanceId": INSTANCE,
        "InstanceType": kind,
        "Placement": {"AvailabilityZone": "us-east-1a", "Tenancy": "default"},
        "RootDeviceName": "/dev/xvda",
        "State": {"Code": 16, "Name": "running"},
        "Tags": [{"Key": "Name", "Value": "orders"}],
    }
    return {"Reservations": [{"Instances": [own], "OwnerId": "111122223333"}]}


def wanted(second: int) -> float:
    """Reads a second that the database asks for: a day's curve, and a batch at two."""
    day, of_day = divmod(second, 86_400)
    hour = of_day / 3600
    if 2 <= hour < (4.5 if day == THURSDAY else 3):
        return 2450.0 if day == THURSDAY else 2100.0
    weekday = day < 5
    return 250 + (550 if weekday else 150) * max(0.0, math.sin((hour - 6) / 14 * math.pi))


def served(period_s: int, days: int) -> tuple[list[int], list[float]]:
    """Reads of gp2 in each period, second by second, and the share of credits after it."""
    credit, reads, left = 5_400_000.0, [], []
    for start in range(0, days * 86_400, period_s):
        done = 0.0
        for second in range(start, start + period_s):
            writes = 300.0
            most = 3000.0 if credit >= 1 else 1500.0
            own = min(wanted(second) + writes, most)
            credit = min(5_400_000.0, max(0.0, credit + 1500.0 - own))
            done += own - writes
        reads.append(round(done))
        left.append(100 * credit / 5_400_000)
    return reads, left


def metrics(period_s: int = 300, days: int = 7) -> dict[tuple[str, str], list[float]]:
    """The values of each volume's metrics, period by period."""
    reads, left = served(period_s, days)
    count = len(reads)
    writes = [300 * period_s] * count
    log = [120 * period_s] * count
    return {
        (DATA, "VolumeReadOps"): list(map(float, reads)),
        (DATA, "VolumeWriteOps"): list(map(float, writes)),
        (DATA, "VolumeReadBytes"): [8192.0 * one for one in reads],
        (DATA, "VolumeWriteBytes"): [8192.0 * one for one in writes],
        (DATA, "BurstBalance"): [math.floor(10 * one) / 10 for one in left],
        # Of what did nothing AWS answers with no values.
        (LOG, "VolumeReadOps"): [],
        (LOG, "VolumeReadBytes"): [],
        (LOG, "VolumeWriteOps"): list(map(float, log)),
        (LOG, "VolumeWriteBytes"): [16_384.0 * one for one in log],
    }


def statistic(metric: str) -> str:
    if metric.endswith(("Balance", "Balance%")):
        return "Minimum"
    if metric.endswith("Check"):
        return "Maximum"
    return "Sum" if metric.startswith("Volume") else "Average"


def dimension(of: str) -> str:
    return {"vol-": "VolumeId", "i-": "InstanceId"}.get(
        of[: of.find("-") + 1], "DBInstanceIdentifier"
    )


def query(
    values: Mapping[tuple[str, str], list[float]], period_s: int = 300
) -> list[dict[str, object]]:
    return [
        {
            "Id": f"m{number}",
            "MetricStat": {
                "Metric": {
                    "Namespace": "AWS/EBS" if of.startswith("vol-") else "AWS/RDS",
                    "MetricName": metric,
                    "Dimensions": [{"Name": dimension(of), "Value": of}],
                },
                "Period": period_s,
                "Stat": statistic(metric),
            },
        }
        for number, (of, metric) in enumerate(values)
    ]


def data(values: Mapping[tuple[str, str], list[float]], period_s: int = 300) -> dict[str, object]:
    """The newest value first, as AWS answers."""
    results = []
    for number, ((_, metric), own) in enumerate(values.items()):
        times = [
            f"{START + timedelta(seconds=period_s * n):%Y-%m-%dT%H:%MZ}" for n in range(len(own))
        ]
        plain = [int(one) if one == int(one) else one for one in own]
        results.append(
            {
                "Id": f"m{number}",
                "Label": metric,
                "Timestamps": times[::-1],
                "Values": plain[::-1],
                "StatusCode": "Complete",
            }
        )
    return {"MetricDataResults": results, "Messages": []}


def write(folder: Path, **answers: object) -> list[Path]:
    """Answers as files, by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, answer in answers.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(answer, separators=(",", ":")) + "\n")
        paths.append(path)
    return paths


def account(
    folder: Path, values: Mapping[tuple[str, str], list[float]], period_s: int = 300, **more: object
) -> list[Path]:
    """An account with these metrics; `more` are answers in place of its own."""
    return write(
        folder,
        **{"volumes": volumes(), "instances": instances(), **more},
        query=query(values, period_s),
        metrics=data(values, period_s),
    )


def orders(folder: Path, period_s: int = 300, days: int = 7) -> list[Path]:
    """The account of docs/howto/aws-account.md."""
    return account(folder, metrics(period_s, days), period_s)


def billing(folder: Path) -> list[Path]:
    """The database of docs/howto/rds.md: four volumes of 125 GiB, with 375 IOPS each."""
    period_s, full, left = 300, 4 * 5_400_000.0, 4 * 5_400_000.0
    reads, writes, latencies, balances = [], [], [], []
    for start in range(0, 86_400, period_s):
        hour = start / 3600
        asked = (
            5200.0 if 9 <= hour < 12 else 400 + 500 * max(0.0, math.sin((hour - 6) / 14 * math.pi))
        )
        done = 0.0
        for _ in range(period_s):
            own = min(asked + 200, 12_000.0 if left >= 1 else 1500.0)
            left = min(full, max(0.0, left + 1500 - own))
            done += own - 200
        reads.append(round(done / period_s, 1))
        writes.append(200.0)
        latencies.append(0.0009 if done / period_s > asked - 1 else 0.038)
        balances.append(math.floor(1000 * left / full) / 10)
    values = {
        ("billing", "ReadIOPS"): reads,
        ("billing", "WriteIOPS"): writes,
        ("billing", "ReadThroughput"): [8192 * one for one in reads],
        ("billing", "WriteThroughput"): [8192 * one for one in writes],
        ("billing", "ReadLatency"): latencies,
        ("billing", "BurstBalance"): balances,
    }
    database = {
        "DBInstanceIdentifier": "billing",
        "DBInstanceClass": "db.r6g.xlarge",
        "Engine": "postgres",
        "DBInstanceStatus": "available",
        "AllocatedStorage": 500,
        "StorageType": "gp2",
        "AvailabilityZone": "us-east-1b",
        "MultiAZ": False,
    }
    return write(
        folder,
        databases={"DBInstances": [database]},
        query=query(values, period_s),
        metrics=data(values, period_s),
    )


if __name__ == "__main__":
    orders(SAMPLES / "orders")
    billing(SAMPLES / "billing")
