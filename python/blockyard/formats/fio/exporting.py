"""A job file of fio from a scenario."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from blockyard._core import Scenario
from blockyard.formats.fio.access import Part, options_of
from blockyard.formats.fio.jobfile import Section, text_of
from blockyard.types.jobs import Job, Jobs

# fio 3.33 keeps the mean gap of Poisson arrivals in whole microseconds.
GAPS = 1_000_000


@dataclass
class Exported:
    """A job file's sections, and a line for each thing that fio does differently or not at all."""

    scenario: Scenario
    paths: Mapping[str, str]
    sections: list[Section] = field(default_factory=list)
    inexact: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the text of the job file."""
        comments = [
            f"Made from the scenario {self.scenario.name} by `blockyard export fio`.",
            "Without io_uring: ioengine=libaio.",
            *(f"Not as in the scenario: {line}" for line in self.inexact),
        ]
        shared: dict[str, str | None] = {
            "ioengine": "io_uring",
            "direct": "1",
            "time_based": None,
            "norandommap": None,
            # With 1, its default, fio ignores randseed.
            "randrepeat": "0",
            "randseed": str(self.scenario.seed),
            "group_reporting": None,
        }
        return text_of(comments, [Section("global", shared), *self.sections])


def exported(scenario: Scenario, paths: Mapping[str, str]) -> Exported:
    """Make a job file from a scenario; `paths` are the files of its devices.

    Each load step becomes a job of its own, which begins after a delay.
    """
    result = Exported(scenario, paths)
    jobs: Jobs = json.loads(scenario.jobs())
    for job in jobs:
        if "block" in job:
            _add(result, job)
        else:
            result.inexact.append(
                f"{job['name']}: left out, fio has only IOs of one size, random or sequential"
            )
    return result


def _add(result: Exported, job: Job) -> None:
    warmup = _nanos(result.scenario.warmup_s)
    parts = list(_parts(job["load"]["steps"], _nanos(result.scenario.duration_s)))
    path = result.paths[job["device"]]
    for number, part in enumerate(parts, start=1):
        options, inexact = options_of(job, part)
        name = f"{job['name']}.{number}" if len(parts) > 1 else job["name"]
        result.sections.append(
            Section(
                name,
                {
                    "new_group": None,
                    "filename": path.replace(":", "\\:"),
                    **options,
                    **_times(part, warmup),
                },
                tuple(_comments(job, part, warmup, options)),
            )
        )
        result.inexact += [
            line for what in inexact if (line := f"{job['name']}: {what}") not in result.inexact
        ]


def _times(part: Part, warmup: int) -> dict[str, str]:
    """Return the options for when a step runs; fio does not count the ramp as runtime."""
    times = {"startdelay": part.start, "runtime": part.end - part.start}
    if part.start < warmup < part.end:
        times |= {"ramp_time": warmup - part.start, "runtime": part.end - warmup}
    return {key: _time(time) for key, time in times.items() if time}


def _parts(steps: list[tuple[int, int]], duration: int) -> Iterator[Part]:
    """Yield the steps other than pauses, each with its end."""
    ends = [at for at, _ in steps[1:]] + [duration]
    for (start, amount), end in zip(steps, ends, strict=True):
        if amount:
            yield Part(start, end, amount)


def _comments(
    job: Job, part: Part, warmup: int, options: Mapping[str, str | None]
) -> Iterator[str]:
    if part.end <= warmup:
        yield "All of it is warm-up: leave its figures out."
    load = job["load"]
    if load["kind"] == "open":
        yield "Open loop: fio counts latency from an IO's submission, not from when it was due."
        for rate in map(int, (options["rate_iops"] or "").split(",")):
            if load["arrivals"] == "poisson" and GAPS % rate:
                meant = f"that of {GAPS // (GAPS // rate)}" if rate < GAPS else "none"
                yield f"fio's mean gap is in whole microseconds: for {rate} a second {meant}."
    elif job["random_permille"] == 0 and part.amount > 1:
        yield "At the end of its part of the file a process starts over; the scenario's goes on."


def _nanos(seconds: float) -> int:
    return round(seconds * 1e9)


def _time(time: int) -> str:
    """Write a time in fio's units; fio counts in microseconds."""
    units = {"s": 1_000_000_000, "ms": 1_000_000}
    unit = next((unit for unit, factor in units.items() if time % factor == 0), None)
    return f"{time // units[unit]}{unit}" if unit else f"{time // 1000}us"
