"""The same losses in the model: scenarios, and what their simulations say."""

import random
from typing import Any

from cluster import Loss

import blockyard as by
from databases.open_loop import Outcome
from databases.standby import Failover

DURATION_S = 25
LOST_S = 10
# Both products have rows of a few bytes in memory that is theirs.
JOB = {
    "kind": "oltp",
    "on": "data_a",
    "data_size": "64MiB",
    "pool": "128MiB",
    "cores": 2,
    "transactions": {"insert": {"pages": 2, "changes": 2, "log": "200B", "cpu": "200us"}},
}


def predicted(asked: Failover | Loss, seed: int) -> Outcome:
    """What a simulation says of a loss at a random moment."""
    names = "abc" if isinstance(asked, Loss) else "ab"
    lost = "c" if isinstance(asked, Loss) and asked.node == "other" else "a"
    at = LOST_S + random.Random(seed).random()  # noqa: S311 - a moment
    scenario = {
        "name": "failover",
        "seed": seed,
        "duration": f"{DURATION_S}s",
        "hosts": {name: {"instance": "m5.xlarge", "zone": f"zone-{name}"} for name in names},
        "links": _links(names, asked),
        "storage": {
            f"data_{name}": {"type": "unlimited", "size": "10GiB", "host": name} for name in names
        },
        "workload": {"rows": JOB | _replicated(asked)},
        "events": [{"at": f"{at:.3f}s", "fail": lost}],
    }
    rows: Any
    [rows] = by.simulate(scenario).result["transactions"]
    return Outcome(rows["count"], rows.get("lost", 0), rows["outage_s"])


def _links(names: str, asked: Failover | Loss) -> dict[str, Any]:
    # Between processes of one machine it is this machine's scheduler that takes time.
    round_trip_s = 2 * asked.delay_s if isinstance(asked, Failover) else 0.0001
    link = {"bandwidth": "10Gbit/s", "round_trip": f"{round_trip_s * 1e6:.0f}us"}
    pairs = [one + other for one in names for other in names if one < other]
    return {pair: link | {"between": list(pair)} for pair in pairs}


def _replicated(asked: Failover | Loss) -> dict[str, Any]:
    load = {"threads": asked.connections, "rate": f"{asked.rate:g}/s"}
    if isinstance(asked, Failover):
        standbys = {
            "nodes": {"b": {"on": "data_b"}},
            "synchronous_commit": asked.synchronous_commit,
            "failover": f"{asked.failover_s:g}s",
        }
        return load | {"engine": "postgres", "standbys": standbys}
    galera = {
        "nodes": {name: {"on": f"data_{name}"} for name in "bc"},
        "appliers": 8,
        "suspect_timeout": f"{asked.suspect_s:g}s",
        # The client asks another node at once.
        "failover": "100ms",
    }
    return load | {"engine": "innodb", "galera": galera}
