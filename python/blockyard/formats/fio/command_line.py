"""fio's command line: `fio --name=readers --rw=randread …`, as manuals and blogs print it."""

import re
import shlex
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockyard.formats.fio import jobfile
from blockyard.formats.fio.importing import Origin
from blockyard.formats.fio.jobfile import Job, JobFileError, Option
from blockyard.formats.fio.options import READ
from blockyard.formats.fio.settings import Settings

PLACE = "command line"

# Options that need no value (FIO_OPT_STR_SET in fio's source); a word after one is a job file.
_FLAGS_NAMES = """
bs_unaligned exitall exitall_on_error group_reporting new_group norandommap refill_buffers stats
stonewall thread time_based unlink_each_loop verify_only zero_buffers
"""
_FLAGS = frozenset(_FLAGS_NAMES.split())
# fio's own options, which are not those of a job: without, and with a value.
_OWN_FLAGS_NAMES = """
append-terse bandwidth-log cpuclock-test merge-blktrace-only minimal parse-only readonly showcmd
version warnings-fatal
"""
_OWN_FLAGS = frozenset(_OWN_FLAGS_NAMES.split())
_OWN_NAMES = """
alloc-size aux-path debug eta eta-interval eta-newline idle-prof inflate-log latency-log max-jobs
output output-format status-interval terse-version trigger trigger-file trigger-remote
trigger-timeout
"""
_OWN = frozenset(_OWN_NAMES.split())
# Pages turn two hyphens into an en or em dash.
_OPTION = re.compile(r"(?:--?|[\u2013\u2014])([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
# What a shell makes of the rest of a line.
_OPERATOR = re.compile(r"[|&;<>]+")
# Words that fio itself replaces, in names of files and in values.
_KEYWORDS = "jobname|jobnum|filenum|clientuid|pagesize|mb_memory|ncpus"


def is_command(words: Sequence[str]) -> bool:
    """Whether words are a command line, rather than the path of a job file."""
    return len(words) > 1 or bool(words and re.search(r"(^|[\s/#$])fio\s", words[0]))


@dataclass
class _Command:
    """What has been read of a command line."""

    defaults: Job
    jobs: list[Job]
    files: list[Path]
    sections: list[str]
    # The job that the next option belongs to.
    section: Job


def read(words: Sequence[str], settings: Settings) -> tuple[list[Job], Origin]:
    """Read the jobs of a command line and of the job files that it names.

    Raises JobFileError if it is none, OSError and UnicodeDecodeError for its files.
    """
    words = _words(words)
    defaults = Job("global", PLACE)
    command = _Command(defaults, [], [], [], defaults)
    for name, value in _options(words, settings):
        _take(command, name, value)
    jobs = list(command.jobs)
    for file in command.files:
        found = jobfile.read(file, settings, defaults.options.values())
        jobs += [job for job in found if not command.sections or job.name in command.sections]
    if not jobs:
        raise JobFileError(f"{PLACE}: no job; expected --name=NAME or a job file")
    return jobs, Origin(PLACE, jobs[0].name, f"`{shlex.join(words)}`")


def _take(command: _Command, name: str, value: str | None) -> None:
    """Take in an option; a word of its own has no name."""
    if not name:
        command.files.append(Path(value or ""))
    elif name == "section":
        command.sections.append(value or "")
    elif name in ("client", "server", "remote-config"):
        raise JobFileError(f"{PLACE}: --{name}: jobs on other machines; give their job file")
    elif name in _OWN or name in _OWN_FLAGS:
        pass
    elif name == "name":
        whole = (value or "").startswith("global")
        command.section = command.defaults
        if not whole:
            command.section = Job(value or "job", PLACE, dict(command.defaults.options))
            command.jobs.append(command.section)
    else:
        command.section.put(Option(name, value, PLACE))


def _options(words: Sequence[str], settings: Settings) -> Iterator[tuple[str, str | None]]:
    """Yield the options with their values, and each other word without a name."""
    rest = deque(words[1:])
    while rest:
        word = rest.popleft()
        option = _OPTION.fullmatch(word)
        if not option:
            yield "", settings.filled(word)
            continue
        name, value = option[1], option[2]
        if value is None and name not in _FLAGS | _OWN_FLAGS:
            if rest and not _OPTION.fullmatch(rest[0]):
                value = rest.popleft()
            elif name in READ:
                raise JobFileError(f"{PLACE}: --{name}: expected a value")
        yield name, value if value is None else settings.filled(value)


def _words(words: Sequence[str]) -> list[str]:
    """Return the words from `fio` on, without what a shell does with its output."""
    if len(words) == 1:
        words = _split(words[0])
    begins = [at for at, word in enumerate(words) if _is_fio(word)]
    if not begins:
        raise JobFileError(f"{PLACE}: `{' '.join(words[:1])}`: expected `fio` and its options")
    operators = (at for at, word in enumerate(words) if _OPERATOR.fullmatch(word))
    end = next((at for at in operators if at > begins[0]), len(words))
    if begins[-1] > end:
        raise JobFileError(f"{PLACE}: several commands; expected one at a time")
    # The number of a stream, as in `2>&1`.
    stream = end < len(words) and ">" in words[end] and words[end - 1].isdecimal()
    return ["fio", *words[begins[0] + 1 : end - stream]]


def _split(text: str) -> list[str]:
    """Split a line as a shell does. Its variables may stand without braces."""
    line = re.sub(r"\\\s*\n", " ", text)
    line = re.sub(rf"\$(?!(?:{_KEYWORDS})\b)([A-Za-z_]\w*)", r"${\1}", line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError as error:
        raise JobFileError(f"{PLACE}: {error}") from error


def _is_fio(word: str) -> bool:
    """Whether a word is fio's name, be it with a path or behind a prompt."""
    return re.search(r"(^|[/#$])fio$", word) is not None
