"""What is left of a load without some of its IOs."""

from typing import TYPE_CHECKING

from blockyard._core import Histogram
from blockyard.fitting.io_records import pieces
from blockyard.questions import demand_window
from blockyard.questions.demand_window import FLOWS, Flow, Slot, Window
from blockyard.runs.directory import IO_LOG
from blockyard.runs.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

_NS_PER_S = 1_000_000_000
_NS_PER_US = 1_000
_STEP_NS = 10
# From this share on they have all IOs of an operation on a device.
_NEARLY = 0.98


def moving(run: Run) -> Window:
    """All of a run but empty writes, as far as each IO was kept: these only ask for a flush.

    Raises what `demand_window.whole` does, FileError if the file of IOs cannot be used, and
    OSError.
    """
    import pyarrow.compute as pc

    whole = demand_window.whole(run)
    ios = _ended(run)
    if ios is None:
        return whole
    empty = ios.filter(pc.field("bytes") == 0)
    return without(whole, empty) if empty.num_rows else whole


def latencies(run: Run, from_s: float, to_s: float) -> dict[str, Histogram]:
    """The latencies of reads and of writes that ended between two moments, without empty writes.

    Empty where not each IO was kept. Raises FileError if their file cannot be used, and OSError.
    """
    import pyarrow.compute as pc

    ios = _ended(run)
    if ios is None:
        return {}
    end = pc.field("completed_ns")
    ios = ios.filter((end >= round(from_s * _NS_PER_S)) & (end < round(to_s * _NS_PER_S)))
    ios = ios.filter(pc.field("bytes") > 0)
    # Few enough to count, and as exact as a histogram is.
    steps = pc.divide(pc.subtract(ios["completed_ns"], ios["due_ns"]), _STEP_NS)
    ios = ios.append_column("steps", steps)
    found = {}
    for op in FLOWS:
        counts = pc.value_counts(ios.filter(pc.field("op") == op)["steps"])
        us = [max(0, step) * _STEP_NS / _NS_PER_US for step in counts.field("values").to_pylist()]
        found[op] = Histogram.of(us, counts.field("counts").to_pylist())
    return found


def _ended(run: Run) -> "pa.Table | None":
    """The reads and writes of a run that ended; none where single ones were not kept."""
    path = run.path / IO_LOG if run.path else None
    if path is None or not path.exists():
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pc.field("op").isin([*FLOWS]) & pc.field("completed_ns").is_valid()
    parts = pieces(path, ["due_ns", "bytes", "completed_ns"])
    kept = [pa.Table.from_batches([part]).filter(wanted) for part in parts]
    return pa.concat_tables(kept) if kept else None


def without(window: Window, ios: "pa.Table") -> Window:
    """What is left of a window without these IOs."""
    import pyarrow.compute as pc

    at = pc.cast(pc.divide(ios["completed_ns"], round(window.length_s * _NS_PER_S)), "int64")
    took = pc.subtract(ios["completed_ns"], ios["due_ns"])
    sums = ios.append_column("at", at).append_column("took", took)
    sums = sums.group_by(["at", "device", "op"])
    sums = sums.aggregate([("bytes", "count"), ("bytes", "sum"), ("took", "sum")])
    names = ("at", "device", "op", "bytes_count", "bytes_sum", "took_sum")
    columns = (sums[name].to_pylist() for name in names)
    taken = {
        (at, device, op): (count, moved, took / _NS_PER_US)
        for at, device, op, count, moved, took in zip(*columns, strict=True)
    }

    whole: dict[tuple[str, str], int] = {}
    for of in window.slots:
        for key, flow in of.flows.items():
            whole[key] = whole.get(key, 0) + flow.ios
    of_loops: dict[tuple[str, str], int] = {}
    for (_, device, op), (count, _, _) in taken.items():
        of_loops[device, op] = of_loops.get((device, op), 0) + count

    def rest(at: int, key: tuple[str, str], flow: Flow) -> Flow:
        count, moved, took_us = taken.get((at, *key), (0, 0, 0.0))
        # Counts are sampled a little late, so that what ended at an interval's end is in the next.
        none_left = of_loops.get(key, 0) >= _NEARLY * whole[key]
        left = 0 if none_left else max(0, flow.ios - count)
        mean_us = flow.mean_us
        if left and mean_us is not None:
            mean_us = max(0.0, flow.ios * mean_us - took_us) / left
        return Flow(left, max(0, flow.bytes - moved) if left else 0, mean_us)

    def slot(of: Slot) -> Slot:
        at = round(of.start_s / window.length_s)
        return Slot(of.start_s, {key: rest(at, key, flow) for key, flow in of.flows.items()})

    return Window(window.length_s, [slot(of) for of in window.slots], window.duration_s)
