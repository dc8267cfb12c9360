"""How many fio job files of a folder `blockyard import fio` takes, and why not the others.

    .venv/bin/python scripts/job_files.py FOLDER

Every file below FOLDER is tried as it is, with a size and a runtime for jobs that state none, and
with `--lenient` too. Not counted as block IO are files that lack a variable, such as `${DEV}`, and
those without a section, which others include. Files of the same content count once. The folders
right below FOLDER, such as one for each repository, have lines of their own, so that no large one
hides the others.

The figures of docs/reference/fio.md are of these repositories on GitHub (2026-11), of which
axboe/fio and KinderRiven/IO_TESTER count in its second row alone:
anushka567/fio-benchmarking-in-gce, astitov/fiotests,
avocado-framework-tests/avocado-misc-tests, axboe/fio, BH4EHN/fio-config,
bose-abhishek/fio-workload-optimzer, brucechin/HardwareTest, brunsgaard/fio-perf-aws-vs-hetzner,
bushmr/cloud-scale-lab, ChengzeHsiao/Disk_Performance_Tools, cockroachlabs/cloud-report,
congto/FIO-TEST, connortsui20/async-bpm, dgist-datalab/Benchmark,
distributed-system-analysis/pbench, facebookincubator/FioSynth,
garyjlittle/NESC-Performance-300, intel/fiovisualizer, ivotron/docker-fio, jeonsi/fio-test,
jinqiangwang/fio-spdk-archive, jinqiangwang/fio-vm, ketor/fio_test, KinderRiven/IO_TESTER,
kishikawa/fio, KnightKu/ssd_gc_evaluation, LeapIO/RAID_performance, longhorn/kbench,
louwrentius/fio-plot, ManuStoessel/k8s-pvc-benchmark, mchad1/fio-parser, meganerd/fio-examples,
microsoft/VirtualClient, nikosbatsaras/FIO-scripts, NinaMaller/docker-fio,
PaladinChendi/fio-auto-test-script, parkeraddison/nasa-filesystem-benchmarks, spdk/spdk,
tom--bo/bench-settings, tve/cloudbench, unexge/mountpoint-s3, vdcit/FIO-hardisk,
virtuozzo/performance-test-suite, yasker/kbench.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from blockyard._core import FileError
from blockyard.formats.fio import jobfile
from blockyard.formats.fio.importing import Origin, scenario_of
from blockyard.formats.fio.load import Missing
from blockyard.formats.fio.settings import Settings

GIVEN = Missing(size=100 << 30, runtime=60_000_000_000)
OUTCOMES = [
    "as it is",
    "size and runtime",
    "lenient",
    "refused",
    "variables",
    "no block IO",
    "no job",
]
# Ways to try a file, in the order of OUTCOMES.
WAYS = [(Missing(), False), (GIVEN, False), (GIVEN, True)]


def outcome(path: Path) -> tuple[str, list[str]]:
    """How a file goes in, and the reasons if it does not."""
    lines: list[str] = []
    for said, (missing, lenient) in zip(OUTCOMES, WAYS, strict=False):
        try:
            jobs = jobfile.read(path, Settings(environment=os.environ))
            scenario_of(jobs, Origin.of_file(path), missing=missing, lenient=lenient)
        except (jobfile.JobFileError, FileError, UnicodeDecodeError) as error:
            lines = str(error).splitlines()
        else:
            return said, []
    if all("no block IO" in line for line in lines):
        return "no block IO", []
    if any(re.search(r"no job; expected|before any \[section\]", line) for line in lines):
        return "no job", []
    if any("is not set; expected it in the environment" in line for line in lines):
        return "variables", []
    return "refused", lines


def files(folder: Path) -> Iterator[Path]:
    """Each content once."""
    seen: set[bytes] = set()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = sha256(path.read_bytes()).digest()
            if digest not in seen:
                seen.add(digest)
                yield path


def reason(line: str) -> str:
    """What of a message does not depend on the file: the option and the reason."""
    named = re.match(r".*?: (?:\[.*?\].*?: )?(no \w+|[\w-]+)(?:=.*?)?: (.*)", line)
    return f"{named[1]}: {named[2]}" if named else line.rpartition(": ")[2]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    for path in files(folder):
        said, lines = outcome(path)
        counts.setdefault(path.relative_to(folder).parts[0], Counter())[said] += 1
        reasons.update({reason(line) for line in lines})
    _print("all", sum(counts.values(), Counter()))
    for name, of_folder in sorted(counts.items(), key=lambda item: -item[1].total()):
        _print(name, of_folder)
    print("\nfiles  reason that one is refused")
    for why, times in reasons.most_common(25):
        print(f"{times:5}  {why[:110]}")


def _print(name: str, counts: Counter[str]) -> None:
    block = sum(counts[of] for of in OUTCOMES[:4])
    strict = counts["as it is"] + counts["size and runtime"]
    shares = "".join(
        f" {what} {part / block:.0%}"
        for what, part in (("strict", strict), ("lenient", strict + counts["lenient"]))
        if block
    )
    said = ", ".join(f"{of} {counts[of]}" for of in OUTCOMES if counts[of])
    print(f"{name}: {counts.total()} files:{shares}; {said}")


if __name__ == "__main__":
    main()
