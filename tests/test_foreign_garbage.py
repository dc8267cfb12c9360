"""Whatever a file contains, it is a run, None, or an error in one line, and nothing else."""

import gzip
import json
import lzma
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError
from blockyard.runs.run import Run
from hostile import with_a_piece_replaced, with_a_value_replaced

MEASURED = {
    "total_ios": 2,
    "io_bytes": 8192,
    "runtime": 1000,
    "lat_ns": {"N": 2, "mean": 5.0, "max": 9, "bins": {"3": 1, "7": 1}},
}
FIO = json.dumps(
    {
        "fio version": "fio-3.33",
        "timestamp_ms": 1_700_000_000_000,
        "jobs": [{"jobname": "a", "error": 0, "read": MEASURED, "write": MEASURED}],
    }
)
DISK = {"disk_device": "a", "r/s": 1, "w/s": 1, "rkB/s": 1, "wkB/s": 1, "aqu-sz": 1}
DISK |= {"r_await": 1, "w_await": 1}
SYSSTAT = json.dumps(
    {
        "sysstat": {
            "hosts": [
                {
                    "nodename": "a",
                    "release": "6",
                    "machine": "x86_64",
                    "number-of-cpus": 1,
                    "statistics": [
                        {"timestamp": "11/21/26 09:00:00", "disk": [DISK]},
                        {"timestamp": "11/21/26 09:00:01", "disk": [DISK]},
                    ],
                }
            ]
        }
    }
)
IOSTAT = (
    "Linux 6 (a) 11/21/26 _x86_64_ (1 CPU)\n\n"
    "11/21/26 09:00:00\nDevice r/s w/s rkB/s wkB/s r_await w_await aqu-sz\na 1 1 1 1 1 1 1\n\n"
    "11/21/26 09:00:01\nDevice r/s w/s rkB/s wkB/s r_await w_await aqu-sz\na 1 1 1 1 1 1 1\n"
)
LOG = "1, 5000, 0, 4096, 0\n900, 7000, 1, 4096, 0\n2000, 7000, 0, 4096, 0\n"
SAR = (
    "Linux 6 (a) 11/21/26 _x86_64_ (1 CPU)\n\n"
    "09:00:00 DEV tps rkB/s wkB/s aqu-sz await\n09:00:01 a 1 1 1 1 1\n\n"
    "09:00:01 DEV tps rkB/s wkB/s aqu-sz await\n09:00:02 a 1 1 1 1 1\n\nAverage: a 1 1 1 1 1\n"
)
SADF = (
    "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;aqu-sz;await\n"
    "h;1;2026-11-21 09:00:01 UTC;a;1;1;1;1;1\nh;1;2026-11-21 09:00:02 UTC;a;1;1;1;1;1\n"
)
DISKSTATS = "".join(f"TS {at}.5\n 8 0 sda {at} 1 {at} 1 {at} 1 {at} 1 0 0 0\n" for at in (1, 2, 3))
DISK_METRICS = ["reads_completed", "read_bytes", "read_time_seconds"]
DISK_METRICS += ["writes_completed", "written_bytes", "write_time_seconds"]
PROMETHEUS = json.dumps(
    {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [
                {
                    "metric": {"__name__": f"node_disk_{name}_total", "device": "sda"},
                    "values": [[1, "1"], [2, "2"]],
                }
                for name in DISK_METRICS
            ],
        },
    }
)
SCRAPES = "".join(
    f'node_disk_{name}_total{{device="sda"}} {at} 100000000000{at}\n'
    for at in (1, 2)
    for name in DISK_METRICS
)
HTML = (
    "SystemPerformance\n<!-- beg_mgstat -->\nDate, Time, Glorefs, PhyRds, WDphase\n"
    "11/21/26, 09:00:00, 1, 1, 0\n11/21/26, 09:00:01, 1, 1, 0\n<!-- end_mgstat -->\n"
    f"<div id=iostat></div>iostat<pre>\n{IOSTAT}</pre>\n<div id=x>\n"
)
OLD = FIO.replace("lat_ns", "clat").replace('"bins": {"3": 1, "7": 1}', '"percentile": {"9": 1}')
TEXT = (
    "a: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=psync\nfio-3.33\n"
    "a: (groupid=0, jobs=1): err= 0: pid=1: Mon\n"
    "  read: IOPS=2, BW=8KiB/s (8kB/s)(8KiB/1000msec)\n"
    "    clat (nsec): min=16, max=3.8k, avg=178.03, stdev=1\n"
    "    clat percentiles (nsec):\n     |  1.00th=[   16], 99.00th=[ 3800]\n"
    "     issued rwts: total=2,0,0,0 short=0,0,0,0\n"
)
PGBENCH = "0 1 3991 0 1795475001 286073\n0 2 failed 0 1795475001 286807\n"
REPORT = (
    "transaction type: x\nprogress: 1.0 s, 8.9 tps, lat 2.2 ms stddev 3.4\n"
    "number of transactions actually processed: 9\nlatency average = 4.1 ms\n"
    "tps = 9.7 (without initial connection time)\n"
)
SYSBENCH = (
    "sysbench 1.0.20\n[ 1s ] thds: 2 tps: 4.3 lat (ms,99%): 1\n"
    "    transactions:    21   (5.4 per sec.)\nLatency (ms):\n         min:    0.53\n"
    "         max:   18.46\n         99th percentile:   10.84\n"
)
WHOLE = {
    "old.json": OLD,
    "fio.txt": TEXT,
    "pgbench_log.1": PGBENCH,
    "pgbench.txt": REPORT,
    "sysbench.txt": SYSBENCH,
    "a.json": FIO,
    "sar.txt": SAR,
    "sadf.csv": SADF,
    "diskstats": DISKSTATS,
    "c.json": PROMETHEUS,
    "scrapes": SCRAPES,
    "a.html": HTML,
    "b.json": SYSSTAT,
    "iostat.txt": IOSTAT,
    "a_lat.1.log": LOG,
    "a_clat_hist.1.log": "500, 0, 4096, " + ", ".join(["1"] * 29) + "\n",
}


