"""What each job asked for and got, in a clause."""

from collections.abc import Iterator
from dataclasses import dataclass

from blockyard.text.formatting import duration, latency, rate
from blockyard.text.limit_names import in_words
from blockyard.types.facts import (
    Behind,
    Bottleneck,
    ClosedLoad,
    DatabaseLoad,
    Facts,
    OpenLoad,
)
from blockyard.types.result import OpenLoop, Result
from blockyard.words import transaction_bottleneck
from blockyard.words.amounts import end_of
from blockyard.words.clause import LIMITED, THROTTLED, Clause, between
from blockyard.words.job_bottleneck import felt_in, limited_by, named, throttled_by
from blockyard.words.network import event_named, link_effect, link_named, own_latency
from blockyard.words.outcome import Outcome, said
from blockyard.words.phrases import amount, counted, share
from blockyard.words.run_bottleneck import nearest
from blockyard.words.shortfall import when


@dataclass(frozen=True)
class Teller:
    """Tells of the jobs of a run; `brief` where there is little room."""

    result: Result
    facts: Facts
    brief: bool

    def clauses(self) -> Iterator[Clause]:
        """A clause for each job that asked for IO, and for those that did some."""
        loads = {one["job"]: one["load"] for one in self.facts["loads"]}
        for job in dict.fromkeys([*loads, *(total["job"] for total in self.result["totals"])]):
            load = loads.get(job)
            if load is None:
                yield self._unknown(job)
            elif load["kind"] == "closed":
                yield self._closed(job, load)
            elif load["kind"] == "open":
                yield self._open(job, load)
            elif load["kind"] == "transactions":
                yield transaction_bottleneck.clause(
                    self.result, self.facts, job, load, brief=self.brief
                )
            else:
                yield self._database(job, load)

    @property
    def _simulated(self) -> bool:
        return self.result["mode"] == "simulate"

    def _figures(self, job: str) -> tuple[str, str]:
        held = throttled_by(self.facts, job)
        counts = held["limits"][0]["limit"]["counts"] if held else "ios"
        iops, at = said(self.result, job, bytes_too=counts == "bytes", brief=self.brief)
        return iops, at + self._flushes(job)

    def _flushes(self, job: str) -> str:
        """How long a flush takes, which is what commits wait for."""
        own = [one for one in self.result["totals"] if one["job"] == job and one["op"] == "flush"]
        times = [us["mean"] for one in own if one["ios"] and (us := one["latency_us"])]
        slowest = max(times, default=0.0)
        return f" and flushes of {latency(slowest)}" if slowest else ""

    def _got(self, job: str) -> Outcome:
        return Outcome.of(total for total in self.result["totals"] if total["job"] == job)

    def _unknown(self, job: str) -> Clause:
        """Clients from outside."""
        iops, at = self._figures(job)
        return self._with_limit(job, f"{job} got {iops}{at}")

    def _closed(self, job: str, load: ClosedLoad) -> Clause:
        least, most = load["processes"]
        who = f"{between(least, most)} {'process' if most == 1 else 'processes'} of {job}"
        if load["outstanding"] > 1 and not self.brief:
            who += f" with {load['outstanding']:,} IOs {'each ' if most > 1 else ''}in flight"
        get = ("gets" if most == 1 else "get") if self._simulated else "got"
        if not self._got(job).totals:
            return Clause(job, f"{who} {get} no IO done", (2, 1.0) if most else (0, 0.0))
        iops, at = self._figures(job)
        return self._with_limit(job, f"{who} {get} {iops}{at}{end_of(self.result, job)}")

    def _with_limit(self, job: str, text: str) -> Clause:
        """With the bottleneck of a job, or why it has none."""
        held = throttled_by(self.facts, job)
        if held:
            limit = held["limits"][0]["limit"]
            felt = felt_in(self.result, self.facts, limit)
            part = "" if self.brief or felt else f": {share(held['waited'])} of the latency"
            return Clause(job, text, (1, held["waited"]), named(self.facts, limit) + felt, part)
        own = 1e-12 * self._got(job).waited
        modelled = self.facts["modelled"]
        if modelled is None:
            return Clause(job, text, (0, own))
        loops = [loop for loop in modelled["closed_loops"] if loop["job"] == job]
        if not loops and (other := limited_by(self.result, self.facts, job)):
            by, how, waited = other
            part = "" if self.brief else f": {share(waited)} of the latency"
            return Clause(job, text, (1, waited), by, part, how=how)
        if not loops:
            return Clause(job, text, (0, own), after=", no limit reached")
        after = f", {own_latency(self.result, job)}"
        if reach := loops[0]["reach"]:
            after += (
                f"; {reach['processes']:,} processes would reach {in_words(reach['limit'])} "
                f"({amount(reach['value'])})"
            )
        return Clause(job, text, (0, own), after=after)

    def _open(self, job: str, load: OpenLoad) -> Clause:
        behind = next((one for one in self.facts["behind"] if one["job"] == job), None)
        if behind:
            return self._behind(behind)
        loop = next((one for one in self.result["open_loop"] if one["job"] == job), None)
        due = f"{between(*load['per_s'])} IOPS due of {job}"
        _, at = self._figures(job)
        text = f"{_part_served(loop)} {due} {'are' if self._simulated else 'were'} served{at}"
        held = throttled_by(self.facts, job)
        if held:
            limit = named(self.facts, held["limits"][0]["limit"])
            text += f", {share(held['waited'])} of it waiting for {limit}"
            return Clause(job, text, (1, held["waited"]))
        if other := limited_by(self.result, self.facts, job):
            by, _, waited = other
            text += f", {share(waited)} of it by {by}"
            return Clause(job, text, (1, waited))
        if self.facts["modelled"] is None:
            return Clause(job, text, (0, 0.0))
        return Clause(job, text, (0, 0.0), after=f", no limit reached{nearest(self.facts)}")

    def _behind(self, behind: Behind) -> Clause:
        due, served = behind["due_per_s"], behind["served_per_s"]
        at_the_end = behind["to_s"] >= self.result["duration_s"]
        present = at_the_end and self._simulated
        since = f" {when(behind, at_the_end=at_the_end)}".rstrip()
        text = (
            f"of {rate(due)} IOPS due of {behind['job']}, {rate(served)} "
            f"{'are' if present else 'were'} served{since}, "
            f"{rate(due - served)} too few"
        )
        cause = behind["cause"]
        by, how = self._cause(cause) if cause else ("", THROTTLED)
        if cause and cause["kind"] == "in_flight":
            text += f", as no more than {counted(cause['most'], 'IO')} may be in flight"
        after = ""
        if not behind["skips"]:
            after = (
                f"; what came due last {'waits' if present else 'waited'} "
                f"{duration(behind['wait_s'])}"
            )
        return Clause(behind["job"], text, (2, (due - served) / due), by, after=after, how=how)

    def _cause(self, cause: Bottleneck) -> tuple[str, str]:
        """Why an open loop fell behind, and how; empty for a bound of its own."""
        modelled = self.facts["modelled"]
        match cause["kind"]:
            case "limit":
                return named(self.facts, cause["limit"]), THROTTLED
            case "link":
                if not modelled:
                    return "", THROTTLED
                hold = modelled["links"][cause["place"]]
                return link_named(hold), link_effect(hold)
            case "event":
                return event_named(self.result, cause["event"]), LIMITED
            case _:
                return "", LIMITED

    def _database(self, job: str, load: DatabaseLoad) -> Clause:
        least, most = load["processes"]
        does = ("makes" if most == 1 else "make") if self._simulated else "made"
        up_to = "up to " if least < most else ""
        who = (
            f"{between(least, most)} {'process' if most == 1 else 'processes'} of {job} {does} "
            f"{up_to}{load['updates_per_s']:,} updates a second"
        )
        [daemons] = [one for one in self.facts["write_daemons"] if one["job"] == job]
        if not daemons["cycles"]:
            return Clause(job, f"{who}, before a write-daemon cycle ended", (0, 0.0))
        took = "takes" if self._simulated else "took"
        longest, every = duration(daemons["longest_s"]), duration(daemons["every_s"])
        text = f"{who}, and a write-daemon cycle {took} up to {longest} of its {every}"
        if self.brief:
            text = f"{who} in cycles of up to {longest} of their {every}"
        held = throttled_by(self.facts, job)
        if daemons["over"] and held:
            by = named(self.facts, held["limits"][0]["limit"])
            return Clause(job, text, (2, daemons["over"] / daemons["cycles"]), by)
        if held:
            # Cycles that end in time are not throttled, however long their writes wait.
            limit = in_words(held["limits"][0]["limit"])
            text += f", in time though they wait for {limit}"
        return Clause(job, text, (2 if daemons["over"] else 0, 0.0), waits=bool(held))


def _part_served(loop: OpenLoop | None) -> str:
    """Of an open loop that did not fall behind: `all`, `97% of the`."""
    if loop is None or not loop["skipped"]:
        return "all"
    return f"{share(1 - loop['skipped'] / loop['offered'])} of the"
