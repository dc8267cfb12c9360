"""`blockyard provision`: a layout in the form of what sets it up."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, options, running, streams
from blockyard.cli.completion import values
from blockyard.formats.provisioning import MOUNTS, provisioned

EXAMPLE = """\b
Examples:
  blockyard provision orders.yaml --format terraform -o volumes.tf
  blockyard provision orders.yaml --format cloudformation --with-instance
  blockyard provision orders.yaml --format lvm -o mount.sh
  blockyard provision mirror.yaml --format iris --host primary --mounts /iris
  blockyard provision new.yaml --from old.yaml --format migration -o migrate.sh
"""


class Format(StrEnum):
    """A form that a layout can be written in."""

    terraform = "terraform"
    cloudformation = "cloudformation"
    lvm = "lvm"
    iris = "iris"
    migration = "migration"


def command(
    scenario: Annotated[
        Path,
        typer.Argument(
            metavar="LAYOUT",
            help="A scenario file (YAML or JSON), for its storage.",
            autocompletion=values.scenarios,
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="Format.")],
    out: files.Out = None,
    sets: options.Sets = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=values.hosts,
            help="Write for this host only; lvm, iris and migration need it if there are several.",
        ),
    ] = None,
    mounts: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="For lvm and iris: where file systems are mounted, each in a folder of its "
            f"device's name.  [default: {MOUNTS}]",
        ),
    ] = None,
    with_instance: Annotated[
        bool,
        typer.Option(
            "--with-instance",
            help="For terraform and cloudformation: make the instances too.",
        ),
    ] = False,
    old: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="LAYOUT",
            help="For migration: the layout that there is.",
            autocompletion=values.scenarios,
        ),
    ] = None,
) -> None:
    """Write configuration for a layout: its volumes, file systems, or IRIS settings.

    terraform and cloudformation buy volumes and attach them to existing instances, or to new
    ones, with alarms on their limits. lvm is a script for a host, which makes volume groups and
    XFS file systems and mounts them; it can be run again. iris is a merge file of database
    settings. migration is a script for a host that changes the volumes of --from; its steps and
    how long they take are printed too. What a format cannot express is an error.
    """
    files.check_new(out)
    file = running.read(scenario, sets, None)
    before = None if old is None else running.read(old, None, None)
    made = provisioned(
        file.scenario(),
        file.name,
        form.value,
        host=host,
        mounts=mounts,
        with_instance=with_instance,
        old=None if before is None else (before.scenario(), before.name),
    )
    files.warn(made.notices)
    files.write(made.text, out)
    if out is not None and made.summary:
        streams.say(made.summary, end="")
