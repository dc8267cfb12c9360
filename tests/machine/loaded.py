"""Carries out commands of `blockyard` in the machine, where loading it takes ten seconds.

    python3 loaded.py FOLDER

Each line of the pipe FOLDER/asked is the number of a process that asks for the command that its
own arguments are, as ask.sh does. The command has that process's root, folder and outputs. Its
status goes to FOLDER/NUMBER.
"""

import os
import sys
from pathlib import Path

from forked import become


def carry_out(process: Path) -> None:
    """In a fork: be the command that a process, a folder of /proc, asks for."""
    # Its shell and its own name come first.
    _, _, *arguments, _ = (process / "cmdline").read_bytes().split(b"\0")
    outputs = [os.open(process / "fd" / name, os.O_WRONLY | os.O_APPEND) for name in ("1", "2")]
    os.chdir(process / "cwd")
    os.chroot(process / "root")
    for number, output in enumerate(outputs, start=1):
        os.dup2(output, number)
        os.close(output)
    become([os.fsdecode(argument) for argument in arguments])


def main() -> None:
    """Carry out what is asked for, for ever."""
    folder = Path(sys.argv[1])
    # Open for writing too, so that it has no end while nobody asks.
    with os.fdopen(os.open(folder / "asked", os.O_RDWR)) as asked:
        while True:
            asking = asked.readline().strip()
            child = os.fork()
            if child == 0:
                try:
                    carry_out(Path("/proc") / asking)
                finally:
                    os._exit(70)
            _, status = os.waitpid(child, 0)
            (folder / asking).write_text(f"{os.waitstatus_to_exitcode(status)}\n")


main()
