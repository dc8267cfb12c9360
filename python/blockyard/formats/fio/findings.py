"""Findings while reading a job file: what is wrong, what is assumed, what differs, what is moot."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from blockyard.formats.fio import values
from blockyard.formats.fio.jobfile import Job, Option, written
from blockyard.formats.fio.settings import unset_in

T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """What stands between jobs and a scenario."""

    # The option as written, with its place; or that it is missing.
    what: str
    stated: bool
    reason: str
    # What is assumed with `--lenient`; empty if nothing can be without changing the load.
    instead: str = ""


@dataclass
class Findings:
    """Each finding once, in order of discovery."""

    problems: dict[Problem, list[Job]] = field(default_factory=dict)
    # What `--lenient` decides, by what the file leaves open.
    assumptions: dict[str, dict[str, None]] = field(default_factory=dict)
    # Differences by design that do not change the load.
    differences: dict[str, None] = field(default_factory=dict)
    # Options that do not change the load.
    moot: dict[str, None] = field(default_factory=dict)

    def refused(self, *, lenient: bool) -> Iterator[str]:
        """Yield a line for each problem that stands."""
        for problem, jobs in self.problems.items():
            if problem.instead and lenient:
                continue
            where = "" if problem.stated else f"{_place_of(jobs)}: "
            instead = f"; with --lenient: {problem.instead}" if problem.instead else ""
            yield f"{where}{problem.what}: {problem.reason}{instead}"

    def differs(self, text: str) -> None:
        """Record a difference."""
        self.differences[text] = None

    def ignored(self, option: Option) -> None:
        """Record an option that does not change the load."""
        self.moot[written(option.name, option.value)] = None


def _place_of(jobs: list[Job]) -> str:
    names = f"[{jobs[0].name}]"
    if len(jobs) > 1:
        names += f" and {len(jobs) - 1} more job{'s' if len(jobs) > 2 else ''}"
    return f"{jobs[0].place}: {names}"


@dataclass(frozen=True)
class Given:
    """The options of one job, read by their main names."""

    job: Job
    findings: Findings

    def has(self, name: str) -> bool:
        """Whether the option is stated."""
        return name in self.job.options

    def text(self, name: str, default: str) -> str:
        """Return an option's text; a variable without a value is a problem."""
        text = self.name_of(name, default)
        for variable in unset_in(text):
            value = f"--set {variable}=VALUE"
            self.wrong(name, f"{variable} is not set; expected it in the environment or {value}")
            return default
        return text

    def name_of(self, name: str, default: str) -> str:
        """Return a text that is only a name, such as a file's, in which variables may stand."""
        option = self.job.options.get(name)
        return default if option is None or option.value is None else option.value

    def flag(self, name: str) -> bool:
        """Return an option that needs no value; a value that is no number is a problem."""
        option = self.job.options.get(name)
        if option and option.value is not None and not option.value.isdecimal():
            self.wrong(name, "expected 0 or 1")
        return option is not None and option.value != "0"

    def is_open(self, name: str) -> bool:
        """Whether the option has a variable without a value, which is a problem already."""
        return bool(unset_in(self.name_of(name, "")))

    def number(self, name: str, read: Callable[[str], T], default: T) -> T:
        """Return an option's value; what `read` refuses is a problem."""
        if not self.has(name):
            return default
        text = self.text(name, "")
        if self.is_open(name):
            return default
        try:
            return read(text)
        except ValueError as error:
            self.wrong(name, str(error))
            return default

    def pair(self, name: str, read: Callable[[str], T], default: T) -> tuple[T, T]:
        """Return the values for reads and for writes."""
        both = (default, default)
        return self.number(name, lambda text: values.directions(text, read, default), both)

    def size(self, text: str) -> int:
        """Return a size in bytes, by the job's own `kb_base`."""
        base = self.text("kb_base", "1024")
        if base not in values.KB_BASES:
            self.wrong("kb_base", "expected 1000 or 1024")
            base = "1024"
        return values.size(text, base)

    def wrong(self, name: str, expected: str) -> None:
        """Record a value that makes no scenario, or a missing one."""
        self._found(name, expected)

    def cannot(self, name: str, reason: str) -> None:
        """Record an option that changes the load and that a scenario cannot express."""
        self._found(name, reason)

    def assume(self, name: str, reason: str, instead: str) -> None:
        """Record what the file leaves open, and what `--lenient` assumes, with the same load."""
        self._found(name, reason, instead)
        self.findings.assumptions.setdefault(name, {})[f"{instead}; in fio: {reason}"] = None

    def _found(self, name: str, reason: str, instead: str = "") -> None:
        option = self.job.options.get(name)
        what = str(option) if option else f"no {name}"
        problem = Problem(what, option is not None, reason, instead)
        jobs = self.findings.problems.setdefault(problem, [])
        if self.job not in jobs:
            jobs.append(self.job)
