"""Figures as pictures: every kind of plot is drawn, and drawing it again gives the same."""

import builtins
import struct
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import samples
from blockyard.pages import pictures
from blockyard.pages.figure import Figure, Lines, Plot, Series
from blockyard.pages.pictures import NoPlotsError, picture
from samples import LATENCY, TIME

pytestmark = pytest.mark.slow

PLOTS: dict[str, Plot] = {
    "lines": samples.rates("IOPS"),
    "curves": samples.CURVES,
    "heat": samples.HEAT,
    "difference": samples.DIFFERENCE,
    "bars": samples.BARS,
    "lanes": samples.LANES,
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
        assert all(label in text for label in ("readers read", "limit, 4,000 IOPS", "20 processes"))
        assert "IOPS & <latency>" in text


@pytest.mark.parametrize("kind", PLOTS)
def test_png_has_the_size_of_a_slide(kind: str, tmp_path: Path) -> None:
    data = drawn(kind, tmp_path / "a.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1350, 600)
    assert data == drawn(kind, tmp_path / "b.png").read_bytes()


def test_a_log_axis_of_less_than_a_decade_can_be_read() -> None:
    latencies = Lines(TIME, LATENCY, [0, 1, 2], [Series("reads", [0.6, 0.9, 1.3], 0)])
    axes = pictures.drawn(Figure("latency", "Latency", "What it shows.", latencies)).axes[0]
    low, high = axes.get_ylim()
    ticks = [tick for tick in axes.get_yticks() if low <= tick <= high]
    assert ticks == pytest.approx([0.5, 1, 2])


def test_a_difference_has_colours_for_more_and_for_fewer() -> None:
    figure = Figure("difference", "Where they differ", "What it shows.", samples.DIFFERENCE)
    cells = pictures.drawn(figure).axes[0].collections[0]
    assert cells.get_clim() == (-1000, 1000)
    (more_red, _, more_blue, _), (fewer_red, _, fewer_blue, _) = map(cells.get_cmap(), (0.51, 0.49))
    assert more_red > more_blue
    assert fewer_red < fewer_blue


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

    for name in [name for name in sys.modules if name.startswith("blockyard.pages.drawing")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("blockyard.pages.drawing", raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(NoPlotsError, match=r"pip install 'blockyard\[plots\]'"):
        drawn("bars", tmp_path / "a.svg")