def read(name: str, content: bytes) -> Run | None:
    """Read a file with this content; only these errors may be raised, in one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            return foreign.read(path)
        except ForeignError as error:
            said = str(error)
    assert said.startswith(str(path))
    assert "\n" not in said
    return None


@pytest.mark.parametrize("name", WHOLE)
def test_the_files_that_are_torn_below_are_runs(name: str) -> None:
    run = read(name, WHOLE[name].encode())
    assert run is not None
    assert run.result["totals"] or run.result["transactions"]


@given(st.sampled_from(sorted(WHOLE)), st.binary(max_size=300))
def test_bytes_of_no_program(name: str, content: bytes) -> None:
    read(name, content)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_a_file_with_one_piece_replaced(name: str, data: st.DataObject) -> None:
    read(name, with_a_piece_replaced(WHOLE[name], data))


@settings(max_examples=200)
@given(st.sampled_from(["a.json", "b.json", "c.json", "old.json"]), st.data())
def test_json_with_one_value_replaced(name: str, data: st.DataObject) -> None:
    read(name, with_a_value_replaced(WHOLE[name], data))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database of yaspe's, with one page for each table."""
    path = tmp_path_factory.mktemp("database") / "a.sqlite"
    with sqlite3.connect(path) as connection:
        columns = "Device, [r/s], [w/s], [rkB/s], [wkB/s], [r_await], [w_await], [aqu-sz], datetime"
        connection.execute("PRAGMA page_size = 512")
        connection.execute(f"CREATE TABLE iostat ({columns})")
        for second in range(3):
            row = ["sda", 1, 2, 3, 4, 5, 6, 7, f"2026/11/21 09:00:0{second}"]
            connection.execute("INSERT INTO iostat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.close()
    assert read("a.sqlite", path.read_bytes())
    return path.read_bytes()


@settings(max_examples=300)
@given(data=st.data())
def test_a_database_with_some_bytes_replaced(database: bytes, data: st.DataObject) -> None:
    torn = bytearray(database)
    for _ in range(data.draw(st.integers(1, 4))):
        torn[data.draw(st.integers(16, len(torn) - 1))] = data.draw(st.integers(0, 255))
    read("a.sqlite", bytes(torn))


def test_what_is_of_no_program_is_none() -> None:
    assert read("a.txt", b"some text\n") is None
    assert read("a.json", b'{"some": "json"}') is None


def test_a_folder_without_logs_is_none(tmp_path: Path) -> None:
    assert foreign.read(tmp_path) is None


@settings(max_examples=60)
@given(st.data())
def test_a_packed_file_that_is_damaged(data: st.DataObject) -> None:
    text = IOSTAT.encode()
    torn = bytearray(gzip.compress(text) if data.draw(st.booleans()) else lzma.compress(text))
    torn[data.draw(st.integers(2, len(torn) - 1))] ^= data.draw(st.integers(1, 255))
    read("iostat.txt.gz", bytes(torn[: data.draw(st.integers(1, len(torn)))]))


@pytest.mark.parametrize("figure", ["9" * 18, "9" * 30, "1e300"])
def test_figures_of_any_size(figure: str) -> None:
    for name, text in WHOLE.items():
        for old in (" 1 ", " 1,", "4096", "8192"):
            read(name, text.replace(old, old.replace(old.strip(" ,"), figure)).encode())
