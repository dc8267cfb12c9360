"""The command `blockyard`: how a call begins and ends; `cli/program.py` lists its commands.

Nothing that takes time is imported before `main` runs: until then Python itself answers Ctrl-C,
with a traceback. `_signal` is built in; `signal` wraps it in enumerations, which take ten times
as long to load as all of this.
"""

import os
import sys

# Type checkers assume that it is true; importing `typing` would take a while.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn
else:
    import _signal

# The signals that end a call cleanly: Ctrl-C, `kill`, and a closed terminal.
_ENDING = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP)

# Equals `Status.INTERRUPTED`, which is not loaded yet.
_INTERRUPTED = 130


def run(arguments: "Sequence[str]") -> int:
    """Carry out a command line and return its exit status."""
    from blockyard.cli import program

    return program.run(arguments)


def main() -> "NoReturn":
    """Run the command of `sys.argv` and exit with its status."""
    # While modules load there is nothing to clean up.
    _on_signals(_leave)
    from blockyard.cli import program, streams

    streams.take()
    sys.excepthook = _but_interrupts
    sys.unraisablehook = _unraised
    _on_signals(_signal.default_int_handler)
    try:
        status = program.ended(sys.argv[1:])
    except KeyboardInterrupt:
        status = _INTERRUPTED
    # Everything is done except Python's own shutdown.
    _on_signals(_leave)
    sys.exit(status)


def _on_signals(handler: "_signal._HANDLER") -> None:
    for number in _ENDING:
        # `nohup` ignores hangups, and a shell without job control ignores Ctrl-C.
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, handler)


def _leave(_number: int, _frame: "FrameType | None") -> "NoReturn":
    os._exit(_INTERRUPTED)


def _but_interrupts(kind: type[BaseException], error: BaseException, trace: object) -> None:
    """Suppress the traceback that C code prints when it is interrupted while loading."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)  # type: ignore[arg-type]


def _unraised(what: "sys.UnraisableHookArgs") -> None:
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)
