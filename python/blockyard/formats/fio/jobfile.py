"""The format of fio's job files, read and written.

Sections in brackets, one option per line, comments after `;` or `#`. Options in `[global]` apply to
the jobs after it. `${NAME}` is replaced from `--set` or the environment.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blockyard.formats.fio.options import ALIASES, is_option, unknown
from blockyard.formats.fio.settings import Settings
from blockyard.text import files

# The depth of files that include files; it also ends circular includes.
MAX_INCLUDES = 16


class JobFileError(Exception):
    """A job file that cannot be read: a line for each thing that is wrong with it."""


@dataclass(frozen=True)
class Option:
    """An option as written in a file; without `=` its value is None."""

    name: str
    value: str | None
    place: str

    def __str__(self) -> str:
        """The option as written in a file, with its place."""
        return f"{self.place}: {written(self.name, self.value)}"


@dataclass
class Job:
    """A job with all options that apply to it, including the global ones.

    They are in the order in which they take effect, under their main names.
    """

    name: str
    place: str
    options: dict[str, Option] = field(default_factory=dict)

    def put(self, option: Option) -> None:
        """Add an option, which overrides an earlier one with the same name."""
        name = ALIASES.get(option.name, option.name)
        self.options.pop(name, None)
        self.options[name] = option


def read(path: Path, settings: Settings, common: Iterable[Option] = ()) -> list[Job]:
    """Read the jobs of a file, all of which have the options `common`.

    Raises JobFileError if it is no job file, OSError and UnicodeDecodeError if it cannot be read.
    """
    defaults = Job("global", str(path))
    for option in common:
        defaults.put(option)
    jobs: list[Job] = []
    section: Job | None = None
    for place, line in _lines(path, 0):
        if heading := re.match(r"\[(.+)\]", line):
            name = heading[1]
            if name.startswith("global"):
                section = defaults
            else:
                section = Job(name, place, dict(defaults.options))
                jobs.append(section)
        elif section is None:
            raise JobFileError(f"{place}: `{line}`: {_no_section(line)}")
        else:
            name, separator, value = (part.strip() for part in line.partition("="))
            section.put(Option(name, settings.filled(value) if separator else None, place))
    if not jobs:
        raise JobFileError(f"{path}: no job; expected a section such as [readers]")
    return jobs


def override(jobs: Iterable[Job], settings: Settings) -> None:
    """Set what `--set` gives in all jobs, whose variables are known by now.

    Raises JobFileError for a name that is neither a variable nor an option.
    """
    options = [Option(name, value, "--set") for name, value in settings.options().items()]
    for option in options:
        if not is_option(option.name):
            none = "no variable of the file, and " if not settings.variables else ""
            raise JobFileError(f"{option}: {none}{unknown(option.name)}")
        for job in jobs:
            job.put(option)


def _no_section(line: str) -> str:
    if re.match(r"(sudo\s+)?(\S*/)?fio\s", line):
        return "a command line; give it as `blockyard import fio -- fio --name=…`"
    if line.startswith("{"):
        return "JSON, no job file; `blockyard report` reads fio's results"
    if "=" not in line:
        return "not of a fio job file, which begins with a [section]"
    return "an option before any [section]"


def _lines(path: Path, depth: int) -> Iterator[tuple[str, str]]:
    """Yield each line that is not blank or a comment, with its place; includes are expanded."""
    if depth > MAX_INCLUDES:
        raise JobFileError(f"{path}: included by itself")
    text = files.text(path, files.WRITTEN).removeprefix("\ufeff")
    for number, raw in enumerate(text.splitlines(), start=1):
        place, line = f"{path}:{number}", re.split("[;#]", raw, maxsplit=1)[0].strip()
        if included := re.match(r"include\s+(.+)", line):
            yield from _included(path, included[1], place, depth)
        elif line.startswith("[") and depth > 0:
            raise JobFileError(f"{place}: `{line}`: an included file has no sections")
        elif line:
            yield place, line


def _included(path: Path, name: str, place: str, depth: int) -> Iterator[tuple[str, str]]:
    beside = path.parent / name
    try:
        yield from _lines(beside if beside.exists() else Path(name), depth + 1)
    except OSError as error:
        raise JobFileError(f"{place}: include {name}: {error.strerror}") from error


def written(name: str, value: str | None) -> str:
    """Return an option as written in a file."""
    return name if value is None else f"{name}={value}"


@dataclass(frozen=True)
class Section:
    """A section to write: comment lines, then options."""

    name: str
    options: Mapping[str, str | None]
    comments: tuple[str, ...] = ()


def text_of(comments: Iterable[str], sections: Iterable[Section]) -> str:
    """Return the text of a job file."""
    blocks = ["".join(f"# {comment}\n" for comment in comments)]
    for section in sections:
        lines = [f"[{section.name}]", *(f"# {comment}" for comment in section.comments)]
        lines += [written(name, value) for name, value in section.options.items()]
        blocks.append("".join(f"{line}\n" for line in lines))
    return "\n".join(blocks)
