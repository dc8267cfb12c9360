"""Random scenarios of two hosts, a mirror over a link between them, and loads on it.

Its loads are near what legs and link let through, and far from it.
"""

import copy
import random
from typing import Any

import drawn
from blockyard.types.facts import LimitId

_MBIT = 1e6 / 8

# What of a link can be raised, and where a scenario states it.
OF_LINK = ("bandwidth", "socket_buffer", "flow_control", "processor")


def scenario(seed: int) -> drawn.Scenario:
    """The scenario of a seed: a few seconds of one or two jobs on a mirror, and of a third."""
    draw = random.Random(seed)
    legs = {"near": _leg(draw, "near", 10_000)}
    same = {**legs["near"], "host": "far"}
    # Who buys unlike legs mostly has the second be the smaller one.
    most = draw.choice((legs["near"]["iops"], legs["near"]["iops"], 10_000))
    legs["far"] = same if draw.random() < 0.4 else _leg(draw, "far", most)
    link = _link(draw)
    mirror: dict[str, Any] = {
        "legs": legs,
        "link": "wan",
        "acknowledge": draw.choice("AABBCCCC"),
        "read": draw.choice(("local", "round_robin")),
    }
    if draw.random() < 0.25:
        mirror |= {"log": {"active": draw.choice((64, 1237))}, "region": "4MiB"}
    found: drawn.Scenario = {
        "name": f"drawn-mirror-{seed}",
        "seed": seed,
        "duration": "4s",
        "warmup": "1s",
        "hosts": {
            "near": {"instance": "m5.8xlarge"},
            "far": {"instance": draw.choice(("m5.8xlarge", "m5.8xlarge", "r4.xlarge"))},
        },
        "links": {"wan": link},
        "storage": {"data": {"mirror": mirror}},
    }
    found["workload"] = _workload(draw, legs, link)
    if draw.random() < 0.4:
        found["storage"]["own"] = {
            "type": "gp3",
            "size": "100GiB",
            "tokens": "0%",
            "host": "far",
        }
        own = _job(draw, 8, 3000.0, 50)
        found["workload"]["own"] = own | {"on": "own", "file_size": "50GiB"}
    return found


def raised(found: drawn.Scenario, what: str, factor: float = 1.5) -> drawn.Scenario:
    """The scenario with more of its link."""
    more = copy.deepcopy(found)
    link = more["links"]["wan"]
    match what:
        case "bandwidth":
            link["bandwidth"] = f"{round(int(link['bandwidth'][:-6]) * factor)}Mbit/s"
        case "socket_buffer":
            link["socket_buffer"] = f"{round(int(link['socket_buffer'][:-3]) * factor)}KiB"
        case "flow_control":
            link["high_water"] = round(link["high_water"] * factor)
            link["low_water"] = int(link["low_water"] * factor)
        case "processor":
            packet = round(int(link["cpu"]["per_packet"][:-2]) / factor)
            link["cpu"] = {"per_packet": f"{packet}ns"}
    return more


def bounded_by(found: drawn.Scenario) -> list[str]:
    """What of its link there is to be raised."""
    link = found["links"]["wan"]
    stated = {"socket_buffer": "socket_buffer", "flow_control": "high_water", "processor": "cpu"}
    return [what for what in OF_LINK if what == "bandwidth" or stated[what] in link]


def with_more(found: drawn.Scenario, limit: LimitId) -> drawn.Scenario | None:
    """The scenario with half more of a limit of the mirror, as one can buy it; None of others.

    Of gp3: with the IOPS of io1 and io2 comes throughput.
    """
    more = copy.deepcopy(found)
    legs = more["storage"]["data"]["mirror"]["legs"]
    own = [leg for name, leg in legs.items() if limit["leg"] in (None, name)]
    if limit["device"] != "data" or any(leg["type"] != "gp3" for leg in own):
        return None
    for leg in own:
        if limit["counts"] == "ios":
            leg["iops"] = leg["iops"] * 3 // 2
        else:
            leg["throughput"] = f"{int(leg['throughput'][:-5]) * 3 // 2}MiB/s"
    return more


def _leg(draw: random.Random, host: str, most_iops: int) -> dict[str, Any]:
    kind = draw.choice(("gp3", "gp3", "gp3", "io1", "io2"))
    leg: dict[str, Any] = {"type": kind, "size": "200GiB", "tokens": "0%", "host": host}
    leg["iops"] = draw.randrange(3000, most_iops + 1, 200)
    if kind == "gp3":
        # Half more of the throughput alone can be bought too.
        most = min(666, leg["iops"] // 6)
        leg["throughput"] = f"{draw.randrange(126, most + 1, 2)}MiB/s"
    return leg


def _link(draw: random.Random) -> dict[str, Any]:
    link: dict[str, Any] = {
        "between": ["near", "far"],
        "round_trip": f"{draw.choice((100, 250, 800, 2000, 10_000))}us",
        "bandwidth": f"{draw.choice((200, 1000, 1000, 10_000))}Mbit/s",
        "mtu": draw.choice((1500, 9000)),
        "transport": draw.choice(("tcp", "udp")),
        "count": draw.choice((1, 1, 2)),
    }
    if draw.random() < 0.4:
        link["socket_buffer"] = f"{draw.choice((64, 128, 256, 1024))}KiB"
    if draw.random() < 0.3:
        high = draw.choice((100, 200, 400))
        until = draw.choice(("acknowledged", "answered"))
        link |= {"high_water": high, "low_water": high // 2, "queued_until": until}
    if draw.random() < 0.5:
        link["cpu"] = {"per_packet": f"{draw.choice((3000, 12_000, 30_000))}ns"}
    return link


def _workload(draw: random.Random, legs: dict[str, Any], link: dict[str, Any]) -> dict[str, Any]:
    size_kib = draw.choice((4, 8, 16, 64, 128))
    volume = min(
        min(leg["iops"], 1024 * int(leg.get("throughput", "500MiB/s")[:-5]) / size_kib)
        for leg in legs.values()
    )
    wire = int(link["bandwidth"][:-6]) * _MBIT * link["count"] / 1024 / size_kib
    rate = min(volume, 0.95 * wire)
    if "socket_buffer" in link and draw.random() < 0.7:
        round_trip_s = int(link["round_trip"][:-2]) / 1e6 + 1e-4
        rate = min(rate, int(link["socket_buffer"][:-3]) / size_kib / round_trip_s)
    if draw.random() < 0.6:
        return {"load": _job(draw, size_kib, rate, draw.choice((0, 0, 50, 70)))}
    share = draw.uniform(0.2, 0.8)
    return {
        "readers": _job(draw, size_kib, volume * share, 100),
        "writers": _job(draw, size_kib, rate * (1 - share), 0),
    }


def _job(draw: random.Random, size_kib: int, rate: float, read: int) -> dict[str, Any]:
    job = drawn.access_job(draw, size_kib, rate, read)
    # Few wait long enough for chance to matter.
    return job if "rate" in job else job | {"processes": min(job["processes"], 64)}
