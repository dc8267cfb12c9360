"""What sar, sadf, diskstats, node_exporter and SystemPerformance say of the same disk."""

import gzip
import json
import lzma
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError, Reading
from blockyard.runs.run import Run

needs_sar = pytest.mark.skipif(not shutil.which("sar"), reason="sar is not installed")

# Each file says of nvme1n1: for 30 s each 10 s 1,000 reads and 500 writes, of 8 KiB and 16 KiB, or
# of 12 KiB for sar; reads take 2 ms, writes 4 ms, or all 3 ms.
COLUMNS = "DEV tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util"
SAR_ROW = "nvme1n1 150.00 1200.00 600.00 0.00 12.00 0.40 3.00 20.00"
HEADING = "Linux 6.1.0-18-amd64 (db1) \t11/21/26 \t_x86_64_\t(8 CPU)\n\n"


def load(path: Path, reading: Reading | None = None) -> Run:
    run = foreign.read(path, reading or Reading())
    assert run is not None
    return run


def sar(row: str = SAR_ROW, columns: str = COLUMNS, clock: str = "{:02}:00:{:02}") -> str:
    before = clock.format(9, 0)
    text = HEADING
    for second in (10, 20, 30):
        now = clock.format(9, second)
        text += f"{before} {columns}\n{now} {row}\n\n"
        before = now
    return f"{text}Durchschn.: {columns}\nDurchschn.: {row}\n"


def sadf_csv() -> str:
    rows = (f"db1;10;2026-11-21 09:00:{at} UTC;{SAR_ROW.replace(' ', ';')}" for at in (30, 10, 20))
    return "\n".join([f"# hostname;interval;timestamp;{COLUMNS.replace(' ', ';')}", *rows, ""])


def sadf_json() -> str:
    names = ["disk-device", *COLUMNS.replace("/s", "").split()[1:]]
    words = SAR_ROW.split()
    figures: list[Any] = [words[0], *map(float, words[1:])]
    disk = dict(zip(names, figures, strict=True))
    reports = [
        {
            "timestamp": {"date": "2026-11-21", "time": f"09:00:{at}", "utc": 1, "interval": 10},
            "disk": [disk],
        }
        for at in (10, 20, 30)
    ]
    host: dict[str, Any] = {
        "nodename": "db1",
        "release": "6.1",
        "machine": "x86_64",
        "number-of-cpus": 8,
    }
    host |= {"file-date": "2026-11-21", "statistics": reports}
    return json.dumps({"sysstat": {"hosts": [host]}})


def counters(at: int, base: int = 7) -> list[int]:
    """Reads and their sectors and milliseconds, and so for writes, after so many seconds."""
    return [base + 100 * at, 1600 * at, 200 * at, base + 50 * at, 1600 * at, 200 * at]


def diskstats(*, stamped: bool = True, more: str = "0 0 0 0 0 0 0 0 0") -> str:
    text = ""
    for at in (0, 10, 20, 30):
        reads, read, read_ms, writes, written, write_ms = counters(at)
        text += f"TS {1795251600 + at}.25 2026-11-21 09:00:{at:02}\n" * stamped
        text += (
            f" 259 1 nvme1n1 {reads} 3 {read} {read_ms} {writes} 4 {written} {write_ms} {more}\n"
        )
    return text


def pt_report() -> str:
    heading = (
        "  #ts device    rd_s rd_avkb rd_mb_s rd_mrg rd_cnc   rd_rt    wr_s wr_avkb wr_mb_s wr_mrg"
        " wr_cnc   wr_rt busy in_prg    io_s  qtime stime\n"
    )
    row = "nvme1n1 100.0 8.0 0.8 0% 0.2 2.0 50.0 16.0 0.8 0% 0.2 4.0 20% 0 150.0 0.1 1.0\n"
    return heading + "\n".join(f" 10.0 {row}" for _ in range(3))


METRICS = ["reads_completed_total", "read_bytes_total", "read_time_seconds_total"]
METRICS += [name.replace("read", "write", 1) for name in METRICS]
METRICS[4] = "written_bytes_total"
UNITS = [1, 512, 0.001] * 2


