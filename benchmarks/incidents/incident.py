"""Incidents with a label: what storage does, and the load that meets it, from a named seed."""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Tree = dict[str, Any]

# Volumes take several times as long as those on sale, so that what this machine adds, some tenths
# of a millisecond where many incidents are made at once, is little beside it. All that looks at
# them is told so.
_SLOW = {"min": "2ms", "p50": "3.5ms", "p99": "9ms", "max": "20ms"}
LATENCY = {
    "base_size": "16KiB",
    "read": _SLOW,
    "write": dict(_SLOW),
    "per_kib": "0us",
    "spread": "0%",
    "volume_spread": "0%",
}

# 0.1 % of gp2's credits.
_LEAST_CREDITS = 5_400

CLASSES = [
    "volume limit",
    "instance limit",
    "credits",
    "degraded or hung",
    "one leg",
    "fsync",
    "guest queue",
    "none",
]

# fio's random 4 KiB and the like; throughput is moved in larger ones.
_SMALL = ["4k", "8k", "16k"]


@dataclass(frozen=True)
class Load:
    """Transactions of a database."""

    clients: int
    # `reads`, `updates`, or `commits`: updates of what is in memory.
    mix: str
    # A second; as fast as they go without.
    rate: int | None = None


@dataclass(frozen=True)
class Incident:
    """What is made, and what of it is known to who looks."""

    number: int
    label: str
    # Of the scenario that is emulated, and of what the user says of it.
    volume: Tree
    known: Tree
    fio: list[str]
    seconds: int
    host: Tree | None = None
    known_host: Tree | None = None
    events: list[Tree] = field(default_factory=list)
    legs: int = 1
    # The guest's IO scheduler, and what is set of it.
    scheduler: str = "none"
    settings: dict[str, str] = field(default_factory=dict)
    # Instead of fio's, and what `emulate` is told meanwhile, so many seconds after the beginning.
    database: Load | None = None
    steered: tuple[float, Tree] | None = None

    def scenario(self) -> Tree:
        """What is emulated."""
        storage = self.volume
        if self.legs > 1:
            storage = {"stripe": {"chunk": "64KiB", "width": self.legs}, "of": self.volume}
        tree: Tree = {"name": "incident", "seed": self.number + 1, "storage": {"data": storage}}
        if self.host:
            tree["host"] = copy.deepcopy(self.host)
        if self.events:
            tree["events"] = self.events
        return tree

    def said(self, devices: list[str]) -> Tree:
        """What the user says of the observed devices."""
        tree: Tree = {
            "name": "known",
            "storage": {name: copy.deepcopy(self.known) for name in devices},
        }
        if self.known_host:
            tree["host"] = self.known_host
        return tree


def draw(seed: str, number: int) -> Incident:
    """The incident of this number."""
    chance = random.Random(f"{seed}/{number}")  # noqa: S311 - reproducible, not secret
    label = CLASSES[number % len(CLASSES)]
    return _DRAWN[label](chance, number, chance.randint(9, 14))


def new_volume(kind: str, gib: int = 100) -> Tree:
    """A volume of a kind, slower than those on sale."""
    return {"type": kind, "size": f"{gib}GiB", "latency": copy.deepcopy(LATENCY)}


def provisioned(chance: random.Random, low: int, high: int) -> tuple[Tree, int]:
    """A volume that has the IOPS that were paid for."""
    iops = round(chance.uniform(low, high), -1)
    kind = chance.choice(["io1", "io2"])
    return {**new_volume(kind), "iops": int(iops)}, int(iops)


def _mix(chance: random.Random, sizes: list[str] = _SMALL) -> list[str]:
    reads = chance.choice([0, 30, 50, 70, 100])
    return [f"--rw=randrw --rwmixread={reads} --bs={chance.choice(sizes)}"]


def _closed(depth: int) -> str:
    return f"--ioengine=libaio --iodepth={depth}"


def _rated(chance: random.Random, rate: float, depth: int = 48) -> str:
    process = chance.choice(["linear", "poisson"])
    # A mixed load has a rate for each direction.
    half = max(int(rate / 2), 5)
    return (
        f"--ioengine=libaio --iodepth={depth} --rate_process={process} --rate_iops={half},{half} "
        "--rw=randrw --rwmixread=50"
    )


def _bursts(chance: random.Random, depth: int) -> str:
    """Some IOs at once, then a pause: for part of each second the device is idle."""
    pause_ms = chance.choice([100, 300])
    return f"{_closed(depth)} --thinktime={pause_ms}ms --thinktime_blocks={depth * 6}"


def _volume_limit(chance: random.Random, number: int, seconds: int) -> Incident:
    if chance.random() < 0.25:
        volume: Tree = new_volume("gp3")
        load = [*_mix(chance, ["256k"]), _closed(chance.choice([8, 16, 32]))]
        return Incident(number, "volume limit", volume, volume, load, seconds)
    volume, iops = provisioned(chance, 100, 1000)
    volume["tokens"] = chance.choice(["0%", "100%"])
    way = chance.random()
    if way < 0.6:
        load = [*_mix(chance), _closed(chance.choice([8, 16, 32, 64]))]
    elif way < 0.8:
        load = [*_mix(chance), _rated(chance, iops * chance.uniform(1.3, 2))]
    else:
        load = [*_mix(chance), _bursts(chance, chance.choice([32, 64]))]
    known = {key: value for key, value in volume.items() if key != "tokens"}
    return Incident(number, "volume limit", volume, known, load, seconds)


