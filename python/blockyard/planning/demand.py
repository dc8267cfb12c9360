"""The load of a requirement, taken from a run."""

from typing import TYPE_CHECKING

from blockyard._core import ScenarioError
from blockyard.result import LimitTotal
from blockyard.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

# IOs of a journal or a file may be of any size; sizes are multiples of this.
_SECTOR = 512

# A limit that made IOs wait in this share of a run's time, or more, held the load back.
_HELD_BACK = 0.01

_FLOWS = {"read": "reads", "write": "writes"}


def of_run(run: Run) -> tuple[dict[str, object], list[str]]:
    """What a run asked of its storage, as parts of a requirement, and what to know of that.

    Rates are those of the busiest second, or interval if that is longer, or, of a run without
    intervals, its means; IOs have their mean size. Raises ScenarioError for a run without IO.
    """
    wanted: dict[str, object] = {}
    for op, flow in _FLOWS.items():
        found = _flow(run, op)
        if found is not None:
            wanted[flow] = found
    if not wanted:
        raise ScenarioError(f"{run.name}: no reads and no writes")
    size = _size(run)
    if size is not None:
        wanted["size"] = f"{size}B"
    return wanted, [*_held_back(run), _rates(run), _places()]


def _flow(run: Run, op: str) -> dict[str, object] | None:
    import pyarrow.compute as pc

    rows = run.intervals.filter(pc.equal(run.intervals["op"], op))
    ios, count = _sum(rows, "ios"), rows.num_rows
    if not count:
        return _means(run, op)
    if not ios:
        return None
    by_time = rows.group_by("t_s").aggregate([("ios", "sum")])
    busiest = pc.max(by_time["ios_sum"]).as_py() / run.interval_s
    return _stated(busiest, _sum(rows, "bytes") / ios)


def _means(run: Run, op: str) -> dict[str, object] | None:
    """Of a run without intervals, such as fio's summary."""
    totals = [total for total in run.result["totals"] if total["op"] == op and total["ios"]]
    if not totals:
        return None
    size = sum(total["bytes"] for total in totals) / sum(total["ios"] for total in totals)
    return _stated(sum(total["iops"] for total in totals), size)


def _stated(iops: float, mean_size: float) -> dict[str, object]:
    io_size = max(_SECTOR, -(-round(mean_size) // _SECTOR) * _SECTOR)
    return {"iops": max(1, round(iops)), "io_size": f"{io_size}B"}


def _sum(rows: "pa.Table", column: str) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(rows[column]).as_py() or 0)


def _size(run: Run) -> int | None:
    """Bytes of all files of its jobs, where its scenario says; else none."""
    if run.scenario is None:
        return None
    import json

    jobs = json.loads(run.asked().jobs())
    places = [place for job in jobs for place in _dicts(job) if "device" in place]
    sizes = [size for place in places if isinstance(size := place.get("size"), int)]
    return sum(sizes) or None


def _dicts(value: object) -> list[dict[str, object]]:
    """All maps within a value."""
    if isinstance(value, dict):
        return [value, *(one for each in value.values() for one in _dicts(each))]
    if isinstance(value, list):
        return [one for each in value for one in _dicts(each)]
    return []


def _held_back(run: Run) -> list[str]:
    """The limits at which its rates are cut off: more was wanted than is seen."""
    limits = [limit for limit in run.result["limits"] if limit["share"] >= _HELD_BACK]
    if not limits:
        return []
    names = ", ".join(_named(limit) for limit in limits)
    return [
        f"{run.name} was held back by {names}: the rates are what these let through, and what "
        "was wanted is at least that"
    ]


def _named(limit: LimitTotal) -> str:
    return f"{limit['owner']}.{limit['limit']}"


def _rates(run: Run) -> str:
    if not run.intervals.num_rows:
        return f"rates are the means of all of {run.name}, which has no intervals: peaks are higher"
    return f"rates are those of the busiest {run.interval_s:g} s of {run.name}"


def _places() -> str:
    return "IOs are taken for random ones of their mean size"
