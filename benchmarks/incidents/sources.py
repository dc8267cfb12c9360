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

_MEAN = "latency_mean_us"

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
    seen, counted = _while_loaded(
        *(_watched(it, folder) for it in (volume.intervals, volume.volumes))
    )
    by_volume = dataclasses.replace(
        volume, intervals=seen, volumes=counted, storage=said, scenario=None, stored=None
    )
    yield "CloudWatch", by_volume
    whole = {
        "intervals": _one(seen, ("job", "device", "op")),
        "volumes": _one(counted, ("volume",)),
    }
    yield "CloudWatch, one mean", dataclasses.replace(by_volume, **whole, sampled_s=_length(seen))


def _watched(
    rows: pa.Table, folder: Path, window: str = "window.json", *, late_s: int = 0
) -> pa.Table:
    """What was emulated while others looked: a database starts before that."""
    noted = json.loads((folder / window).read_text())
    first = round(noted["t_s"]) + late_s
    after = pc.greater_equal(rows["t_s"], first)
    return rows.filter(pc.and_(after, pc.less(rows["t_s"], first + noted["length_s"])))


def _while_loaded(ios: pa.Table, volumes: pa.Table) -> Iterator[pa.Table]:
    """What CloudWatch counts, which has no flushes, from the first second with IO to the last."""
    ios = ios.filter(pc.not_equal(ios["op"], "flush"))
    active = ios.filter(pc.greater(ios["ios"], 0))["t_s"]
    first, last = pc.min(active).as_py(), pc.max(active).as_py()
    for rows in (ios, volumes):
        kept = pc.and_(pc.greater_equal(rows["t_s"], first), pc.less_equal(rows["t_s"], last))
        table = rows.filter(kept)
        yield table.set_column(0, "t_s", pc.subtract(table["t_s"], first))


def _length(rows: pa.Table) -> float:
    return float(pc.max(rows["t_s"]).as_py()) + 1.0


def _one(rows: pa.Table, series: tuple[str, ...]) -> pa.Table:
    """All intervals of each series as one."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows.to_pylist():
        key = tuple(row[name] for name in series)
        whole = found.setdefault(key, {**row, "t_s": 0.0, "ios": 0, "bytes": 0, _MEAN: 0.0})
        whole[_MEAN] += (row.get(_MEAN) or 0.0) * row["ios"]
        whole["ios"] += row["ios"]
        whole["bytes"] += row["bytes"]
    for whole in found.values():
        whole[_MEAN] /= max(whole["ios"], 1)
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
    volume = by.load(folder / "emulated")
    ios, volumes = (_watched(one, folder) for one in (volume.intervals, volume.volumes))
    # Of the observers' seconds it is not known where in emulate's they begin.
    seconds = [_watched(volume.intervals, folder, late_s=late_s) for late_s in (-1, 0, 1)]
    added_us, made_us = min(_added_us(folder, one) for one in seconds)
    if added_us > max(_LATE_US, _MOST * made_us):
        return f"this machine added {added_us:.0f} µs to {made_us:.0f} that were emulated"
    if incident.label == "degraded or hung" and incident.steered:
        begin = json.loads((folder / "window.json").read_text())["t_s"] + incident.steered[0]
        return _degraded(incident.steered[1], begin, ios, volumes)
    if (folder / "undelayed.json").exists():
        whole = _watched(volume.intervals, folder, "undelayed.json")
        if (lost := 1 - _rate(ios) / _rate(whole)) < _LEAST:
            return f"the scheduler took {lost:.0%} of the rate"
    return _against(incident, ios, volumes)


def _rate(told: pa.Table) -> float:
    """Reads and writes a second, from the first whole second on."""
    rows = [row for row in told.to_pylist() if row["op"] != "flush"]
    first = min(row["t_s"] for row in rows)
    counted = [row for row in rows if row["t_s"] > first]
    ios: float = sum(row["ios"] for row in counted)
    return ios / len({row["t_s"] for row in counted})


def _added_us(folder: Path, emulated: pa.Table) -> tuple[float, float]:
    """How much longer reads and writes took behind the kernel's queues than emulate made them."""
    observed = json.loads((folder / "level2" / "result.json").read_text())["observed"]
    ops = [op for device in observed["devices"] for op in device["ops"] if op["op"] != "flush"]
    behind = [(op["device_us"]["mean"], op["seen"]) for op in ops if op.get("device_us")]
    rows = [row for row in emulated.to_pylist() if row["op"] != "flush"]
    made = [(row["latency_mean_us"] or 0, row["ios"]) for row in rows]
    return (_mean(behind) - _mean(made) if behind else 0.0), _mean(made)


def _mean(counted: list[tuple[float, int]]) -> float:
    return sum(mean * count for mean, count in counted) / max(sum(n for _, n in counted), 1)


def _shares(ios: pa.Table, volumes: pa.Table) -> dict[str, float]:
    """Of the latency of reads and writes, what limits made, by whose they are."""
    waits = {"volume": 0.0, "host": 0.0, "credits": 0.0}
    for row in volumes["throttled_us"].to_pylist():
        for name, throttled_us in row:
            kind = "host" if name.startswith("host.") else "volume"
            waits["credits" if name.endswith("credits") else kind] += throttled_us
    total = sum(
        one["ios"] * (one["latency_mean_us"] or 0)
        for one in ios.to_pylist()
        if one["op"] != "flush"
    )
    return {kind: us / max(total, 1) for kind, us in waits.items()}


def _degraded(steered: Any, begin: float, ios: pa.Table, volumes: pa.Table) -> str | None:
    """Why one that was degraded in its course was not slow by that, and only by that."""
    before, after = (
        [one.filter(compare(one["t_s"], begin)) for one in (ios, volumes)]
        for compare in (pc.less, pc.greater)
    )
    limited = max(_shares(*before).values())
    if limited > _MOST:
        return f"limits made {limited:.0%} of the latency before"
    slowed = max(_shares(*after).values())
    if "degrade" in steered["fault"] and slowed < _LEAST:
        return f"what was left of the rates made {slowed:.0%} of the latency"
    return None


def _against(incident: Incident, ios: pa.Table, volumes: pa.Table) -> str | None:
    if pc.sum(ios["ios"]).as_py() == 0:
        return "no IO"
    share = _shares(ios, volumes)
    wanted = {"volume limit": "volume", "instance limit": "host", "credits": "credits"}
    kind = wanted.get(incident.label)
    if kind and share[kind] < _LEAST:
        return f"{kind} made {share[kind]:.0%} of the latency"
    if kind is None and incident.label in ("none", "fsync", "guest queue"):
        most = max(share.values())
        return f"limits made {most:.0%} of the latency" if most > _MOST else None
    return None
