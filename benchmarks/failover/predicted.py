"""The same losses in the model: scenarios, and what their simulations say."""

import math
import random
from typing import Any

from cluster import Loss
from failed_disk import FailedDisk, FailedPrimary
from linked import MEASURED_S, Answered, Linked
from on_volumes import VOLUME
from replica import CUT_S, PROMOTED_S, SemiSynchronous, Waited
from snapshot import AWAY_S, FILLED, STARTED_S, Copied, Snapshot

import blockyard as by
from databases.open_loop import Outcome
from databases.standby import Failover

Case = Failover | Loss | Snapshot | SemiSynchronous | Linked | FailedDisk | FailedPrimary
Seen = Outcome | Copied | Waited | Answered
Scenario = dict[str, Any]

DURATION_S = 25
LOST_S = 10
IN_MEMORY = "type: unlimited, size: 10GiB"
# Between processes of one machine it is this machine's scheduler that takes time.
ROUND_TRIP_S = 0.0001
# Both products have rows of a few bytes in memory that is theirs.
JOB = {
    "kind": "oltp",
    "on": "data_a",
    "data_size": "64MiB",
    "pool": "128MiB",
    "cores": 2,
    "transactions": {"insert": {"pages": 2, "changes": 2, "log": "200B", "cpu": "200us"}},
}


def predicted(asked: Case, seed: int) -> Seen:
    """What a simulation says of a loss at a random moment."""
    at = LOST_S + random.Random(seed).random()  # noqa: S311 - a moment
    match asked:
        case FailedPrimary():
            event = {"at": _time(at), "fail": "data_a"}
            return _lost(_with(_postgres(asked, VOLUME), seed, [event]))
        case Failover():
            event = {"at": _time(at), "fail": "a"}
            return _lost(_with(_postgres(asked, IN_MEMORY), seed, [event]))
        case Loss():
            event = {"at": _time(at), "fail": _node(asked)}
            return _lost(_with(_galera(asked, IN_MEMORY, asked.suspect_s), seed, [event]))
        case FailedDisk():
            event = {"at": _time(at), "fail": f"data_{_node(asked)}"}
            return _lost(_with(_galera(asked, VOLUME, asked.suspect_s), seed, [event]))
        case Snapshot():
            return _copied(asked, seed, at)
        case SemiSynchronous():
            return _waited(asked, seed, at)
        case Linked():
            return _answered(asked, seed, at)


def _node(asked: Loss | FailedDisk) -> str:
    return "c" if asked.node == "other" else "a"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.0f}us"


def _lost(scenario: Scenario) -> Outcome:
    rows = _rows(by.simulate(scenario).result)
    return Outcome(rows["count"], rows.get("lost", 0), rows["outage_s"])


def _copied(asked: Snapshot, seed: int, at: float) -> Copied:
    """A copy for a node that is lost in the warm-up."""
    settings = {"gcache": "1KiB", "sst_method": asked.method, "restart": f"{STARTED_S}s"}
    scenario = _galera(asked, VOLUME, 5, settings=settings)
    scenario["workload"]["rows"]["data_size"] = f"{(FILLED >> 20) + 57}MiB"
    scenario["workload"]["rows"]["skew"] = {"hot": {"ios": "100%", "blocks": "1%"}}
    event = {"at": _time(at), "fail": "c", "for": f"{AWAY_S}s"}
    # The warm-up ends before the copy begins, and after the other nodes have given it up.
    scenario |= {"duration": "50s", "warmup": f"{LOST_S + AWAY_S}s"}
    result = by.simulate(_with(scenario, seed, [event])).result
    events: Any = result["events"]
    [copy] = [event for event in events if event["kind"] == "state_transfer"]
    from_writer = " from a " in copy["what"]
    stopped_s = _rows(result).get("outage_s", 0)
    return Copied(int(from_writer), copy["until_s"] - copy["t_s"], stopped_s)


