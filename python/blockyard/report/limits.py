"""The limits over each device, its volumes together, in terms that can be compared."""

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass

from blockyard.limit_names import HOST, device_of, in_words, is_credits, is_one_way
from blockyard.result import ResolvedLimit
from blockyard.run import Run

# How many IOs or bytes a second each unit is.
WORTH = {"IOPS": 1, "MiB/s": 2**20, "MB/s": 10**6}


@dataclass(frozen=True)
class Limit:
    """A limit of all volumes of a device together, or of the host."""

    # `host`, or the device.
    owner: str
    # As results call it: `iops`, `throughput`, `iops_credits`.
    kind: str
    value: float
    # `IOPS`, `MiB/s` or `MB/s`.
    unit: str

    @property
    def name(self) -> str:
        """As charts and sentences call it: `data IOPS`, `instance throughput`."""
        return in_words(self.owner, self.kind)

    @property
    def text(self) -> str:
        """Its value with unit: `3,000 IOPS`."""
        return f"{self.value:,.0f} {self.unit}"

    @property
    def lasting(self) -> bool:
        """Whether it is the rate at which credits flow in, all that is left without them."""
        return is_credits(self.kind)

    @property
    def worth(self) -> int:
        """How many IOs or bytes a second its unit is."""
        return WORTH[self.unit]

    def in_iops(self, io_bytes: float) -> float:
        """In IOs a second, of a size in bytes."""
        return self.value if self.unit == "IOPS" else self.value * self.worth / io_bytes


def limits(run: Run, volumes: Container[str] | None = None) -> list[Limit]:
    """The limits that have a published value, device by device, then the host's.

    With `volumes`, a device's limits are those of these of its volumes alone.
    """
    groups: defaultdict[tuple[str, str], list[ResolvedLimit]] = defaultdict(list)
    for limit in run.result["resolved"]:
        if limit["value"] is not None and (
            volumes is None or limit["owner"] == HOST or limit["owner"] in volumes
        ):
            groups[device_of(limit["owner"]), limit["limit"]].append(limit)
    found = [
        Limit(owner, kind, sum(part["value"] or 0.0 for part in parts), parts[0]["unit"])
        for (owner, kind), parts in groups.items()
    ]
    return sorted(found, key=lambda limit: limit.owner == HOST)


def volumes_of(run: Run, device: str) -> list[str]:
    """The volumes of a device: `data` itself, or `data.0`, `data.1` and so on."""
    owners = dict.fromkeys(limit["owner"] for limit in run.result["resolved"])
    return [owner for owner in owners if device_of(owner) == device]


def behind_host(run: Run, device: str) -> bool:
    """Whether a device's IO passes the host's limits.

    An instance's own disks do not; they are known by their limits, which are for reads
    and writes apart.
    """
    kinds = [
        found["limit"] for found in run.result["resolved"] if device_of(found["owner"]) == device
    ]
    return not any(map(is_one_way, kinds))


def io_bytes(run: Run, device: str) -> float | None:
    """The mean size of the IOs that a device's limits counted; None if it had none."""
    served = [total for total in run.result["volumes"] if device_of(total["name"]) == device]
    ios = sum(total["ios"] for total in served)
    return sum(total["bytes"] for total in served) / ios if ios else None
