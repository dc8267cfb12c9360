"""What was published of the five configurations, as relations that come out or do not."""

from collections.abc import Callable
from dataclasses import dataclass

from validation.infoscale.grid import AS_IS, PATTERNS, SHARED, SHOWN, SINGLE, TCP, UDP, ZONES, Grid
from validation.markdown import table
from validation.run import Runs

# How far "about" may be off, and how far from a half "about half" may be.
ABOUT, ABOUT_HALF = 0.1, 0.05
# How far figures that are told apart must differ, where a direction alone was published.
APART = 0.01


@dataclass(frozen=True)
class Relation:
    """A published relation."""

    # By which neighbouring choices name it.
    letter: str
    published: str
    # What is simulated, in words.
    found: Callable[[Grid], str]
    holds: Callable[[Grid], bool]


def _iops(grid: Grid, configuration: str, pattern: str = SHOWN) -> float:
    return grid[pattern, configuration].iops


def _ratio(grid: Grid, one: str, other: str, pattern: str = SHOWN) -> float:
    return _iops(grid, one, pattern) / _iops(grid, other, pattern)


def _points(grid: Grid, configuration: str) -> float:
    return grid[SHOWN, configuration].cpu_points


def _ranks(grid: Grid, pattern: str) -> bool:
    """1 and 2 alike, 3 and 4 below them, and 5 below those."""
    alike = abs(_ratio(grid, SHARED, SINGLE, pattern) - 1) < APART
    near = [_ratio(grid, one, SINGLE, pattern) for one in (TCP, UDP)]
    far = _ratio(grid, ZONES, SINGLE, pattern)
    return alike and max(near) < 1 - APART and far < (1 - APART) * min(near)


def _count(grid: Grid, holds: Callable[[Grid, str], bool]) -> int:
    return sum(holds(grid, pattern) for pattern in PATTERNS)


def _tcp_leads(grid: Grid, pattern: str) -> bool:
    return _iops(grid, TCP, pattern) > _iops(grid, UDP, pattern)


RELATIONS = (
    Relation(
        "a", "1: about 2,000 IOPS, 8 MB/s",
        lambda grid: f"{_iops(grid, SINGLE):,.0f}",
        lambda grid: abs(_iops(grid, SINGLE) / 2000 - 1) < ABOUT,
    ),
    Relation(
        "b", "2: as 1, a hair above, which was called error",
        lambda grid: f"{_iops(grid, SHARED):,.0f}",
        lambda grid: abs(_ratio(grid, SHARED, SINGLE) - 1) < APART,
    ),
    Relation(
        "c", "3 and 4: about half of 1",
        lambda grid: f"{_ratio(grid, TCP, SINGLE):.2f} and {_ratio(grid, UDP, SINGLE):.2f}",
        lambda grid: all(
            abs(_ratio(grid, one, SINGLE) - 0.5) < ABOUT_HALF for one in (TCP, UDP)
        ),
    ),
    Relation(
        "d", "3 ahead of 4, while the network is not full",
        lambda grid: f"{_iops(grid, TCP):,.0f} and {_iops(grid, UDP):,.0f}",
        lambda grid: _tcp_leads(grid, SHOWN),
    ),
    Relation(
        "e", "5 below 3 and 4",
        lambda grid: f"{_iops(grid, ZONES):,.0f}",
        lambda grid: _iops(grid, ZONES)
        < (1 - APART) * min(_iops(grid, TCP), _iops(grid, UDP)),
    ),
    Relation(
        "f", "a mirror adds at most about 2 points of CPU",
        lambda grid: ", ".join(f"{_points(grid, one):.2f}" for one in (TCP, UDP, ZONES)),
        lambda grid: max(_points(grid, one) for one in (TCP, UDP, ZONES)) < 2.25,
    ),
    Relation(
        "g", "TCP takes slightly more CPU than UDP",
        lambda grid: f"{_points(grid, TCP):.2f} and {_points(grid, UDP):.2f}",
        lambda grid: _points(grid, UDP) < _points(grid, TCP) < 1.5 * _points(grid, UDP),
    ),
    Relation(
        "h", "all nine patterns rank the configurations nearly alike: 1 and 2, 3 and 4, 5",
        lambda grid: f"{_count(grid, _ranks)} of 9 patterns",
        lambda grid: _count(grid, _ranks) == 9,
    ),
    Relation(
        "i", "the same, with 3 ahead of 4 in all nine",
        lambda grid: f"{_count(grid, _tcp_leads)} of 9 patterns",
        lambda grid: _count(grid, _tcp_leads) == 9,
    ),
)  # fmt: skip


def broken(grid: Grid) -> str:
    """The letters of the relations that do not come out."""
    return ", ".join(it.letter for it in RELATIONS if not it.holds(grid)) or "none"


def relations(runs: Runs) -> str:
    """Each published relation, what is simulated, and whether it comes out."""
    grid = AS_IS.grid(runs)
    rows = [
        [it.letter, it.published, it.found(grid), "yes" if it.holds(grid) else "**no**"]
        for it in RELATIONS
    ]
    return table(["", f"published of {SHOWN}", "simulated", "comes out"], rows)
