"""The IOs that `bench` makes are those that `simulate` makes from the same seed.

Where timing decides, as how many updates were made until a write-daemon cycle
began, the two may differ a little; where it does not they must not at all.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import ROOT, Blockyard

SCENARIOS = ROOT / "scenarios"
PUBLISHED = sorted(
    path
    for folder in ("intersystems-2022", "intersystems-2023")
    for path in (SCENARIOS / folder).glob("*.yaml")
)

# Storage that does nothing makes many IOs in a time; modelled storage few.
SHORT = ["--set", "warmup=0s", "--set", "interval=10ms", "--set"]


class Io(NamedTuple):
    """A line of ios.csv."""

    lane: int
    device: str
    op: str
    offset: int
    size: int


Stream = dict[str, list[Io]]


def _devices(path: Path) -> list[str]:
    """The names under `storage:`."""
    lines = path.read_text().splitlines()
    inside = lines[lines.index("storage:") + 1 :]
    names = []
    for line in inside:
        if line and not line.startswith((" ", "#")):
            break
        if line.startswith("  ") and not line.startswith("   ") and ":" in line:
            names.append(line.split(":")[0].strip())
    return names


def _stream(directory: Path) -> Stream:
    """What each job issued, in order."""
    jobs: Stream = defaultdict(list)
    with (directory / "ios.csv").open() as file:
        for row in csv.DictReader(file):
            jobs[row["job"]].append(
                Io(
                    int(row["lane"]),
                    row["device"],
                    row["op"],
                    int(row["offset"]),
                    int(row["bytes"]),
                )
            )
    return jobs


def _by_lane(ios: list[Io]) -> dict[int, list[Io]]:
    lanes = defaultdict(list)
    for io in ios:
        lanes[io.lane].append(io)
    return lanes


@pytest.fixture(params=PUBLISHED, ids=lambda path: path.stem)
def both(
    request: pytest.FixtureRequest, blockyard: Blockyard, tmp_path: Path
) -> tuple[Stream, Stream]:
    """The streams of a published scenario, simulated and benched on nothing."""
    path: Path = request.param
    text = path.read_text()
    # Of the load steps only the beginning fits.
    changes = []
    if "processes: [" in text:
        changes.append("workload.readers.processes=5")
    changes += [
        f"workload.readers.schedule.{step}.at={90 + 10 * step}ms"
        for step in range(1, text.count("{at: "))
    ]
    if "ranwrite" in text:
        changes.append("workload.writers.cycle=100ms")
    sets = [part for change in changes for part in ("--set", change)]
    maps = [part for name in _devices(path) for part in ("--map", f"{name}=null:")]
    runs: list[list[object]] = [
        ["simulate", path, *SHORT, "duration=1s", *sets, "--out", "simulated"],
        ["bench", path, *SHORT, "duration=200ms", *sets, "--out", "benched", *maps],
    ]
    for run in runs:
        done = blockyard(*run, "--io-log")
        assert done.returncode == 0, done.stderr
    return _stream(tmp_path / "simulated"), _stream(tmp_path / "benched")


def _phases(ios: list[Io]) -> Iterator[tuple[str, str]]:
    """Device and operation, runs of the same as one, the journal's apart."""
    for key, _ in groupby((io.device, io.op) for io in ios if io.lane not in (1, 2)):
        yield key


def test_streams_agree(both: tuple[Stream, Stream]) -> None:
    """Every process's IOs are the same; write-daemon cycles have the same phases."""
    simulated, benched = both
    assert simulated.keys() == benched.keys()
    for job, ios in simulated.items():
        others = benched[job]
        if any(io.op == "flush" for io in ios):
            _cycles_agree(ios, others)
        else:
            _processes_agree(_by_lane(ios), _by_lane(others))


def _processes_agree(simulated: dict[int, list[Io]], benched: dict[int, list[Io]]) -> None:
    assert simulated.keys() == benched.keys()
    for lane, ios in simulated.items():
        common = min(len(ios), len(benched[lane]))
        assert common >= 100, "too few to tell"
        assert ios[:common] == benched[lane][:common]


def _cycles_agree(simulated: list[Io], benched: list[Io]) -> None:
    first, second = _first_cycle(simulated), _first_cycle(benched)
    assert list(_phases(first)) == list(_phases(second))
    # The database's blocks: which were dirty by then depends on the moment.
    blocks = [{(io.offset, io.size) for io in ios if io.op == "write"} for ios in (first, second)]
    assert len(blocks[0] & blocks[1]) > 0.95 * max(map(len, blocks))


def _first_cycle(ios: list[Io]) -> list[Io]:
    """The IOs up to the fourth flush: of the WIJ, the journal and the database."""
    flushes = [index for index, io in enumerate(ios) if io.op == "flush"]
    assert len(flushes) >= 3, "no whole cycle"
    return ios[: flushes[2] + 1]
