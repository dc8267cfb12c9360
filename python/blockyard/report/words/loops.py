"""Closed loops that no limit held back: what it takes to get more out of them."""

import json
import math
from collections.abc import Iterator
from typing import Any

from blockyard.formatting import latency
from blockyard.limit_names import HOST
from blockyard.report.causes import causes
from blockyard.report.limits import behind_host, io_bytes, limits
from blockyard.report.words.phrases import counted, share
from blockyard.report.words.waits import FELT, latency_s
from blockyard.run import Run

# IOs that limits count in parts are larger than what they count by more than this factor.
_SPLIT = 1.02


def closed_loops(run: Run) -> Iterator[str]:
    """Sentences on processes that hardly waited: an IO takes its time, whatever is bought."""
    for job in _jobs(run):
        totals = [total for total in run.result["totals"] if total["job"] == job["name"]]
        whole_s = latency_s(totals)
        waited = sum(cause.held_s.get(job["name"], 0.0) for cause in causes(run))
        if not whole_s or waited >= FELT * whole_s:
            continue
        mean_s = whole_s / sum(total["ios"] for total in totals)
        saved = f"save at most {share(waited / whole_s)} of that" if waited else "not"
        yield (
            f"{job['name']}: an IO takes {latency(1e6 * mean_s)}, nearly all of it the "
            "storage's own latency. More processes at a time, or fewer IOs one after another, "
            f"would get more done; higher limits would {saved}."
        )
        yield from _reach(run, job, mean_s)


def _reach(run: Run, job: dict[str, Any], mean_s: float) -> Iterator[str]:
    """With how many processes a job that is alone would reach a limit (Little's law)."""
    device, size = job["device"], io_bytes(run, job["device"])
    alone = all(total["job"] == job["name"] for total in run.result["totals"])
    owners = (device, HOST) if behind_host(run, device) else (device,)
    above = [limit for limit in limits(run) if limit.owner in owners]
    if not alone or not above or size is None or job["block"] > _SPLIT * size:
        return
    lowest = min(above, key=lambda limit: limit.in_iops(size))
    processes = math.ceil(lowest.in_iops(size) * mean_s / job["load"]["outstanding"])
    if processes > max(step[1] for step in job["load"]["steps"]):
        yield (
            f"At that latency {counted(processes, 'process', 'processes')} would reach "
            f"{lowest.name} ({lowest.text})."
        )


def _jobs(run: Run) -> list[dict[str, Any]]:
    """The closed-loop jobs of a run whose workload is its scenario's."""
    if run.result["mode"] == "emulate" or run.scenario is None:
        return []
    scenario = run.asked()
    return [
        job
        for job in json.loads(scenario.jobs())
        if "block" in job and job["load"]["kind"] == "closed"
    ]
