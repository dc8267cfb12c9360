"""The cluster of docs/validation-percona.md: volumes and instances of a Percona XtraDB Cluster."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import fill

from blockyard.result import LatencyUs, TransactionTotal
from validation.markdown import table
from validation.run import Job, Run

BASE = "percona-2018/cluster.yaml"
NODES = "bcd"

# Of each instance: buffer pool and appliers, by the scenario's assumptions, and its network.
INSTANCES = {
    "2xlarge": ("45GiB", 8, "2500Mbit/s"),
    "4xlarge": ("90GiB", 16, "5000Mbit/s"),
}

LARGE, PROVISIONED, SMALL, LOCAL = "gp2 3.3 TB", "io1 10,000", "gp2 200 GB", "local NVMe"
VOLUMES = {
    LARGE: "{type: gp2, size: 3400GiB",
    PROVISIONED: "{type: io1, size: 200GiB, iops: 10000",
    SMALL: "{type: gp2, size: 200GiB",
    LOCAL: "{type: instance-store",
}

# Cents an hour of a node. Those of r4 with a large volume are the post's, as
# docs/validation-percona.md has them; the small volume's is 200 GB x 0.10 $ / 720 h. i3: reserved
# for a year, https://github.com/AjitTK/aws-emr-configuration/blob/main/index.js (of about 2020).
CENTS = {
    ("2xlarge", LARGE): 78.5,
    ("2xlarge", PROVISIONED): 125.03,
    ("2xlarge", SMALL): 31.28 + 2.78,
    ("2xlarge", LOCAL): 42.8,
    ("4xlarge", LARGE): 109.25,
    ("4xlarge", PROVISIONED): 156.32,
    ("4xlarge", SMALL): 62.57 + 2.78,
    ("4xlarge", LOCAL): 85.7,
}

TIMES = ("warmup=300s", "duration=900s")
# Credits last for 2,250 s at 3,000 IOPS: steps of a quarter of an hour before and after.
SMALL_TIMES = ("warmup=300s", "duration=3600s", "workload.sysbench.threads=[72, 72, 72, 72]")

# In place of the rate that was fitted to the single node's series: the product's own.
OWN_FLUSH = ("workload.sysbench.flush={rate: 200/s, most: 2000/s}",)


@dataclass(frozen=True)
class Layout:
    """An instance's size and the volume of each node."""

    size: str
    volume: str
    sets: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is called."""
        return f"{'i3' if self.volume == LOCAL else 'r4'}.{self.size}, {self.volume}"

    def run(self) -> Run:
        """Simulate it."""
        pool, appliers, network = INSTANCES[self.size]
        family = "i3" if self.volume == LOCAL else "r4"
        volume = VOLUMES[self.volume]
        sets = [
            f"workload.sysbench.pool={pool}",
            f"workload.sysbench.galera.appliers={appliers}",
            *(f"hosts.{node}.instance={family}.{self.size}" for node in NODES),
            *(f"storage.data_{node}={volume}, host: {node}}}" for node in NODES),
            *(f"links.{link}.bandwidth={network}" for link in ("bc", "bd")),
            *(SMALL_TIMES if self.volume == SMALL else TIMES),
            *self.sets,
        ]
        return Job(BASE, tuple(sets)).run()


LAYOUTS = tuple(Layout(size, volume) for size in INSTANCES for volume in VOLUMES)
WITH_OWN_FLUSH = tuple(Layout("2xlarge", volume, OWN_FLUSH) for volume in (LARGE, PROVISIONED))


@dataclass(frozen=True)
class Outcome:
    """What a layout did: of a small volume while it has credits, and without."""

    layout: Layout
    phase: str
    tps: float
    p99_ms: float
    total: TransactionTotal

    @property
    def per_cent(self) -> float:
        """Transactions a second for a cent an hour of each of the three nodes."""
        return self.tps / (len(NODES) * CENTS[self.layout.size, self.layout.volume])


def outcomes(runs: Iterable[tuple[Layout, Run]]) -> Iterator[Outcome]:
    """What each layout came to."""
    for layout, run in runs:
        [total] = run.result["transactions"]
        steps = total["steps"]
        if layout.volume == SMALL:
            for phase, step in ((", with credits", steps[1]), (", without", steps[3])):
                yield Outcome(layout, phase, step["tps"], _p99_ms(step["latency_us"]), total)
        else:
            yield Outcome(layout, "", total["tps"], _p99_ms(total["latency_us"]), total)


def _p99_ms(us: LatencyUs | None) -> float:
    return us["p99"] / 1000 if us else 0.0


def _spread(total: TransactionTotal) -> str:
    spread = total.get("by_5s")
    if not spread:
        return ""
    p99 = spread["p99_us"]
    return f"{p99['q1'] / 1000:,.0f} to {p99['q3'] / 1000:,.0f} ms"


def rows(runs: Iterable[tuple[Layout, Run]]) -> str:
    """All layouts."""
    head = ("nodes", "TPS", "p99", "p99 every 5 s, middle half", "stopped by flow control",
            "longest receive queue", "TPS for a cent/h")  # fmt: skip

    def row(it: Outcome) -> list[str]:
        group = it.total.get("replication")
        nodes = group["nodes"] if group else []
        of_all = it.layout.volume != SMALL
        return [
            it.layout.title + it.phase, f"{it.tps:,.0f}", f"{it.p99_ms:,.0f} ms",
            _spread(it.total) if of_all else "",
            f"{group['paused_s']:,.0f} s" if group and of_all else "",
            f"{max(node['longest_queue'] for node in nodes):,}" if nodes and of_all else "",
            f"{it.per_cent:.2f}",
        ]  # fmt: skip

    return table(head, map(row, outcomes(runs)))


def cliff_s(run: Run) -> int:
    """The first second from which on the first node's volume does under half of its burst."""
    reads, writes = run.seconds["sysbench.data_b.read"], run.seconds["sysbench.data_b.write"]
    ios = [reads.ios(second) + writes.ios(second) for second in range(3600)]
    return next(second for second in range(300, 3600) if max(ios[second : second + 60]) < 1500)


