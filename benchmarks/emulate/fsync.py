"""Real file systems on an emulated volume, beside the model's fsyncs.

    .venv/bin/python benchmarks/emulate/fsync.py --seconds 8

Processes write 32 KiB and fsync, in files that they overwrite or that grow. Writes of the volume
take 20 ms, so that what the machine adds counts for little. The kernel is told that the device has
no volatile cache, as network volumes have none. Needs root and fio.
"""

import argparse
import contextlib
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import emulated, output, row

from blockyard import simulate_many

PROCESSES = (1, 4, 16, 64)
LATENCY = {
    "read": {"min": "1us", "max": "2us"},
    "write": {"min": "16ms", "p10": "18ms", "p50": "20ms", "p90": "24ms", "max": "40ms"},
    "base_size": "1MiB",
    "per_kib": "0s",
    "spread": "0%",
    "slow": [],
}
STORAGE = {"data": {"type": "unlimited", "size": "64GiB", "latency": LATENCY}}


def main() -> None:
    """Measure all and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=8, help="of each measurement")
    seconds = parser.parse_args().seconds
    head = "files", "processes", "measured, ms", "model, ms", "fsyncs a commit", "blocks a commit"
    row("file system", *head)
    row(*["---"] * 7)
    for kind in ("ext4", "xfs"):
        model = dict(zip(PROCESSES, modelled(kind), strict=True))
        for files in ("overwritten", "growing"):
            with mounted(kind) as (device, folder):
                for processes in PROCESSES:
                    before = commits(device)
                    job = written(folder, processes, seconds, files == "growing")
                    after = commits(device)
                    took = job["write"]["lat_ns"]["mean"] + job["sync"]["lat_ns"]["mean"]
                    logged = ["", ""]
                    if after and before:
                        made = max(1, after[0] - before[0])
                        each = job["write"]["total_ios"] / made
                        # The kernel's mean is of all commits so far.
                        blocks = (after[0] * after[1] - before[0] * before[1]) / made
                        logged = [f"{each:.1f}", f"{blocks:.0f}"]
                    cells = f"{took / 1e6:.0f}", f"{model[processes]:.0f}", *logged
                    row(kind, files, processes, *cells)


def modelled(kind: str) -> list[float]:
    """Milliseconds of a write and its fsync, for each number of processes."""
    job = {
        "kind": "access_spec",
        "on": "data",
        "file_size": "1GiB",
        "pattern": {"size": "32KiB", "read": "0%", "random": "100%"},
        "fsync_every": 1,
        "file_system": kind,
    }
    scenario = {"name": "fsync", "duration": "60s", "warmup": "2s", "storage": STORAGE}
    asked = [scenario | {"workload": {"job": job | {"processes": count}}} for count in PROCESSES]
    took = [0.0] * len(PROCESSES)
    for line in simulate_many(asked).to_pylist():
        if line["op"] in {"write", "flush"}:
            took[line["scenario"]] += line["latency_mean_us"] / 1000
    return took


@contextlib.contextmanager
def mounted(kind: str) -> Iterator[tuple[str, Path]]:
    """A new file system on the emulated volume: its device's name and where it is mounted."""
    scenario = json.dumps({"name": "fsync", "storage": STORAGE})
    with emulated(scenario, "--as", "block") as service, tempfile.TemporaryDirectory() as folder:
        device = service.place.removeprefix("/dev/")
        cache = Path(f"/sys/block/{device}/queue/write_cache")
        cache.write_text("write through")
        try:
            output(f"mkfs.{kind}", "-q", service.place)
            output("mount", service.place, folder)
            try:
                yield device, Path(folder)
            finally:
                output("umount", folder)
        finally:
            # The kernel keeps it for whoever has the loop device next, who would flush nothing.
            cache.write_text("write back")


def written(folder: Path, processes: int, seconds: int, growing: bool) -> dict[str, Any]:
    """What fio says of processes with a file each."""
    size = "2g" if growing else "32m"
    name = f"{'grown' if growing else 'kept'}-{processes if growing else ''}.$jobnum"
    options = ["--rw=randwrite", "--bs=32k", "--ioengine=psync", f"--size={size}"]
    options += [f"--directory={folder}", f"--filename_format={name}", "--fallocate=none"]
    options += [f"--numjobs={processes}", "--group_reporting", "--output-format=json"]
    if growing:
        options.append("--create_on_open=1")
    else:
        output("fio", "--name=lay", *options, "--rw=write", "--bs=1m", "--end_fsync=1")
    timed = ["--fsync=1", "--time_based", f"--runtime={seconds}"]
    text = output("fio", "--name=fsync", *options, *timed)
    job: dict[str, Any] = json.loads(text[text.index("{") :])["jobs"][0]
    return job


def commits(device: str) -> tuple[int, int] | None:
    """ext4's commits so far, and the blocks of each on average; None of others."""
    info = Path(f"/proc/fs/jbd2/{device}-8/info")
    if not info.exists():
        return None
    text = info.read_text()
    blocks = re.search(r"(\d+) logged blocks", text)
    return int(text.split()[0]), int(blocks[1]) if blocks else 0


if __name__ == "__main__":
    main()
