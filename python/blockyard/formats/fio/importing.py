"""A scenario from a job file of fio."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blockyard._core import Scenario, ScenarioError
from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Findings
from blockyard.formats.fio.jobfile import Job, JobFileError
from blockyard.formats.fio.load import load_of
from blockyard.formats.fio.scenario import lines_of
from blockyard.formats.fio.timeline import named, timeline_of


@dataclass(frozen=True)
class Imported:
    """A scenario's text, and a line for each thing that was left out of it."""

    text: str
    left_out: tuple[str, ...]


def scenario_of(
    jobs: list[Job], path: Path, *, whole_file: int | None = None, lenient: bool = False
) -> Imported:
    """Make a scenario from the jobs in the file at `path`.

    `whole_file` is the size in bytes of jobs that state none. Raises JobFileError for values that
    fio would not accept either and, unless `lenient`, for everything that a scenario cannot
    express.
    """
    findings = Findings()
    loads = [load for job in jobs if (load := load_of(job, whole_file, findings))]
    timeline = timeline_of(loads)
    left_out = tuple(findings.inexpressible)
    if left_out and not lenient:
        raise JobFileError("\n".join(left_out))
    if not loads:
        raise JobFileError(f"{path}: no job that a scenario can express")
    if timeline.interval is None:
        raise JobFileError(f"{path}: times finer than 1ms; a scenario's are whole milliseconds")
    comments = list(_comments(path, findings))
    seeds = [load.given.number("randseed", values.whole, 1) for load in loads]
    lines = lines_of(timeline, name=named(path.stem), seed=seeds[0])
    text = "\n".join([*comments, *lines]) + "\n"
    try:
        Scenario.load(text, "the scenario", [])
    except ScenarioError as error:
        raise JobFileError(f"{path}: makes no scenario: {error}") from error
    return Imported(text, left_out)


def _comments(path: Path, findings: Findings) -> Iterator[str]:
    yield f"# Made from {path.name} by `blockyard import fio`."
    yield "# The storage is only large enough for the files: replace it with what you model."
    for heading, lines in (
        ("Left out, although it changes the load", findings.inexpressible),
        ("Different here", findings.differences),
        ("Without effect on the load", findings.moot),
    ):
        if lines:
            yield f"# {heading}:"
            yield from (f"#   {' '.join(line.split())}" for line in lines)
