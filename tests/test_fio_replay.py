"""fio replays the iolog of a trace: what it issues is the oracle of a bench of the same trace."""

import csv
import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Blockyard

pytestmark = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")

KIB, MIB, US = 1 << 10, 1 << 20, 1000
COLUMNS = ["issued_ns", "due_ns", "job", "slot", "device", "op", "offset", "bytes", "completed_ns"]
# As fio numbers them: trims, and of flushes those of all and those of data.
DIRECTIONS = ["read", "write", "trim", "flush", "flush"]
QUEUED = re.compile(r"queue: io_u \S+: off=(\w+),len=(\w+),ddir=(\d),file=(\w+)[.]dat")

# Operation, offset, size.
Io = tuple[str, int, int]


def recorded(path: Path) -> dict[str, list[Io]]:
    """A trace as `observe` keeps it, by ends, with empty writes and flushes; gives what it asks."""
    chance = random.Random(20180328)
    rows: list[list[object]] = []
    asked: dict[str, list[Io]] = {"data": [], "log": []}

    def io(at: int, by: int, device: str, io: Io, took: int) -> None:
        rows.append([at, at, "db", by, device, *io, at + took])
        op, offset, size = io
        asked[device].append((op if size else "flush", offset, size))

    for nth in range(200):
        at = nth * 200 * US
        size = chance.choice([4, 8, 64]) * KIB
        place = chance.randrange(4 * MIB // size) * size
        # Longer than the time to the next: many end after one that came later.
        io(
            at,
            nth % 4,
            "data",
            (chance.choice(DIRECTIONS[:2]), place, size),
            chance.randint(1, 900) * US,
        )
        if nth % 4 == 0:
            io(at + 50 * US, 9, "log", ("write", nth * 2 * KIB, 8 * KIB), 10 * US)
            io(at + 70 * US, 9, "log", ("write", 0, 0), 90 * US)
            # The kernel's own, for the empty write.
            rows.append([at + 80 * US] * 2 + ["kworker", 1, "log", "flush", 0, 0, at + 150 * US])
    rows.sort(key=lambda row: int(str(row[-1])))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return asked


def of_bench(blockyard: Blockyard, folder: Path) -> tuple[dict[str, list[Io]], dict[str, int]]:
    """What a bench issues, by device, in order; and the bytes that its totals have."""
    storage = {name: {"type": "gp3", "size": "1GiB"} for name in ("data", "log")}
    jobs = {
        f"db-{name}": {
            "kind": "replay", "on": name, "trace": "ios.csv", "device": name, "loop": "open"
        }
        for name in storage
    }  # fmt: skip
    scenario = {"name": "again", "duration": "30s", "storage": storage, "workload": jobs}
    (folder / "again.yaml").write_text(json.dumps(scenario))
    maps = [word for name in storage for word in ("--map", f"{name}={name}.dat")]
    done = blockyard("bench", "again.yaml", *maps, "--io-log", "--out", "run")
    assert done.returncode == 0, done.stderr
    with (folder / "run/ios.csv").open() as file:
        rows = list(csv.DictReader(file))
    rows.sort(key=lambda row: (int(row["issued_ns"]), int(row["due_ns"])))
    found: dict[str, list[Io]] = {}
    for row in rows:
        io = (row["op"], int(row["offset"]), int(row["bytes"]))
        found.setdefault(row["device"], []).append(io)
    moved: dict[str, int] = {}
    for total in json.loads((folder / "run/result.json").read_text())["totals"]:
        moved[total["device"]] = moved.get(total["device"], 0) + total["bytes"]
    return found, moved


def of_fio(folder: Path) -> dict[str, list[Io]]:
    """What fio issues, by device, in order."""
    command = ["fio", "--name=again", "--read_iolog=again.iolog", "--replay_no_stall=1"]
    done = subprocess.run(
        [*command, "--ioengine=psync", "--debug=io"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "bad iolog" not in done.stdout + done.stderr
    found: dict[str, list[Io]] = {}
    for offset, size, direction, name in QUEUED.findall(done.stdout):
        op = DIRECTIONS[int(direction)]
        place = (0, 0) if op == "flush" else (int(offset, 16), int(size, 16))
        found.setdefault(name, []).append((op, *place))
    return found


def test_a_bench_of_a_replay_is_what_fio_replays(blockyard: Blockyard, tmp_path: Path) -> None:
    asked = recorded(tmp_path / "ios.csv")
    benched, moved = of_bench(blockyard, tmp_path)
    maps = ("--map", "data=data.dat", "--map", "log=log.dat")
    done = blockyard("export", "trace", "ios.csv", "-o", "again.iolog", *maps)
    assert done.returncode == 0, done.stderr
    assert of_fio(tmp_path) == asked
    assert benched == asked
    assert moved == {name: sum(size for _, _, size in ios) for name, ios in asked.items()}
