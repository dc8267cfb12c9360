"""An imported job issues the IOs that fio issues: fio's own log of offsets and sizes is the oracle.

Files are so small that each place is visited many times, so that the places are the same sets.
"""

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from conftest import ONCE, Blockyard

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed"),
]

# Direction, offset from the begin of the file, size.
Io = tuple[str, int, int]

JOB = "[a]\ndirect=1\nnorandommap\nsize=256k\nruntime=1\n"


def of_fio(folder: Path, text: str) -> list[Io]:
    """What fio issues, to its engine that does nothing."""
    extra = "ioengine=null\nwrite_iolog=ios.log\nloops=1000\nnumber_ios=20000\n"
    (folder / "logged.fio").write_text(text.replace("runtime=1\n", "") + extra)
    subprocess.run(["fio", "logged.fio"], cwd=folder, capture_output=True, timeout=60, check=True)
    lines = [line.split() for line in (folder / "ios.log").read_text().splitlines()]
    return [
        (words[2], int(words[3]), int(words[4]))
        for words in lines
        if len(words) == 5 and words[2] in ("read", "write", "sync", "datasync")
    ]


def of_blockyard(blockyard: Blockyard, folder: Path, *lenient: str) -> list[Io]:
    """What the imported scenario issues."""
    done = blockyard("import", "fio", "job.fio", "-o", "made.yaml", *lenient)
    assert done.returncode == 0, done.stderr
    run = blockyard(
        *("simulate", "made.yaml", "--out", "run", "--io-log"),
        *("--set", "duration=4s", "--set", "workload.a.amount=null", *ONCE),
    )
    assert run.returncode == 0, run.stderr
    with (folder / "run" / "ios.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [(row["op"], int(row["offset"]), int(row["bytes"])) for row in rows[:20_000]]


def reads(ios: Sequence[Io]) -> float:
    return sum(op == "read" for op, _, _ in ios) / len(ios)


def in_sequence(ios: Sequence[Io]) -> float:
    """The share of IOs that begin where the one before ended, or at the file's begin."""
    follow = [after[1] in (before[1] + before[2], 0) for before, after in pairwise(ios)]
    return sum(follow) / len(follow)


@pytest.mark.parametrize(
    ("options", "lenient"),
    [
        ("rw=randread\nbs=8k", []),
        ("rw=randrw\nrwmixread=70", []),
        ("rw=randrw\nrwmixwrite=90\nbs=16k", []),
        ("rw=write\nbs=64k", []),
        ("rw=read\nio_size=128k", []),
        ("rw=randwrite\nio_size=128k", []),
        ("rw=randread\npercentage_random=30", []),
        ("rw=randwrite\nbssplit=8k/100:64k/0", []),
        ("rw=randread\nnrfiles=4", []),
        ("rw=write\nverify=crc32c", ["--lenient"]),
        ("rw=randread\ndirect=0", ["--lenient"]),
    ],
)
def test_places_sizes_mix_and_order_are_fio_s(
    blockyard: Blockyard, tmp_path: Path, options: str, lenient: list[str]
) -> None:
    text = f"{JOB}{options}\n"
    (tmp_path / "job.fio").write_text(text)
    fio_s = of_fio(tmp_path, text.replace("verify=crc32c", "verify=crc32c\ndo_verify=0"))
    ours = of_blockyard(blockyard, tmp_path, *lenient)
    assert len(ours) > 2000
    assert {size for _, _, size in ours} == {size for _, _, size in fio_s}
    assert reads(ours) == pytest.approx(reads(fio_s), abs=0.04)
    if "nrfiles" in options:
        # fio logs the offset within each of its files.
        assert max(place for _, place, _ in fio_s) < max(place for _, place, _ in ours)
        return
    assert {place for _, place, _ in ours} == {place for _, place, _ in fio_s}
    assert in_sequence(ours) == pytest.approx(in_sequence(fio_s), abs=0.04)


@pytest.mark.parametrize(
    "options",
    [
        "rw=randrw\nsize=3m\nnumjobs=3",
        "rw=write\nsize=1m\nloops=3\nbs=64k",
        "rw=randread\nsize=1m\nio_size=5m\niodepth=8\nioengine=libaio",
        "rw=read\nfilesize=2m\noffset=512k\nsize=1536k\nbs=128k",
        "rw=write\nsize=4m\nio_size=1m\nfsync=8",
    ],
)
def test_a_job_that_ends_by_size_does_as_much(
    blockyard: Blockyard, tmp_path: Path, options: str
) -> None:
    text = f"[a]\ndirect=1\nnorandommap\nruntime=1m\n{options}\n"
    (tmp_path / "job.fio").write_text(text)
    with_null = re.sub("ioengine=.*", "", text) + "ioengine=null\ngroup_reporting\n"
    (tmp_path / "null.fio").write_text(with_null)
    fio = ["fio", "--output-format=json", "null.fio"]
    done = subprocess.run(fio, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    [job] = json.loads(done.stdout)["jobs"]
    made = blockyard("import", "fio", "job.fio", "-o", "made.yaml")
    assert made.returncode == 0, made.stderr
    blockyard("simulate", "made.yaml", "--out", "run", *ONCE)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["amounts"][0]["done_s"] is not None
    assert result["amounts"][0]["done_bytes"] == sum(
        job[op]["io_bytes"] for op in ("read", "write")
    )


@pytest.mark.parametrize("name", ["fsync", "fdatasync"])
def test_as_many_writes_lie_between_fsyncs(blockyard: Blockyard, tmp_path: Path, name: str) -> None:
    text = f"{JOB}rw=randwrite\n{name}=4\n"
    (tmp_path / "job.fio").write_text(text)
    for ios in (of_fio(tmp_path, text), of_blockyard(blockyard, tmp_path)):
        ops = "".join("w" if op == "write" else "|" for op, _, _ in ios[:1000])
        assert set(ops.split("|")[:-1]) == {"wwww"}
