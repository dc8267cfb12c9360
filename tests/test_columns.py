"""Tables on a terminal of 40 columns: no figure is cut, no name has one letter per line."""

import dataclasses
import io
from pathlib import Path

import pytest
from rich.console import Console

from blockyard.cli import columns, compare_table, serving, steer_status, terminal, text_table
from blockyard.comparison.sides import of_sides
from blockyard.questions.simulate import simulate
from blockyard.runs.run import Run
from blockyard.text.table import Table
from blockyard.types import status
from blockyard.words import summary
from conftest import GP3, Blockyard

NARROW = 40

_VOLUMES: list[status.VolumeStatus] = [
    {
        "name": f"data.{number}",
        "device": "data",
        "iops": 3000.0,
        "mib_per_s": 23.4,
        "balance_pct": 12.3,
        "paused": False,
        "failed": False,
        "throttled_by": "data.0.iops_credits",
        "limits": [
            {
                "name": f"data.{number}.iops",
                "owner": f"data.{number}",
                "device": "data",
                "host": None,
                "counts": "ios",
                "applies": "both",
                "credits": False,
                "network": False,
                "rate": 3000.0,
                "unit": "IOPS",
            }
        ],
    }
    for number in range(2)
]
_DEVICE: status.DeviceStatus = {
    "name": "data",
    "size_bytes": 1 << 30,
    "in_flight": 12,
    "reads": 1_234_567,
    "writes": 1_234_567,
    "flushes": 3,
    "trims": 0,
    "read_bytes": 0,
    "write_bytes": 0,
    "read_time_s": 0.0,
    "write_time_s": 0.0,
    "errors": 0,
    "mirror": None,
    "at": "nbd+unix:///data?socket=/tmp/gp2.nbd",
}
STATE: status.Status = {
    "uptime_s": 20_143,
    "devices": [_DEVICE],
    "volumes": _VOLUMES,
    "links": [],
    "lateness_us": None,
    "faults": [],
    "events": [],
    "serving": "as NBD exports",
    "warnings": [],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("narrow")
    (folder / "gp3.yaml").write_text(GP3)
    return simulate(folder / "gp3.yaml", out=folder / "run")


def printed(what: object, width: int = NARROW) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as captured:
        console.print(what)
    return captured.get().splitlines()


def readable(lines: list[str]) -> bool:
    """Whether all lines fit, and no column is one letter wide."""
    alone = [line for line in lines if len(line.strip()) == 1]
    return max(map(len, lines)) <= NARROW and not alone and not any("…" in line for line in lines)


def test_columns_go_in_the_stated_order() -> None:
    headings, rows = ("name", "a", "b"), [("x" * 30, "1" * 9, "2" * 9)]
    assert columns.kept(headings, rows, 80, ("b", "a")) == [0, 1, 2]
    assert columns.kept(headings, rows, 25, ("b", "a")) == [0, 1]
    assert columns.kept(headings, rows, 10, ("b", "a")) == [0]


def test_names_stand_above_the_figures_of_a_table_that_is_too_wide() -> None:
    columns = ["job", "operation", "load", "IOPS", "p95", "p99"]
    rows = [["readers", "read", f"{load} processes", "3,000", "1 ms", "2 ms"] for load in (2, 4)]
    table = Table("Load steps", columns, rows, words=3)
    assert (
        list(text_table.lines(table, 80))[2] == "readers  read       2 processes  3,000  1 ms  2 ms"
    )
    assert list(text_table.lines(table, 30)) == [
        "Load steps",
        "         load   IOPS   p99",
        "readers read",
        "  2 processes  3,000  2 ms",
        "  4 processes  3,000  2 ms",
    ]


def test_a_summary_keeps_iops_and_p99(run: Run) -> None:
    lines = printed(summary.of(run.result, Path("run"), run.facts, NARROW))
    assert readable(lines)
    total = run.result["totals"][0]
    assert total["latency_us"]
    text = "\n".join(lines)
    assert f"{total['iops']:,.0f}" in text
    assert "p99" in text
    assert "readers read" in text


def test_a_comparison_keeps_names_and_verdicts(run: Run) -> None:
    sides = [[run], [dataclasses.replace(run, name="other")]]
    compared = of_sides([run.name, "other"], sides)
    [side] = compared.tables["sides"]
    lines = printed(compare_table.of((run.name, "other"), side["lines"], NARROW))
    assert readable(lines)
    text = "\n".join(lines)
    for row in compared.found["rows"]:
        assert row["figure"] in text
    assert text.count("alike within 5%") >= len(compared.found["rows"])


def test_a_status_keeps_what_bound_volumes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(NARROW))
    steer_status.show(STATE)
    lines = capsys.readouterr().out.splitlines()
    assert readable(lines)
    text = "\n".join(lines)
    assert lines[0] == "up 5:35:43"
    assert "1,234,567" in text
    assert text.count("data.0.iops_credits") == 2
    assert "data.1: data.1.iops 3,000 IOPS" in text


def test_a_service_keeps_iops_and_what_bound_volumes() -> None:
    text = "\n".join(printed(serving._lines("gp2", 20_143.0, STATE, NARROW)))
    assert "3,000" in text
    assert "data.0.iops_credits" in text


def test_words_are_folded(run: Run, blockyard: Blockyard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(NARROW))
    said = blockyard("report", run.path).stdout
    assert max(map(len, said.splitlines())) <= NARROW


def test_a_width_of_0_is_one_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    usual = [terminal.on_stdout().width, terminal.on_stderr().width]
    monkeypatch.setenv("COLUMNS", "0")
    assert [terminal.on_stdout().width, terminal.on_stderr().width] == usual
