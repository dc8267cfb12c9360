"""What one factor of the host's latencies makes of three published figures of gp3."""

from validation.markdown import table
from validation.run import Job, Runs

# The middle, and what the published latencies permit: A.002's 0.7 ms is 1.18 times the profile's.
FACTORS = (1, 1.15, 1.18, 1.19)
A002, B080 = "intersystems-2022/a002.yaml", "intersystems-2022/b080.yaml"
GP3, IO2 = "intersystems-2023/test2-gp3-stripe.yaml", "intersystems-2023/test1-io2.yaml"
SHORT = "duration=60s"


def _name(path: str, factor: float) -> str:
    return f"{path} at {factor}"


def jobs() -> dict[str, Job]:
    """What the table needs."""
    runs = [(path, factor) for path in (A002, B080, GP3) for factor in FACTORS] + [(IO2, 1)]
    return {
        _name(path, factor): Job(path, (SHORT, f"host.latency_factor={factor}"))
        for path, factor in runs
    }


def host_factor(runs: Runs) -> str:
    """The figures under each factor."""
    head = ["host's factor", "A.002's mean", "10 readers", "B.080's mean", "50 readers"]
    io2 = runs[_name(IO2, 1)]
    rows = [["published", "0.7 ms", "nears 16,000 IOPS", "0.7 ms", "nears 80,000 IOPS", "2 : 1"]]
    for factor in FACTORS:
        a002, b080, gp3 = (runs[_name(path, factor)] for path in (A002, B080, GP3))
        # In the first minute nothing is written.
        ratio = gp3.latency("data", "read")["mean"] / io2.latency("data", "read")["mean"]
        rows.append(
            [
                f"{factor:g}",
                f"{a002.latency('data', 'read')['mean'] / 1000:.2f} ms",
                f"{a002.result['steps'][1]['iops']:,.0f}",
                f"{b080.latency('data', 'read')['mean'] / 1000:.2f} ms",
                f"{b080.result['steps'][-1]['iops']:,.0f}",
                f"{ratio:.2f} : 1",
            ]
        )
    return table([*head, "2023, reads on gp3 to io2"], rows)
