"""Means of latency where that is all that is known, as of iostat's output."""

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.types.result import Total


def mean_us(intervals: pa.Table, total: Total) -> float | None:
    """The mean latency of a total by the means of its intervals; None where these have none."""
    rows = intervals.filter(
        (pc.field("job") == total["job"])
        & (pc.field("device") == total["device"])
        & (pc.field("op") == total["op"])
        & pc.field("latency_mean_us").is_valid()
    )
    ios = pc.sum(rows["ios"]).as_py()
    if not ios:
        return None
    mean: float = pc.sum(pc.multiply(rows["ios"], rows["latency_mean_us"])).as_py() / ios
    return mean
