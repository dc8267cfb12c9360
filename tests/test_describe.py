"""`blockyard describe`: the load of a run as a scenario that has the same load."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.parquet as pq
import pytest
import yaml

import blockyard as by
from blockyard.fitting import sources
from blockyard.questions import fit
from conftest import ONCE, Blockyard, one_line

PAGES: dict[str, Any] = {
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


def test_writes_that_only_ask_for_a_flush_are_no_load(tmp_path: Path, blockyard: Blockyard) -> None:
    seen = tmp_path / "seen"
    (tmp_path / "steady.yaml").write_text(yaml.safe_dump({**STEADY, "duration": "6s"}))
    assert not blockyard(
        "simulate", tmp_path / "steady.yaml", "--io-log", *ONCE, "--out", seen
    ).returncode
    alone = yaml.safe_load(by.describe(seen).text)
    # As `observe` sees it where a database flushes after each write.
    ios = pv.read_csv(seen / "ios.csv")
    empty = ios.filter(pc.equal(ios["op"], "write"))
    at = empty.schema.get_field_index("bytes")
    empty = empty.set_column(at, "bytes", pa.array([0] * len(empty), pa.int64()))
    pv.write_csv(pa.concat_tables([ios, empty]), seen / "ios.csv")
    rows = pq.read_table(seen / "intervals.parquet")
    twice = pc.if_else(pc.equal(rows["op"], "write"), pc.multiply(rows["ios"], 2), rows["ios"])
    at = rows.schema.get_field_index("ios")
    pq.write_table(rows.set_column(at, rows.schema.field(at), twice), seen / "intervals.parquet")
    assert yaml.safe_load(by.describe(seen).text)["workload"] == alone["workload"]


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


@pytest.mark.parametrize(
    ("type_", "iops", "think", "seconds"),
    [
        ({"type": "gp3"}, 3000, 1, 32),
        ({"type": "io2", "iops": 1200}, 1200, 1, 32),
        # Less than any type on sale has.
        ({"type": "unlimited", "iops": 60, "latency": "gp3"}, 60, 30, 160),
        ({"type": "unlimited", "iops": 20, "latency": "st1"}, 20, 90, 640),
    ],
)
def test_a_load_at_a_limit_has_an_error(
    tmp_path: Path, type_: dict[str, Any], iops: int, think: int, seconds: int
) -> None:
    """The limit that is fitted of its first half is that of the volume it is simulated on."""
    volume = {**type_, "size": "400GiB"}
    reads = {**PAGES["pattern"], "read": "100%"}
    asked = {"pattern": reads, "think_time": f"{think}ms", "processes": [1, 16, 16, 16]}
    readers = {**{key: PAGES[key] for key in ("kind", "on", "file_size")}, **asked}
    storage = {"storage": {"data": volume}, "workload": {"readers": readers}}
    by.simulate({**STEADY, **storage, "duration": f"{seconds}s"}, out=tmp_path / "seen")
    _, latencies = by.describe(tmp_path / "seen").error
    assert "reads p50" in latencies, latencies
    assert "it was throttled at " in latencies
    first = sources.of_run(by.load(tmp_path / "seen"), seconds / 2)
    fitted = fit.of([first]).volume("1TiB")
    assert (fitted["type"], fitted["iops"]) == ("unlimited", pytest.approx(iops, rel=0.02))


@pytest.mark.parametrize("processes", [3, 16])
def test_what_is_fitted_of_used_up_credits_gives_the_record_back(
    tmp_path: Path, processes: int
) -> None:
    """With as many threads as the burst of 3,000 IOPS makes wait, and with fewer."""
    gp2 = {"type": "gp2", "size": "100GiB", "burst_balance": "1%"}
    asked = {**PAGES, "processes": processes, "think_time": "1ms"}
    del asked["rate"]
    scenario = {
        **STEADY,
        "storage": {"data": gp2},
        "workload": {"pages": asked},
        "duration": "120s",
    }
    by.simulate(scenario, out=tmp_path / "seen")
    fitted = by.fit(tmp_path / "seen")
    (baseline,) = (limit for limit in fitted.figures["limits"] if limit["credits"])
    assert baseline["applies"] == "both"
    assert baseline["rate"]["value"] == pytest.approx(300, rel=0.01)
    assert "IOPS or throughput baseline" in {one.name for one in fitted.parameters()}
    volume = fitted.volume("100GiB")
    assert (volume["type"], volume["size"]) == ("gp2", "100GiB")
    again = by.simulate({**scenario, "storage": {"data": volume}}, out=tmp_path / "again")
    for op in ("read", "write"):
        first, second = (
            next(total for total in run["totals"] if total["op"] == op)
            for run in (by.load(tmp_path / "seen").result, again.result)
        )
        assert second["ios"] == pytest.approx(first["ios"], rel=0.02)
        had, has = first["latency_us"], second["latency_us"]
        assert had is not None
        assert has is not None
        assert has["p95"] == pytest.approx(had["p95"], rel=0.05)


def test_a_device_that_a_trace_numbers_has_the_kernels_name(tmp_path: Path) -> None:
    lines: list[tuple[int, str]] = []
    for n in range(1, 3001):
        for device in ("8,16", "259,3", "8,1"):
            for after, event, last in ((0, "Q", "db"), (10, "D", "db"), (500, "C", "0")):
                at = n * 4_000 + after
                place = f"{at // 10**6}.{at % 10**6:06}000 7 {event} R {n * 8} + 8 [{last}]"
                lines.append((at, f"{device} 5 {len(lines)} {place}\n"))
    (tmp_path / "night.txt").write_text("".join(line for _, line in sorted(lines)))
    by.import_trace(tmp_path / "night.txt", out=tmp_path / "night")
    described = by.describe(tmp_path / "night")
    assert "dev259-3 is 259:3, sda1 is 8:1, sdb is 8:16 in" in " ".join(described.notes)
    assert {*yaml.safe_load(described.text)["storage"]} == {"dev259-3", "sda1", "sdb"}
    # The profiles of its first half are of these devices, too.
    assert max(map(abs, percent(described.error[-1], "reads").values())) <= 3


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
