"""What an AWS account's volumes were asked for, as a scenario with `demand` jobs."""

import json
from collections.abc import Iterator, Mapping

import yaml

from blockyard._core import Scenario
from blockyard.formats.aws.demand import Demand
from blockyard.formats.aws.hosts import Host

_LOAD = (
    "the means of each interval, at random places of each device: what the storage served, which "
    "where it throttled is less than was asked of it"
)
_HEADER = "at,reads,writes,size"


def under_load(host: Host, text: str, load: Demand | None) -> tuple[str | None, dict[str, str]]:
    """A host's scenario `text` under its load, and the files that it names, a CSV a device.

    A device that did nothing has no job; None if none did anything.
    """
    if load is None:
        return None, {}
    layout = json.loads(Scenario.load(text, host.id).layout())
    sizes = {device["name"]: device["size"] for device in layout["devices"]}
    busy = {device: flows for device, flows in load.flows.items() if _ios(flows)}
    found = {
        f"{host.id}-{device}.csv": "\n".join([_HEADER, *_rows(flows, load.interval_s)]) + "\n"
        for device, flows in busy.items()
    }
    if not found:
        return None, {}
    tree = yaml.safe_load(text)
    tree["assumptions"] = {**tree.get("assumptions", {}), "load": _LOAD}
    tree |= {
        "duration": f"{load.intervals * load.interval_s}s",
        "interval": f"{load.interval_s}s",
        "by_interval": True,
        "workload": {
            device: {
                "kind": "demand",
                "on": device,
                "file_size": f"{sizes[device]}B",
                "intervals": f"{host.id}-{device}.csv",
            }
            for device in busy
        },
    }
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), found


def _ios(flows: Mapping[str, list[int]]) -> int:
    return sum(flows["reads"]) + sum(flows["writes"])


def _rows(flows: Mapping[str, list[int]], interval_s: int) -> Iterator[str]:
    lists = [flows[name] for name in ("reads", "writes", "read_bytes", "write_bytes")]
    for at, (reads, writes, read, written) in enumerate(zip(*lists, strict=True)):
        ios = reads + writes
        size = round((read + written) / ios) if ios else 0
        yield f"{at * interval_s},{reads / interval_s:.3f},{writes / interval_s:.3f},{size}"
