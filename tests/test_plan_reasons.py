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
            "volume throughput: 593.8 MiB/s needed, 1,024 MiB/s on 28 volumes",
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
            "burst: iops_credits of gp2 last 30 min 34 s, the load lasts 23 h 33 min",
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
            "burst: iops_credits of gp2 last 60 s, the load is sustained",
        ),
        (
            {
                "kind": "latency",
                "of": "read",
                "quantile": "p99",
                "goal_us": 950.0,
                "estimate_us": 1_100.4,
            },
            "latency: p99 of read is 1.1 ms without any queue, the goal 0.95 ms",
        ),
        (
            {"kind": "quota", "volume_type": "io2", "needed": 133_334, "has": 100_000},
            "quota: 133,334 provisioned IOPS of io2 needed, the quota is 100,000; "
            "`quotas: {io2: …}` states yours",
        ),
        (
            {
                "kind": "storage_quota",
                "volume_type": "io2",
                "needed": 22_530 * _GIB,
                "has": 20_480 * _GIB,
            },
            "quota: 22,530 GiB of io2 needed, the quota is 20,480 GiB; "
            "`storage_quotas: {io2: …}` states yours",
        ),
        (
            {"kind": "spare_attachments", "instance": "r5.large", "needed": 2, "has": 1},
            "attachments: of r5.large 1 stay free, 2 wanted",
        ),
        (
            {"kind": "previous_generation", "instance": "a1.large"},
            "previous generation: a1.large is of a previous generation",
        ),
        (
            {"kind": "purpose", "instance": "gr6f.4xlarge", "purpose": "GPU"},
            "purpose: gr6f.4xlarge pays for an accelerator (GPU)",
        ),
        (
            {"kind": "purpose", "instance": "hpc7g.4xlarge", "purpose": "HPC"},
            "purpose: hpc7g.4xlarge is made for high-performance computing",
        ),
        (
            {"kind": "size", "needed": 1_537 * _GIB - 1, "has": 16_384 * _GIB},
            "size: 1,537 GiB needed, 16,384 GiB at most",
        ),
        (
            {"kind": "size", "needed": 1_536 * _GIB, "has": 0},
            "size: 1,536 GiB needed, 0 GiB at most",
        ),
        ({"kind": "durability", "allowed": 10, "expected": None}, "durability: no durability is "),
        ({"kind": "price_unknown", "message": "no price"}, "price unknown: no price"),
    ],
)
def test_a_reason_has_its_figures(reason: Reason, said: str) -> None:
    assert f"{plan_reasons.kind(reason)}: {plan_reasons.text(reason)}".startswith(said)
