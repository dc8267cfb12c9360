"""How much more IO a limit would have let through while another one held IOs."""

import math
from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.limit_names import HOST, device_of
from blockyard.report.causes import Cause
from blockyard.report.charts.history import interval_s
from blockyard.report.held import held
from blockyard.report.limits import Limit, behind_host
from blockyard.run import Run


class Served:
    """What each volume served in the intervals in which a cause held IOs."""

    def __init__(self, run: Run, cause: Cause) -> None:
        kind = (cause.owner, cause.kind)
        starts = {found.t_s for found in held(run) if (found.owner, found.kind) == kind}
        table = run.volumes.filter(pc.is_in(run.volumes["t_s"], pa.array(starts, pa.float64())))
        sums = table.group_by("volume").aggregate([("ios", "sum"), ("bytes", "sum")])
        self._rows = sums.to_pylist()
        self._volumes = cause.volumes
        self._behind = {
            row["volume"] for row in self._rows if behind_host(run, device_of(row["volume"]))
        }
        self._seconds = len(starts) * interval_s(run)

    def room(self, limit: Limit) -> float:
        """How many times the IO of the cause's volumes fits under a limit.

        Of what the host lets through, what its other volumes served is taken off.
        """
        own = self._rate(limit, self._volumes)
        others = self._behind.difference(self._volumes) if limit.owner == HOST else ()
        return (limit.value - self._rate(limit, others)) / own if own else math.inf

    def _rate(self, limit: Limit, volumes: Collection[str]) -> float:
        """What volumes served, in the limit's unit."""
        figure = "ios_sum" if limit.unit == "IOPS" else "bytes_sum"
        served: int = sum(row[figure] for row in self._rows if row["volume"] in volumes)
        return served / limit.worth / self._seconds if served else 0.0
