"""Findings while reading a job file: what cannot be expressed, what differs, what is moot."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from blockyard.formats.fio import values
from blockyard.formats.fio.jobfile import Job, JobFileError, Option, written

T = TypeVar("T")


@dataclass
class Findings:
    """Each finding once, in order of discovery."""

    # What changes the load and cannot be expressed in a scenario.
    inexpressible: dict[str, None] = field(default_factory=dict)
    # Differences by design that do not change the load.
    differences: dict[str, None] = field(default_factory=dict)
    # Options that do not change the load.
    moot: dict[str, None] = field(default_factory=dict)

    def differs(self, text: str) -> None:
        """Record a difference."""
        self.differences[text] = None

    def ignored(self, option: Option) -> None:
        """Record an option that does not change the load."""
        self.moot[written(option.name, option.value)] = None


@dataclass(frozen=True)
class Given:
    """The options of one job, read by their main names."""

    job: Job
    findings: Findings

    def has(self, name: str) -> bool:
        """Whether the option is stated."""
        return name in self.job.options

    def text(self, name: str, default: str) -> str:
        """Return an option's text."""
        option = self.job.options.get(name)
        return default if option is None or option.value is None else option.value

    def flag(self, name: str) -> bool:
        """Return an option that needs no value."""
        option = self.job.options.get(name)
        return option is not None and option.value != "0"

    def number(self, name: str, read: Callable[[str], T], default: T) -> T:
        """Return an option's value. Raises JobFileError for what `read` refuses."""
        if not self.has(name):
            return default
        try:
            return read(self.text(name, ""))
        except ValueError as error:
            raise self.wrong(name, str(error)) from error

    def pair(self, name: str, read: Callable[[str], T], default: T) -> tuple[T, T]:
        """Return the values for reads and for writes."""
        both = (default, default)
        return self.number(name, lambda text: values.directions(text, read, default), both)

    def size(self, text: str) -> int:
        """Return a size in bytes, by the job's own `kb_base`."""
        base = self.text("kb_base", "1024")
        if base not in values.KB_BASES:
            raise self.wrong("kb_base", "expected 1000 or 1024")
        return values.size(text, base)

    def at(self, name: str) -> str:
        """Return an option as written, with its place; for a missing option the job's place."""
        option = self.job.options.get(name)
        return str(option) if option else f"{self.job.place}: [{self.job.name}]: no {name}"

    def cannot(self, name: str, reason: str) -> None:
        """Record that an option cannot be expressed."""
        self.findings.inexpressible[f"{self.at(name)}: {reason}"] = None

    def wrong(self, name: str, expected: str) -> JobFileError:
        """Return the error about an option without which no scenario can be made."""
        return JobFileError(f"{self.at(name)}: {expected}")
