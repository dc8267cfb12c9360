"""What to ask CloudWatch of an account: the file for `get-metric-data`."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from blockyard.formats.aws.account import AMOUNTS, BALANCES, CHECKS, MEANS, STATISTICS
from blockyard.formats.aws.hosts import Host

# Metrics of a request: more are refused by CloudWatch.
MOST = 500

_MINUTE = 60
_WEEK = timedelta(days=7)

_BURSTING = ("gp2", "st1", "sc1")


def written(hosts: list[Host], now: datetime) -> dict[str, object]:
    """The metrics of these hosts by the minute, for the week that ends now."""
    end = now.replace(second=0, microsecond=0)
    return {
        "StartTime": f"{end - _WEEK:%Y-%m-%dT%H:%M:%SZ}",
        "EndTime": f"{end:%Y-%m-%dT%H:%M:%SZ}",
        "MetricDataQueries": [
            {
                "Id": f"m{number}",
                "MetricStat": {
                    "Metric": {
                        "Namespace": namespace,
                        "MetricName": metric,
                        "Dimensions": [{"Name": dimension, "Value": of}],
                    },
                    "Period": _MINUTE,
                    "Stat": STATISTICS[metric][0],
                },
            }
            for number, (namespace, dimension, of, metric) in enumerate(_metrics(hosts))
        ],
    }


def _metrics(hosts: list[Host]) -> Iterator[tuple[str, str, str, str]]:
    """Namespace, dimension, id and name of each."""
    for host in hosts:
        if host.instance_class is not None:
            own = (*MEANS[1:], *BALANCES)
            yield from (("AWS/RDS", "DBInstanceIdentifier", host.id, metric) for metric in own)
            continue
        for device in host.devices:
            bursts = BALANCES[:1] if device.type in _BURSTING else ()
            for metric in (*AMOUNTS, *MEANS[:1], *bursts, *CHECKS[:2]):
                yield "AWS/EBS", "VolumeId", device.id, metric
        for metric in (*BALANCES[1:], *CHECKS[2:]):
            yield "AWS/EC2", "InstanceId", host.id, metric
