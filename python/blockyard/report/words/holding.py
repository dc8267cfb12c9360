"""What held a run back."""

from collections.abc import Iterator

from blockyard.formatting import duration, number
from blockyard.limit_names import HOST, is_credits
from blockyard.report.causes import Cause, causes
from blockyard.report.charts.axes import steps_of
from blockyard.report.charts.history import interval_s
from blockyard.report.held import held
from blockyard.report.limits import limits, volumes_of
from blockyard.report.words.phrases import listed, loads, share
from blockyard.report.words.waits import FELT, NOTEWORTHY, held_in, held_share, latency_s
from blockyard.run import Run

# From this share on, something is the rule.
_MOSTLY = 0.8


def holding(run: Run) -> list[str]:
    """Which limits held IOs, when, and whose; of real storage, what it was meant to give."""
    if run.result["mode"] == "bench":
        return list(_meant(run))
    if run.result["mode"] not in ("simulate", "emulate"):
        return ["The file says nothing of limits."]
    found = causes(run)
    if not found:
        return ["No IO waited for a limit.", *_balances(run)]
    return [
        f"Waiting for limits made up {share(held_share(run))} of all latency.",
        *(_cause(run, cause) for cause in found if cause.share >= NOTEWORTHY),
        *_cycles(run, found[0]),
        *_balances(run),
    ]


def value_of(run: Run, cause: Cause) -> str:
    """A limit's value over the volumes that it held IOs of: `3,000 IOPS`; empty if unknown."""
    values = [found.text for found in limits(run, cause.volumes) if found.name == cause.name]
    every = 1 if cause.owner == HOST else len(volumes_of(run, cause.owner))
    if values and len(cause.volumes) < every:
        return f"{values[0]} of {len(cause.volumes)} of {every} volumes"
    return values[0] if values else ""


def _cause(run: Run, cause: Cause) -> str:
    value = value_of(run, cause)
    sentence = f"{cause.name}{f' ({value})' if value else ''}: {share(cause.share)} of this waiting"
    return sentence + _steps(run, cause) + _jobs(cause) + "."


def _steps(run: Run, cause: Cause) -> str:
    """In which load steps a limit was felt, where one job has the storage to itself."""
    stepped = steps_of(run)
    jobs = {total["job"] for total in run.result["totals"]}
    if stepped.keys() != jobs or len(jobs) > 1:
        return ""
    [steps] = stepped.values()
    felt = []
    for step in steps:
        same = [found for found in run.result["steps"] if found["step"] == step["step"]]
        if held_in(run, cause, step["from_s"], step["to_s"]) > FELT * latency_s(same):
            felt.append(step)
    if len(felt) == len(steps):
        return ", in every load step"
    return f", with {loads(felt)}" if felt else ""


def _jobs(cause: Cause) -> str:
    """Who waited and who took the tokens, where jobs share a limit."""
    takers = {job: took for job, took in cause.took.items() if took >= NOTEWORTHY}
    if len(takers) < 2:
        return ""
    whole = sum(cause.held_s.values())
    waited = [f"{job} {share(part / whole)}" for job, part in cause.held_s.items() if part]
    took = [f"{job} ({share(part)})" for job, part in takers.items()]
    return f" ({listed(waited)}); the tokens went to {listed(took)}"


def _cycles(run: Run, cause: Cause) -> Iterator[str]:
    """Whether others' waiting came with the write daemons' writing of the database."""
    whole = held_in(run, cause, 0.0, run.result["duration_s"])
    if whole == 0 or sum(part > 0 for part in cause.held_s.values()) < 2:
        return
    cycles = run.result["cycles"]
    during = sum(held_in(run, cause, c["journal_done_s"], c["database_done_s"]) for c in cycles)
    if during >= _MOSTLY * whole:
        yield (
            f"Of the waiting for {cause.name}, {share(during / whole)} fell into intervals in "
            "which the write daemons wrote the database."
        )


def _balances(run: Run) -> Iterator[str]:
    """When the first volume of each device had used up its credits."""
    out: dict[str, float] = {}
    for found in held(run):
        if is_credits(found.kind) and found.owner != HOST:
            out.setdefault(found.owner, found.t_s)
    for device, t_s in out.items():
        by = duration(t_s + interval_s(run))
        which = device if len(volumes_of(run, device)) == 1 else f"a volume of {device}"
        yield f"The burst balance of {which} was used up within {by}."


def _meant(run: Run) -> Iterator[str]:
    """The means of real storage beside what the scenario's volumes would give."""
    yield "On real storage no limit is seen from outside."
    for limit in limits(run):
        if limit.owner == HOST or limit.kind not in ("iops", "throughput"):
            continue
        there = [total for total in run.result["totals"] if total["device"] == limit.owner]
        done = sum(total["iops" if limit.kind == "iops" else "mib_per_s"] for total in there)
        part = done / limit.value
        if part:
            compared = f"{share(part)} of" if part < 1 else f"{number(part)} times"
            yield (
                f"{limit.owner} gave {number(done)} {limit.unit} on average, {compared} the "
                f"{limit.text} of the scenario's volumes."
            )
