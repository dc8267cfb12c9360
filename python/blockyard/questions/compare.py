"""Compare runs: what differs, and whether that is shown."""

from collections.abc import Sequence

from blockyard.comparison.sides import of_sides
from blockyard.runs.run import Run
from blockyard.types.comparison import Comparison


def compare(
    *sides: Run | Sequence[Run],
    fail_if: Sequence[str] = (),
    anyway: bool = False,
    seeds: int | None = None,
) -> Comparison:
    """Compare every side, a run or its repeats, with the first.

    `fail_if` are conditions such as `readers.latency.p99 > +5%`. Where jobs or devices
    cannot be told from each other in all runs, they count together as `all`. If every side is
    one simulated run, all are simulated again with the same `seeds`, by default with 8 or as
    many as take no more than some seconds, and with none if it is 1.

    Raises ScenarioError, in one line, for what is wrong with a condition, UnlikeError where
    runs are not comparable, unless `anyway`, and KeyboardInterrupt on Ctrl-C.

        >>> gp3, busy = "scenarios/examples/gp3.yaml", {"workload.readers.processes": 8}
        >>> slow = blockyard.simulate(gp3, busy)
        >>> fast = blockyard.simulate(gp3, busy | {"storage.data.iops": 6000})
        >>> rows = blockyard.compare(slow, fast)["rows"]
        >>> rows[0]["figure"], rows[0]["changes"][0]["verdict"]
        ('iops', 'better')
    """
    if len(sides) < 2:
        raise ValueError(f"{len(sides)} of what is compared; expected two or more runs")
    given = [[side] if isinstance(side, Run) else list(side) for side in sides]
    compared = of_sides(_names(given), given, fail_if=fail_if, anyway=anyway, seeds=seeds)
    return compared.found


def _names(sides: Sequence[Sequence[Run]]) -> list[str]:
    """What to call sides: by their runs, or by numbers where these have the same name."""
    names = [
        side[0].name + (f" and {len(side) - 1} more" if len(side) > 1 else "") for side in sides
    ]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({number})" for number, name in enumerate(names, start=1)]
