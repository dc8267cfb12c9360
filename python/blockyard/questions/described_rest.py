"""What is left of a load without the threads that waited for theirs."""

from typing import TYPE_CHECKING

from blockyard.questions.demand_window import Flow, Slot, Window

if TYPE_CHECKING:
    import pyarrow as pa

_NS_PER_S = 1_000_000_000
# From this share on they have all IOs of an operation on a device.
_NEARLY = 0.98


def without(window: Window, ios: "pa.Table") -> Window:
    """What is left of a window without these IOs."""
    import pyarrow.compute as pc

    at = pc.cast(pc.divide(ios["completed_ns"], round(window.length_s * _NS_PER_S)), "int64")
    sums = ios.append_column("at", at).group_by(["at", "device", "op"])
    sums = sums.aggregate([("bytes", "count"), ("bytes", "sum")])
    names = ("at", "device", "op", "bytes_count", "bytes_sum")
    columns = (sums[name].to_pylist() for name in names)
    taken = {
        (at, device, op): (count, moved)
        for at, device, op, count, moved in zip(*columns, strict=True)
    }

    whole: dict[tuple[str, str], int] = {}
    for of in window.slots:
        for key, flow in of.flows.items():
            whole[key] = whole.get(key, 0) + flow.ios
    of_loops: dict[tuple[str, str], int] = {}
    for (_, device, op), (count, _) in taken.items():
        of_loops[device, op] = of_loops.get((device, op), 0) + count

    def rest(at: int, key: tuple[str, str], flow: Flow) -> Flow:
        count, moved = taken.get((at, *key), (0, 0))
        # Counts are sampled a little late, so that what ended at an interval's end is in the next.
        none_left = of_loops.get(key, 0) >= _NEARLY * whole[key]
        left = 0 if none_left else max(0, flow.ios - count)
        return Flow(left, max(0, flow.bytes - moved) if left else 0, flow.mean_us)

    def slot(of: Slot) -> Slot:
        at = round(of.start_s / window.length_s)
        return Slot(of.start_s, {key: rest(at, key, flow) for key, flow in of.flows.items()})

    return Window(window.length_s, [slot(of) for of in window.slots], window.duration_s)
