"""In what the runs of a comparison differ before any figure: scenario, kind of run, storage."""

from collections.abc import Iterator, Sequence
from typing import TypedDict

from blockyard.comparison.comparability import mean_kib
from blockyard.runs.run import Run
from blockyard.text.formatting import duration, number
from blockyard.types.result import Target
from blockyard.words.modes import MADE


class FieldChange(TypedDict):
    """A value that is not the same."""

    # Of the scenario, as `storage.data.iops`, or `target.data`: where a device really is.
    field: str
    first: str
    other: str


class Differing(TypedDict):
    """In what a side differs from the first."""

    # From 1.
    side: int
    # None where a scenario is not known.
    changes: list[FieldChange] | None
    # The same for people, a line each.
    lines: list[str]


def of(names: Sequence[str], sides: Sequence[Sequence[Run]], *, paired: bool) -> list[Differing]:
    """In what each further side differs from the first; not by the seed if seeds are paired."""
    first = sides[0][0]
    return [
        _differing(side, (names[0], first), (names[side], runs[0]), paired=paired)
        for side, runs in enumerate(sides[1:], start=1)
    ]


def _differing(
    side: int, first: tuple[str, Run], other: tuple[str, Run], *, paired: bool
) -> Differing:
    (a, one), (b, two) = first, other
    lines = []
    if one.result["mode"] != two.result["mode"]:
        lines += [f"{a} is {MADE[one.result['mode']]}, {b} {MADE[two.result['mode']]}"]
    if one.scenario is None or two.scenario is None:
        lines += [
            f"{name}: scenario not known; {_known(run)}"
            for name, run in (first, other)
            if run.scenario is None
        ]
        return Differing(side=side, changes=None, lines=lines)
    found = [
        FieldChange(field=field, first=mine, other=theirs)
        for field, mine, theirs in one.asked().differences(two.asked())
    ]
    seeds = [change for change in found if change["field"] == "seed"]
    changes = [change for change in found if change["field"] != "seed"]
    if not changes:
        lines.append("the same scenario" + "".join(map(_by_chance, seeds)))
    elif not paired:
        changes = found
    changes += _targets(one, two)
    lines += [f"{change['field']}: {change['first']} -> {change['other']}" for change in changes]
    return Differing(side=side, changes=changes, lines=lines)


def _by_chance(seed: FieldChange) -> str:
    return f" with seeds {seed['first']} and {seed['other']}: what differs in the runs is chance"


def _targets(one: Run, two: Run) -> Iterator[FieldChange]:
    """Devices that were really somewhere else."""
    mine, theirs = _real(one), _real(two)
    for device in filter(theirs.__contains__, mine):
        first, other = _place(mine[device]), _place(theirs[device])
        if first != other:
            yield FieldChange(field=f"target.{device}", first=first, other=other)


def _real(run: Run) -> dict[str, Target]:
    machine = run.result.get("machine")
    known = machine["targets"] if machine and run.result["mode"] == "bench" else []
    return {target["device"]: target for target in known}


def _place(target: Target) -> str:
    return ", ".join(filter(None, [target["path"], target["block_device"], target["model"]]))


def _known(run: Run) -> str:
    """What is known of a run without a scenario."""
    sizes = [
        f"{op}s of {number(size)} KiB" for op in ("read", "write") if (size := mean_kib(run, op))
    ]
    return ", ".join([duration(run.result["duration_s"]), *sizes])
