"""Volumes and instances of a Percona XtraDB Cluster: what each does, and what it costs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from blockyard.runs import billing
from blockyard.types.bill import Bill
from blockyard.types.result import LatencyUs, TransactionTotal
from validation.cost import TERMS
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

TIMES = ("warmup=300s", "duration=900s")
# Credits last for 2,250 s at 3,000 IOPS: steps of a quarter of an hour before and after.
SMALL_TIMES = ("warmup=300s", "duration=3600s", "workload.sysbench.threads=[72, 72, 72, 72]")

# In place of the rate of flushing that is fitted to the single node's series: the product's own.
PRODUCT_FLUSH = ("workload.sysbench.flush={cleaners: 12}",)


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

    def job(self, *sets: str) -> Job:
        """What to run, with further overrides."""
        pool, appliers, network = INSTANCES[self.size]
        family = "i3" if self.volume == LOCAL else "r4"
        volume = VOLUMES[self.volume]
        return Job(
            BASE,
            (
                f"workload.sysbench.pool={pool}",
                f"workload.sysbench.galera.appliers={appliers}",
                *(f"hosts.{node}.instance={family}.{self.size}" for node in NODES),
                *(f"storage.data_{node}={volume}, host: {node}}}" for node in NODES),
                *(f"links.{link}.bandwidth={network}" for link in ("bc", "bd")),
                *(SMALL_TIMES if self.volume == SMALL else TIMES),
                *self.sets,
                *sets,
            ),
        )

    def run(self) -> Run:
        """Simulate it."""
        return self.job().run()

    def bill(self, run: Run) -> Bill:
        """What `blockyard cost` makes of its run."""
        return billing.of_result(self.job().scenario, run.result, TERMS)


def layouts(*sets: str) -> tuple[Layout, ...]:
    """All of them, with these overrides."""
    return tuple(Layout(size, volume, sets) for size in INSTANCES for volume in VOLUMES)


@dataclass(frozen=True)
class Outcome:
    """What a layout did: of a small volume while it has credits, and without."""

    layout: Layout
    # `, with credits` or `, without` for a part of the run.
    phase: str
    tps: float
    p99_ms: float
    total: TransactionTotal
    # That of the whole run.
    bill: Bill

    @property
    def per_cent(self) -> float:
        """Transactions a second for a cent an hour of hosts and volumes, as the post counts."""
        lines = self.bill["lines"]
        dollars = sum(line["per_hour"] for line in lines if line["item"] != "cross_zone")
        return self.tps / (100 * dollars)

    @property
    def per_cent_of_all(self) -> float:
        """The same with what went from zone to zone."""
        return self.tps / (100 * self.bill["per_hour"])


def outcomes(runs: Iterable[tuple[Layout, Run]]) -> Iterator[Outcome]:
    """What each layout came to."""
    for layout, run in runs:
        [total] = run.result["transactions"]
        bill = layout.bill(run)
        steps = total["steps"]
        if layout.volume == SMALL:
            for phase, step in ((", with credits", steps[1]), (", without", steps[3])):
                p99 = _p99_ms(step["latency_us"])
                yield Outcome(layout, phase, step["tps"], p99, total, bill)
        else:
            yield Outcome(layout, "", total["tps"], _p99_ms(total["latency_us"]), total, bill)


def _p99_ms(us: LatencyUs | None) -> float:
    return us["p99"] / 1000 if us else 0.0
