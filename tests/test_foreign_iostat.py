"""iostat's output read as runs, from this machine's sysstat and from older versions."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError, clock
from foreign_runs import load

pytestmark = pytest.mark.slow

needs_iostat = pytest.mark.skipif(not shutil.which("iostat"), reason="iostat is not installed")

HEADING = "Linux 4.18.0-553.el8.x86_64 (db1) \t11/21/26 \t_x86_64_\t(16 CPU)\n\n"
CPU = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n   1.0 0 0 0 0 99\n\n"
COLUMNS = "r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util"

# The first report of each text, since the boot, and one over 10 s with 100 reads a second of
# 8 KiB that take 2 ms, and 50 writes of 16 KiB that take 4 ms.
VERSIONS = {
    "9": (
        "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   "
        "await  svctm  %util",
        "sda 0.00 0.00 100.00 50.00 1600.00 1600.00 21.33 0.40 2.67 0.10 20.00",
        (2670, 2670),
    ),
    "10": (
        "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   "
        "await r_await w_await  svctm  %util",
        "sda 0.00 0.00 100.00 50.00 800.00 800.00 21.33 0.40 2.67 2.00 4.00 0.10 20.00",
        (2000, 4000),
    ),
    "11": (
        "Device            r/s     w/s     rMB/s     wMB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await"
        " w_await aqu-sz rareq-sz wareq-sz  svctm  %util",
        "sda 100,00 50,00 0,78125 0,78125 0,00 0,00 0,00 0,00 2,00 4,00 0,40 8,00 16,00 0,1 20",
        (2000, 4000),
    ),
}


def report(stamp: str, columns: str, *rows: str) -> str:
    return f"{stamp}\n{CPU}{columns}\n" + "".join(f"{row}\n" for row in rows) + "\n"


def written(path: Path, *stamps: str, rows: str = "sda 1 4 2 3 12 4 0.5 1") -> Path:
    device = f"Device {COLUMNS}"
    path.write_text(HEADING + "".join(report(stamp, device, rows) for stamp in stamps))
    return path


def iostat(path: Path, *arguments: str) -> Path:
    place = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        ["iostat", *arguments], capture_output=True, text=True, timeout=60, check=True, env=place
    )
    path.write_text(done.stdout)
    return path


@pytest.mark.parametrize("version", VERSIONS)
def test_the_columns_of_each_version_mean_the_same(tmp_path: Path, version: str) -> None:
    columns, row, (read_us, write_us) = VERSIONS[version]
    boot = report("11/21/26 09:00:00", columns, row.replace("sda 0", "sda 9"))
    path = tmp_path / "iostat.txt"
    path.write_text(HEADING + boot + report("11/21/26 09:00:10", columns, row))
    run = load(path)
    reads, writes = run.intervals.to_pylist()
    assert (reads["op"], reads["job"], reads["device"]) == ("read", "observed", "sda")
    assert (reads["ios"], reads["bytes"]) == (1000, 1000 * 8192)
    assert (writes["ios"], writes["bytes"]) == (500, 500 * 16384)
    assert (reads["latency_mean_us"], writes["latency_mean_us"]) == (read_us, write_us)
    assert reads["queue_depth"] + writes["queue_depth"] == pytest.approx(0.4)
    assert reads["queue_depth"] / writes["queue_depth"] == pytest.approx(read_us * 2 / write_us)
    assert {row["latency_p99_us"] for row in (reads, writes)} == {None}
    machine = run.result["machine"]
    assert machine
    assert machine["started"] == "2026-11-21T09:00:00"
    assert (machine["engine"], machine["processors"]) == ("iostat on db1", 16)
    [read_total, _] = run.result["totals"]
    assert (read_total["iops"], read_total["latency_us"]) == (100, None)


@needs_iostat
@pytest.mark.parametrize("unit", ["-k", "-m"])
def test_this_machine_s_iostat_is_read(tmp_path: Path, unit: str) -> None:
    run = load(iostat(tmp_path / "iostat", "-x", "-t", unit, "1", "3"))
    assert run.result["mode"] == "iostat"
    assert run.result["duration_s"] >= 2
    assert set(run.intervals["t_s"].to_pylist()) <= {0, 1, 2, 3}


@needs_iostat
def test_text_and_json_are_the_same_run(tmp_path: Path) -> None:
    """Two iostats never sample the same moments, so one file is derived from the other."""
    path = iostat(tmp_path / "iostat.json", "-x", "-t", "-o", "JSON", "1", "3")
    run = load(path)
    reports: list[dict[str, Any]] = json.loads(path.read_text())["sysstat"]["hosts"][0][
        "statistics"
    ]
    names = [name for name in reports[0]["disk"][0] if name != "disk_device"]
    text = HEADING + "".join(
        report(
            each["timestamp"],
            f"Device {' '.join(names)}",
            *(
                " ".join(str(disk[name]) for name in ["disk_device", *names])
                for disk in each["disk"]
            ),
        )
        for each in reports
    )
    (tmp_path / "iostat.txt").write_text(text)
    assert load(tmp_path / "iostat.txt").intervals.equals(run.intervals)


@needs_iostat
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["-x", "1", "2"], "no time; record with `iostat -x -t`, or say --interval"),
        (["-t", "1", "2"], "expected r/s, w/s, rkB/s"),
        (["-x", "-s", "-t", "1", "2"], "expected r/s, w/s, rkB/s"),
        (["-x", "-t"], "only one report"),
        (["-x", "-o", "JSON", "1", "2"], r"statistics\[0\]: no time; record with"),
    ],
)
def test_what_iostat_left_out_is_named(tmp_path: Path, arguments: list[str], error: str) -> None:
    with pytest.raises(ForeignError, match=error):
        foreign.read(iostat(tmp_path / "iostat", *arguments))


def test_the_first_report_of_every_start_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "a", "11/21/26 09:00:00", "11/21/26 09:00:05", "11/21/26 09:00:10")
    more = written(tmp_path / "b", "11/21/26 09:01:00", "11/21/26 09:01:05")
    path.write_text(path.read_text() + more.read_text())
    assert load(path).intervals["t_s"].to_pylist() == [0, 0, 5, 5, 60, 60]


@pytest.mark.parametrize(
    ("ends_with", "reports"),
    [("sda 1 4 2 3 12 4 0.5 1", 3), ("sda 1 4 2 3 12", 2), ("%util\n", 2), ("Device r/s rk", 2)],
)
def test_a_report_that_was_cut_off_is_no_idle_time(
    tmp_path: Path, ends_with: str, reports: int
) -> None:
    path = written(tmp_path / "a", *(f"11/21/26 09:00:0{second}" for second in range(4)))
    head, found, _ = path.read_text().rpartition(ends_with)
    path.write_text(head + found)
    result = load(path).result
    assert (result["duration_s"], sum(total["iops"] for total in result["totals"])) == (reports, 4)


def test_time_without_reports_is_noted(tmp_path: Path) -> None:
    stamps = (f"11/21/26 09:{minute:02}:00" for minute in (0, 1, 2, 6, 7))
    run = load(written(tmp_path / "a", *stamps))
    (note,) = run.result["notices"]
    assert note.startswith("no report covers 3 min of 7 min:")


def test_two_machines_are_not_one(tmp_path: Path) -> None:
    path = written(tmp_path / "a", "11/21/26 09:00:00", "11/21/26 09:00:05")
    path.write_text(path.read_text() + path.read_text().replace("db1", "db2"))
    with pytest.raises(ForeignError, match=r":17: 'db2'; expected the reports of one machine, .*1"):
        foreign.read(path)


def test_a_disk_that_did_nothing_is_left_out(tmp_path: Path) -> None:
    rows = "sda 1 4 2 0 0 0 0.5 1\nsdb 0 0 0 0 0 0 0 0"
    path = written(tmp_path / "a", "11/21/26 09:00:00", "11/21/26 09:00:01", rows=rows)
    assert [(row["device"], row["op"]) for row in load(path).intervals.to_pylist()] == [
        ("sda", "read")
    ]


STAMPS = ["11/21/26 09:00:00", "11/21/26 09:00:10", "11/21/26 09:00:20"]
ROWS = "nvme1n1 100.00 400.00 2.00 50.00 400.00 4.00 0.40 20.00"


def prefixed(lines: list[str]) -> str:
    """As `iostat -x 10 | ts` writes it."""
    second, made = 0, []
    for line in lines:
        if line.startswith("11/21/26 09"):
            second = int(line[-2:])
        else:
            made.append(f"Nov 21 09:00:{second:02} {line}")
    return "\n".join(made)


TRAPS: dict[str, Callable[[str], str]] = {
    "Chinese dates": lambda text: text.replace(
        "11/21/26 09:00:", "2026年11月21日 09时00分"
    ).replace("\navg-cpu", "秒\navg-cpu"),
    "German dates": lambda text: text.replace("11/21/26 09", "21.11.2026 09").replace(".00", ",00"),
    "rows that a terminal wrapped": lambda text: text.replace(" 50.00 400", "\n50.00 400").replace(
        " w/s", "\nw/s"
    ),
    "groups": lambda text: text.replace(f"{ROWS}\n", f"{ROWS}\n ALL{ROWS[7:]}\n"),
    "a time before each line": lambda text: prefixed(text.split("\n")),
    "as Windows saves it": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_of_real_files_change_nothing(tmp_path: Path, trap: str) -> None:
    """Each file says the same: in 20 s 100 reads and 50 writes a second."""
    path = written(tmp_path / "iostat", *STAMPS, rows=ROWS)
    plain = load(path).intervals
    changed = TRAPS[trap](path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)
    run = load(path)
    assert run.intervals.equals(plain)
    machine = run.result["machine"]
    assert machine
    assert machine["started"] == "2026-11-21T09:00:00"
    assert run.result["duration_s"] == 20


def test_idle_devices_that_are_left_out_did_nothing(tmp_path: Path) -> None:
    """As of `iostat -z`: the rates of a disk that was busy once are those of its interval."""
    path = written(tmp_path / "a", *(f"11/21/26 09:00:{at}" for at in range(10, 60, 10)))
    head, row, tail = path.read_text().rpartition("sda 1 4 2 3 12 4 0.5 1\n")
    path.write_text(head.replace(row, "") + row + tail)
    run = load(path)
    assert (run.result["duration_s"], run.interval_s) == (40, 10)
    assert [(each["t_s"], each["ios"]) for each in run.intervals.to_pylist()] == [
        (30, 10),
        (30, 30),
    ]


def test_a_file_that_was_appended_to_itself_counts_once(tmp_path: Path) -> None:
    path = written(tmp_path / "a", *STAMPS, rows=ROWS)
    plain = load(path).intervals
    path.write_text(path.read_text() * 2)
    run = load(path)
    assert run.intervals.equals(plain)
    assert "3 reports stand twice, and count once" in run.result["notices"]


def test_many_lines_all_count(tmp_path: Path) -> None:
    path = tmp_path / "iostat"
    day = datetime(2026, 11, 21)
    rows = "\n".join(f"sd{chr(97 + at)} 1 4 2 3 12 4 0.5 1" for at in range(20))
    path.write_text(
        "".join(
            f"{day + timedelta(seconds=at):%m/%d/%y %H:%M:%S}\nDevice {COLUMNS}\n{rows}\n\n"
            for at in range(9_000)
        )
    )
    run = load(path)
    # The first disk is taken for the system's.
    assert sum(total["ios"] for total in run.result["totals"]) == 9_000 * 19 * 4


def test_midnight_and_a_clock_that_is_set_back_make_no_gap() -> None:
    start = datetime(2026, 10, 25, 23, 59, 58)
    times = [start + timedelta(seconds=second) for second in range(4)]
    assert clock.elapsed(times) == [0, 1, 2, 3]
    later = [time - timedelta(hours=1) for time in times[2:]]
    assert clock.elapsed([*times[:2], *later]) == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        ("11/21/26 15:14:36", "2026-11-21T15:14:36"),
        ("21/11/26 15:14:36", "2026-11-21T15:14:36"),
        ("11/21/2026 03:14:36 PM", "2026-11-21T15:14:36"),
        ("11/21/2026 12:14:36 AM", "2026-11-21T00:14:36"),
        ("21.11.2026 15:14:36", "2026-11-21T15:14:36"),
        ("2026-11-21T15:14:36+0100", "2026-11-21T15:14:36"),
        ("2026/11/21 15:14:36", "2026-11-21T15:14:36"),
        ("yesterday", None),
        ("13/13/13 10:00:00", None),
        ("11/21/26 25:00:00", None),
    ],
)
def test_stamps_of_many_places_are_read(stamp: str, moment: str | None) -> None:
    found = clock.moment(stamp)
    assert (found and found.isoformat()) == moment


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("sda 1 4", "sda x 4", ":15: r/s: 'x'; expected a number of at least 0"),
        ("sda 1 4", "sda nan 4", ":15: r/s: 'nan'; expected a number of at least 0"),
        ("sda 1 4", "sda -1 4", ":15: r/s: '-1'; expected a number of at least 0"),
        ("sda 1 4", "sda 4", ":15: a row of 8; expected 9 as in the heading"),
        ("11/21/26 09:00:01", "11/41/26 09:00:01", ":10: '11/41/26 09:00:01'; expected a date"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, old: str, new: str, error: str) -> None:
    path = written(tmp_path / "a", "11/21/26 09:00:00", "11/21/26 09:00:01")
    head, found, tail = path.read_text().rpartition(old)
    path.write_text(head + new + tail)
    assert found
    with pytest.raises(ForeignError, match=error):
        foreign.read(path)
