"""What each source of data shows of an incident, as a run, and the verdict on it."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import yaml
from incident import Incident

import blockyard as by
from blockyard.runs.run import Run

# What the kinds of cause are called here.
CALLED = {
    "not_storage": "none",
    "volume_limit": "volume limit",
    "instance_limit": "instance limit",
    "credits": "credits",
    "hung": "degraded or hung",
    "degraded": "degraded or hung",
    "leg": "one leg",
    "flushes": "fsync",
    "guest_queue": "guest queue",
    "unknown": "cannot know",
}
SOURCES = ["level 2", "level 1", "iostat", "CloudWatch", "CloudWatch, one mean"]

# Of the latency, less than this was made by limits where the label says that none did, and more
# where it says that they did.
_LEAST, _MOST = 0.3, 0.1

# A service that answers later makes latency of its own.
_LATE_US = 1_000


def verdicts(incident: Incident, folder: Path, devices: list[str]) -> dict[str, dict[str, Any]]:
    """By source, what it says."""
    return {source: _verdict(run) for source, run in _runs(incident, folder, devices)}


def _runs(incident: Incident, folder: Path, devices: list[str]) -> Iterator[tuple[str, Run]]:
    said = yaml.safe_dump(incident.said(devices), sort_keys=False)
    for source, place in (("level 2", "level2"), ("level 1", "level1"), ("iostat", "iostat.txt")):
        yield source, dataclasses.replace(by.load(folder / place), storage=said)
    volume = by.load(folder / "emulated")
    names = sorted(set(volume.intervals["device"].to_pylist()))
    called = [name.replace(".", "-") for name in names]
    said = yaml.safe_dump(incident.said(called), sort_keys=False)
    seen = _while_loaded(volume.intervals)
    by_volume = dataclasses.replace(
        volume, intervals=seen, storage=said, scenario=None, stored=None
    )
    yield "CloudWatch", by_volume
    whole = dataclasses.replace(by_volume, intervals=_one(seen), sampled_s=_length(seen))
    yield "CloudWatch, one mean", whole


def _while_loaded(rows: pa.Table) -> pa.Table:
    """What CloudWatch counts, which has no flushes, from the first second with IO to the last."""
    rows = rows.filter(pc.not_equal(rows["op"], "flush"))
    active = rows.filter(pc.greater(rows["ios"], 0))["t_s"]
    first, last = pc.min(active).as_py(), pc.max(active).as_py()
    kept = pc.and_(pc.greater_equal(rows["t_s"], first), pc.less_equal(rows["t_s"], last))
    rows = rows.filter(kept)
    return rows.set_column(0, "t_s", pc.subtract(rows["t_s"], first))


def _length(rows: pa.Table) -> float:
    return float(pc.max(rows["t_s"]).as_py()) + 1.0


def _one(rows: pa.Table) -> pa.Table:
    """All intervals as one."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows.to_pylist():
        key = (row["job"], row["device"], row["op"])
        whole = found.setdefault(
            key, {**row, "t_s": 0.0, "ios": 0, "bytes": 0, "latency_mean_us": 0.0}
        )
        whole["latency_mean_us"] += (row["latency_mean_us"] or 0.0) * row["ios"]
        whole["ios"] += row["ios"]
        whole["bytes"] += row["bytes"]
    for whole in found.values():
        whole["latency_mean_us"] /= max(whole["ios"], 1)
    return pa.Table.from_pylist(list(found.values()), schema=rows.schema)


def _verdict(run: Run) -> dict[str, Any]:
    found, sentence = run.told.was_it_the_drive()
    verdict: dict[str, Any] = json.loads(found)
    return {
        "class": CALLED[verdict["cause"]["kind"]],
        "verdict": verdict,
        "sentence": sentence,
    }


def is_made(incident: Incident, folder: Path) -> str | None:
    """By emulate's own account, why an incident is not what its label says; None if it is."""
    result = json.loads((folder / "emulated" / "result.json").read_text())
    late_us = result["lateness_us"]["mean"]
    if late_us > _LATE_US:
        return f"the service was {late_us:.0f} µs late in the mean"
    waits = {"volume": 0.0, "host": 0.0, "credits": 0.0}
    for limit in result["limits"]:
        kind = "host" if limit["owner"] == "host" else "volume"
        kind = "credits" if limit["limit"].endswith("credits") else kind
        waits[kind] += limit["throttled_s"]
    return _against(incident, waits, result)


def _against(incident: Incident, waits: dict[str, float], result: Any) -> str | None:
    total = sum(
        one["ios"] * (one["latency_us"] or {"mean": 0})["mean"] / 1e6
        for one in result["totals"]
        if one["op"] != "flush"
    )
    if total == 0:
        return "no IO"
    share = {kind: s / total for kind, s in waits.items()}
    wanted = {"volume limit": "volume", "instance limit": "host", "credits": "credits"}
    kind = wanted.get(incident.label)
    if kind and share[kind] < _LEAST:
        return f"{kind} made {share[kind]:.0%} of the latency"
    if kind is None and incident.label in ("none", "fsync", "guest queue"):
        most = max(share.values())
        return f"limits made {most:.0%} of the latency" if most > _MOST else None
    return None
