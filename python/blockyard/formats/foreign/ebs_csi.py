"""The EBS CSI driver's metrics of volumes, which EBS itself counts (NVMe log page 0xD0)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from blockyard.formats.foreign.error import ForeignError
from blockyard.types.result.observed import EbsStatistics

PREFIX = "aws_ebs_csi_"
# The label that says of which volume a metric is.
LABEL = "volume_id"

# By name, without what all have: which counter it is, and its unit: of seconds milliseconds, of
# bytes KiB.
COUNTERS = {
    "read_ops": ("reads", 1.0),
    "write_ops": ("writes", 1.0),
    "read_bytes": ("read_kib", 1 / 1024),
    "write_bytes": ("written_kib", 1 / 1024),
    "read_seconds": ("read_ms", 1000.0),
    "write_seconds": ("write_ms", 1000.0),
}
# For how long the demand exceeded a limit.
EXCEEDED = {
    "exceeded_iops_seconds": ("volume_iops_exceeded_s", 1.0),
    "exceeded_tp_seconds": ("volume_throughput_exceeded_s", 1.0),
    "ec2_exceeded_iops_seconds": ("instance_iops_exceeded_s", 1.0),
    "ec2_exceeded_tp_seconds": ("instance_throughput_exceeded_s", 1.0),
}

FIGURES = frozenset(figure for figure, _ in EXCEEDED.values())

# Values at times.
Values = Sequence[tuple[float, float]]


def metric(name: str) -> tuple[str, float] | None:
    """Which figure a metric is, and its unit; None of other metrics."""
    if not name.startswith(PREFIX):
        return None
    return (COUNTERS | EXCEEDED).get(name.removeprefix(PREFIX).removesuffix("_total"))


def statistics(place: object, volume: str, figures: Mapping[str, Values]) -> EbsStatistics:
    """What a volume's counters of exceeded limits grew by.

    Raises ForeignError if it has some of them alone.
    """
    for name, (figure, _) in EXCEEDED.items():
        if figure not in figures:
            raise ForeignError(place, f"no {PREFIX}{name}_total of {volume}; expected all four")
    return {
        "volume_iops_exceeded_s": _grown(figures["volume_iops_exceeded_s"]),
        "volume_throughput_exceeded_s": _grown(figures["volume_throughput_exceeded_s"]),
        "instance_iops_exceeded_s": _grown(figures["instance_iops_exceeded_s"]),
        "instance_throughput_exceeded_s": _grown(figures["instance_throughput_exceeded_s"]),
        "ops": [],
    }


def _grown(values: Values) -> float:
    """What a counter grew by; one that fell began anew."""
    ordered = [value for _, value in sorted(values)]
    return sum(after - before for before, after in pairwise(ordered) if after >= before)
