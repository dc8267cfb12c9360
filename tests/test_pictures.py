"""Figures as pictures: every kind of plot is drawn, and drawn the same again."""

import builtins
import struct
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from blockyard.report.figure import (
    Axis,
    Bar,
    Bars,
    Curve,
    Curves,
    Figure,
    Heat,
    Lane,
    Lanes,
    Level,
    Lines,
    Plot,
    Series,
    Span,
)
from blockyard.report.static import NoPlotsError, picture

TIME = Axis("time", "s")
LATENCY = Axis("latency", "ms", "log")
PLOTS: dict[str, Plot] = {
    "lines": Lines(
        TIME,
        Axis("IOPS", "IOPS"),
        [0, 1, 2, 3],
        [
            Series("reads", [1, None, 3, None], 0),
            Series("limit", [2, 2, 4, 4], None, "dashed", stepped=True),
        ],
        [Level("volume: 3,000 IOPS", 3)],
        [Span("1 process", 0, 2), Span("4 processes", 2, 3), Span("paused", 1, 1)],
    ),
    "curves": Curves(
        Axis("share", scale="nines"),
        LATENCY,
        [Curve("reads", [(0, 0.5, "p0"), (0.99, 2, "p99")], 0, marked=(1, "knee"))],
        [Level("goal", 1)],
    ),
    "heat": Heat(TIME, LATENCY, [0, 5, 10], [0.5, 1, 2, 4], [[0, 5, 1], [0, 0, 0]]),
    "bars": Bars(Axis("held", "s"), ["readers", "writers"], [Bar("data IOPS", [3, 4])]),
    "lanes": Lanes(
        TIME, ["WIJ", "database"], [Lane("80 s", [(0, 2, 0), (2, 9, 1)])], [Level("due", 80)]
    ),
}


def drawn(kind: str, path: Path) -> Path:
    title = "IOPS & <latency>" if kind == "lines" else kind
    picture(Figure(kind, title, "What it shows.", PLOTS[kind]), path)
    return path


@pytest.fixture(autouse=True)
def _matplotlib() -> None:
    pytest.importorskip("matplotlib")


@pytest.mark.parametrize("kind", PLOTS)
def test_svg_is_whole_and_the_same_to_the_byte(kind: str, tmp_path: Path) -> None:
    first, again = drawn(kind, tmp_path / "a.svg"), drawn(kind, tmp_path / "b.svg")
    assert first.read_bytes() == again.read_bytes()
    text = "".join(ElementTree.parse(first).getroot().itertext())  # noqa: S314 our own file
    assert "What it shows." in text
    plot = PLOTS[kind]
    if isinstance(plot, Lines):
        assert all(label in text for label in ("reads", "volume: 3,000 IOPS", "4 processes"))
        assert "IOPS & <latency>" in text


@pytest.mark.parametrize("kind", PLOTS)
def test_png_has_the_size_of_a_slide(kind: str, tmp_path: Path) -> None:
    data = drawn(kind, tmp_path / "a.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1350, 600)
    assert data == drawn(kind, tmp_path / "b.png").read_bytes()


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"`\.gif` is no picture; expected \.png or \.svg"):
        drawn("bars", tmp_path / "a.gif")


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def missing(name: str, *arguments: object, **options: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)  # type: ignore[arg-type]

    for name in [name for name in sys.modules if name.startswith("blockyard.report.drawing")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("blockyard.report.drawing", raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(NoPlotsError, match=r"pip install 'blockyard\[plots\]'"):
        drawn("bars", tmp_path / "a.svg")
