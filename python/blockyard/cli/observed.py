"""Options for files that list block devices, such as iostat's: what the file itself lacks."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard._core import ScenarioError, seconds
from blockyard.cli import running
from blockyard.cli.status import CommandError, Status

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading
    from blockyard.questions.known_storage import KnownStorage

Devices = Annotated[
    list[str] | None,
    typer.Option(
        "--device",
        metavar="NAME",
        help="Of iostat's and the like: count this device, such as dm-0; may be repeated. By "
        "default all, each IO once.",
    ),
]
Mapped = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="DEVICE=NAME",
        help="The layout's device that has the load of the observed device NAME; may be repeated.",
    ),
]
Interval = Annotated[
    str | None,
    typer.Option(
        "--interval",
        metavar="TIME",
        help="Of a file without times: the time between its reports, such as 5s.",
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="TIME",
        help="Of a file without times: when it begins, as 2026-11-21T22:00:00.",
    ),
]
Lsblk = Annotated[
    Path | None,
    typer.Option(
        "--lsblk",
        metavar="FILE",
        help="The output of `lsblk --json` on that machine: which devices lie on which.",
    ),
]

Volumes = Annotated[
    list[str] | None,
    typer.Option(
        "--volume",
        metavar="[DEVICE=]TYPE,…",
        help="What the observed volumes are, as gp3,iops=3000,throughput=125MiB/s or "
        "nvme1n1=gp2,size=200GiB: tells what the storage is good for. May be repeated.",
    ),
]
Instance = Annotated[
    str | None,
    typer.Option("--instance", metavar="TYPE", help="With --volume: the instance they are on."),
]
On = Annotated[
    Path | None,
    typer.Option(
        "--on",
        metavar="SCENARIO",
        help="In place of --volume: a scenario whose devices have the observed names, or its "
        "only device; or AWS's saved answers (describe-volumes, describe-instances), as "
        "`import aws` takes: JSON, or a folder.",
    ),
]


def known(
    volumes: Sequence[str] | None, instance: str | None, scenario: Path | None
) -> "KnownStorage":
    """What the user says of the devices. Raises CommandError for what cannot be."""
    from blockyard.questions.known_storage import KnownStorage

    try:
        with running.reading(scenario or Path()):
            return KnownStorage.of(volumes, instance, scenario)
    except ScenarioError as error:
        raise CommandError(str(error), Status.BAD_INPUT) from error


def reading(
    devices: Sequence[str] | None, interval: str | None, start: str | None, lsblk: Path | None
) -> "Reading | None":
    """How to read such files; None without any of the options. Raises CommandError."""
    if not (devices or interval or start or lsblk):
        return None
    from blockyard.formats.foreign.reading import Reading

    return Reading(tuple(devices or ()), _interval(interval), _start(start), lsblk)


def _interval(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        found = seconds(text)
    except ScenarioError as error:
        raise CommandError(f"--interval: {error}", Status.BAD_INPUT) from error
    if found < 1 or found % 1 or found > 86_400:
        message = f"--interval: `{text}`; expected whole seconds, up to a day"
        raise CommandError(message, Status.BAD_INPUT)
    return found


def _start(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError as error:
        message = f"--start: `{text}`; expected a date and a time as 2026-11-21T22:00:00"
        raise CommandError(message, Status.BAD_INPUT) from error
