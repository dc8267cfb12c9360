"""Compares the jobs of a folder's fio job files with the IOs that fio itself issues.

    .venv/bin/python scripts/job_files_by_fio.py FOLDER

Each job that `blockyard import fio` takes, leniently if need be, is run once by fio, on its engine
that does nothing, with a log of all offsets and sizes: only the options that decide these, and no
file of the job. Sizes, the share of reads and the share of IOs in sequence must be the imported
job's. Jobs alike count once; those with fewer than 50 IOs say too little.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import sqrt
from pathlib import Path

import job_files
from blockyard.formats.fio import jobfile
from blockyard.formats.fio.findings import Findings
from blockyard.formats.fio.load import Load, load_of
from blockyard.formats.fio.settings import Settings

# What decides which IOs there are.
DECIDING = """
ba bs bsrange bssplit filesize io_size kb_base norandommap nrfiles offset percentage_random
random_distribution random_generator randrepeat rw rwmixread rwmixwrite size
"""
FIO = shutil.which("fio") or "fio"
FEW = 50
# By how much shares of many IOs may differ by chance; of few it is more.
NEAR = 0.04

Io = tuple[str, int, int]
Options = Mapping[str, str | None]


def jobs(folder: Path) -> Iterator[tuple[Path, Load, Options]]:
    """Each job that goes in, with the options that decide its IOs."""
    for path in job_files.files(folder):
        if job_files.outcome(path)[0] not in job_files.OUTCOMES[:3]:
            continue
        for job in jobfile.read(path, Settings(environment=os.environ)):
            load = load_of(job, job_files.GIVEN, Findings())
            if load is not None:
                stated = {
                    name: option.value
                    for name, option in job.options.items()
                    if name in DECIDING.split()
                }
                # A share is of a device, which is not touched here.
                if (stated.get("size") or "%").endswith("%"):
                    stated["size"] = "100g"
                yield path, load, stated


def of_fio(options: Options) -> list[Io]:
    """Direction, offset and size of the IOs that fio issues."""
    added = {"ioengine": "null", "write_iolog": "log", "number_ios": "2000", "runtime": "2"}
    text = jobfile.text_of([], [jobfile.Section("a", {**added, "loops": "4", **options})])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.fio").write_text(text)
        command = [FIO, "a.fio"]
        subprocess.run(  # noqa: S603
            command, cwd=folder, capture_output=True, timeout=60, check=False
        )
        log = Path(folder) / "log"
        lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    ios = [line for line in lines if len(line) == 5 and line[2] in ("read", "write")]
    return [(op, int(offset), int(size)) for _, _, op, offset, size in ios]


def unlike(load: Load, ios: list[Io]) -> Iterator[str]:
    """What of fio's IOs is not the imported job's."""
    pattern = load.stream.pattern
    near = NEAR + 0.5 / sqrt(len(ios))
    sizes = {size for _, _, size in ios}
    if sizes != {pattern.block}:
        yield f"sizes {sorted(sizes)[:4]}, not {pattern.block}"
    reads = sum(op == "read" for op, _, _ in ios) / len(ios)
    # A rate decides the mix, and is left out here.
    if load.stream.arrivals is None and abs(reads - pattern.read / 1000) > near:
        yield f"{reads:.0%} reads, not {pattern.read / 10}%"
    follow = [after[1] in (before[1] + before[2], 0) for before, after in pairwise(ios)]
    in_sequence = sum(follow) / len(follow)
    # Of a small file random places follow each other by chance.
    by_chance = 2 / len({offset for _, offset, _ in ios})
    if abs(in_sequence - (1 - pattern.random / 1000)) > near + by_chance:
        yield f"{in_sequence:.0%} in sequence, not {100 - pattern.random / 10}%"


def main() -> None:
    """Print each job that differs, and how many were compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    seen: set[frozenset[tuple[str, str | None]]] = set()
    compared = differ = few = 0
    for path, load, options in jobs(parser.parse_args().folder):
        alike = frozenset(options.items())
        if alike in seen:
            continue
        seen.add(alike)
        ios = of_fio(options)
        if len(ios) < FEW:
            few += 1
            continue
        compared += 1
        said = list(unlike(load, ios))
        differ += bool(said)
        for line in said:
            print(f"{path}: [{load.name}]: {line}")
    print(f"{compared} jobs compared, {differ} differ; {few} with fewer than {FEW} IOs")


if __name__ == "__main__":
    main()
