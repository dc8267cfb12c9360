"""Carries out commands of `blockyard` in the machine, where loading it takes ten seconds.

    python3 loaded.py FOLDER

Each line of the pipe FOLDER/asked is the number of a process that asks for the command that its
own arguments are, as ask.sh does. The command has that process's root, folder and outputs, and a
process of its own, whose number goes to FOLDER/NUMBER.process. Its status, as shells count it,
goes to FOLDER/NUMBER.
"""

import os
import sys
from pathlib import Path

from forked import become

# What shells add to the number of the signal that ended a command.
ENDED_BY = 128


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


def attend(folder: Path, asking: str) -> None:
    """In a fork: have another carry out what a process asks for, and tell how it ended."""
    command = os.fork()
    if command == 0:
        try:
            carry_out(Path("/proc") / asking)
        finally:
            os._exit(70)
    (folder / f"{asking}.process").write_text(f"{command}\n")
    _, ended = os.waitpid(command, 0)
    status = os.waitstatus_to_exitcode(ended)
    (folder / asking).write_text(f"{status if status >= 0 else ENDED_BY - status}\n")


def main() -> None:
    """Carry out what is asked for, for ever."""
    folder = Path(sys.argv[1])
    # Open for writing too, so that it has no end while nobody asks.
    with os.fdopen(os.open(folder / "asked", os.O_RDWR)) as asked:
        while True:
            asking = asked.readline().strip()
            # A service goes on beside what is asked for next. Nobody waits for its attendant.
            if os.fork() == 0:
                try:
                    attend(folder, asking)
                finally:
                    os._exit(0)


main()
