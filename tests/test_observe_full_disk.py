"""What a full disk leaves of an observation."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest

from blockyard import _core
from blockyard.cli import program
from blockyard.runs.execution import observe
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer


def test_calls_without_room_leave_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(_: Observer, arguments: dict[str, Any]) -> str:
        assert (directory.partial / ".room").stat().st_size == 16 << 20
        Path(arguments["calls"]).write_text("start_ns\n1\n", encoding="utf-8")
        return json.dumps({"notices": ["first"], "totals": []})

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_core, "observe", seen)
    monkeypatch.setattr(pyarrow.csv, "open_csv", full)
    with NewFolder(tmp_path / "run") as directory:
        text = observe.observe(
            "run", directory, {}, calls=True, stop=threading.Event(), view=Observer()
        )
    said = "calls.parquet is left out, so that the rest has room: no space left on device"
    assert json.loads(text or "")["notices"] == ["first", said]
    kept = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert kept == ["intervals.parquet", "result.json", "volumes.parquet"]


def test_the_figures_of_what_cannot_be_kept_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def seen(observer: Observer, arguments: dict[str, Any]) -> str | None:
        return real(Shrinking(observer), arguments)

    class Shrinking(Observer):
        """A disk on which the first rows find no room."""

        def __init__(self, inner: Observer) -> None:
            self.inner = inner

        def interval(self, interval: _core.Interval) -> None:
            if not shown:
                self.inner.unwritten(OSError(28, "No space left on device"))
            shown.append(interval)
            self.inner.interval(interval)

    shown: list[_core.Interval] = []
    real = _core.observe
    monkeypatch.setattr(_core, "observe", seen)
    out = tmp_path / "run"
    words = ["observe", "--counters", "--interval", "100ms", "--duration", "300ms"]
    assert program.run([*words, "--out", str(out)]) == 4
    said = capsys.readouterr()
    assert re.match(r"run: 0\.3\d* s observed\n", said.out), said.out
    assert said.err.splitlines() == [
        "blockyard: the run goes on, but cannot be kept: No space left on device",
        f"blockyard: {out}: nothing kept: No space left on device",
    ]
    assert not out.exists()
