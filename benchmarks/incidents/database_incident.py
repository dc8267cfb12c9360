"""Incidents under a database: what storage does, and the transactions that meet it."""

import random
from collections.abc import Callable

from incident import Incident, Load, new_volume, provisioned

# Those of `incident.CLASSES` that a database and this machine can make.
CLASSES = ["volume limit", "credits", "degraded or hung", "guest queue", "none"]

# IOs of a transaction of each database, roughly, by trials: what is drawn needs no more, as
# emulate's account tells whether it is what its label says.
IOS = {
    ("postgres", "reads"): 2.0,
    ("postgres", "updates"): 4.0,
    ("mariadb", "reads"): 1.0,
    ("mariadb", "updates"): 4.0,
}

_SECONDS = 9


def draw(seed: str, number: int, database: str) -> Incident:
    """The incident of this number."""
    chance = random.Random(f"{seed}/{database}/{number}")  # noqa: S311 - reproducible, not secret
    label = CLASSES[number % len(CLASSES)]
    return _DRAWN[label](chance, number, database)


def _mix(chance: random.Random) -> str:
    return chance.choice(["reads", "updates"])


def _rated(chance: random.Random, database: str, iops: float, clients: int = 32) -> Load:
    """Transactions that make so many IOs a second, if storage lets them."""
    mix = _mix(chance)
    return Load(clients, mix, rate=max(1, round(iops / IOS[database, mix])))


def _volume_limit(chance: random.Random, number: int, database: str) -> Incident:
    del database
    made, _ = provisioned(chance, 100, 500)
    load = Load(chance.choice([8, 16, 32]), _mix(chance))
    emptied = {**made, "tokens": "0%"}
    return Incident(number, "volume limit", emptied, made, [], _SECONDS, database=load)


def _credits(chance: random.Random, number: int, database: str) -> Incident:
    gib = chance.choice([33, 60, 100, 120])
    known = new_volume("gp2", gib)
    made = {**known, "burst_balance": "0%", "tokens": "0%"}
    load = Load(chance.choice([8, 16, 32]), _mix(chance))
    if chance.random() < 0.5:
        load = _rated(chance, database, max(100, 3 * gib) * chance.uniform(1.5, 3))
    return Incident(number, "credits", made, known, [], _SECONDS, database=load)


def _degraded(chance: random.Random, number: int, database: str) -> Incident:
    made, iops = provisioned(chance, 400, 800)
    rate = iops * chance.uniform(0.35, 0.65)
    at = round(chance.uniform(0.25, 0.45) * _SECONDS, 1)
    if chance.random() < 0.4:
        stall = {"on": None, "duration": f"{chance.uniform(2.5, 4):.1f}s"}
        steered = {"fault": {"stall": stall}}
    else:
        share = round(chance.uniform(0.15, 0.6) * rate / iops * 100)
        steered = {"fault": {"degrade": {"on": None, "share": f"{share}%", "duration": "1h"}}}
    return Incident(
        number,
        "degraded or hung",
        made,
        made,
        [],
        _SECONDS,
        database=_rated(chance, database, rate),
        steered=(at, steered),
    )


def _guest_queue(chance: random.Random, number: int, database: str) -> Incident:
    made = new_volume("gp3")
    del database
    # Without pauses, so that several have IOs at once, for which the scheduler lets them wait.
    load = Load(chance.choice([6, 8, 12]), _mix(chance))
    settings = {"strict_guarantees": "1", "slice_idle_us": str(chance.choice([4000, 8000, 16000]))}
    return Incident(
        number,
        "guest queue",
        made,
        made,
        [],
        _SECONDS,
        scheduler="bfq",
        settings=settings,
        database=load,
    )


def _none(chance: random.Random, number: int, database: str) -> Incident:
    way = chance.random()
    if way < 0.3:
        # They wait for one flush at a time, however many they are.
        made = new_volume("gp3")
        load = Load(chance.choice([8, 16, 32]), "commits")
    elif way < 0.65:
        made, iops = provisioned(chance, 800, 3000)
        load = _rated(chance, database, min(iops * chance.uniform(0.05, 0.5), 700))
    else:
        made = new_volume("gp3")
        load = Load(chance.choice([1, 2]), _mix(chance))
    return Incident(number, "none", made, made, [], _SECONDS, database=load)


_DRAWN: dict[str, Callable[[random.Random, int, str], Incident]] = {
    "volume limit": _volume_limit,
    "credits": _credits,
    "degraded or hung": _degraded,
    "guest queue": _guest_queue,
    "none": _none,
}
