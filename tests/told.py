"""What is said of a scenario, to be held to what comes of it once it is changed."""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import cast

import pytest

import blockyard
import drawn
from blockyard._core import FELT
from blockyard.runs import findings
from blockyard.runs.run import Run
from blockyard.runs.tables import VOLUMES
from blockyard.types.facts import Facts, LimitId, Modelled
from blockyard.types.findings import Done
from blockyard.types.result import OpenLoop, Result, Total


class Said:
    """A scenario, its run, and what is said of it."""

    def __init__(self, scenario: drawn.Scenario) -> None:
        self.scenario = scenario
        self.run: Run = blockyard.simulate(scenario, advice=True)
        assert self.run.facts
        assert self.run.facts["modelled"]
        self.facts: Facts = self.run.facts
        self.modelled: Modelled = self.run.facts["modelled"]
        assert self.run.advice is not None
        assert self.run.advice["untried"] is None

    def with_more(self, *more: tuple[LimitId, float]) -> Result:
        """What comes of limits that are so many times as high, whether or not one can buy them."""
        changes: list[dict[str, object]] = [
            {"limit": {**limit, "factor": factor}} for limit, factor in more
        ]
        return counterfactual(self.scenario, changes)

    @cached_property
    def free(self) -> Result:
        """What comes of it where no limit holds anything up."""
        return self.with_more(*((limit["limit"], 100.0) for limit in self.facts["limits"]))

    def spends(self) -> bool:
        """Whether there are credits that a raise would use up sooner."""
        return any(balance["last_s"] for balance in self.modelled["credits"])

    def lies_ready(self, limit: LimitId) -> bool:
        """Whether a limit has a second of tokens at the start of a run of a few seconds."""
        return limit["device"] is None and "hosts" in self.scenario

    def steady(self) -> bool:
        """Whether its load is the same at all times."""
        jobs = self.scenario["workload"].values()
        return not any(
            job["kind"] == "ranwrite" or isinstance(job.get("processes", job.get("rate")), list)
            for job in jobs
        )


def counterfactual(scenario: drawn.Scenario, changes: Sequence[dict[str, object]]) -> Result:
    [found] = loaded(scenario).what_if(json.dumps([list(changes)]))
    return cast(Result, json.loads(found))


def loaded(scenario: drawn.Scenario) -> blockyard.Scenario:
    return blockyard.Scenario.load(json.dumps(scenario), "scenario")


def iops(result: Result, job: str) -> float:
    return sum(total["iops"] for total in result["totals"] if total["job"] == job)


def mean_us(result: Result, job: str | None = None) -> float:
    """The mean latency of a job, or of all."""
    own = [one for one in result["totals"] if job in (None, one["job"]) and one["latency_us"]]
    times = [one["ios"] * one["latency_us"]["mean"] for one in own if one["latency_us"]]
    return sum(times) / max(1, sum(one["ios"] for one in own))


def felt(scenario: drawn.Scenario, result: Result) -> list[LimitId]:
    """What IOs waited for, the limit with most first; none if that is hardly felt."""
    name, text = "felt", json.dumps(result)
    found = findings.of(name, text, loaded(scenario), VOLUMES.empty_table())
    modelled = found["facts"]["modelled"]
    if not modelled or modelled["waited"] < FELT:
        return []
    return [waits["limit"] for waits in modelled["waits"]]


def agrees(told: Total | Done, found: Total) -> None:
    assert told["iops"] == pytest.approx(found["iops"], rel=0.1), (told, found)
    if told["latency_us"] and found["latency_us"]:
        for figure in ("mean", "p99"):
            told_us, found_us = told["latency_us"][figure], found["latency_us"][figure]
            assert told_us == pytest.approx(found_us, rel=0.1), (told, found)


def behind(result: Result, job: str) -> OpenLoop:
    return next(loop for loop in result["open_loop"] if loop["job"] == job)


def what_is_needed_serves_what_is_due(said: Said) -> None:
    """A little more than is said to be needed of limits serves all, and less serves less."""
    values = [(limit["limit"], limit["value"]) for limit in said.facts["limits"]]
    for loop in said.facts["behind"]:
        cause, takes = loop["cause"], loop["takes"]
        if not cause or cause["kind"] != "limit" or not takes:
            continue
        if not takes["value"] or not takes["needed"]:
            continue
        if said.spends() or cause["limit"]["credits"] or takes["at_least"]:
            continue
        factor = takes["needed"] / takes["value"][0]
        beside = [
            (one["limit"], 1.05 * one["needed"][0] / value)
            for one in takes["also"]
            for limit, value in values
            if limit == one["limit"]
        ]
        enough = said.with_more((cause["limit"], 1.05 * factor), *beside)
        assert "behind" not in behind(enough, loop["job"]), loop
        if said.steady() and not beside and not said.lies_ready(cause["limit"]):
            half = said.with_more((cause["limit"], (1 + factor) / 2))
            expected = (loop["served_per_s"] + loop["due_per_s"]) / 2
            assert iops(half, loop["job"]) == pytest.approx(expected, rel=0.1), loop