def relations(runs: list[tuple[Layout, Run]]) -> str:
    """What the post says, and what comes out."""
    by_name = {(it.layout.size, it.layout.volume, it.phase): it for it in outcomes(runs)}
    lines = []
    for size in INSTANCES:
        large, io1 = by_name[size, LARGE, ""], by_name[size, PROVISIONED, ""]
        small, local = by_name[size, SMALL, ", without"], by_name[size, LOCAL, ""]
        ratio, more = large.tps / io1.tps, large.tps / small.tps
        order = local.per_cent > large.per_cent > io1.per_cent
        lines += [
            [size, "gp2 3.3 TB does as much as io1, within 15 %", f"{ratio:.2f} times",
             _yes(abs(ratio - 1) <= 0.15)],
            [size, "and at least 3 times gp2 200 GB without credits", f"{more:.1f} times",
             _yes(more >= 3)],
            [size, "p99 every 5 s is as steady: middle half by median",
             f"{_steady(large.total)} and {_steady(io1.total)}",
             _yes(abs(_width(large.total) - _width(io1.total)) <= 0.05)],
            [size, "TPS for the money: i3, then gp2 3.3 TB, then io1",
             f"{local.per_cent:.1f}, {large.per_cent:.1f}, {io1.per_cent:.1f}", _yes(order)],
        ]  # fmt: skip
    for layout, run in runs:
        if layout.volume == SMALL:
            at_s = cliff_s(run)
            lines.append(
                [layout.size, "the credits of gp2 200 GB end at 2,250 s", f"at {at_s:,} s",
                 _yes(abs(at_s - 2250) <= 225)]
            )  # fmt: skip
    return table(("size", "the post, or the volume's rules", "simulated", "comes out"), lines)


def _yes(holds: bool) -> str:
    return "yes" if holds else "**no**"


def _width(total: TransactionTotal) -> float:
    spread = total.get("by_5s")
    if not spread:
        return 0.0
    p99 = spread["p99_us"]
    return (p99["q3"] - p99["q1"]) / p99["median"]


def _steady(total: TransactionTotal) -> str:
    return f"{100 * _width(total):.0f} %"


def own_flush(runs: list[tuple[Layout, Run]]) -> str:
    """What of the first relation rests on the rate of flushing."""
    large, io1 = outcomes(runs)
    text = (
        "With the product's own rate of flushing, 200 pages a second rising to 2,000, r4.2xlarge "
        f"does {large.tps:,.0f} transactions a second on gp2 3.3 TB and {io1.tps:,.0f} on io1, "
        f"{large.tps / io1.tps:.2f} times; for a cent an hour {large.per_cent:.2f} and "
        f"{io1.per_cent:.2f}."
    )
    return fill(text, 100)