def _waited(asked: SemiSynchronous, seed: int, at: float) -> Waited:
    standbys = {
        "nodes": {"b": {"on": "data_b"}},
        "semi_sync": {"timeout": _time(asked.timeout_s)},
        "failover": f"{PROMOTED_S}s",
    }
    job = {"engine": "mariadb", "binlog": "1GiB", "standbys": standbys}
    scenario = _scenario("ab", asked, IN_MEMORY, {"round_trip": _time(2 * asked.delay_s)}, job)
    events = [{"at": _time(at), "cut": "ab", "for": f"{CUT_S}s"}]
    if asked.is_lost:
        events = [{"at": _time(at), "cut": "ab"}, {"at": _time(at + CUT_S), "fail": "a"}]
    result = by.simulate(_with(scenario | {"duration": "40s"}, seed, events)).result
    rows = _rows(result)
    without = rows["replication"].get("asynchronous_s", 0)
    if asked.is_lost:
        # Of the first source: the second has no replica.
        [lost] = [event["t_s"] for event in result["events"] if event["kind"] == "fail"]
        began = [event["t_s"] for event in result["events"] if event["kind"] == "asynchronous"]
        without = max(0, lost - min([*began, lost]))
    return Waited(rows["count"], rows.get("lost", 0), rows["outage_s"], without)


def _answered(asked: Linked, seed: int, at: float) -> Answered:
    link = {"round_trip": _time(2 * asked.link.delay_s + ROUND_TRIP_S)}
    if asked.link.loss:
        link["loss"] = f"{asked.link.loss:%}"
    if asked.link.rate:
        link["bandwidth"] = f"{asked.link.rate * 8 / 1e6:g}Mbit/s"
    scenario = _galera(asked, IN_MEMORY, asked.suspect_s, link=link)
    pairs = ["abc"[other] + "abc"[one] for one, other in asked.cut]
    restored = {"for": _time(asked.cut_s)} if asked.cut_s < math.inf else {}
    cuts = [{"at": _time(at), "cut": pair} | restored for pair in pairs]
    outage_s = _rows(by.simulate(_with(scenario, seed, cuts)).result)["outage_s"]
    scenario |= {"duration": f"{MEASURED_S + 1}s", "warmup": "1s"}
    rows = _rows(by.simulate(_with(scenario, seed, [])).result)
    latency = rows["latency_us"]
    return Answered(rows["tps"], latency["p50"] / 1e3, latency["p99"] / 1e3, outage_s)


def _rows(result: Any) -> dict[str, Any]:
    [rows] = result["transactions"]
    return rows  # type: ignore[no-any-return]


def _postgres(asked: Failover, volume: str) -> Scenario:
    standbys = {
        "nodes": {"b": {"on": "data_b"}},
        "synchronous_commit": asked.synchronous_commit,
        "failover": f"{asked.failover_s:g}s",
    }
    job = {"engine": "postgres", "standbys": standbys}
    return _scenario("ab", asked, volume, {"round_trip": _time(2 * asked.delay_s)}, job)


def _galera(
    asked: Loss | FailedDisk | Snapshot | Linked,
    volume: str,
    suspect_s: float,
    link: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
) -> Scenario:
    galera = {
        "nodes": {name: {"on": f"data_{name}"} for name in "bc"},
        "appliers": 8,
        "suspect_timeout": f"{suspect_s:g}s",
        # The client asks another node at once.
        "failover": "100ms",
    }
    job = {"engine": "innodb", "galera": galera | (settings or {})}
    return _scenario("abc", asked, volume, link or {"round_trip": _time(ROUND_TRIP_S)}, job)


def _scenario(
    names: str, asked: Case, volume: str, link: dict[str, Any], job: dict[str, Any]
) -> Scenario:
    """A job on the first of some hosts, each with a device, and a link between any two."""
    kind, size = (part.split(": ")[1] for part in volume.split(", "))
    pairs = [one + other for one in names for other in names if one < other]
    load = {"threads": asked.connections, "rate": f"{asked.rate:g}/s"}
    return {
        "name": "failover",
        "duration": f"{DURATION_S}s",
        "hosts": {name: {"instance": "m5.xlarge", "zone": f"zone-{name}"} for name in names},
        "links": {
            pair: {"bandwidth": "10Gbit/s"} | link | {"between": list(pair)} for pair in pairs
        },
        "storage": {f"data_{name}": {"type": kind, "size": size, "host": name} for name in names},
        "workload": {"rows": JOB | load | job},
    }


def _with(scenario: Scenario, seed: int, events: list[dict[str, Any]]) -> Scenario:
    return scenario | {"seed": seed, "events": events}
