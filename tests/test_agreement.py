"""`bench` issues the same IOs as `simulate` from the same seed.

Where timing decides, such as on how many updates precede a write-daemon cycle, the two may
differ a little; elsewhere they must not differ at all.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import ROOT, Blockyard

pytestmark = pytest.mark.slow

SCENARIOS = ROOT / "scenarios"
PUBLISHED = sorted(
    path
    for folder in ("intersystems-2022", "intersystems-2023")
    for path in (SCENARIOS / folder).glob("*.yaml")
    # bench is on one machine.
    if "\nhosts:" not in path.read_text()
)

# Storage that does nothing completes many IOs in a time; modelled storage completes few.
SHORT = ["--set", "warmup=0s", "--set", "interval=10ms", "--set"]


class Io(NamedTuple):
    """A line of ios.csv."""

    slot: int
    device: str
    op: str
    offset: int
    size: int
    # When it was due; compared only where that does not depend on the storage.
    due_ns: int = 0


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
        rows = csv.reader(file)
        columns = next(rows)
        job, device, op = map(columns.index, ("job", "device", "op"))
        slot, offset, size, due = map(columns.index, ("slot", "offset", "bytes", "due_ns"))
        for row in rows:
            io = Io(int(row[slot]), row[device], row[op], int(row[offset]), int(row[size]),
                    int(row[due]))  # fmt: skip
            jobs[row[job]].append(io)
    return jobs


def _by_slot(ios: list[Io]) -> dict[int, list[Io]]:
    slots = defaultdict(list)
    for io in ios:
        slots[io.slot].append(io._replace(due_ns=0))
    return slots


@pytest.fixture(params=PUBLISHED, ids=lambda path: path.stem)
def both(
    request: pytest.FixtureRequest, blockyard: Blockyard, tmp_path: Path
) -> tuple[Stream, Stream]:
    """The streams of a published scenario, simulated and benched on nothing."""
    path: Path = request.param
    text = path.read_text()
    # Only the first load steps fit.
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
    for key, _ in groupby((io.device, io.op) for io in ios if io.slot not in (1, 2)):
        yield key


@pytest.mark.realtime
def test_streams_agree(both: tuple[Stream, Stream]) -> None:
    """Every process's IOs are the same, and write-daemon cycles have the same phases."""
    simulated, benched = both
    assert simulated.keys() == benched.keys()
    for job, ios in simulated.items():
        others = benched[job]
        if any(io.op == "flush" for io in ios):
            _cycles_agree(ios, others)
        else:
            _processes_agree(_by_slot(ios), _by_slot(others))


def _processes_agree(simulated: dict[int, list[Io]], benched: dict[int, list[Io]]) -> None:
    assert simulated.keys() == benched.keys()
    for slot, ios in simulated.items():
        common = min(len(ios), len(benched[slot]))
        assert common >= 100, "too few to tell"
        assert ios[:common] == benched[slot][:common]


def _cycles_agree(simulated: list[Io], benched: list[Io]) -> None:
    first, second = _first_cycle(simulated), _first_cycle(benched)
    assert list(_phases(first)) == list(_phases(second))
    # The database's blocks: which ones were dirty by then depends on timing.
    blocks = [{(io.offset, io.size) for io in ios if io.op == "write"} for ios in (first, second)]
    assert len(blocks[0] & blocks[1]) > 0.95 * max(map(len, blocks))


def _first_cycle(ios: list[Io]) -> list[Io]:
    """The IOs up to the fourth flush: of the WIJ, the journal and the database."""
    flushes = [index for index, io in enumerate(ios) if io.op == "flush"]
    assert len(flushes) >= 3, "no whole cycle"
    return ios[: flushes[2] + 1]


# The IOs that each process keeps in flight; 0 is an open loop.
EXAMPLES = {
    "access-spec.yaml": {"mixed": 4, "backup": 2},
    "zipf.yaml": {"by-law": 1, "hot-spot": 1},
    "open-loop.yaml": {"readers": 0},
}


@pytest.mark.parametrize(("name", "outstanding"), EXAMPLES.items(), ids=EXAMPLES)
def test_examples_agree(
    name: str, outstanding: dict[str, int], blockyard: Blockyard, tmp_path: Path
) -> None:
    """Where several slots are one stream, its order holds, whichever slot was free."""
    path = SCENARIOS / "examples" / name
    maps = [text for device in _devices(path) for text in ("--map", f"{device}=null:")]
    streams = []
    for command in (["simulate"], ["bench", *maps]):
        out = command[0]
        done = blockyard(
            command[0], path, *command[1:], *SHORT, "duration=100ms", "--io-log", "--out", out
        )
        assert done.returncode == 0, done.stderr
        streams.append(_stream(tmp_path / out))
    simulated, benched = streams
    assert simulated.keys() == benched.keys() == outstanding.keys()
    for job, in_flight in outstanding.items():
        for process, ios in _by_process(simulated[job], in_flight).items():
            others = _by_process(benched[job], in_flight)[process]
            common = min(len(ios), len(others))
            assert common >= 20, "too few to tell"
            assert ios[:common] == others[:common]


def _by_process(ios: list[Io], in_flight: int) -> dict[int, list[Io]]:
    """The IOs of each process, or of the one stream of an open loop with its due times."""
    processes = defaultdict(list)
    for io in ios:
        if in_flight == 0:
            processes[0].append(io._replace(slot=0))
        else:
            processes[io.slot // in_flight].append(io._replace(slot=0, due_ns=0))
    return processes
