"""A host as a scenario: what there is, with the load of its busiest interval."""

from collections.abc import Mapping, Sequence

import yaml

from blockyard.formats.aws.demand import Demand, busiest
from blockyard.formats.aws.hosts import Device, Host

_GIB = 1 << 30
_SECTOR = 512
# IOs are no larger than what the kernel makes of them.
_LARGEST = 1 << 20
_CHUNK = "256KiB"

Node = dict[str, object]


def text(
    host: Host, demand: Demand | None, balances: Mapping[str, float], devices: Sequence[Device]
) -> str:
    """The scenario of a host with these devices.

    `balances` has what was left of burst credits at first, in percent, by the device's name, and
    as `host` of the instance.
    """
    load = f"the mean rates of the busiest {demand.interval_s} s" if demand else "none was measured"
    made: Node = {
        "name": host.name,
        "description": f"{host.id}, as AWS's answers have it",
        "assumptions": {
            **host.assumptions,
            "load": f"{load}, at random places, in files of four fifths of each volume",
        },
    }
    if host.region:
        made["region"] = host.region
    made["duration"] = "1m"
    if host.instance_type:
        made["host"] = {"instance": host.instance_type, **_balance(balances, "host")}
    made["storage"] = {one.name: _device(one, balances) for one in devices}
    jobs: Node = {}
    for one in devices:
        jobs.update(_jobs(one, demand))
    # A load that asks nothing of anybody, where none was measured.
    first = devices[0].name
    made["workload"] = jobs or {
        "idle": {"kind": "ranread", "on": first, "file_size": "1MiB", "rate": "1/s"}
    }
    written = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=100)
    # YAML 1.1 takes it for a truth value; scenarios are read by 1.2.
    return written.replace("    'on': ", "    on: ")


def _balance(balances: Mapping[str, float], name: str) -> Node:
    full = 100.0
    left = min(balances.get(name, full), full)
    return {"burst_balance": f"{left:.1f}%"} if left < full else {}


def _device(device: Device, balances: Mapping[str, float]) -> Node:
    volume: Node = {"type": device.type, "size": f"{device.gib}GiB"}
    if device.iops is not None:
        volume["iops"] = device.iops
    if device.mib_per_s is not None:
        volume["throughput"] = f"{device.mib_per_s}MiB/s"
    if device.type in ("gp2", "st1", "sc1"):
        volume |= _balance(balances, device.name)
    if device.width == 1:
        return volume
    return {"stripe": {"width": device.width, "chunk": _CHUNK}, "of": volume}


def _jobs(device: Device, demand: Demand | None) -> Node:
    flows = demand.flows.get(device.name) if demand else None
    if flows is None or demand is None:
        return {}
    most = busiest(flows, demand.interval_s)
    if most["iops"] < 1:
        return {}
    return {
        f"{device.name}-load": {
            "kind": "access_spec",
            "on": device.name,
            "file_size": f"{max(1, device.gib * device.width * 4 // 5)}GiB",
            "pattern": {
                "size": f"{io_size(most)}B",
                "read": f"{most['reads']:.1%}",
                "random": "100%",
            },
            "rate": f"{round(most['iops'])}/s",
        }
    }


def io_size(most: Mapping[str, float]) -> int:
    """The size at which the highest rate of IOs has the highest rate of bytes, in sectors."""
    size = -(-most["bytes"] // max(most["iops"], 1) // _SECTOR) * _SECTOR
    return int(min(max(size, _SECTOR), _LARGEST))
