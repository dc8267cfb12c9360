"""A scenario from the jobs of a job file or a command line of fio."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockyard._core import Scenario, ScenarioError
from blockyard.formats.fio import values
from blockyard.formats.fio.findings import Findings
from blockyard.formats.fio.jobfile import Job, JobFileError
from blockyard.formats.fio.load import NOTHING, Load, Missing, load_of
from blockyard.formats.fio.scenario import lines_of
from blockyard.formats.fio.timeline import Timeline, named, timeline_of


@dataclass(frozen=True)
class Imported:
    """A scenario's text, and a line for each thing that `--lenient` assumed."""

    text: str
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class Origin:
    """Where jobs come from: what to call it in messages, the scenario's name, what is quoted."""

    place: str
    name: str
    text: str

    @classmethod
    def of_file(cls, path: Path) -> "Origin":
        """Return that of a job file."""
        return cls(str(path), path.stem, path.name)


def scenario_of(
    jobs: Sequence[Job], origin: Origin, *, missing: Missing = NOTHING, lenient: bool = False
) -> Imported:
    """Make a scenario from jobs; `missing` is for those that state no size or runtime.

    Raises JobFileError, with a line for each, for values that fio would not accept either, for
    everything that changes the load and that a scenario cannot express, and, unless `lenient`, for
    what is left open.
    """
    findings = Findings()
    loads = [load for job in jobs if (load := load_of(job, missing, findings))]
    timeline = timeline_of(loads)
    refused = list(findings.refused(lenient=lenient))
    if not refused and not loads:
        refused = [f"{origin.place}: no block IO in any job"]
    if not refused and timeline.interval is None:
        refused = [f"{origin.place}: times finer than 1ms; a scenario's are whole milliseconds"]
    if refused:
        raise JobFileError("\n".join(refused))
    text = _text(timeline, loads, origin, findings)
    try:
        Scenario.load(text, "the scenario", [])
    except ScenarioError as error:
        raise JobFileError(f"{origin.place}: makes no scenario: {error}") from error
    return Imported(text, tuple(_assumed(findings)))


def _text(timeline: Timeline, loads: Sequence[Load], origin: Origin, findings: Findings) -> str:
    seed = loads[0].given.number("randseed", values.whole, 1)
    assumptions = {option: "; ".join(whys) for option, whys in findings.assumptions.items()}
    lines = lines_of(timeline, name=named(origin.name), seed=seed, assumptions=assumptions)
    return "\n".join([*_comments(origin, findings), *lines]) + "\n"


def _assumed(findings: Findings) -> Iterator[str]:
    for option, whys in findings.assumptions.items():
        yield from (f"{option}: {why}" for why in whys)


def _comments(origin: Origin, findings: Findings) -> Iterator[str]:
    source = " ".join(origin.text.split())
    yield f"# Made from {source} by `blockyard import fio`."
    yield "# The storage is only large enough for the files: replace it with what you model."
    for heading, lines in (
        ("Different here", findings.differences),
        ("Without effect on the load", findings.moot),
    ):
        if lines:
            yield f"# {heading}:"
            yield from (f"#   {' '.join(line.split())}" for line in lines)
