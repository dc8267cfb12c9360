"""What all machines of a cluster do: the same as a thread here, by the same version."""

from collections.abc import Mapping

from blockyard._core import __version__
from blockyard.sweeps.engines import EngineError, Rows, carry_out


def carry_out_as(version: str, work: str) -> Rows:
    """Carry out work of a client of this version. Raises RuntimeError if this is another one."""
    if version != __version__:
        # A worker that joined later: those that were there before are checked at once.
        raise RuntimeError(f"blockyard {__version__} on a worker, {version} on the client")
    return carry_out(work)


def version() -> str:
    """The version of a worker."""
    return __version__


def check(on: str, found: Mapping[str, object]) -> None:
    """Refuse workers that have another version, or none. Raises EngineError."""
    for worker, has in found.items():
        if has != __version__:
            what = f"blockyard {has}" if isinstance(has, str) else f"no blockyard ({has})"
            raise EngineError(
                f"--on {on}: worker {worker} has {what}, this is {__version__}; install the same "
                "version everywhere"
            )
