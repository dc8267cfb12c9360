"""What the storage of a database in RDS could be in its place: gp3 of the same size."""

import json
from collections.abc import Iterator
from dataclasses import replace

from blockyard._core import Scenario, under_demand
from blockyard.formats.aws import scenario as scenarios
from blockyard.formats.aws.demand import Demand
from blockyard.formats.aws.hosts import Device, Host
from blockyard.types.under_demand import UnderDemand

_SSD = "gp3"


def better(host: Host, load: Demand, under: UnderDemand) -> tuple[list[str], str | None]:
    """What is to be said of gp3, and the scenario with it where it carries the load."""
    (device,) = host.devices
    if device.type == _SSD:
        notes, text = _larger(host, load, under) if _volumes_lack(under) else ([], None)
        return [*notes, *_class_lacks(under)], text
    text, found = _with(host, load, replace(device, type=_SSD, iops=None, mib_per_s=None))
    has = f"gp3 of the same size has {_has(found)}"
    alike = "; RDS charges the same for a GiB of gp2 and of gp3" if device.type == "gp2" else ""
    if _volumes_lack(found):
        notes, text = _larger(host, load, found)
        return [f"{has}, which is not enough: {notes[0]}", *_class_lacks(found)], text
    if is_troubled(found):
        return [f"{has}, which is enough{alike}", *_class_lacks(found)], text
    why = "carries this load: nothing runs dry, and no limit is reached"
    return [f"{has}, and {why if is_troubled(under) else 'carries this load too'}{alike}"], text


def _class_lacks(under: UnderDemand) -> list[str]:
    """What to say where the limits of the DB instance class are in the way."""
    if not any(_lacks(under, of_host=True)):
        return []
    return ["the limits of its class are in the way: a larger class helps, more storage does not"]


def _larger(host: Host, load: Demand, under: UnderDemand) -> tuple[list[str], str | None]:
    """What helps where gp3 of this size does not: below a stripe's size RDS sells no more."""
    if host.stripes_from is None:
        return [f"order {_more(under)}"], None
    least, volumes = host.stripes_from
    gib = -(-least // volumes)
    striped = replace(host.devices[0], type=_SSD, gib=gib, width=volumes, iops=None, mib_per_s=None)
    text, found = _with(host, load, striped)
    said = f"below {least} GiB RDS sells gp3 with its baseline only; {least} GiB have {_has(found)}"
    if _volumes_lack(found):
        return [f"{said}: order that size, and {_more(found)}"], None
    return [f"{said}, enough for this load"], text


def _with(host: Host, load: Demand, device: Device) -> tuple[str, UnderDemand]:
    """The scenario with this device, and what it does under the load."""
    text = scenarios.text(host, load, {}, [device])
    found: UnderDemand = json.loads(
        under_demand(Scenario.load(text, host.id), json.dumps(load.document()))
    )
    return text, found


def _has(under: UnderDemand) -> str:
    """What gp3's volumes have together without a charge: RDS provisions no less."""
    own = {
        limit["limit"]["counts"]: limit["value"]
        for limit in under["limits"]
        if limit["limit"]["device"] is not None
    }
    return f"{own['ios']:,} IOPS and {own['bytes'] >> 20:,} MiB/s"


def is_troubled(under: UnderDemand) -> bool:
    """Whether credits end, or a limit is reached."""
    return _volumes_lack(under) or any(_lacks(under, of_host=True))


def _volumes_lack(under: UnderDemand) -> bool:
    return any(_lacks(under, of_host=False))


def _lacks(under: UnderDemand, *, of_host: bool) -> Iterator[bool]:
    """Of each limit of the volumes, or of the host, whether it is in the load's way."""
    for limit in under["limits"]:
        if (limit["limit"]["device"] is None) == of_host:
            left = limit["credits"]
            yield limit["reached"] > 0 if left is None else left["dry_s"] is not None


def _more(under: UnderDemand) -> str:
    """What the busiest interval asks for."""
    asked = {limit["limit"]["counts"]: limit["busiest"] for limit in under["limits"]}
    iops, mib = asked.get("ios", 0.0), asked.get("bytes", 0.0) / (1 << 20)
    return f"more than the {iops:,.0f} IOPS and {mib:,.0f} MiB/s of the busiest interval"
