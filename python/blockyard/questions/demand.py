"""The load of a requirement, taken from a run."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from blockyard._core import Scenario, ScenarioError
from blockyard.runs import told
from blockyard.runs.run import Run
from blockyard.words.phrases import throttled

if TYPE_CHECKING:
    import pyarrow as pa

# IOs of a journal or a file may be of any size; sizes are multiples of this.
_SECTOR = 512

# A file: its job, its device, its bytes, whether it is read.
_File = tuple[str, str, int, bool]

_FLOWS = {"read": "reads", "write": "writes"}


def of_scenario(scenario: Scenario) -> tuple[dict[str, object], list[str]] | None:
    """What a scenario of `demand` jobs asks for, as parts of a requirement, and what to know of it.

    None if it has jobs of another kind, which ask for what the storage allows.
    """
    intervals = scenario.demand()
    if intervals is None:
        return None
    files = scenario.files()
    size = _size(files, lambda _: True)
    notes = []
    if len(files) > 1:
        notes.append("all jobs are taken together, with the mean size of their IOs")
    goals = scenario.goals
    if goals:
        counted = "the goal is" if len(goals) == 1 else "the goals are"
        notes.append(f"{counted} not taken ({', '.join(goals)}): state `latency` or --p99")
    return {"demand": intervals, "size": f"{size}B"}, notes


def of_run(run: Run) -> tuple[dict[str, object], list[str]]:
    """What a run asked of its storage, as parts of a requirement, and what to know of that.

    Rates are those of the busiest second, or interval if that is longer, or, of a run without
    intervals, its means; IOs have their mean size. The writes to a device that nothing reads, where
    there is another one, are the journal's. Raises ScenarioError for a run without IO.
    """
    files = run.asked().files() if run.scenario is not None else []
    apart = _journal(files)
    wanted: dict[str, object] = {}
    for op, flow in _FLOWS.items():
        found = _flow(run, op, lambda device: device != apart)
        if found is not None:
            wanted[flow] = found
    journal = _flow(run, "write", lambda device: device == apart) if apart is not None else None
    if journal is not None:
        wanted["journal"] = {**journal, "size": f"{_size(files, lambda it: it == apart)}B"}
    if not wanted:
        raise ScenarioError(f"{run.name}: no reads and no writes")
    size = _size(files, lambda device: device != apart)
    if size:
        wanted["size"] = f"{size}B"
    said = [f"what is written to {apart}, which nothing reads, is the journal"] if journal else []
    left_out = run.result.get("notices", []) if run.scenario is None else []
    return wanted, [*left_out, *_held_back(run), _rates(run), *said, _places()]


def _journal(files: Sequence[_File]) -> str | None:
    """The one device of several whose files are only written; None where there is no such one."""
    read = {device for _, device, _, is_read in files if is_read}
    written = {device for _, device, _, _ in files} - read
    return next(iter(written)) if read and len(written) == 1 else None


def _size(files: Sequence[_File], counts: Callable[[str], bool]) -> int:
    """Bytes of all files of its jobs on devices that count."""
    return sum(size for _, device, size, _ in files if counts(device))


def _flow(run: Run, op: str, counts: Callable[[str], bool]) -> dict[str, object] | None:
    """Reads or writes of the devices that count."""
    import pyarrow as pa
    import pyarrow.compute as pc

    devices = [name for name in pc.unique(run.intervals["device"]).to_pylist() if counts(name)]
    rows = run.intervals.filter(pc.equal(run.intervals["op"], op))
    if not rows.num_rows:
        return _means(run, op, counts)
    rows = rows.filter(pc.is_in(rows["device"], pa.array(devices, rows["device"].type)))
    ios = _sum(rows, "ios")
    if not ios:
        return None
    by_time = rows.group_by("t_s").aggregate([("ios", "sum")])
    busiest = pc.max(by_time["ios_sum"]).as_py() / run.interval_s
    return _stated(busiest, _sum(rows, "bytes") / ios)


def _means(run: Run, op: str, counts: Callable[[str], bool]) -> dict[str, object] | None:
    """Of a run without intervals, such as fio's summary."""
    totals = [
        total
        for total in run.result["totals"]
        if total["op"] == op and total["ios"] and counts(total["device"])
    ]
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


def _held_back(run: Run) -> list[str]:
    """The limits at which its rates are cut off: more was wanted than is seen."""
    felt = told.of_result(run.result, run.facts).felt()
    return [throttled(run.name, felt)] if felt else []


def _rates(run: Run) -> str:
    if not run.intervals.num_rows:
        return f"rates are the means of all of {run.name}, which has no intervals: peaks are higher"
    return f"rates are those of the busiest {run.interval_s:g} s of {run.name}"


def _places() -> str:
    return "IOs are taken for random ones of their mean size"
