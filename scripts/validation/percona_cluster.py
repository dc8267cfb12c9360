"""The cluster of docs/validation-percona.md: volumes and instances of a Percona XtraDB Cluster."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from validation.markdown import table
from validation.run import Job, Run

BASE = "percona-2018/cluster.yaml"
NODES = "bcd"

# Of each instance: buffer pool and appliers, by the scenario's assumptions, and its network.
INSTANCES = {
    "2xlarge": ("45GiB", 8, "2500Mbit/s"),
    "4xlarge": ("90GiB", 16, "5000Mbit/s"),
}

LARGE, PROVISIONED, LOCAL = "gp2 3.3 TB", "io1 10,000", "local NVMe"
SMALL_AT_FIRST, SMALL_LATER = "gp2 200 GB, first 2,250 s", "gp2 200 GB, then"

# A volume of 200 GiB begins with 5.4 million credits, and earns 600 a second: at 3,000 they last
# for 2,250 s.
_SMALL = "{type: gp2, size: 200GiB"
_VOLUMES = {
    LARGE: "{type: gp2, size: 3400GiB",
    PROVISIONED: "{type: io1, size: 200GiB, iops: 10000",
    LOCAL: "{type: instance-store",
    SMALL_AT_FIRST: _SMALL,
    SMALL_LATER: _SMALL,
}
_TIMES = {
    SMALL_AT_FIRST: ("warmup=300s", "duration=2200s"),
    SMALL_LATER: ("warmup=2500s", "duration=3600s"),
}


@dataclass(frozen=True)
class Layout:
    """An instance's size and the volume of each node."""

    size: str
    volume: str

    def run(self) -> Run:
        """Simulate it."""
        pool, appliers, network = INSTANCES[self.size]
        family = "i3" if self.volume == LOCAL else "r4"
        sets = [
            f"workload.sysbench.pool={pool}",
            f"workload.sysbench.galera.appliers={appliers}",
            *(f"hosts.{node}.instance={family}.{self.size}" for node in NODES),
            *(f"storage.data_{node}={_VOLUMES[self.volume]}, host: {node}}}" for node in NODES),
            *(f"links.{link}.bandwidth={network}" for link in ("bc", "bd")),
            *_TIMES.get(self.volume, ()),
        ]
        return Job(BASE, tuple(sets)).run()


LAYOUTS = tuple(Layout(size, volume) for size in INSTANCES for volume in _VOLUMES)
