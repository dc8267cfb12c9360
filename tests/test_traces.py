"""Traces of other programs: as runs, written again, replayed."""

import csv
import gzip
import json
import lzma
import resource
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import blockyard as by
from conftest import Blockyard, one_line

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus" / "trace"
TIMED = {
    *("biosnoop", "blkparse", "blktrace", "blockyard", "ftrace", "msr", "parquet", "systor"),
    "vscsi",
}

APP = {
    "name": "app",
    "duration": "3s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "db": {
            "kind": "access_spec",
            "on": "data",
            "file_size": "10GiB",
            "processes": 16,
            "fsync_every": 4,
            "pattern": {"size": "8KiB", "read": "30%", "random": "100%"},
        }
    },
}


def test_of_a_packed_trace_that_is_cut_the_whole_part_counts(tmp_path: Path) -> None:
    lines = (f"{at % 7},R,{at * 4096},4096,{1577808000000000 + at * 7919}\n" for at in range(9000))
    text = "".join(lines).encode()
    for pack, suffix, name in ((gzip.compress, "gz", "gzip"), (lzma.compress, "xz", "xz")):
        packed = pack(text)
        file = tmp_path / f"night.csv.{suffix}"
        file.write_bytes(packed[: len(packed) * 2 // 3])
        run = by.import_trace(file, out=tmp_path / name)
        said = f"night.csv.{suffix} is packed by {name} and cut off; what is whole counts"
        assert run.result["notices"][-1] == said
        assert 3000 < sum(ios(run.result).values()) < 9000


def ios(result: Any) -> dict[str, int]:
    """IOs by operation."""
    sums: dict[str, int] = {}
    for total in result["totals"]:
        sums[total["op"]] = sums.get(total["op"], 0) + total["ios"]
    return sums


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated application with each of its IOs."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "app.yaml").write_text(json.dumps(APP))
    command = [
        sys.executable,
        "-m",
        "blockyard",
        "simulate",
        "app.yaml",
        "--io-log",
        "--out",
        "app",
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "app"


JOB = {"kind": "replay", "on": "data"}


def replay(recorded: Path, **more: object) -> dict[str, Any]:
    job = {**JOB, "trace": str(recorded / "ios.csv"), **more}
    return {**APP, "name": "again", "workload": {"db": job}}


@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.iterdir()))
def test_each_format_becomes_a_run(blockyard: Blockyard, tmp_path: Path, name: str) -> None:
    done = blockyard("import", "trace", CORPUS / name, "-o", "run", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert sum(ios(result).values()) == (2 if name == "fio-iolog-2" else 3)
    assert all(bool(total["latency_us"]) == (name in TIMED) for total in result["totals"])
    said = "ends are not recorded" in "".join(result["notices"])
    assert said == (name not in TIMED)
    assert by.load(tmp_path / "run").result == result


def test_a_recorded_run_is_imported_as_it_was(
    blockyard: Blockyard, recorded: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "ios.csv.gz"
    packed.write_bytes(gzip.compress((recorded / "ios.csv").read_bytes()))
    done = blockyard("import", "trace", packed, "-o", "imported")
    assert done.returncode == 0, done.stderr
    first, again = by.load(recorded), by.load(tmp_path / "imported")
    assert ios(again.result) == ios(first.result)
    for op in ("read", "write"):
        of = [
            next(total["latency_us"] for total in run.result["totals"] if total["op"] == op)
            for run in (first, again)
        ]
        assert of[0] == pytest.approx(of[1], rel=0.001)
    for question in (["report"], ["describe"], ["fit"]):
        asked = blockyard(*question, "imported")
        assert asked.returncode == 0, asked.stderr


def test_what_failed_is_imported_as_errors(blockyard: Blockyard, tmp_path: Path) -> None:
    """Half of the reads of a stripe fail while one of its volumes does."""
    scenario = {
        "name": "failed",
        "duration": "3s",
        "storage": {
            "data": {
                "stripe": {"chunk": "64KiB", "width": 2},
                "of": {"type": "gp3", "size": "10GiB"},
            }
        },
        "workload": {"db": {"kind": "ranread", "on": "data", "file_size": "15GiB", "processes": 8}},
        "events": [{"at": "1s", "fail": "data.0"}, {"at": "2s", "return": "data.0"}],
    }
    (tmp_path / "failed.yaml").write_text(json.dumps(scenario))
    assert blockyard("simulate", "failed.yaml", "--io-log", "--out", "failed").returncode == 0
    assert blockyard("export", "trace", "failed", "-o", "failed.parquet").returncode == 0
    (simulated,) = by.load(tmp_path / "failed").result["totals"]
    assert simulated["errors"] > 100
    # Its own file, another program's form of it, and the file of what was imported.
    for trace, name in [("failed/ios.csv", "a"), ("failed.parquet", "b"), ("a/ios.csv", "c")]:
        done = blockyard("import", "trace", trace, "-o", name, "--json")
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        (total,) = result["totals"]
        assert total["errors"] == simulated["errors"]
        # As the kernel does, an observation counts what failed among what ended.
        assert total["ios"] == simulated["ios"] + simulated["errors"]
        assert total["latency_us"] == pytest.approx(simulated["latency_us"], rel=0.001)
        open_at_the_end = "8 IOs, the last of their slots, failed or had not ended"
        assert any(note.startswith(open_at_the_end) for note in result["notices"])
        said = " ".join(blockyard("report", name).stdout.split())
        assert f"{simulated['errors']:,} reads of observed on data failed" in said


def test_ends_alone_tell_errors(blockyard: Blockyard, tmp_path: Path) -> None:
    lines = (
        f"  8,16   5  {n:7}     0.{n:09}     0  C   R {n * 8} + 8 [{5 if n % 4 == 0 else 0}]\n"
        for n in range(1, 101)
    )
    (tmp_path / "ends.txt").write_text("".join(lines))
    (total,) = by.import_trace(tmp_path / "ends.txt", out=tmp_path / "ends").result["totals"]
    assert (total["ios"], total["errors"]) == (100, 25)
    said = blockyard("import", "trace", "ends.txt", "-o", "again").stdout
    assert said.count("25 IOs failed") == 1


def test_a_mistake_is_one_line_and_nothing_is_kept(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("1,R,0,512,7\n1,Q,0,512,8\n")
    done = blockyard("import", "trace", "bad.csv", "-o", "bad")
    assert one_line(done) == "blockyard: bad.csv:2: opcode `Q`; expected R or W"
    assert not (tmp_path / "bad").exists()
    for source, why in ((".", "Is a directory"), ("nope", "No such file or directory")):
        done = blockyard("import", "trace", source, "-o", "bad")
        assert (done.returncode, one_line(done)) == (2, f"blockyard: {source}: {why}")
    done = blockyard("import", "trace", "gp3.yaml", "-o", "bad")
    assert "gp3.yaml: no trace that is known; expected one of blockyard, " in one_line(done)
    done = blockyard("import", "trace", CORPUS / "msr", "--device", "prxy.9", "-o", "bad")
    assert "--device: `prxy.9`; not among the 2 devices of" in one_line(done)
    done = blockyard("import", "trace", CORPUS / "msr", "--format", "mrs", "-o", "bad")
    assert "--format: `mrs`; expected one of blockyard, parquet" in one_line(done)


def test_flushes_are_what_a_replay_of_flushes_did(blockyard: Blockyard, tmp_path: Path) -> None:
    lines = (f"{n}0000000,{n}0000000,db,1,data,flush,0,0,{n}0400000\n" for n in range(100))
    trace = tmp_path / "flushes.csv"
    header = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n"
    trace.write_text(header + "".join(lines))
    for loop, said in [
        ("commits", "1 process of db gets 100 flushes/s at 0 ms"),
        ("open", "All 100 IOPS due of db are served at 0 ms"),
    ]:
        asked = {**replay(tmp_path, trace=str(trace), loop=loop), "duration": "1s"}
        (tmp_path / "again.yaml").write_text(json.dumps(asked))
        done = blockyard("simulate", "again.yaml", "--out", loop)
        assert said in done.stdout.replace("\n", " ")
        assert "db flush" in done.stdout
    done = blockyard("compare", "commits", "open", "--anyway")
    assert "db.flush.iops" in done.stdout, done.stderr


def test_a_full_disk_is_the_fault_of_the_run_not_of_its_trace(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    lines = "".join(f"1,R,{512 * place},512,{place}\n" for place in range(2000))
    (tmp_path / "whole.csv").write_text(lines)

    def before() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = blockyard("import", "trace", "whole.csv", "-o", "run", before=before)
    assert done.returncode == 4
    assert one_line(done) == ("blockyard: run: nothing kept: ios.csv ends at 0.0 s: file too large")
    assert not list(tmp_path.glob("*run*"))


def test_what_is_exported_is_what_was_recorded(
    blockyard: Blockyard, recorded: Path, tmp_path: Path
) -> None:
    done = blockyard("export", "trace", recorded, "-o", "x.iolog", "--map", "data=/dev/sdz")
    assert done.returncode == 0, done.stderr
    lines = (recorded / "ios.csv").read_text().splitlines()
    assert done.stdout == f"{len(lines) - 1:,} IOs in x.iolog\n"
    assert "/dev/sdz write " in (tmp_path / "x.iolog").read_text()
    done = blockyard("import", "trace", "x.iolog", "-o", "again", "--json")
    assert sum(ios(json.loads(done.stdout)).values()) == len(lines) - 1
    done = blockyard("export", "trace", recorded, "-o", "x.parquet")
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.num_rows == len(lines) - 1
    assert set(table.column_names) == set(lines[0].split(","))
    done = blockyard("export", "trace", recorded, "-o", "x.txt")
    assert one_line(done) == "blockyard: x.txt: expected a name that ends in .iolog or .parquet"


def test_a_table_is_a_trace_like_any_other(
    blockyard: Blockyard, recorded: Path, tmp_path: Path
) -> None:
    done = blockyard("export", "trace", recorded, "-o", "x.parquet")
    assert done.returncode == 0, done.stderr
    first = by.simulate(replay(recorded))
    again = by.simulate({**APP, "workload": {"db": {**JOB, "trace": str(tmp_path / "x.parquet")}}})
    assert again.result["totals"] == first.result["totals"]
    assert again.result["recordings"] == first.result["recordings"]
    imported = by.import_trace(tmp_path / "x.parquet", interval="100ms")
    assert ios(imported.result) == ios(by.load(recorded).result)
    assert imported.path is None
    assert imported.intervals.num_rows > 30


def test_where_a_recording_does_not_decide_both_ends_are_shown(
    blockyard: Blockyard, recorded: Path, tmp_path: Path
) -> None:
    lines = (recorded / "ios.csv").read_text().splitlines()[1:]
    cells = [line.split(",") for line in lines if not line.endswith(",")]
    systor = [
        f"{int(due) / 1e9:.9f},{(int(end) - int(due)) / 1e9:.9f},{op[0].upper()},0,{place},{size}"
        for _, due, _, _, _, op, place, size, end in cells
        if op in ("read", "write")
    ]
    (tmp_path / "threadless.csv").write_text("\n".join(systor) + "\n")
    job = {**JOB, "trace": "threadless.csv"}
    (tmp_path / "again.yaml").write_text(json.dumps({**APP, "workload": {"db": job}}))
    slower = ("--set", "storage.data={type: gp2, size: 100GiB, burst_balance: 0%}")
    done = blockyard("simulate", "again.yaml", *slower, "--seeds", "1", "--out", "run")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("db read ")]
    assert [row[2] for row in rows] == ["all", "open"]
    assert "-" in rows[1]
    said = " ".join(done.stdout.split())
    assert "what its IOs wait for is inferred. At their recorded times they would be" in said
    assert "their latency would grow without end" in said
    told = " ".join(blockyard("report", "run").stdout.split())
    assert "the truth lies between the two" in told
    decided = blockyard("simulate", "again.yaml", "--set", "workload.db.loop=chains")
    assert "the truth lies" not in decided.stdout


def test_another_trace_under_the_same_name_is_noticed(
    blockyard: Blockyard, recorded: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_bytes((recorded / "ios.csv").read_bytes())
    job = {**JOB, "trace": "trace.csv"}
    (tmp_path / "again.yaml").write_text(json.dumps({**APP, "workload": {"db": job}}))
    for out in ("one", "two"):
        done = blockyard("simulate", "again.yaml", "--no-advice", "--out", out)
        assert done.returncode == 0, done.stderr
        trace.write_text("\n".join(trace.read_text().splitlines()[:-9]) + "\n")
    said = blockyard("compare", "one", "two").stdout
    assert "recording.db: " in said
    assert " IOs, digest " in said


def test_a_replay_where_it_was_recorded_is_the_run(recorded: Path) -> None:
    first, again = by.load(recorded), by.simulate(replay(recorded))
    for op, count in ios(first.result).items():
        assert ios(again.result)[op] == pytest.approx(count, rel=0.01)
    fast = {"data": {"type": "gp3", "size": "100GiB", "iops": 16000}}
    quick = by.simulate({**replay(recorded), "storage": fast})
    assert quick.result["duration_s"] < again.result["duration_s"]


def test_the_example_replays_each_io_of_a_real_database() -> None:
    folder = Path(__file__).parent.parent / "scenarios" / "observed"
    with (folder / "pgbench.csv").open() as file:
        rows = list(csv.DictReader(file))
    moved = Counter(row["op"] for row in rows if row["bytes"] != "0")
    # Those that the kernel made of empty writes are there as well.
    flushes = sum(row["op"] == "write" and row["bytes"] == "0" for row in rows)
    run = by.simulate(folder / "replay.yaml", seeds=1, advice=False)
    assert ios(run.result) == moved | {"flush": flushes}
    assert moved.keys() == {"read", "write"}


def test_a_replay_is_a_scenario_that_can_be_moved(
    blockyard: Blockyard, recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "ios.csv").write_bytes((recorded / "ios.csv").read_bytes())
    scenario = replay(Path(), loop="open")
    (tmp_path / "again.yaml").write_text(json.dumps(scenario))
    done = blockyard("simulate", "again.yaml", "--out", "deep/down/run")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "deep/down/run/scenario.yaml").read_text()
    assert f'trace: "{tmp_path.resolve() / "ios.csv"}"' in text
    done = blockyard("report", "deep/down/run", "-o", "page.html")
    assert done.returncode == 0, done.stderr
    (tmp_path / "ios.csv").unlink()
    assert "again.yaml:1: workload.db.trace: cannot read" in one_line(
        blockyard("simulate", "again.yaml")
    )
