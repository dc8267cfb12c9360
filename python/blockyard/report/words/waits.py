"""How much of the latency was waiting for limits, over all of a run and over parts of it."""

from collections.abc import Iterable

from blockyard.report.causes import Cause
from blockyard.report.charts.history import interval_s
from blockyard.report.held import held
from blockyard.result import Total
from blockyard.run import Run

# Waiting that is a smaller share is not worth naming.
NOTEWORTHY = 0.01
# Where waiting is a smaller share of the latency, more of what a limit grants would not be felt.
FELT = 0.05


def latency_s(totals: Iterable[Total]) -> float:
    """All latencies, summed over IOs, in seconds."""
    return sum(
        total["ios"] * total["latency_us"]["mean"] / 1e6 for total in totals if total["latency_us"]
    )


def held_share(run: Run) -> float:
    """The share of all latency that IOs waited for limits; 0 without IO."""
    whole = latency_s(run.result["totals"])
    waited = sum(account["held_s"] for account in run.result["limits"])
    return waited / whole if whole else 0.0


def held_in(run: Run, cause: Cause, from_s: float, to_s: float) -> float:
    """How long a limit held IOs in the intervals that overlap a part of a run, in seconds."""
    length = interval_s(run)
    return sum(
        found.held_us / 1e6
        for found in held(run)
        if (found.owner, found.kind) == (cause.owner, cause.kind)
        and found.t_s < to_s
        and found.t_s + length > from_s
    )
