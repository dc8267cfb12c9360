"""The options of `blockyard plan` as parts of a requirement."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from blockyard._core import ScenarioError
from blockyard.cli.status import CommandError, Status

# What options state, by its path in a requirement.
_PATHS = {
    "--size": "size",
    "--read-iops": "reads.iops",
    "--write-iops": "writes.iops",
    "--read-throughput": "reads.throughput",
    "--write-throughput": "writes.throughput",
    "--demand": "demand",
    "--duration": "duration",
    "--headroom": "headroom",
    "--probability": "probability",
    "--free-space": "free_space",
    "--replicas": "replicas.count",
    "--growth": "growth",
    "--horizon": "horizon",
    "--instance": "instance.type",
    "--architecture": "instance.architecture",
    "--vcpu": "instance.vcpu",
    "--memory": "instance.memory",
    "--family": "instance.families",
    "--generation": "instance.generation",
    "--burstable": "instance.burstable",
    "--type": "volumes.types",
    "--max-volumes": "volumes.at_most",
    "--region": "region",
    "--as-of": "as_of",
    "--term": "term",
}

# What is for whichever of reads and writes have a rate.
_OF_FLOWS = {
    "--io-size": ("reads.io_size", "writes.io_size"),
    "--p99": ("latency.read.p99", "latency.write.p99"),
    "--skew": ("reads.skew", "writes.skew"),
}

_FLOWS = ("reads", "writes")

# How the place of a mistake begins in a requirement of options alone.
_NO_FILE = "command line:1: "


def of(stated: Mapping[str, object], sets: Sequence[str] = ()) -> dict[str, object]:
    """Values by their paths in a requirement: those of the options in `stated` that are given.

    `sets` are `PATH=VALUE`, and win. Raises CommandError for a set of another form, and for what is
    of reads and writes without a rate.
    """
    options = {name: value for name, value in stated.items() if value is not None and value != []}
    given = {_PATHS[name]: value for name, value in options.items() if name in _PATHS}
    rates = [
        "demand" in given or any(path.startswith(f"{flow}.") for path in given) for flow in _FLOWS
    ]
    for name, paths in _OF_FLOWS.items():
        if name not in options:
            continue
        if not any(rates):
            message = f"{name}: expected --read-iops, --write-iops or --demand beside it"
            raise CommandError(message, Status.BAD_INPUT)
        given |= {path: options[name] for path, rate in zip(paths, rates, strict=True) if rate}
    return {**given, **dict(_pairs(sets))}


def _pairs(sets: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in sets:
        path, equals, value = one.partition("=")
        if not (path and equals):
            raise CommandError(f"--set: `{one}`; expected PATH=VALUE", Status.BAD_INPUT)
        yield path, value


@contextmanager
def told_by_option(sets: Sequence[str] = ()) -> Iterator[None]:
    """Name the option whose value is wrong, unless it was one of the `sets`."""
    try:
        yield
    except ScenarioError as error:
        # Without a file there are no lines.
        if str(error).startswith(_NO_FILE):
            message = str(error).removeprefix(_NO_FILE)
            raise CommandError(f"{message}; see --help", Status.BAD_INPUT) from error
        found = re.fullmatch(r"--set: ([\w.]+): (.*)", str(error), re.DOTALL)
        name = _option(found[1]) if found else None
        if found is None or name is None or any(one.startswith(found[1]) for one in sets):
            raise
        raise CommandError(f"{name}: {found[2]}", Status.BAD_INPUT) from error


def _option(path: str) -> str | None:
    """The option that states what is at a path, or a map or list that has it."""
    paths = {**{name: (one,) for name, one in _PATHS.items()}, **_OF_FLOWS}

    def states(of: tuple[str, ...]) -> bool:
        return any(path == one or path.startswith(f"{one}.") for one in of)

    return next((name for name, of in paths.items() if states(of)), None)
