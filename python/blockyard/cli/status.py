"""How a command ends."""

from enum import IntEnum


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
    """Ends the command with a message that has one line for each thing that is wrong."""

    def __init__(self, message: str, status: Status) -> None:
        super().__init__(message)
        self.status = status


def reason(error: BaseException) -> str:
    """Why something failed, in words."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
