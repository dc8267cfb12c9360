"""What the storage of a database in RDS could be in its place: gp3 of the same size."""

from dataclasses import replace

from blockyard.formats.aws.hosts import Device, Host
from blockyard.types.under_demand import UnderDemand
from blockyard.words.under_load import throttling

_SSD = "gp3"


def on_gp3(host: Host) -> list[Device] | None:
    """The storage of a database on gp3; None where it is that."""
    (device,) = host.devices
    if device.type == _SSD:
        return None
    return [replace(device, type=_SSD, iops=None, mib_per_s=None)]


def of_gp3(under: UnderDemand) -> list[str]:
    """What is to be said of gp3 that is there: what to order if it does not carry its load."""
    return [_more(under)] if throttling(under) else []


def instead(host: Host, under: UnderDemand, after: UnderDemand) -> tuple[bool, str]:
    """Whether gp3 carries the load in place of what is there, and what is to be said of it."""
    (device,) = host.devices
    has = f"gp3 of the same size has {_has(after)}"
    if throttling(after):
        return False, f"{has}, which is not enough: {_more(after)}"
    alike = "; RDS charges the same for a GiB of gp2 and of gp3" if device.type == "gp2" else ""
    if throttling(under):
        return (
            True,
            f"{has}, and carries this load: nothing runs dry, and no limit is reached{alike}",
        )
    return True, f"{has}, and carries this load too{alike}"


def _has(under: UnderDemand) -> str:
    """What gp3's volumes have together without a charge: RDS provisions no less."""
    own = {
        limit["limit"]["counts"]: limit["value"]
        for limit in under["limits"]
        if limit["limit"]["device"] is not None
    }
    return f"{own['ios']:,} IOPS and {own['bytes'] >> 20:,} MiB/s"


def _more(under: UnderDemand) -> str:
    """What the busiest interval asks for."""
    asked = {limit["limit"]["counts"]: limit["busiest"] for limit in under["limits"]}
    iops, mib = asked.get("ios", 0.0), asked.get("bytes", 0.0) / (1 << 20)
    return f"order more than the {iops:,.0f} IOPS and {mib:,.0f} MiB/s of the busiest interval"