def _instance_limit(chance: random.Random, number: int, seconds: int) -> Incident:
    volume: Tree = {**new_volume("gp3"), "throughput": "500MiB/s", "iops": 6000}
    host: Tree = {"instance": chance.choice(["m4.large", "c4.large", "r4.large"])}
    load = [*_mix(chance, ["128k", "256k"]), _closed(chance.choice([16, 32]))]
    return Incident(
        number, "instance limit", volume, volume, load, seconds, host=host, known_host=host
    )


def _credits(chance: random.Random, number: int, seconds: int) -> Incident:
    gib = chance.choice([20, 33, 60, 100])
    baseline = max(100, 3 * gib)
    known: Tree = new_volume("gp2", gib)
    if chance.random() < 0.4:
        rate = min(baseline * chance.uniform(1.4, 5), 1400)
        volume = {**known, "burst_balance": "0%", "tokens": "0%"}
    else:
        # The least balance that can be stated.
        seconds = chance.randint(14, 18)
        rate = baseline + _LEAST_CREDITS / seconds / chance.uniform(0.25, 0.6)
        volume = {**known, "burst_balance": "0.1%", "tokens": "0%"}
    load = [*_mix(chance), _rated(chance, rate)]
    return Incident(number, "credits", volume, known, load, seconds)


def _degraded(chance: random.Random, number: int, seconds: int) -> Incident:
    volume, iops = provisioned(chance, 300, 1500)
    at = round(chance.uniform(0.25, 0.5) * seconds, 1)
    rate = iops * chance.uniform(0.4, 0.75)
    if chance.random() < 0.4:
        lasts = round(chance.uniform(2.5, 5), 1)
        events = [{"at": f"{at}s", "pause": "data", "for": f"{lasts}s"}]
    else:
        served = chance.uniform(0.15, 0.75) * rate / iops
        at = 0.0 if chance.random() < 0.25 else at
        events = [{"at": f"{at}s", "degrade": "data", "to": f"{served * 100:.0f}%"}]
        events[0]["for"] = "1h"
    load = [*_mix(chance), _rated(chance, rate)]
    return Incident(number, "degraded or hung", volume, volume, load, seconds, events=events)


def _one_leg(chance: random.Random, number: int, seconds: int) -> Incident:
    volume, iops = provisioned(chance, 300, 1200)
    # Each leg has half of the load.
    rate = 2 * iops * chance.uniform(0.3, 0.7)
    served = chance.uniform(0.15, 0.75) * rate / 2 / iops
    at = chance.choice([0.0, round(chance.uniform(0.1, 0.4) * seconds, 1)])
    event = {"at": f"{at}s", "degrade": "data.1", "to": f"{served * 100:.0f}%", "for": "1h"}
    load = [*_mix(chance), _rated(chance, rate), "--file_service_type=roundrobin"]
    return Incident(number, "one leg", volume, volume, load, seconds, events=[event], legs=2)


def _fsync(chance: random.Random, number: int, seconds: int) -> Incident:
    volume: Tree = new_volume(chance.choice(["gp3", "gp3", "io2"]))
    if volume["type"] == "io2":
        volume["iops"] = 4000
    jobs = chance.choice([8, 12, 16, 24])
    # Below the volume's limits.
    think = jobs * chance.choice([0.6, 0.8, 1])
    load = [
        f"--rw=randwrite --bs={chance.choice(_SMALL)} --ioengine=psync --fsync=1",
        f"--numjobs={jobs} --thread --group_reporting --thinktime={think:.0f}ms",
    ]
    return Incident(number, "fsync", volume, volume, load, seconds)


def _guest_queue(chance: random.Random, number: int, seconds: int) -> Incident:
    volume: Tree = new_volume("gp3")
    jobs = chance.choice([3, 4, 6, 8])
    load = [
        *_mix(chance),
        f"--ioengine=libaio --iodepth={chance.choice([2, 4])} --numjobs={jobs} --group_reporting",
        f"--rate_iops={chance.choice([20, 40])},{chance.choice([20, 40])}",
    ]
    settings = {"strict_guarantees": "1", "slice_idle_us": str(chance.choice([4000, 8000, 16000]))}
    return Incident(
        number,
        "guest queue",
        volume,
        volume,
        load,
        seconds,
        scheduler="bfq",
        settings=settings,
    )


def _none(chance: random.Random, number: int, seconds: int) -> Incident:
    volume, iops = provisioned(chance, 400, 3000)
    if chance.random() < 0.5:
        load = [*_mix(chance), _rated(chance, min(iops * chance.uniform(0.05, 0.7), 1400))]
    else:
        volume = new_volume("gp3")
        load = [*_mix(chance), _closed(1), f"--thinktime={chance.choice([0, 1, 5])}ms"]
    return Incident(number, "none", volume, volume, load, seconds)


_DRAWN: dict[str, Callable[[random.Random, int, int], Incident]] = {
    "volume limit": _volume_limit,
    "instance limit": _instance_limit,
    "credits": _credits,
    "degraded or hung": _degraded,
    "one leg": _one_leg,
    "fsync": _fsync,
    "guest queue": _guest_queue,
    "none": _none,
}
