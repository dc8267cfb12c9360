"""The command line of the machine: what scripts/machine.sh runs."""

import argparse
import shlex
import sys

import machine


def main() -> int:
    """Run a command in the machine and end as it ends."""
    parser = argparse.ArgumentParser(
        prog="machine.sh", description="Run a command in a virtual machine."
    )
    parser.add_argument("--disk", action="append", default=[], metavar="SIZE",
                        help="an empty disk, such as 1G: /dev/vda, /dev/vdb, …")  # fmt: skip
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command and its arguments")
    options = parser.parse_args()
    try:
        finished = machine.run(shlex.join(options.command), options.disk, options.timeout)
    except (machine.UnavailableError, RuntimeError) as error:
        sys.stderr.write(f"machine: {error}\n")
        return 125
    sys.stdout.write(finished.stdout)
    sys.stderr.write(finished.stderr)
    return finished.returncode


sys.exit(main())
