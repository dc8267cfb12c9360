"""What the storage of a database in RDS could be in its place: gp3 of the same size."""

from dataclasses import replace

from blockyard.formats.aws.hosts import Device
from blockyard.questions.host_under_load import HostUnderLoad
from blockyard.types.under_demand import UnderDemand
from blockyard.words.under_load import throttling

_SSD = "gp3"


def better(case: HostUnderLoad, under: UnderDemand) -> tuple[list[str], str | None]:
    """What is to be said of gp3, and the scenario with it where it carries the load."""
    (device,) = case.host.devices
    if device.type == _SSD:
        notes, text = _larger(case, under) if _volumes_lack(under) else ([], None)
        return [*notes, *_class_lacks(under)], text
    text, found = _with(case, replace(device, type=_SSD, iops=None, mib_per_s=None))
    has = f"gp3 of the same size has {_has(found)}"
    alike = "; RDS charges the same for a GiB of gp2 and of gp3" if device.type == "gp2" else ""
    if _volumes_lack(found):
        notes, text = _larger(case, found)
        return [f"{has}, which is not enough: {notes[0]}", *_class_lacks(found)], text
    if throttling(found):
        return [f"{has}, which is enough{alike}", *_class_lacks(found)], text
    why = "carries this load: nothing runs dry, and no limit is reached"
    return [f"{has}, and {why if throttling(under) else 'carries this load too'}{alike}"], text


def _class_lacks(under: UnderDemand) -> list[str]:
    """What to say where the limits of the DB instance class are in the way."""
    if not any(one["limit"]["device"] is None for one in throttling(under)):
        return []
    return ["the limits of its class are in the way: a larger class helps, more storage does not"]


def _larger(case: HostUnderLoad, under: UnderDemand) -> tuple[list[str], str | None]:
    """What helps where gp3 of this size does not: below a stripe's size RDS sells no more."""
    if case.host.stripes_from is None:
        return [f"order {_more(under)}"], None
    least, volumes = case.host.stripes_from
    gib = -(-least // volumes)
    striped = replace(
        case.host.devices[0], type=_SSD, gib=gib, width=volumes, iops=None, mib_per_s=None
    )
    text, found = _with(case, striped)
    said = f"below {least} GiB RDS sells gp3 with its baseline only; {least} GiB have {_has(found)}"
    if _volumes_lack(found):
        return [f"{said}: order that size, and {_more(found)}"], None
    return [f"{said}, enough for this load"], text


def _with(case: HostUnderLoad, device: Device) -> tuple[str, UnderDemand]:
    """The scenario with this device, and what it does under the load."""
    text, scenario = case.scenario([device])
    return text, case.under(scenario)


def _has(under: UnderDemand) -> str:
    """What gp3's volumes have together without a charge: RDS provisions no less."""
    own = {
        limit["limit"]["counts"]: limit["value"]
        for limit in under["limits"]
        if limit["limit"]["device"] is not None
    }
    return f"{own['ios']:,} IOPS and {own['bytes'] >> 20:,} MiB/s"


def _volumes_lack(under: UnderDemand) -> bool:
    return any(one["limit"]["device"] is not None for one in throttling(under))


def _more(under: UnderDemand) -> str:
    """What the busiest interval asks for."""
    asked = {limit["limit"]["counts"]: limit["busiest"] for limit in under["limits"]}
    iops, mib = asked.get("ios", 0.0), asked.get("bytes", 0.0) / (1 << 20)
    return f"more than the {iops:,.0f} IOPS and {mib:,.0f} MiB/s of the busiest interval"
