"""Which results a change of the model moves.

    scripts/moved.py OLD NEW [--random N] [--but PLACE] [SCENARIO...]

OLD and NEW are two `blockyard` commands, for example one from a checkout of the previous
commit. Both simulate every scenario of the tree and N random ones. The script prints the names
of those whose results differ, with the first places that do in `result.json` and the tables.
`--but hosts` ignores everything below `hosts` in `result.json`. The exit status is 1 if any
differs.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq

SCENARIOS = Path(__file__).parents[1] / "scenarios"

#: Places named for each scenario that moved.
SHOWN = 6


def main() -> int:
    """Compare, and say what moved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("scenarios", nargs="*", type=Path)
    parser.add_argument("--random", type=int, default=20)
    parser.add_argument("--but", action="append", default=[])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = asked.scenarios or sorted(SCENARIOS.glob("*/*.yaml"))
        files += list(_made(Path(folder), asked.random))

        def compare(file: Path) -> list[str]:
            runs = [Path(folder) / side / file.stem for side in ("old", "new")]
            for command, run in zip((asked.old, asked.new), runs, strict=True):
                _simulate(command, file, run)
            places = _differences(*runs)
            return [place for place in places if not place.startswith(tuple(asked.but))]

        moved = 0
        with ThreadPoolExecutor(2) as pool:
            for file, places in zip(files, pool.map(compare, files), strict=True):
                moved += bool(places)
                print(f"{'moved' if places else 'equal'}  {file.stem}", flush=True)
                for place in places[:SHOWN]:
                    print(f"       {place}")
    print(f"{moved} of {len(files)} moved")
    return int(moved > 0)


def _simulate(command: str, file: Path, run: Path) -> None:
    run.parent.mkdir(exist_ok=True)
    asked = [command, "simulate", str(file), "--out", str(run)]
    subprocess.run(asked, check=True, capture_output=True)  # noqa: S603


def _differences(old: Path, new: Path) -> Iterator[str]:
    names = sorted({file.name for run in (old, new) for file in run.iterdir()})
    for name in names:
        pair = [run / name for run in (old, new)]
        if not all(file.exists() for file in pair):
            yield f"{name}: in one of them only"
        elif name == "result.json":
            yield from _unlike("", *(json.loads(file.read_text()) for file in pair))
        elif name.endswith(".parquet"):
            if not pq.read_table(pair[0]).equals(pq.read_table(pair[1])):
                yield name
        elif pair[0].read_bytes() != pair[1].read_bytes():
            yield name


def _unlike(place: str, old: object, new: object) -> Iterator[str]:
    """The places in which two JSON values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _unlike(f"{place}.{key}", old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from _unlike(f"{place}[{index}]", *pair)
    elif old != new:
        yield f"{place.lstrip('.')}: {str(old)[:60]} -> {str(new)[:60]}"


def _made(folder: Path, count: int) -> Iterator[Path]:
    """Random scenarios, but always the same ones."""
    for number in range(count):
        draw = random.Random(number)  # noqa: S311
        path = folder / f"random-{number}.yaml"
        path.write_text(json.dumps(_scenario(draw, number)))
        yield path


def _scenario(draw: random.Random, number: int) -> dict[str, object]:
    devices = {name: _device(draw) for name in ["data", "log"][: draw.randint(1, 2)]}
    hosts = ["r5n.24xlarge", "m5.large", "i4i.2xlarge", "c5.4xlarge", None]
    host = draw.choice(hosts)
    return {
        "name": f"random-{number}",
        "as_of": "2022-11-10",
        "seed": number,
        "duration": "20s",
        "warmup": draw.choice(["0s", "2s"]),
        "interval": draw.choice(["100ms", "1s"]),
        **({"host": {"instance": host}} if host else {}),
        "storage": devices,
        "workload": {
            f"job{job}": _job(draw, draw.choice(list(devices))) for job in range(draw.randint(1, 3))
        },
    }


def _device(draw: random.Random) -> dict[str, object]:
    volumes: list[dict[str, object]] = [
        {"type": "gp3", "size": "200GiB"},
        {"type": "gp3", "size": "400GiB", "iops": 12000, "throughput": "500MiB/s"},
        {"type": "gp2", "size": "100GiB", "burst_balance": f"{draw.choice([0, 1, 100])}%"},
        {"type": "io1", "size": "100GiB", "iops": 2000},
        {"type": "st1", "size": "500GiB"},
    ]
    volume = draw.choice(volumes)
    match draw.randint(0, 3):
        case 0:
            chunk = draw.choice(["64KiB", "4MiB"])
            return {"stripe": {"chunk": chunk, "width": draw.randint(2, 6)}, "of": volume}
        case 1:
            return {"linear": [volume, draw.choice(volumes)]}
        case _:
            return volume


def _job(draw: random.Random, device: str) -> dict[str, object]:
    common: dict[str, object] = {"on": device, "file_size": draw.choice(["1GiB", "80GiB"])}
    closed: dict[str, object] = {"processes": draw.choice([1, 4, 40, [2, 8]])}
    loads: list[dict[str, object]] = [closed, {"rate": draw.choice(["500/s", "5000/s"])}]
    load = draw.choice(loads)
    if draw.random() < 0.3:
        return {"kind": "ranread", **common, **closed}
    pattern = {
        "size": draw.choice(["4KiB", "16KiB", "256KiB", "1MiB"]),
        "read": f"{draw.choice([0, 50, 100])}%",
        "random": f"{draw.choice([0, 50, 100])}%",
    }
    job: dict[str, object] = {"kind": "access_spec", **common, "pattern": pattern, **load}
    if load is closed:
        job["outstanding"] = draw.choice([1, 8, 32])
    return job


if __name__ == "__main__":
    sys.exit(main())
