"""What each volume of a host could be in its place: `plan` for its own load, one volume each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from blockyard._core import ScenarioError
from blockyard.formats.aws.demand import Demand, busiest
from blockyard.formats.aws.hosts import Device, Host
from blockyard.formats.aws.scenario import io_size
from blockyard.questions.host_under_load import HostUnderLoad
from blockyard.questions.plan import plan
from blockyard.runs.billing import Terms
from blockyard.types.bill import Bill
from blockyard.types.plan import Volumes
from blockyard.types.under_demand import UnderDemand
from blockyard.words import plan as words
from blockyard.words.account_finding import Change
from blockyard.words.under_load import throttling

# Instead of a volume of flash none of disks: they are cheaper, and take tens of times as long.
_FLASH = ["gp2", "gp3", "io1", "io2"]
_DISKS = ["st1", "sc1"]

# Types whose latency and durability others do not have.
_BETTER = ("io1", "io2")

_GIB = 1 << 30
_MIB = 1 << 20

# What the file system's log and LVM take of a volume, which `plan` adds to what is asked for.
_LOG_SHARE, _LOG_LEAST, _LOG_MOST, _LVM = 2048, 64 * _MIB, 2 * _GIB, 9 * _MIB

_ROUND = {"iops": 100, "throughput": "25MiB/s"}

# A saving of less is none.
_CENT = 0.01


@dataclass
class Better:
    """The devices after all changes."""

    devices: list[Device]
    changes: list[Change] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def better(
    case: HostUnderLoad,
    under: UnderDemand,
    priced: tuple[Bill, Terms],
    unsure: Mapping[str, str],
) -> Better:
    """What is cheaper than each volume and carries its load, or carries it where that does not.

    The load is that of its busiest interval, with 10 % left free of every limit. `unsure` says why
    the load of a device is not known well enough.
    """
    host, load = case.host, case.load
    if load is None:
        return Better(host.devices)
    bill, terms = priced
    made = Better([])
    for device in host.devices:
        flows = load.flows.get(device.name)
        if flows is None or device.name in unsure:
            if device.name in unsure:
                made.remarks.append(f"{device.name}: nothing is proposed: {unsure[device.name]}")
            made.devices.append(device)
            continue
        mends = next(_mends(under, device.name), "")
        try:
            planned = _planned(host, device, load, terms)
        except ScenarioError as error:
            made.remarks.append(f"{device.name}: {error}")
            made.devices.append(device)
            continue
        before = of_device(bill, device.name)
        if planned is None:
            made.remarks.append(f"{device.name}: no single volume carries its busiest interval")
            made.devices.append(device)
            continue
        after, usd = planned
        saves = before - usd > _CENT
        if after == device or not (mends or saves):
            made.devices.append(device)
            continue
        made.devices.append(after)
        made.changes.append(Change(device.name, _said(device), _said(after), before, usd, mends))
        if device.type in _BETTER and after.type not in _BETTER:
            made.remarks.append(
                f"{device.name}: {after.type} gives up {device.type}'s lower latency"
                + (" and durability" if device.type == "io2" else "")
                + "; `blockyard simulate` shows p99 of both"
            )
    return made


def of_device(bill: Bill, device: str) -> float:
    """What a device costs a month."""
    return sum(line["per_month"] for line in bill["lines"] if line["of"] == device)


def _mends(under: UnderDemand, device: str) -> Iterator[str]:
    for limit in throttling(under):
        if limit["limit"]["device"] == device:
            yield "does not run dry" if limit["credits"] else "is not at its limit"


def _planned(host: Host, device: Device, load: Demand, terms: Terms) -> tuple[Device, float] | None:
    """The cheapest volume of at least the device's size, and what it costs a month."""
    most = busiest(load.flows[device.name], load.interval_s)
    iops = max(1, round(most["iops"]))
    reads = min(round(iops * most["reads"]), iops)
    size = f"{io_size(most)}B"
    log = min(max(device.gib * _GIB // _LOG_SHARE, _LOG_LEAST), _LOG_MOST)
    wanted: dict[str, object] = {
        "name": device.name,
        "size": f"{max(device.gib * _GIB - log - _LVM, _MIB)}B",
        "free_space": "0%",
        "volumes": {"at_most": 1, "types": _types(device)},
        "round_to": _ROUND,
        **({"reads": {"iops": reads, "io_size": size}} if reads else {}),
        **({"writes": {"iops": iops - reads, "io_size": size}} if iops > reads else {}),
        **({"region": host.region} if host.region else {}),
    }
    own = {"type": host.instance_type} if host.instance_type else {}
    # Where the instance itself is the limit, the volume is looked for all the same.
    for instance in ([{"instance": own}] if own else []) + [{}]:
        answer = plan({**wanted, **instance}, prices=terms.price_file, prove=False).answer
        best = words.bought(answer)
        if best is not None:
            items = best["bill"]
            usd = sum(one["usd_per_month"] for one in items if one["what"] != best["instance"])
            return _device(device, best["data"]), usd
    return None


def _types(device: Device) -> Sequence[str]:
    return [*_FLASH, *_DISKS] if device.type in _DISKS else _FLASH


def _device(device: Device, planned: Volumes) -> Device:
    """The device with another volume: its size never shrinks."""
    gib = planned["size"] // _GIB
    throughput = planned["throughput"]
    return replace(
        device,
        type=planned["type"],
        gib=device.gib if gib <= device.gib + 1 else gib,
        iops=planned["iops"],
        mib_per_s=None if throughput is None else throughput // _MIB,
    )


def _said(device: Device) -> str:
    parts = [f"{device.type} of {device.gib:,} GiB"]
    if device.iops is not None:
        parts.append(f"{device.iops:,} IOPS")
    if device.mib_per_s is not None:
        parts.append(f"{device.mib_per_s:,} MiB/s")
    return ", ".join(parts)
