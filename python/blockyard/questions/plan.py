"""What to buy for a requirement."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard._core import Requirement, Scenario, plan_reasons
from blockyard.runs import billing
from blockyard.text import files
from blockyard.types.plan import Answer, Layout
from blockyard.words import plan as words

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading

Place = str | Path

__all__ = ["Answer", "Layout", "Plan", "plan"]


@dataclass(frozen=True)
class Plan:
    """What to buy, and what else was looked at; `answer` has all of it."""

    answer: Answer

    @property
    def best(self) -> Layout | None:
        """What to buy: of an uncertain requirement the layout of least regret, else the cheapest.

        None if nothing meets the requirement.
        """
        return words.bought(self.answer)

    @property
    def usd_per_month(self) -> float | None:
        """What that costs in a month."""
        return self.best["usd_per_month"] if self.best is not None else None

    @property
    def saving(self) -> float | None:
        """Dollars a month that it costs less than today's layout; negative if it costs more.

        None if nobody said what there is today, or nothing meets the requirement.
        """
        today = self.answer["current"]
        if today is None or self.usd_per_month is None:
            return None
        return today["layout"]["usd_per_month"] - self.usd_per_month

    @property
    def scenario(self) -> str | None:
        """That under its load, as the text of a scenario."""
        return self.answer["scenario"]

    def reasons(self) -> dict[str, list[str]]:
        """Why volume types, families of instances and layouts are not it, in words."""
        return dict(plan_reasons(json.dumps(self.answer)))

    def __repr__(self) -> str:
        """The layout in one line."""
        best = self.best
        if best is None:
            tried = " that was tried" if self.answer["dropped"] else ""
            return f"<Plan {self.answer['name']}: nothing{tried} meets it>"
        data = best["data"]
        return (
            f"<Plan {self.answer['name']}: {data['count']} x {data['type']} on "
            f"{best['instance']}, ${best['usd_per_month']:,.2f} a month>"
        )


def plan(
    requirement: Place | Mapping[str, object] | None = None,
    sets: Mapping[str, object] | None = None,
    *,
    workload: Place | None = None,
    reading: "Reading | None" = None,
    since: Place | None = None,
    prices: Place | None = None,
    prove: bool = True,
    samples: int = 1000,
    seed: int = 1,
    factor: float = 3.0,
    progress: Callable[[str], object] | None = None,
) -> Plan:
    """Find the cheapest layout that meets a requirement, a file or a dict of what stands in one.

    `sets` overrides values by their paths. `workload` is a scenario, a run directory or a file
    of fio, iostat, sar and others, read as `reading` says, whose load takes the place of what the
    requirement does not state. `since` is a scenario with what there is today, or the output of
    `terraform show -json`; its instance is the least if the requirement does not say how large it
    must be. `prices` is a file with your own, in place of those you imported. With `prove` each
    layout is simulated, and dropped if it misses a goal. Of a requirement with ranges Blockyard
    draws and plans that many `samples`, from `seed`; `factor` is the penalty for a shortfall, as a
    multiple of the cost of covering it. `progress` gets what takes a while.

    Raises ScenarioError for what is wrong with the requirement, and OSError if a file cannot be
    read.

        >>> wanted = {"size": "500GiB", "reads": {"iops": 3000}, "as_of": "2026-11-01"}
        >>> blockyard.plan(wanted, {"instance.type": "r6i.large"}).best["data"]["type"]
        'gp3'
    """
    told = progress or (lambda _: None)
    asked = read(
        requirement,
        sets,
        workload=workload,
        reading=reading,
        since=since,
        prices=prices,
        progress=told,
    )
    return asked.answer(told, prove=prove, samples=samples, seed=seed, factor=factor)


@dataclass(frozen=True)
class Asked:
    """A requirement that was read, and what there is today."""

    requirement: Requirement
    today: Scenario | None
    # Of the load, if it was measured.
    notes: list[str]

    def answer(
        self,
        progress: Callable[[str], object],
        *,
        prove: bool = True,
        only_best: bool = False,
        samples: int = 1000,
        seed: int = 1,
        factor: float = 3.0,
    ) -> Plan:
        """The plan; `plan` explains.

        With `only_best` nothing is simulated but what to buy. Raises what `progress` raises, and
        ScenarioError.
        """
        made = self.requirement.plan(
            progress,
            prove=prove,
            only_best=only_best,
            samples=samples,
            seed=seed,
            factor=factor,
            since=self.today,
        )
        answer: Answer = json.loads(made)
        answer["notes"] = self.notes
        return Plan(answer)


def read(
    requirement: Place | Mapping[str, object] | None,
    sets: Mapping[str, object] | None,
    *,
    workload: Place | None,
    reading: "Reading | None" = None,
    since: Place | Scenario | None,
    prices: Place | None,
    progress: Callable[[str], object],
) -> Asked:
    """What `plan` is asked, all of it read and checked. Raises as `plan`."""
    from blockyard.questions.arguments import overrides

    given = list(overrides(sets if sets is not None else {}))
    base: tuple[str, str] | None = None
    notes: list[str] = []
    if isinstance(requirement, Mapping):
        text, name = json.dumps(requirement, default=str), "requirement"
    elif requirement is None:
        text, name = "{}", "command line"
    else:
        text, name = files.text(Path(requirement), files.WRITTEN), str(requirement)
    if workload is not None:
        progress(f"reading {workload}")
        measured, notes = _measured(Path(workload), reading)
        base = json.dumps(measured), str(workload)
    own = billing.prices(prices)
    today = since
    if today is not None and not isinstance(today, Scenario):
        today = Scenario.load(_existing(Path(today)), str(today))
    return Asked(Requirement.load(text, name, given, own, base), today, notes)


def _existing(path: Path) -> str:
    """The scenario of what there is: as it stands in a file, or what Terraform says of it."""
    text = files.text(path, files.MADE)
    if '"format_version"' in text and '"root_module"' in text:
        from blockyard.formats.aws import terraform

        return terraform.layout(path)
    return text


def _measured(path: Path, reading: "Reading | None") -> tuple[dict[str, object], list[str]]:
    from blockyard.formats import loading
    from blockyard.questions import demand

    if path.is_file() and path.suffix in (".yaml", ".yml"):
        from blockyard.questions.simulate import simulate

        scenario = Scenario.load(files.text(path, files.WRITTEN), str(path))
        by_interval = demand.of_scenario(scenario)
        if by_interval is not None:
            return by_interval
        simulated = simulate(path)
        run, notes = demand.of_run(simulated)
        closed = any(step.get("processes") for step in simulated.result["steps"])
        why = ": closed loops ask for what its storage allows" if closed else ""
        return run, [f"{path} was simulated{why}", *notes]
    return demand.of_run(loading.load(path, reading))
