"""The page of a report in a browser: drawn, harmless, light, dark, on a phone, on paper."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from blockyard.pages import figure_json
from blockyard.pages.figure import Axis, Bar, Bars, Figure, Lines, Series
from browser import Visit, Visiting, ink, ticks
from samples import ALL, CURVES, DIFFERENCE, HEAT, TIME, figure, page

pytestmark = pytest.mark.slow

pytest_plugins = ["visiting"]

ROOT = Path(__file__).parent.parent
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
EVIL = "</script><b id=evil>&amp;"


def test_every_kind_of_figure_is_drawn(visit: Visiting) -> None:
    seen = visit(page(*ALL))
    assert ink(seen.chart("Rates")) > 1000
    assert ink(seen.chart("Heat")) > 1000
    assert seen.chart("Curves").locator(".curve .stroke").count() == 2
    assert seen.chart("Bars").locator("rect.area").count() == 2
    assert seen.chart("Lanes").locator("rect.area").count() == 4


@pytest.mark.parametrize("dark", [False, True])
def test_a_difference_has_a_colour_for_more_and_one_for_fewer(
    visit: Visiting, *, dark: bool
) -> None:
    seen = visit(page(figure(DIFFERENCE, "Difference")), dark=dark)
    chart = seen.chart("Difference")
    legend = [text for text in ticks(chart) if "1,000" in text]
    assert legend == ["IOs, log scale: \u22121,000", "+1,000"]
    colours = chart.locator("svg.frame rect").evaluate_all(
        "rects => rects.map(({style}) => style.fill).filter(fill => fill.startsWith('rgb'))"
    )
    assert len(colours) == 24
    shades = [[int(part) for part in re.findall(r"\d+", colour)] for colour in colours]
    assert all(blue > red for red, _, blue in shades[:12])
    assert all(red > blue for red, _, blue in shades[12:])
    # Two cells of six have as many of both.
    assert 0.6 < ink(chart) / ink(visit(page(figure(HEAT, "Heat"))).chart("Heat")) < 1.6


def test_axes_levels_and_spans_have_their_words(visit: Visiting) -> None:
    seen = visit(page(*ALL))
    rates = seen.chart("Rates")
    assert {"0:00", "5:00", "10:00", "4,000"} <= {*ticks(rates)} | {"10:00"}
    assert rates.locator(".level-label").all_text_contents() == ["limit, 4,000 IOPS"]
    spans = rates.locator("text.span").all_text_contents()
    assert spans == ["10 processes", "20 processes", "failed"]
    assert {"90%", "99%"} <= set(ticks(seen.chart("Curves")))


def test_names_are_harmless(visit: Visiting) -> None:
    evil = [
        Figure(EVIL, EVIL, EVIL, Lines(TIME, TIME, [0, 1], [Series(EVIL, [1, 2], 0)])),
        Figure(EVIL, EVIL, EVIL, Bars(Axis(EVIL), [EVIL], [Bar(EVIL, [1])])),
    ]
    seen = visit(page(*evil, name=EVIL))
    assert seen.page.locator("#evil").count() == 0
    assert seen.page.get_by_role("heading", level=1).inner_text() == EVIL
    assert seen.page.get_by_role("button", name=EVIL).count() == 2
    assert seen.page.title() == EVIL


def background(visit: Visit) -> str:
    found: str = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


def test_dark_and_light(visit: Visiting) -> None:
    seen = visit(page(*ALL), dark=True)
    seen.chart("Rates")
    dark = background(seen)
    assert dark == "rgb(20, 23, 26)"
    seen.page.get_by_role("button", name="Light colours").click()
    assert background(seen) == "rgb(255, 255, 255)"
    seen.page.get_by_role("button", name="Dark colours").click()
    assert background(seen) == dark


def test_a_phone_need_not_scroll_sideways(visit: Visiting) -> None:
    seen = visit(page(*ALL), phone=True)
    for each in ALL:
        seen.chart(each.title)
    assert seen.page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_phone_shows_verdicts_without_scrolling(visit: Visiting) -> None:
    seen = visit(page(*ALL), phone=True)
    for words in ("better", "-77.4%", "-89% to -54%"):
        box = seen.page.get_by_role("cell", name=words).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_without_scripts_it_says_what_is_missing(visit: Visiting) -> None:
    with_scripts = visit(page(*ALL))
    assert not with_scripts.page.get_by_text("this viewer runs none").is_visible()
    seen = visit(page(*ALL), scripts=False)
    assert seen.page.get_by_text("this viewer runs none").is_visible()
    assert seen.page.get_by_text("What it shows.").count() == len(ALL)


def test_without_scripts_stills_are_shown(visit: Visiting) -> None:
    pytest.importorskip("matplotlib")
    text = page(*ALL[:2], stills=True)
    assert text == page(*ALL[:2], stills=True)
    seen = visit(text, scripts=False)
    pictures = seen.page.get_by_role("img", name="What it shows.")
    assert pictures.count() == 2
    for picture in pictures.all():
        box = picture.bounding_box()
        assert box
        assert box["width"] > 800
    with_scripts = visit(text)
    with_scripts.chart("Rates")
    assert not with_scripts.page.locator("img").first.is_visible()


def test_scripts_that_a_viewer_forbids_are_none(visit: Visiting) -> None:
    """As in a viewer of build results with a policy of its own: `noscript` shows nothing there."""
    own = '<meta http-equiv="Content-Security-Policy"'
    seen = visit(page(*ALL).replace(own, f"{own} content=\"script-src 'none'\">{own}", 1))
    assert seen.page.get_by_text("this viewer runs none").is_visible()
    assert any("Content Security Policy" in fault for fault in seen.faults)
    seen.faults.clear()


def test_it_prints_light_and_without_controls(visit: Visiting) -> None:
    seen = visit(page(*ALL), dark=True)
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    seen.page.emulate_media(media="print")
    assert background(seen) == "rgb(255, 255, 255)"
    assert not seen.page.get_by_role("button", name="Dark colours").is_visible()
    # All are drawn, including those that were never in view.
    assert seen.page.locator("svg.frame").count() == len(ALL)
    seen.page.emulate_media(media="screen")
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert background(seen) == "rgb(20, 23, 26)"
    assert seen.page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core; it comes with make build")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(visit: Visiting, dark: bool) -> None:
    seen = visit(page(*ALL), dark=dark)
    for each in ALL:
        seen.chart(each.title)
    seen.page.get_by_text("Data", exact=True).first.click()
    seen.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = seen.page.evaluate("axe.run().then(found => found.violations)")
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found] == []


def test_a_long_run_is_drawn_with_its_peak(visit: Visiting) -> None:
    day = 86_400
    series = [
        Series(f"job {n}", [float(n)] * 40_000 + [1000.0 * (n == 7)] + [float(n)] * 46_399, n % 8)
        for n in range(12)
    ]
    seen = visit(page(figure(Lines(TIME, Axis("IOPS"), range(day), series), "Day")))
    stage = seen.chart("Day")
    # The lines lie at the bottom; the peak alone reaches the upper half.
    upper = stage.locator("canvas").evaluate(
        """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height / 2)
            .data.some((value, i) => i % 4 === 3 && value > 0)"""
    )
    assert upper
    stage.press("+")
    seen.page.get_by_role("button", name="Show all").wait_for()


def test_the_page_is_small_and_the_same_each_time() -> None:
    empty = page()
    assert len(empty.encode()) < 400_000
    assert page(*ALL) == page(*ALL)
    assert "unsafe" not in empty.split("<title>", maxsplit=1)[0]


def test_the_payload_is_short_and_shares_places() -> None:
    values = [1 / 3, float("nan"), 2.0, None]
    plot = Lines(TIME, Axis("IOPS"), [0.0, 1.5, 100_000.5, 3e5], [Series("a<b", values, 0)])
    text = figure_json.of([figure(plot), figure(plot), figure(CURVES)])
    assert "<" not in text
    found = json.loads(text)
    assert found["places"] == [[0, 1.5, 100_000.5, 300_000]]
    assert [each["plot"].get("at") for each in found["figures"]] == [0, 0, None]
    assert found["figures"][0]["plot"]["series"][0]["values"] == [0.33333, None, 2, None]
    assert found["figures"][2]["plot"]["curves"][0]["points"][2] == [0.999, 8, "p99.9"]
