"""What the storage of a database in RDS could be in its place: gp3 of the same size."""

import json
from dataclasses import replace

from blockyard._core import Scenario, under_demand
from blockyard.formats.aws import scenario as scenarios
from blockyard.formats.aws.demand import Demand
from blockyard.formats.aws.hosts import Host
from blockyard.types.under_demand import UnderDemand

_SSD = "gp3"


def better(host: Host, load: Demand, under: UnderDemand) -> tuple[list[str], str | None]:
    """What is to be said of gp3, and the scenario with it where it carries the load."""
    (device,) = host.devices
    troubled = is_troubled(under)
    if device.type == _SSD:
        return ([_more(under)] if troubled else []), None
    after = replace(device, type=_SSD, iops=None, mib_per_s=None)
    text = scenarios.text(host, load, {}, [after])
    found: UnderDemand = json.loads(
        under_demand(Scenario.load(text, host.id), json.dumps(load.document()))
    )
    has = f"gp3 of the same size has {_has(found)}"
    if is_troubled(found):
        return [f"{has}, which is not enough: {_more(found)}"], None
    alike = "; RDS charges the same for a GiB of gp2 and of gp3" if device.type == "gp2" else ""
    why = "carries this load: nothing runs dry, and no limit is reached"
    said = f"{has}, and {why}{alike}" if troubled else f"{has}, and carries this load too{alike}"
    return [said], text


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
    return any(
        limit["reached"] > 0 if (left := limit["credits"]) is None else left["dry_s"] is not None
        for limit in under["limits"]
    )


def _more(under: UnderDemand) -> str:
    """What the busiest interval asks for."""
    asked = {limit["limit"]["counts"]: limit["busiest"] for limit in under["limits"]}
    iops, mib = asked.get("ios", 0.0), asked.get("bytes", 0.0) / (1 << 20)
    return f"order more than the {iops:,.0f} IOPS and {mib:,.0f} MiB/s of the busiest interval"
