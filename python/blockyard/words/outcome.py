"""The outcome of a job over all its devices and operations: IOPS and latency in a phrase."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from blockyard.runs.steps import loaded
from blockyard.text.formatting import latency, number, rate
from blockyard.types.result import Range, Result, Step, Total
from blockyard.words.phrases import joined
from blockyard.words.tables import between

# What differs by less between seeds is one figure.
_DIFFERS = 0.05


@dataclass(frozen=True)
class Outcome:
    """IOs that moved bytes, of one job or device."""

    totals: Sequence[Total]

    @classmethod
    def of(cls, totals: Iterable[Total]) -> Self:
        """Flushes, and what had no IO, are left out."""
        return cls([total for total in totals if total["ios"] and total["op"] != "flush"])

    @property
    def iops(self) -> float:
        """IOs a second."""
        return sum(total["iops"] for total in self.totals)

    @property
    def mib_per_s(self) -> float:
        """MiB a second."""
        return sum(total["mib_per_s"] for total in self.totals)

    @property
    def mean_us(self) -> float | None:
        """The mean latency; None where that of some IO is not known."""
        if not self.totals or any(total["latency_us"] is None for total in self.totals):
            return None
        ios = sum(total["ios"] for total in self.totals)
        whole = sum(
            total["ios"] * us["mean"] for total in self.totals if (us := total["latency_us"])
        )
        return whole / ios

    @property
    def waited(self) -> float:
        """How many IOs were in flight in the mean; 0 where latencies are not known."""
        return self.iops * (self.mean_us or 0.0)

    def latency(self, p99: str | None = None) -> str:
        """` at 3.70 ms (p99 5.10 ms)`; `p99` is what is said in its place."""
        mean = self.mean_us
        if mean is None:
            return ""
        return f" at {latency(mean)}{self._p99() if p99 is None else p99}"

    def _p99(self) -> str:
        tails = [us["p99"] for total in self.totals if (us := total["latency_us"])]
        return f" (p99 {'up to ' if len(tails) > 1 else ''}{latency(max(tails))})"


def said(result: Result, job: str, *, bytes_too: bool, brief: bool) -> tuple[str, str]:
    """The IOPS of a job and its latency: `1,900 to 3,000 IOPS`, ` at 0.53 to 1.33 ms`.

    Over its load steps the IOPS from the lightest to the heaviest, and from the lowest latency to
    the highest; or else over the seeds. With `bytes_too` the throughput as well; `brief` without
    p99.
    """
    steps = by_load(result, job)
    if len(steps) > 1:
        ends = [steps[0], steps[-1]]
        means = sorted(mean for step in steps if (mean := step.mean_us) is not None)
        at = f" at {joined([latency(mean) for mean in means])}" if means else ""
        return _rates(ends, bytes_too), at
    whole = steps[0] if steps else Outcome.of(_own(result["totals"], job))
    iops, p99 = _by_seed(result, job) if not steps else ("", "")
    return (
        iops or _rates([whole], bytes_too),
        whole.latency("" if brief else p99 or None),
    )


def _rates(outcomes: Sequence[Outcome], bytes_too: bool) -> str:
    iops = f"{joined([rate(one.iops) for one in outcomes])} IOPS"
    if not bytes_too:
        return iops
    return f"{iops} ({joined([number(one.mib_per_s) for one in outcomes])} MiB/s)"


def by_load(result: Result, job: str) -> list[Outcome]:
    """The outcome of each load step that asked for IO, the lightest first."""
    steps: dict[int, list[Step]] = {}
    for step in result["steps"]:
        if step["job"] == job:
            steps.setdefault(step["step"], []).append(step)
    if len(steps) < 2:
        return []
    asking = [own for own in steps.values() if loaded(own[0])]
    asking.sort(key=lambda own: own[0]["rate"] or own[0]["processes"] or 0)
    return [Outcome.of(own) for own in asking]


def _own(totals: Iterable[Total], job: str) -> list[Total]:
    return [total for total in totals if total["job"] == job]


def _by_seed(result: Result, job: str) -> tuple[str, str]:
    """IOPS and p99 as ranges where seeds differ; of a job that is alone and has one total."""
    by_seed = result.get("by_seed")
    moved = Outcome.of(result["totals"]).totals
    if by_seed is None or len(moved) != 1 or moved[0]["job"] != job:
        return "", ""
    [total] = moved
    for one in by_seed["totals"]:
        if all(one[key] == total[key] for key in ("job", "device", "op")):
            iops, us = one["iops"], one["latency_us"]
            over = f" over {by_seed['seeds']} seeds"
            tail = (
                f" (p99 {between(us['p99'], latency)}{over})" if us and _differs(us["p99"]) else ""
            )
            # Once is enough.
            rates = f"{between(iops, rate)} IOPS{'' if tail else over}" if _differs(iops) else ""
            return rates, tail
    return "", ""


def _differs(figure: Range) -> bool:
    return figure["max"] - figure["min"] > _DIFFERS * figure["max"]
