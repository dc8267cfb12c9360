"""What a full disk leaves of an observation."""

import json
import threading
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest

from blockyard import _core
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
