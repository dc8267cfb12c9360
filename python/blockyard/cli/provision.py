"""`blockyard provision`: a layout in the form of what sets it up."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, options, running
from blockyard.cli.completion import values
from blockyard.formats.provisioning import MOUNTS, provisioned

EXAMPLE = """\b
Examples:
  blockyard provision orders.yaml --format terraform -o volumes.tf
  blockyard provision orders.yaml --format cloudformation --with-instance
  blockyard provision orders.yaml --format lvm -o mount.sh
  blockyard provision mirror.yaml --format iris --host primary --mounts /iris
"""


class Format(StrEnum):
    """A form that a layout can be written in."""

    terraform = "terraform"
    cloudformation = "cloudformation"
    lvm = "lvm"
    iris = "iris"


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
            help="Write for this host only; lvm and iris need it if there are several.",
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
) -> None:
    """Write configuration for a layout: its volumes, file systems, or IRIS settings.

    terraform and cloudformation buy volumes and attach them to existing instances, or to new
    ones, with alarms on their limits. lvm is a script for a host, which makes volume groups and
    XFS file systems and mounts them; it can be run again. iris is a merge file of database
    settings. What a format cannot express is an error.
    """
    files.check_new(out)
    file = running.read(scenario, sets, None)
    made = provisioned(
        file.scenario(),
        file.name,
        form.value,
        host=host,
        mounts=mounts,
        with_instance=with_instance,
    )
    files.warn(made.notices)
    files.write(made.text, out)
