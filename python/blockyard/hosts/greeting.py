"""The beginning of a connection: which Python and which Blockyard a host has."""

from pathlib import Path

from blockyard._core import __version__
from blockyard.hosts.errors import GoneError, HostError
from blockyard.hosts.package import Package
from blockyard.hosts.wire import HELLO, Message, Wire

# What begins on a host.
_BOOT = Path(__file__).with_name("boot.py")

# The oldest Python that Blockyard runs on.
_PYTHON = [3, 11]


def greet(wire: Wire, package: Package) -> bool:
    """Begin Blockyard on a host, of this version; whether it had to be copied there.

    Raises HostError if it cannot be had there, GoneError if the host is gone, WireError and
    OSError.
    """
    wire.load(_BOOT.read_bytes())
    hello = wire.receive(HELLO)
    if hello is None:
        raise GoneError
    python, machine, has = (hello.fields[name] for name in ("python", "machine", "has"))
    if python < _PYTHON:
        raise HostError(f"its Python is {_dotted(python)}; expected {_dotted(_PYTHON)} or later")
    if has == __version__:
        wire.send("use")
        return _begun(wire.receive(), copied=False)
    if not package.fits(machine):
        raise HostError(
            f"it has no blockyard {__version__}, and its processor is {machine}; expected "
            "--wheel FILE, a wheel for it"
        )
    wire.send("use", copy=package.key)
    answer = wire.receive()
    if answer is None or answer.kind != "missing":
        return _begun(answer, copied=False)
    wire.send("copy", package.packed)
    return _begun(wire.receive(), copied=True)


def _begun(answer: Message | None, *, copied: bool) -> bool:
    if answer is None:
        raise GoneError
    if answer.kind == "unusable":
        raise HostError(f"Blockyard does not start there: {answer.fields['reason']}")
    return copied


def _dotted(version: list[int]) -> str:
    return ".".join(map(str, version))
