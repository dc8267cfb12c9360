"""`blockyard describe`: the load of a run as a scenario that has the same load."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pv
import pyarrow.parquet as pq
import pytest
import yaml

import blockyard as by
from conftest import ONCE, Blockyard, one_line

PAGES = {
    "kind": "access_spec",
    "on": "data",
    "file_size": "40GiB",
    "pattern": {"size": "8KiB", "read": "70%", "random": "100%"},
    "rate": "1500/s",
}
STEADY = {
    "name": "shop",
    "duration": "24s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {"pages": PAGES},
}
LOAD = {
    **STEADY,
    "workload": {
        "pages": PAGES,
        "scan": {
            "kind": "access_spec",
            "on": "data",
            "file_size": "1GiB",
            "pattern": {"size": "128KiB", "read": "100%", "random": "0%"},
            "schedule": [{"at": "0s", "rate": "0/s"}, {"at": "12s", "rate": "200/s"}],
        },
    },
}


def totals(run: by.Run) -> dict[str, tuple[int, int]]:
    """IOs and bytes by operation."""
    sums: dict[str, tuple[int, int]] = {}
    for total in run.result["totals"]:
        ios, moved = sums.get(total["op"], (0, 0))
        sums[total["op"]] = ios + total["ios"], moved + total["bytes"]
    return sums


def percent(said: str, what: str) -> dict[str, float]:
    """Errors by quantile."""
    (part,) = (part for part in re.split("[:;]", said) if part.strip().startswith(what))
    return {name: float(error) for name, error in re.findall(r"(p\d+) ([+-]\d+)%", part)}


def test_a_load_described_is_the_same_load(tmp_path: Path) -> None:
    seen = by.simulate(LOAD, out=tmp_path / "seen")
    described = by.describe(tmp_path / "seen")
    again = by.simulate(yaml.safe_load(described.text))
    for op, (ios, moved) in totals(seen).items():
        assert totals(again)[op][0] == pytest.approx(ios, rel=0.01)
        assert totals(again)[op][1] == pytest.approx(moved, rel=0.01)
    # Of the reads the second half has those of the scan more, which the first does not tell.
    rates, latencies = described.error
    assert percent(rates, "IOPS of 1 s")["p50"] == pytest.approx(100 * (1500 / 1700 - 1), abs=4)
    # The storage is the same in both, so a profile fitted of the first is right in the second.
    for flow in ("reads", "writes"):
        errors = percent(latencies, flow)
        assert max(abs(errors["p50"]), abs(errors["p95"])) <= 3
        assert abs(errors["p99"]) <= 25
    # What to know is above the scenario.
    assert described.text.startswith("# The load of seen.\n# - all 24 s of seen are taken.\n")


def test_storage_that_changes_shows_as_an_error(tmp_path: Path, blockyard: Blockyard) -> None:
    """What a description of its first half would miss."""
    slower = {**STEADY, "events": [{"at": "12s", "degrade": "data", "to": "40%"}]}
    (tmp_path / "slower.yaml").write_text(yaml.safe_dump(slower))
    seen = tmp_path / "seen"
    assert not blockyard("simulate", tmp_path / "slower.yaml", "--io-log", "--out", seen).returncode
    done = blockyard("describe", seen, "-o", tmp_path / "load.yaml")
    assert done.returncode == 0, done.stderr
    _, latencies = done.stdout.splitlines()
    assert percent(latencies, "reads")["p95"] < -90
    assert "# - error of its latencies, simulated" in (tmp_path / "load.yaml").read_text()


def test_too_little_has_no_error(tmp_path: Path) -> None:
    by.simulate({**STEADY, "duration": "1s"}, out=tmp_path / "seen")
    assert by.describe(tmp_path / "seen").error == [
        "error of its latencies, if simulated: not known: each half needs 1,000 reads or writes "
        "with latencies"
    ]


CLOSED = {
    "name": "threads",
    "duration": "24s",
    "storage": {"data": {"type": "gp3", "size": "100GiB"}},
    "workload": {
        "pages": {
            "kind": "access_spec",
            "on": "data",
            "file_size": "40GiB",
            "pattern": {"size": "8KiB", "read": "70%", "random": "100%"},
            "think_time": "2ms",
            "fsync_every": 4,
            "processes": 6,
        },
    },
}


def test_threads_that_waited_do_so_again(tmp_path: Path, blockyard: Blockyard) -> None:
    """On slower storage they ask for less, as they would have there."""
    (tmp_path / "threads.yaml").write_text(yaml.safe_dump(CLOSED))
    made = "simulate", tmp_path / "threads.yaml", "--io-log", *ONCE, "--out", tmp_path / "seen"
    assert blockyard(*made).returncode == 0
    # Who asks Linux for a flush sends an empty write.
    log = tmp_path / "seen/ios.csv"
    log.write_text(log.read_text().replace(",flush,", ",write,"))
    ios = pv.read_csv(log)
    calls = {
        "start_ns": ios["due_ns"],
        "end_ns": ios["completed_ns"],
        "thread": ios["slot"],
        "name": ios["job"],
        "ios": pa.array([1] * len(ios)),
        "waited": pa.array([1] * len(ios)),
    }
    pq.write_table(pa.table(calls), tmp_path / "seen/calls.parquet")
    described = by.describe(tmp_path / "seen")
    tree = yaml.safe_load(described.text)
    [job] = tree["workload"].values()
    assert (job["schedule"], job["fsync_every"]) == ([{"at": "0s", "processes": 6}], 4)
    assert float(job["think_time"].removesuffix("us")) == pytest.approx(2000, rel=0.05)
    assert any("closed loop, as its 6 threads waited" in note for note in described.notes)
    for volume in ({"type": "gp3", "size": "100GiB"}, {"type": "gp2", "size": "200GiB"}):
        storage = {"storage": {"data": {**volume, "tokens": "0%"}}}
        truth, again = by.simulate({**CLOSED, **storage}), by.simulate({**tree, **storage})
        for op, (count, moved) in totals(truth).items():
            assert totals(again)[op][0] == pytest.approx(count, rel=0.03)
            assert totals(again)[op][1] == pytest.approx(moved, rel=0.03)


@pytest.fixture
def iostat(tmp_path: Path) -> Path:
    """An iostat of 100 reads and 50 writes a second."""
    report = (
        "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util\n"
        "nvme1n1 100.00 800.00 2.00 50.00 800.00 4.00 0.40 20.00\n\n"
    )
    text = "Linux 6.1 (db1) \t11/21/26 \t_x86_64_\t(16 CPU)\n\n"
    reports = (f"11/21/26 09:00:{at:02}\n{report}" for at in range(12))
    (tmp_path / "night.txt").write_text(text + "".join(reports))
    return tmp_path / "night.txt"


def test_a_file_that_knows_no_sizes_needs_a_layout(iostat: Path, blockyard: Blockyard) -> None:
    refused = blockyard("describe", iostat)
    assert refused.returncode == 2
    assert "the size of nvme1n1 is not known; expected --on SCENARIO" in one_line(refused)
    done = blockyard("describe", iostat, "--on", "gp3.yaml", "--map", "data=nvme1n1")
    assert done.returncode == 0, done.stderr
    assert "size: 8192B" in done.stdout
    assert "not known: night has no latencies" in done.stdout


def test_a_map_without_a_layout_is_refused(iostat: Path, blockyard: Blockyard) -> None:
    refused = blockyard("describe", iostat, "--map", "data=nvme1n1")
    assert refused.returncode == 2
    assert "--map: night has no layout; expected --on" in one_line(refused)
