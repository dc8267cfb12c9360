"""Carries out commands of `blockyard` in forks of a process that has loaded it.

A short command spends most of its time importing modules. A fork has them already; apart from
that, it is a process like any other.
"""

import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

# What the commands import when they need it.
import pyarrow.parquet
import rich.live
import rich.table

from blockyard import cli
from blockyard.cli import bench, emulate

__all__ = ["become", "bench", "emulate", "pyarrow", "rich"]


def become(arguments: Sequence[str]) -> NoReturn:
    """Be a command: with this process's standard streams, and its end."""
    sys.argv = ["blockyard", *arguments]
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as it runs
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            open(number, "wb", closefd=False),  # noqa: SIM115
            encoding="utf-8",
            line_buffering=number == 2,
            errors=errors,
        )
        for number, errors in ((1, "strict"), (2, "backslashreplace"))
    )
    status: object = 70
    try:
        cli.main()
    except SystemExit as end:
        status = end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 70)
