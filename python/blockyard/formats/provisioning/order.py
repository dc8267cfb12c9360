"""What is to be bought of a layout, and to which hosts it is attached as what."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase

from blockyard.formats.provisioning.layout import GIB, MIB, Host, Layout, Volume

# The names under which EC2 attaches volumes on Linux: those it recommends, then the others that
# it takes on every hypervisor ("Device names for volumes" in its user guide).
DEVICE_NAMES = [
    *(f"/dev/sd{letter}" for letter in "fghijklmnop"),
    *(f"/dev/xvd{first}{letter}" for first in "bc" for letter in ascii_lowercase),
]

# A zone of AWS, with its region; there are local ones, such as us-west-2-lax-1a.
_ZONE = re.compile(r"([a-z]{2}(?:-[a-z]+)+-\d)(?:-[a-z]+-\d)?[a-z]")


@dataclass(frozen=True)
class Order:
    """A volume that is bought."""

    volume: Volume
    # Its place among the volumes of its device, from 0.
    index: int
    role: str
    # Whether several hosts have it at once.
    multi_attach: bool
    # The hosts that it is attached to, and as what; none where a cluster does that.
    attached: dict[str, str]

    @property
    def gib(self) -> int:
        """Its size in GiB, in which volumes are sold."""
        return self.volume.size // GIB

    @property
    def mib_per_s(self) -> int | None:
        """Its provisioned throughput in MiB/s, if its type provisions any."""
        throughput = self.volume.throughput
        return None if throughput is None else throughput // MIB


def orders(layout: Layout, host: str | None, *, with_instance: bool = False) -> list[Order]:
    """Give the volumes to buy for one host, or for all.

    Raises ScenarioError if there are none, if one is not sold, if a host takes fewer, or if not all
    are in one region. `with_instance` there may be only disks of the instances, whose types must
    be known.
    """
    found = [order for order in _orders(layout) if host in (None, order.volume.host)]
    for order in found:
        if not order.volume.sold:
            layout.refuse(
                f"storage.{order.volume.device}",
                f"`{order.volume.type}` is only for tests; expected a volume type that is sold",
            )
    if not found and not with_instance:
        on = f" for {host}" if host else ""
        layout.refuse("storage", f"nothing to buy{on}: there are only disks of the instance")
    all_used = hosts_of(layout, found, host if with_instance else "")
    for used in all_used:
        if with_instance and used.instance is None:
            layout.refuse(
                "host",
                "which instance is made? Expected `host: {instance: TYPE}`, such as r6i.4xlarge",
            )
        count = sum(used.name in order.attached for order in found)
        if used.attachments is not None and count > used.attachments:
            layout.refuse(
                "storage",
                f"{count} volumes on {used.name}; {used.instance} takes {used.attachments} beside "
                "its root volume",
            )
    regions: dict[str, str] = {}
    for used in all_used:
        regions.setdefault(region_of(used) or "", used.name)
    regions.pop("", None)
    if len(regions) > 1:
        where = " and ".join(f"{name} in {region}" for region, name in regions.items())
        layout.refuse("hosts", f"{where}; expected one region, or one of the hosts alone")
    return found


def region_of(host: Host) -> str | None:
    """Give the region of a host's zone, if that is one of AWS and not a name of the scenario."""
    found = _ZONE.fullmatch(host.zone or "")
    return found and found[1]


def hosts_of(layout: Layout, found: list[Order], local: str | None = "") -> list[Host]:
    """Give the hosts that need to be known to attach these volumes or to place them.

    `local` is the host whose own disks count as well; None is all of them.
    """
    used = {order.volume.host for order in found} | {it for one in found for it in one.attached}
    disks = (volume.host for volume in layout.volumes if volume.local)
    used |= {host for host in disks if local in (None, host)}
    return [host for host in layout.hosts if host.name in used]


def remarks(layout: Layout) -> list[str]:
    """Say of which devices something is not bought or not attached, and why."""
    disks = {volume.device: None for volume in layout.volumes if volume.local}
    return [
        *(f"{device}: disks of the instance, which come with it." for device in disks),
        *(
            f"{', '.join(cluster.disks)}: not attached here, as the cluster {cluster.name} "
            "attaches them to the node that is active."
            for cluster in layout.clusters
            if not cluster.multi_attach
        ),
    ]


def _orders(layout: Layout) -> Iterator[Order]:
    names: defaultdict[str, Iterator[str]] = defaultdict(lambda: iter(DEVICE_NAMES))
    count: defaultdict[str, int] = defaultdict(int)
    for volume in layout.volumes:
        index = count[volume.device]
        count[volume.device] += 1
        if volume.local:
            continue
        cluster = layout.cluster(volume.device)
        hosts: tuple[str, ...] = (volume.host,)
        if cluster is not None:
            hosts = cluster.nodes if cluster.multi_attach else ()
        attached = {host: next(names[host], "") for host in hosts}
        if not all(attached.values()):
            layout.refuse(
                f"storage.{volume.device}",
                f"more than {len(DEVICE_NAMES)} volumes on a host, for which EC2 has no names",
            )
        role = "+".join(layout.roles(volume.device))
        yield Order(volume, index, role, len(hosts) > 1, attached)


def attached_as(layout: Layout, host: str) -> dict[str, str]:
    """Give the names under which EC2 attaches volumes to a host, by the volume's name."""
    found = _orders(layout)
    return {order.volume.name: order.attached[host] for order in found if host in order.attached}
