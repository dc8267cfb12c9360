"""How far off two throttled jobs are by interval, in the cases that docs/howto/days.md names.

Each case is simulated IO by IO and by interval; of each minute and job the IOs served are compared.
"""

import statistics
from typing import Any

import blockyard as by

INSTANCE = "m6i.4xlarge"
GP3 = {"type": "gp3", "size": "100GiB"}
STRIPE = {"stripe": {"chunk": "64KiB", "width": 4}, "of": GP3}
LINEAR = {"linear": [GP3, {"type": "gp3", "size": "100GiB", "iops": 6000}]}


def job(reads: int, writes: int, size: str, in_flight: int, file: str = "40GiB") -> dict[str, Any]:
    """A job with one demand all along."""
    return {
        "kind": "demand",
        "on": "data",
        "file_size": file,
        "max_outstanding": in_flight,
        "intervals": f"at,reads,writes,size\n0,{reads},{writes},{size}\n",
    }


# A layout, an instance, and two jobs that ask for more than it has.
Case = tuple[dict[str, Any], str, tuple[dict[str, Any], dict[str, Any]]]

CASES: dict[str, Case] = {
    "one job of reads, one of both": (
        GP3,
        INSTANCE,
        (job(4000, 0, "16KiB", 32), job(1000, 500, "16KiB", 8)),
    ),
    "about as many reads as writes": (
        GP3,
        INSTANCE,
        (job(3000, 1000, "8KiB", 32), job(1000, 3000, "8KiB", 16)),
    ),
    "IOs larger than a stripe's chunk": (
        STRIPE,
        INSTANCE,
        (job(3000, 0, "256KiB", 32), job(6000, 0, "8KiB", 32)),
    ),
    "a volume that its driver has no tags for": (
        GP3,
        "m5.large",
        (job(4000, 0, "8KiB", 200), job(1000, 1000, "8KiB", 40)),
    ),
    "volumes one after another": (
        LINEAR,
        INSTANCE,
        (job(6000, 0, "8KiB", 8, "120GiB"), job(6000, 0, "8KiB", 64, "70GiB")),
    ),
    "the same, with reads and writes": (
        LINEAR,
        INSTANCE,
        (job(6000, 0, "8KiB", 32, "120GiB"), job(2000, 4000, "8KiB", 32, "70GiB")),
    ),
}


def served(layout: dict[str, Any], instance: str, jobs: Any, *, by_interval: bool) -> list[float]:
    """The IOs of each minute and job."""
    run = by.simulate(
        {
            "name": "two",
            "as_of": "2026-11-01",
            "duration": "5m",
            "interval": "1m",
            "by_interval": by_interval,
            "host": {"instance": instance},
            "storage": {"data": layout},
            "workload": {"one": jobs[0], "other": jobs[1]},
        },
        seeds=1,
    )
    rows = run.intervals.to_pylist()
    minutes = sorted({(row["job"], row["t_s"]) for row in rows})
    own = dict.fromkeys(minutes, 0.0)
    for row in rows:
        own[row["job"], row["t_s"]] += row["ios"]
    return [own[key] for key in minutes]


def main() -> None:
    """Print a line for each case."""
    print("| case | off by, median | at most |\n| --- | --- | --- |")
    for name, (layout, instance, jobs) in CASES.items():
        exact, even = (served(layout, instance, jobs, by_interval=way) for way in (False, True))
        off = [abs(one / other - 1) for one, other in zip(even, exact, strict=True)]
        print(f"| {name} | {statistics.median(off):.1%} | {max(off):.1%} |")


if __name__ == "__main__":
    main()
