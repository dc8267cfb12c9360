"""`blockyard bench --hosts`: a scenario on several machines at one moment."""

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from blockyard.cli import running, streams
from blockyard.cli.bench_hosts_progress import progress
from blockyard.cli.status import CommandError, Status
from blockyard.hosts import host, making, words
from blockyard.hosts.about import About
from blockyard.hosts.fleet import FleetRefusedError
from blockyard.hosts.package import Package, of_wheel
from blockyard.hosts.session import Means
from blockyard.runs import execution
from blockyard.runs.execution import ScenarioFile


@dataclass(frozen=True)
class Fleet:
    """The machines, and how they are reached."""

    # The file that lists them.
    hosts: Path
    # The command `ssh`, with its options.
    ssh: str
    # What is copied there, instead of what runs here.
    wheel: Path | None


def check_options(**given: bool) -> None:
    """Refuse options that a run on other machines does not have."""
    for name, is_given in given.items():
        if is_given:
            option = name.replace("_", "-")
            raise CommandError(f"--{option}: not with --hosts", Status.BAD_INPUT)


def bench(
    file: ScenarioFile,
    fleet: Fleet,
    arguments: Mapping[str, object],
    out: Path | None,
    *,
    as_json: bool,
    check: bool,
) -> int:
    """Carry it out, print the figures of each host and of all, and return the exit status."""
    with running.reading(fleet.hosts):
        hosts = host.read(fleet.hosts)
    runs = making.runs(file, hosts)
    means = _means(fleet)
    path = out or running.dated(runs[0].name)
    with ExitStack() as stack:
        stop = stack.enter_context(execution.stopping_on_signals())
        folder = stack.enter_context(running.opened(path))
        view = stack.enter_context(progress(runs[0]))
        try:
            about = making.bench(hosts, runs, arguments, folder, means, stop, view)
        except FleetRefusedError as error:
            status = Status.LACKING if error.lacking else Status.BAD_INPUT
            raise CommandError([*error.lines, "nothing was written on any host"], status) from error
    if as_json:
        streams.say(about.json())
    elif any(one.run for one in about.hosts):
        say(about)
        streams.say(f"in {path}")
    return _status(about, check=check)


def say(about: About) -> None:
    """The figures of each host and of all, and which hosts have none."""
    from blockyard.cli import terminal, text_table

    streams.say("\n".join(words.outcome(about)))
    if about.totals:
        width = terminal.on_stdout().width
        streams.say("\n".join(["", *text_table.lines(words.table(about), width), ""]))


def _means(fleet: Fleet) -> Means:
    try:
        ssh = shlex.split(fleet.ssh)
    except ValueError as error:
        raise CommandError(f"--ssh: `{fleet.ssh}`: {error}", Status.BAD_INPUT) from error
    if not ssh:
        raise CommandError("--ssh: empty; expected a command such as ssh", Status.BAD_INPUT)
    if fleet.wheel is None:
        return Means(ssh, Package())
    with running.reading(fleet.wheel):
        try:
            return Means(ssh, of_wheel(fleet.wheel))
        except ValueError as error:
            raise CommandError(f"--wheel: {error}", Status.BAD_INPUT) from error


def _status(about: About, *, check: bool) -> int:
    if about.failed:
        return Status.FAILED
    if any(one.status == "interrupted" for one in about.hosts):
        return Status.INTERRUPTED
    if check and any(one.missed for one in about.hosts):
        return Status.MISSED
    return Status.DONE
