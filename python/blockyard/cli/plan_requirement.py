"""The options of `blockyard plan` as parts of a requirement."""

from collections.abc import Iterator, Mapping, Sequence

from blockyard.cli.status import CommandError, Status

_FLOWS = {"reads": "latency.read", "writes": "latency.write"}


def of(
    stated: Mapping[str, object],
    *,
    io_size: str | None,
    p99: str | None,
    sets: Sequence[str] = (),
) -> dict[str, object]:
    """Values by their paths in a requirement: those of `stated` that are there.

    `io_size` and `p99` are for whichever of reads and writes have a rate; `sets` are
    `PATH=VALUE`, and win. Raises CommandError for a set of another form, and for `io_size` and
    `p99` without a rate.
    """
    given = {path: value for path, value in stated.items() if value is not None and value != []}
    flows = [flow for flow in _FLOWS if any(path.startswith(f"{flow}.") for path in given)]
    for name, value in (("--io-size", io_size), ("--p99", p99)):
        if value is not None and not flows:
            message = f"{name}: expected --read-iops or --write-iops beside it"
            raise CommandError(message, Status.BAD_INPUT)
    for flow in flows:
        if io_size is not None:
            given[f"{flow}.io_size"] = io_size
        if p99 is not None:
            given[f"{_FLOWS[flow]}.p99"] = p99
    return {**given, **dict(_pairs(sets))}


def _pairs(sets: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in sets:
        path, equals, value = one.partition("=")
        if not (path and equals):
            raise CommandError(f"--set: `{one}`; expected PATH=VALUE", Status.BAD_INPUT)
        yield path, value