def answer(labels: dict[str, str] | None = None) -> dict[str, Any]:
    series: list[dict[str, Any]] = [
        {
            "metric": {"__name__": f"node_disk_{name}", "device": "nvme1n1", **(labels or {})},
            "values": [
                [1795251600 + at, str(counters(at)[place] * UNITS[place])] for at in (0, 10, 20, 30)
            ],
        }
        for place, name in enumerate(METRICS)
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": series}}


def exposition(*, stamped: bool = True) -> str:
    return "".join(
        f'node_disk_{name}{{device="nvme1n1"}} {counters(at)[place] * UNITS[place]:.6e}'
        + f" {(1795251600 + at) * 1000}" * stamped
        + "\n"
        for at in (0, 10, 20, 30)
        for place, name in enumerate(METRICS)
    )


def iostat() -> str:
    columns = "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util"
    row = "nvme1n1 100.00 800.00 2.00 50.00 800.00 4.00 0.40 20.00"
    return HEADING + f"{columns}\n{row}\n\n" * 4


def system_performance(section: str, text: str) -> str:
    stamps = "".join(f"11/21/26, 09:00:{at:02}, 9, 300, 200, 0, 4\n" for at in range(0, 40, 10))
    return (
        '<html><body>Profile run "day" started at 09:00:00 on Nov 21 2026.\n'
        "up 3 days on machine db1<br>\n<div id=mgstat></div>mgstat<br><pre>\n<!-- beg_mgstat -->\n"
        f"Date, Time, Glorefs, PhyRds, PhyWrs, WDphase, WIJwri\n{stamps}<!-- end_mgstat -->\n</pre>"
        f"\n<font><div id={section}></div>{section}</font></b><br><pre>\n{text}</pre>"
        "<p align=right><a href=#Topofpage>Back to top</a></p>\n<div id=cpu></div>cpu\n"
    )


NO_TIME = Reading(interval_s=10.0)
FILES: dict[str, tuple[Callable[[], str], Reading, str]] = {
    "sar": (sar, Reading(), "sar"),
    "sar, decimal commas": (lambda: sar(SAR_ROW.replace(".", ",")), Reading(), "sar"),
    "sar, afternoon": (lambda: sar(clock="{:02}:00:{:02} PM"), Reading(), "sar"),
    "sar, Japanese": (lambda: sar(clock="{:02}時00分{:02}秒"), Reading(), "sar"),
    "sar of sysstat 11": (
        lambda: sar(
            "nvme1n1 150.00 2400.00 1200.00 24.00 0.40 3.00 0.13 20.00",
            "DEV tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util",
        ),
        Reading(),
        "sar",
    ),
    "sadf -d": (sadf_csv, Reading(), "sar"),
    "sadf -j": (sadf_json, Reading(), "sar"),
    "pt-stalk": (diskstats, Reading(), "diskstats"),
    "20 fields": (lambda: diskstats(more="0 0 0 1 2 3 4 5 6"), Reading(), "diskstats"),
    "/proc/diskstats": (lambda: diskstats(stamped=False, more="0 0 0"), NO_TIME, "diskstats"),
    "pt-diskstats": (pt_report, Reading(), "diskstats"),
    "pt-diskstats --show-timestamps": (
        lambda: "".join(
            part if at == 0 else f"09:00:{at}0{part}"
            for at, part in enumerate(pt_report().split(" 10.0"))
        ),
        Reading(),
        "diskstats",
    ),
    "Prometheus": (lambda: json.dumps(answer({"instance": "db1"})), Reading(), "prometheus"),
    "scrapes": (exposition, Reading(), "prometheus"),
    "scrapes without times": (lambda: exposition(stamped=False), NO_TIME, "prometheus"),
    "iostat": (iostat, NO_TIME, "iostat"),
    "SystemPerformance, iostat": (
        lambda: system_performance("iostat", iostat()), Reading(), "systemperformance"
    ),
    "SystemPerformance, sar": (
        lambda: system_performance("sar-d", sar()), Reading(), "systemperformance"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_all_say_the_same(tmp_path: Path, name: str) -> None:
    text, reading, mode = FILES[name]
    path = tmp_path / "given.txt"
    path.write_text(text())
    run = load(path, reading)
    assert run.result["mode"] == mode
    assert run.result["duration_s"] == 30
    totals = {total["op"]: total for total in run.result["totals"]}
    assert {total["device"] for total in totals.values()} == {"nvme1n1"}
    by_sar = "sar" in name or "sadf" in name
    assert (totals["read"]["ios"], totals["write"]["ios"]) == (3000, 1500)
    assert totals["read"]["bytes"] == 3000 * (12 if by_sar else 8) * 1024
    assert totals["write"]["bytes"] == 1500 * (12 if by_sar else 16) * 1024
    rows = run.intervals.to_pylist()
    assert sorted({row["t_s"] for row in rows}) == [0, 10, 20]
    means = {row["op"]: row["latency_mean_us"] for row in rows}
    assert means == ({"read": 3000, "write": 3000} if by_sar else {"read": 2000, "write": 4000})
    depth = sum(row["queue_depth"] for row in rows if row["t_s"] == 0)
    assert depth == pytest.approx(0.4)


@pytest.mark.parametrize(("suffix", "opened"), [(".gz", gzip.open), (".xz", lzma.open)])
def test_a_packed_file_is_read_as_it_is(
    tmp_path: Path, suffix: str, opened: Callable[..., "gzip.GzipFile | lzma.LZMAFile"]
) -> None:
    path = tmp_path / f"iostat.txt{suffix}"
    with opened(path, "wb") as file:
        file.write(iostat().encode())
    run = load(path, NO_TIME)
    assert (run.name, run.path, run.result["duration_s"]) == ("iostat", path, 30)
    with pytest.raises(ForeignError, match=rf"iostat\.txt\{suffix}:3: no time"):
        load(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ForeignError, match="damaged or cut off"):
        load(path, NO_TIME)


def test_files_of_windows_are_read(tmp_path: Path) -> None:
    """UTF-8 with a mark, and what PowerShell's `>` writes."""
    path = tmp_path / "iostat.txt"
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_bytes(iostat().encode(encoding))
        assert load(path, NO_TIME).result["duration_s"] == 30
        path.write_bytes(gzip.compress(path.read_bytes()))
        assert load(path, NO_TIME).result["duration_s"] == 30


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "iostat.txt"
    os.mkfifo(path)
    with pytest.raises(ForeignError, match="a pipe; save its text to a file"):
        load(path)


def test_counters_that_wrap_or_begin_anew(tmp_path: Path) -> None:
    path = tmp_path / "given"
    rows = {
        0: "0 0 0 4294967200 0 0 0 0 0 0 0",
        10: "100 0 1600 104 0 0 0 0 0 0 0",
        # Doubled, as by a script that was started twice.
        11: "100 0 1600 104 0 0 0 0 0 0 0",
        20: "5 0 80 5 0 0 0 0 0 0 0",
        30: "105 0 1680 205 0 0 0 0 0 0 0",
        50: "305 0 4880 605 0 0 0 0 0 0 0",
    }
    stamps = {11: 10}
    text = "".join(
        f"TS {1795251600 + stamps.get(at, at)}.0\n259 1 nvme1n1 {row}\n" for at, row in rows.items()
    )
    path.write_text(text)
    run = load(path)
    found = {row["t_s"]: (row["ios"], row["latency_mean_us"]) for row in run.intervals.to_pylist()}
    # The milliseconds have 32 bits; two intervals without a sample between share what was counted.
    assert found == {0: (100, 2000), 20: (100, 2000), 30: (100, 2000), 40: (100, 2000)}
    notices = run.result["notices"]
    assert "counters began anew 1 times; what was counted then is left out" in notices
    assert "1 samples stand twice, and count once" in notices


@needs_sar
def test_this_machine_s_sar_is_read(tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = subprocess.run(["sar", "-o", made, "-d", "1", "3"], capture_output=True, text=True,
                          check=True, timeout=60, env={"LC_ALL": "C"}).stdout  # fmt: skip
    (tmp_path / "sar.txt").write_text(text)
    for option in ("-d", "-j"):
        found = subprocess.run(["sadf", option, made, "--", "-d"], capture_output=True, check=True,
                               timeout=60)  # fmt: skip
        (tmp_path / f"sadf{option}").write_bytes(found.stdout)
    runs = [load(tmp_path / name) for name in ("sar.txt", "sadf-d", "sadf-j")]
    assert {run.result["duration_s"] for run in runs} == {3}
    counts = [{total["op"]: total["ios"] for total in run.result["totals"]} for run in runs]
    assert counts[0] == counts[1] == counts[2]


RATE = answer()
RATE["data"]["result"][0]["metric"].pop("__name__")
TWO = answer({"instance": "db1"})
TWO["data"]["result"] += answer({"instance": "db2"})["data"]["result"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (sar().replace("1200.00", "x", 1), ":4: rkB/s: 'x'; expected a number of at least 0"),
        (sar().replace(" 20.00", "", 1), ":4: a row of 8; expected 9 as in the heading"),
        (sadf_csv().replace("DEV", "IFACE"), "no column DEV; expected the output of `sadf -d FILE"),
        (sadf_csv().replace(";20.00", "", 1), ":2: a row of 11; expected 12"),
        (sadf_json().replace('"disk"', '"net"'), "no disks; record disks: `sadf -j FILE -- -d`"),
        (diskstats(stamped=False), ":1: no time before the counters; a line `TS"),
        (diskstats().split("TS")[1].join(["TS", ""]), "counters at one time only; rates need two"),
        (pt_report().replace("10.0 nvme1n1", "{3} nvme1n1"), ":2: rows of several samples or dev"),
        (exposition().replace("read_bytes", "other"), "no node_disk_read_bytes_total; query the"),
        (exposition(stamped=False), "counters of one moment; rates need a time series"),
        (json.dumps(RATE), r"result\[0\]: rate\(\) drops the names; query the counters"),
        (json.dumps(TWO), r"2 instances \(db1, db2\); expected one; query"),
        (json.dumps(answer()).replace("matrix", "vector"), "an answer of type vector, of one mo"),
        ('{"status": "error", "errorType": "bad", "error": "parse error", "resultType": 1}',
         "Prometheus answered with an error: parse error"),
        (system_performance("iostat", iostat()).replace("800.00 2.00 ", ""),
         ":19: a row of 7; expected 9 as in the heading"),
        (system_performance("ps", "").replace("Glorefs", "x"), "without iostat, sar -d or mgstat"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "given"
    path.write_text(text)
    with pytest.raises(ForeignError, match=error) as raised:
        load(path)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith(str(path))


def test_without_disks_mgstat_tells(tmp_path: Path) -> None:
    path = tmp_path / "given.html"
    path.write_text(system_performance("ps", "nothing\n"))
    run = load(path)
    totals = {(total["device"], total["op"]): total["iops"] for total in run.result["totals"]}
    assert totals == {("database", "read"): 300, ("database", "write"): 200, ("wij", "write"): 4}
