"""The command `blockyard`: how a call begins and ends. Its commands stand in `cli/program.py`.

Nothing is imported here that takes time: until `main` runs, Python answers Ctrl-C itself,
by a traceback.
"""

import os
import signal
import sys

# Type checkers take it for true; `typing` itself would take a while to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn

# What ends a call in order: Ctrl-C, `kill`, and a terminal that is closed.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# As `Status.INTERRUPTED`, which is not loaded yet.
_INTERRUPTED = 130


def run(arguments: "Sequence[str]") -> int:
    """Carry out a command line; give its exit status."""
    from blockyard.cli import program

    return program.run(arguments)


def main() -> "NoReturn":
    """Run the command of `sys.argv` and exit with its status."""
    # While modules load there is nothing to put in order.
    _on_signals(_leave)
    from blockyard.cli import program, streams

    streams.take()
    sys.excepthook = _but_interrupts
    sys.unraisablehook = _unraised
    _on_signals(signal.default_int_handler)
    try:
        status = program.ended(sys.argv[1:])
    except KeyboardInterrupt:
        status = _INTERRUPTED
    # All is done, but that Python puts itself away.
    _on_signals(_leave)
    sys.exit(status)


def _on_signals(handler: "signal._HANDLER") -> None:
    for number in _ENDING:
        # `nohup` has hangups ignored, and a shell without job control Ctrl-C.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _leave(_number: int, _frame: "FrameType | None") -> "NoReturn":
    os._exit(_INTERRUPTED)


def _but_interrupts(kind: type[BaseException], error: BaseException, trace: object) -> None:
    """What C code that is interrupted while it loads would print as a traceback is not said."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)  # type: ignore[arg-type]


def _unraised(what: "sys.UnraisableHookArgs") -> None:
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)
