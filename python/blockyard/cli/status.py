"""How a command ends."""

import errno
import re
from collections.abc import Sequence
from enum import IntEnum

# What pyarrow puts before the kernel's words, and Rust after them.
_AROUND = re.compile(r"^.* Detail: \[errno \d+\] | \(os error \d+\)$")


class Status(IntEnum):
    """Exit status of every command."""

    DONE = 0
    # It ran, but a stated goal was missed.
    MISSED = 1
    # Bad input or usage; nothing was done.
    BAD_INPUT = 2
    # The machine lacks something that the command needs.
    LACKING = 3
    # It ran and failed: an IO error, a full disk.
    FAILED = 4
    # Stopped by SIGINT, SIGTERM or SIGHUP; what was measured is kept.
    INTERRUPTED = 130
    # The reader of standard output has gone, as `head` does; the status that shells give for
    # SIGPIPE.
    UNREAD = 141


class CommandError(Exception):
    """Ends the command with a line for each thing that is wrong."""

    def __init__(self, wrong: str | Sequence[str], status: Status) -> None:
        self.lines = [wrong] if isinstance(wrong, str) else list(wrong)
        super().__init__("\n".join(self.lines))
        self.status = status


def unwritten(error: OSError) -> Status:
    """How a command ends that cannot write its output: a full disk is no bad input."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return Status.FAILED if full else Status.BAD_INPUT


def reason(error: BaseException) -> str:
    """Why something failed, in words."""
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    return _AROUND.sub("", said)
