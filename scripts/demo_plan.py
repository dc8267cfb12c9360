"""The first part of `make demo`: what to buy for a database, and what it costs."""

import contextlib
import io
import shlex

from blockyard import cli
from blockyard.cli.status import CommandError, Status

# The first result of the README.
COMMAND = (
    "plan --region us-east-1 --size 500GiB --read-iops 12000 --write-iops 4000 --p99 2ms "
    "--memory 64GiB --architecture x86_64 --max-volumes 4"
)


def what_to_buy() -> str:
    """The command and its answer. Raises CommandError if there is none."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = cli.run(shlex.split(COMMAND))
    if status != Status.DONE:
        raise CommandError("no plan", Status(status))
    return f"$ blockyard {COMMAND}\n{said.getvalue()}"
