"""What limits held, interval by interval, read off a run's table of volumes."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.limit_names import device_of, of_row
from blockyard.run import Run


class Held(NamedTuple):
    """How long a limit held IOs of a volume in an interval."""

    # Start of the interval, in seconds.
    t_s: float
    volume: str
    # The device, or `host`, that the limit belongs to, and what results call it.
    owner: str
    kind: str
    # In microseconds, summed over IOs.
    held_us: float


def held(run: Run) -> list[Held]:
    """The intervals, volumes and limits in which IOs were held, in the table's order."""
    if not run.volumes.num_rows:
        return []
    maps = run.volumes["held_us"].combine_chunks()
    rows = pc.list_parent_indices(pa.ListArray.from_arrays(maps.offsets, maps.items))
    table = pa.table({"row": rows, "limit": maps.keys, "held_us": maps.items})
    table = table.filter(pc.greater(table["held_us"], 0))
    found = []
    volumes = run.volumes.select(["t_s", "volume"]).take(table["row"]).to_pylist()
    for where, what in zip(volumes, table.to_pylist(), strict=True):
        owner, kind = of_row(where["volume"], what["limit"])
        found.append(Held(where["t_s"], where["volume"], device_of(owner), kind, what["held_us"]))
    return found
