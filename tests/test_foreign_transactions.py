"""pgbench's and sysbench's output read as transactions; samples are of PostgreSQL 15 here."""

from pathlib import Path

import pytest

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError
from blockyard.runs.run import Run
from blockyard.types.result.transactions import TransactionTotal
from conftest import Blockyard, one_line

PROGRESS = """\
pgbench (15.18 (Debian 15.18-0+deb12u1))
starting vacuum...end.
progress: 1.0 s, 868.9 tps, lat 2.242 ms stddev 3.415, 0 failed
progress: 2.0 s, 306.0 tps, lat 6.567 ms stddev 3.336, 0 failed
progress: 3.0 s, 452.0 tps, lat 4.419 ms stddev 3.971, 0 failed
progress: 4.0 s, 294.0 tps, lat 6.797 ms stddev 2.729, 0 failed
"""
SUMMARY = """\
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
number of clients: 2
duration: 4 s
number of transactions actually processed: 1923
number of failed transactions: 3 (0.156%)
latency average = 4.144 ms
tps = 481.704015 (without initial connection time)
"""
# Client, number, microseconds, script, end.
LOG = """\
0 1 3000 0 1795475001 500000
1 1 7000 0 1795475001 900000
0 2 failed 0 1795475001 950000
1 2 1000 0 1795475003 497000
"""
SYSBENCH = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
[ 1s ] thds: 2 tps: 485.39 qps: 9773.77 (r/w/o: 6847.43/1934.58/991.76) lat (ms,99%): 11.24
[ 2s ] thds: 2 tps: 516.05 qps: 10413.11 (r/w/o: 7296.78/2060.22/1056.11) lat (ms,99%): 9.73
    transactions:                        1002   (500.10 per sec.)
Latency (ms):
         min:                                    0.53
         avg:                                    3.77
         max:                                   18.46
         99th percentile:                       10.84
         sum:                                 8003.81
"""


def load(folder: Path, text: str, name: str = "sample.txt") -> Run:
    (folder / name).write_text(text)
    run = foreign.read(folder / name)
    assert run is not None
    return run


def total(run: Run) -> TransactionTotal:
    [found] = run.result["transactions"]
    return found


def test_a_summary_with_progress_has_intervals(tmp_path: Path) -> None:
    run = load(tmp_path, PROGRESS + SUMMARY)
    done = total(run)
    assert (done["job"], done["count"], done["failed"]) == ("pgbench", 1923, 3)
    assert done["tps"] == pytest.approx(481.704015)
    assert run.transactions["t_s"].to_pylist() == [0, 1, 2, 3]
    assert run.transactions["count"].to_pylist() == [869, 306, 452, 294]
    assert run.transactions["latency_mean_us"].to_pylist() == [2242, 6567, 4419, 6797]
    assert run.result["totals"] == []


@pytest.mark.parametrize(("text", "count", "rows"), [(PROGRESS, 1921, 4), (SUMMARY, 1923, 1)])
def test_either_is_enough(tmp_path: Path, text: str, count: int, rows: int) -> None:
    run = load(tmp_path, text)
    assert total(run)["count"] == count
    assert run.transactions.num_rows == rows


def test_a_log_of_each_transaction_has_exact_percentiles(tmp_path: Path) -> None:
    run = load(tmp_path, LOG, "pgbench_log.77")
    done = total(run)
    assert (done["count"], done["failed"]) == (3, 1)
    # From the begin of the first at 1.497 s to 3.497 s.
    assert run.result["duration_s"] == pytest.approx(2.0)
    assert run.transactions["count"].to_pylist() == [2, 0, 1]
    figures = done["latency_us"]
    assert figures
    assert figures["mean"] == pytest.approx(11_000 / 3, rel=0.01)
    assert figures["max"] == 7000
    assert figures["p50"] == pytest.approx(3000, rel=0.01)
    machine = run.result["machine"]
    assert machine
    assert machine["started"] == "2026-11-23T23:03:21Z"


def test_logs_of_all_threads_are_one_run_whichever_is_named(tmp_path: Path) -> None:
    (tmp_path / "pgbench_log.77.1").write_text(LOG)
    (tmp_path / "pgbench_log.78").write_text(LOG)
    assert total(load(tmp_path, LOG, "pgbench_log.77"))["count"] == 6
    assert total(load(tmp_path, LOG, "pgbench_log.77.1"))["count"] == 6
    assert total(load(tmp_path, LOG, "pgbench_log.78"))["count"] == 3


def test_sysbench_has_the_percentile_that_it_prints(tmp_path: Path) -> None:
    run = load(tmp_path, SYSBENCH)
    assert total(run)["count"] == 1002
    assert total(run)["tps"] == pytest.approx(500.1)
    assert run.transactions["count"].to_pylist() == [485, 516]
    known = {"sysbench.transaction": [(0.0, 530.0), (0.99, 10_840.0), (1.0, 18_460.0)]}
    assert run.percentiles == known
    assert run.result["notices"] == [
        "sysbench: latency mean 3.77 ms, p99 10.84 ms, max 18.46 ms; sysbench prints no more "
        "percentiles"
    ]


def test_commands_speak_of_transactions(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(SYSBENCH)
    (tmp_path / "b.txt").write_text(SYSBENCH.replace("500.10", "250.05").replace("10.84", "40.1"))
    report = blockyard("report", "a.txt").stdout
    assert "500 transactions a second, measured by sysbench" in report
    assert "No IO" not in report
    gate = ["--fail-if", "sysbench.transactions.latency.p99 > 20ms"]
    done = blockyard("compare", "a.txt", "b.txt", *gate)
    assert (done.returncode, done.stderr) == (1, "")
    assert "fails: sysbench.transactions.latency.p99 > 20ms: 40.1" in done.stdout


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1795475005 246 1308817 10600213653 263 17398\n", "pgbench's log by intervals"),
        ("0 1 skipped 0 1795475001 500000\n", "no transaction in it"),
        (LOG + "0 1 5\n", "no log of transactions throughout"),
        (LOG + "0 1 5 0 1999999999 1\n", "a run of 204,524,998 s; expected at most"),
        ("transaction type: x\nscaling factor: 1\n", "pgbench's report without its end"),
        ("sysbench 1.0.20\nCPU speed:\n", "a report of sysbench without transactions"),
    ],
)
def test_what_has_no_transactions_is_named(tmp_path: Path, text: str, error: str) -> None:
    with pytest.raises(ForeignError, match=error):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"type":"Metric","data":{"name":"http_reqs"}}', "k6's requests to an application"),
        ("metric_name,timestamp\nhttp_req_duration,1,2\n", "k6's requests to an application"),
        ('# TYPE x histogram\nx_bucket{le="0.1"} 4\n', "buckets too wide for percentiles"),
    ],
)
def test_what_says_nothing_of_storage_is_refused_with_the_reason(
    blockyard: Blockyard, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "other.txt").write_text(text)
    done = blockyard("report", "other.txt")
    assert done.returncode == 2
    assert said in one_line(done)
    assert "record what the database's host sees" in one_line(done)
