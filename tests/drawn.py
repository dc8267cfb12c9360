"""Random scenarios of volumes, instances and loads, near their limits and far from them."""

import copy
import math
import random
from typing import Any

from blockyard.types.facts import LimitId

Scenario = dict[str, Any]

# Instances without credits, and those that give half more of both their limits.
LARGER = {"m6i.8xlarge": "m6i.12xlarge", "m6i.16xlarge": "m6i.24xlarge"}

# Others, most with burst credits of their own.
_OTHERS = ("c5.4xlarge", "m5.large", "m5.xlarge", "r5n.large", "c5.2xlarge", "t3.xlarge")

_SIZES_KIB = (4, 8, 16, 32, 64, 128, 256)


def scenario(seed: int) -> Scenario:
    """The scenario of a seed: a few seconds of one or two jobs on one device."""
    draw = random.Random(seed)
    volume = _volume(draw)
    width = draw.choice((2, 3, 4, 8)) if draw.random() < 0.3 else 1
    striped = {"stripe": {"width": width, "chunk": "64KiB"}, "of": volume}
    found: Scenario = {
        "name": f"drawn-{seed}",
        "seed": seed,
        "duration": "6s",
        "warmup": "2s",
        "storage": {"data": striped if width > 1 else volume},
    }
    instance = draw.choice((None, None, *LARGER, *_OTHERS))
    if instance:
        # A burst balance that ends within the run, within minutes, or not at all.
        balance = draw.choice(("100%", f"{10 ** draw.uniform(-1, 0.5):.1f}%"))
        found["host"] = {"instance": instance, "burst_balance": balance}
    found["workload"] = _workload(draw, _near(volume, width))
    return found


def volume_of(found: Scenario) -> dict[str, Any]:
    """The volume that a scenario has, once or striped; to be changed in place."""
    device: dict[str, Any] = found["storage"]["data"]
    volume: dict[str, Any] = device.get("of", device)
    return volume


def raised(found: Scenario, limit: LimitId) -> Scenario | None:
    """The scenario with half more of a limit as one can buy it; None where one cannot.

    Instances are sold with half more of both their limits alone.
    """
    more = copy.deepcopy(found)
    volume = volume_of(more)
    match limit["device"], volume["type"], limit["counts"]:
        case None, _, _ if found["host"]["instance"] in LARGER:
            more["host"]["instance"] = LARGER[found["host"]["instance"]]
        case "data", "gp3", "bytes":
            volume["throughput"] = f"{int(volume['throughput'][:-5]) * 3 // 2}MiB/s"
        case "data", "gp3" | "io1" | "io2", "ios":
            volume["iops"] = volume["iops"] * 3 // 2
        case _:
            return None
    return more


def _volume(draw: random.Random) -> dict[str, Any]:
    kind = draw.choice(("gp3", "gp3", "gp3", "gp3", "io1", "io2", "gp2", "gp2", "st1"))
    found: dict[str, Any] = {"type": kind, "size": "500GiB", "tokens": "0%"}
    match kind:
        case "gp3":
            found["iops"] = draw.randrange(3000, 10_001, 200)
            # Half more of the throughput alone can be bought too.
            most = min(1000, found["iops"] // 6)
            found["throughput"] = f"{draw.randrange(126, most + 1, 2)}MiB/s"
        case "io1" | "io2":
            found["iops"] = draw.randrange(1000, 10_001, 200)
        case "gp2" | "st1":
            found["size"] = f"{draw.choice((200, 400, 600))}GiB"
            found["burst_balance"] = f"{10 ** draw.uniform(-1, 0.7):.1f}%"
    return found


def _near(volume: dict[str, Any], width: int) -> tuple[float, float]:
    """About what so many volumes give, in IOs and KiB a second."""
    if volume["type"] == "gp3":
        return volume["iops"] * width, 1024.0 * int(volume["throughput"][:-5]) * width
    ios = {"io1": 5000.0, "io2": 5000.0, "gp2": 3000.0, "st1": 250.0}[volume["type"]]
    return ios * width, 2.5e5 * width


def _workload(draw: random.Random, near: tuple[float, float]) -> dict[str, Any]:
    size_kib = draw.choice(_SIZES_KIB)
    rate = min(near[0], near[1] / size_kib)
    match draw.choice(("one", "one", "one", "steps", "two", "two", "two", "ranwrite")):
        case "one":
            return {"readers": access_job(draw, size_kib, rate, draw.choice((100, 100, 70, 0)))}
        case "steps":
            job = access_job(draw, size_kib, rate, 100)
            for load in ("rate", "processes"):
                if load in job:
                    most = int(str(job[load]).removesuffix("/s"))
                    steps = [max(1, round(most * share)) for share in (0.25, 1)]
                    job[load] = [f"{step}/s" for step in steps] if load == "rate" else steps
            return {"readers": job}
        case "two":
            share = draw.uniform(0.1, 0.9)
            writes_kib = draw.choice(_SIZES_KIB)
            writes = min(near[0], near[1] / writes_kib) * (1 - share)
            return {
                "readers": access_job(draw, size_kib, rate * share, 100),
                "writers": access_job(draw, writes_kib, writes, 0),
            }
    return {
        "readers": access_job(draw, 8, rate / 2, 100),
        "database": {
            "kind": "ranwrite",
            "on": "data",
            "file_size": "20GiB",
            "cache": "1GiB",
            "cycle": "2s",
            "processes": draw.randint(1, 20),
        },
    }


def access_job(draw: random.Random, size_kib: int, rate: float, read: int) -> dict[str, Any]:
    """A closed loop of any depth, or an open one below its share of the limits or past it."""
    random_pct = draw.choice((100, 100, 100, 50, 0))
    found: dict[str, Any] = {
        "kind": "access_spec",
        "on": "data",
        "file_size": "60GiB",
        "pattern": {"size": f"{size_kib}KiB", "read": f"{read}%", "random": f"{random_pct}%"},
    }
    if draw.random() < 0.5:
        found["processes"] = round(2 ** draw.uniform(0, 7))
    else:
        past = draw.choice((draw.uniform(0.3, 0.95), draw.uniform(1.1, 2.0)))
        found["rate"] = f"{math.ceil(rate * past)}/s"
        found["max_outstanding"] = draw.choice((256, 1024, 100_000))
    return found
