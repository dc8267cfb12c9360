"""Reasons of a plan in words."""

import pytest

from blockyard.types.plan import Reason
from blockyard.words import plan_reasons

_GIB = 1 << 30


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            {"kind": "volume_iops", "needed": 555_556, "has": 16_000, "volumes": 1},
            "volume IOPS: 555,556 IOPS needed, 16,000 on 1 volume",
        ),
        (
            {"kind": "volume_throughput", "needed": 622_592_001, "has": 1 << 30, "volumes": 28},
            "volume throughput: 593.8MiB/s needed, 1,024MiB/s on 28 volumes",
        ),
        (
            {
                "kind": "burst_exhausted",
                "limit": "iops_credits",
                "owner": "gp2",
                "after_s": 1_834.0,
                "lasts_s": 84_780.0,
                "baseline": 3_000,
            },
            "burst: iops_credits of gp2 last 30.6m, the load lasts 23.6h",
        ),
        (
            {
                "kind": "burst_exhausted",
                "limit": "iops_credits",
                "owner": "gp2",
                "after_s": 60.0,
                "lasts_s": None,
                "baseline": 3_000,
            },
            "burst: iops_credits of gp2 last 1m, the load is sustained",
        ),
        (
            {
                "kind": "latency",
                "of": "read",
                "quantile": "p99",
                "goal_us": 950.0,
                "estimate_us": 1_100.4,
            },
            "latency: p99 of read is 1.1ms without any queue, the goal 950us",
        ),
        (
            {"kind": "size", "needed": 1_537 * _GIB - 1, "has": 16_384 * _GIB},
            "size: 1537GiB needed, 16TiB at most",
        ),
        (
            {"kind": "size", "needed": 1_536 * _GIB, "has": 0},
            "size: 1.5TiB needed, 0B at most",
        ),
        ({"kind": "durability", "allowed": 10, "expected": None}, "durability: no durability is "),
        ({"kind": "price_unknown", "message": "no price"}, "price unknown: no price"),
    ],
)
def test_a_reason_has_its_figures(reason: Reason, said: str) -> None:
    assert f"{plan_reasons.kind(reason)}: {plan_reasons.text(reason)}".startswith(said)


@pytest.mark.parametrize(
    ("after_s", "said"), [(0.4, "0.4s"), (99.96, "1.7m"), (8_640_000, "100d"), (1e9, "11574d")]
)
def test_times_are_in_their_largest_unit(after_s: float, said: str) -> None:
    reason: Reason = {
        "kind": "burst_exhausted",
        "limit": "credits",
        "owner": "x",
        "after_s": after_s,
        "lasts_s": None,
        "baseline": 0,
    }
    assert plan_reasons.text(reason) == f"credits of x last {said}, the load is sustained"
