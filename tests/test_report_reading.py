"""What people do with a report's charts: zoom, hide series, read by keyboard, copy the data."""

import csv
import io

import pytest

from browser import Visiting, ink, ticks
from samples import ALL, figure, page, rates

pytest_plugins = ["visiting"]


def test_a_drag_zooms_all_charts_over_the_same_time(visit: Visiting) -> None:
    seen = visit(page(*ALL))
    rates, throughput = seen.chart("Rates"), seen.chart("Throughput")
    whole = ticks(throughput)
    seen.drag(seen.chart("Rates"), 0.3, 0.5)
    seen.page.get_by_role("button", name="Show all").first.wait_for()
    assert "0:00" not in ticks(rates)
    seen.chart("Throughput")
    seen.page.wait_for_timeout(100)
    assert ticks(throughput) != whole
    lanes = ticks(seen.chart("Lanes"))
    assert "0" in lanes
    rates.dblclick()
    seen.page.wait_for_timeout(100)
    assert ticks(seen.chart("Throughput")) == whole


@pytest.mark.parametrize("way", ["button", "Escape"])
def test_zoom_is_undone(visit: Visiting, way: str) -> None:
    seen = visit(page(*ALL))
    rates = seen.chart("Rates")
    whole = ticks(rates)
    seen.drag(rates, 0.3, 0.5)
    reset = seen.page.get_by_role("button", name="Show all").first
    reset.wait_for()
    if way == "button":
        reset.click()
    else:
        rates.press("Escape")
    reset.wait_for(state="hidden")
    assert ticks(rates) == whole


def test_the_legend_hides_and_shows(visit: Visiting) -> None:
    seen = visit(page(*ALL))
    rates = seen.chart("Rates")
    before = ink(rates)
    button = seen.page.get_by_role("button", name="readers read").first
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    seen.page.wait_for_timeout(100)
    # The axis now ends above the level.
    assert 0 < ink(rates) < before
    button.press("Space")
    seen.page.wait_for_timeout(100)
    assert ink(rates) == before


def test_keys_read_the_values_of_lines(visit: Visiting) -> None:
    seen = visit(page(*ALL))
    rates = seen.chart("Rates")
    rates.press("ArrowRight")
    assert seen.said() == "0:00; readers read 3,000 IOPS; writers write 1,000 IOPS"
    rates.press("ArrowRight")
    assert seen.said().startswith("0:01; readers read 3,001 IOPS")
    rates.press("Shift+ArrowRight")
    assert seen.said().startswith("0:11; ")
    assert seen.page.locator(".tip:visible strong").inner_text() == "0:11"
    rates.press("End")
    assert seen.said().startswith("9:59; ")
    rates.press("Home")
    for _ in range(21):
        rates.press("Shift+ArrowRight")
    assert seen.said() == "3:30; readers read none; writers write 1,000 IOPS"


def test_keys_zoom(visit: Visiting) -> None:
    seen = visit(page(*ALL))
    rates = seen.chart("Rates")
    whole = ticks(rates)
    rates.press("+")
    seen.page.get_by_role("button", name="Show all").first.wait_for()
    assert "0:00" not in ticks(rates)
    rates.press("-")
    seen.page.get_by_role("button", name="Show all").first.wait_for(state="hidden")
    assert ticks(rates) == whole


@pytest.mark.parametrize(
    ("title", "keys", "words"),
    [
        ("Curves", ["ArrowRight", "ArrowRight"], "p90; share of IOs 90%; readers, latency 1 ms"),
        ("Curves", ["ArrowRight", "ArrowDown"], "p0; share of IOs 0%; writers, latency 0.4 ms"),
        ("Heat", ["ArrowRight"], "3:20 to 6:40; 1 ms to 10 ms 3"),
        ("Heat", ["ArrowRight", "ArrowDown"], "3:20 to 6:40; 0.1 ms to 1 ms 1,000"),
        ("Bars", ["ArrowRight", "ArrowRight"], "iops; writers 9 min 49 s"),
        (
            "Lanes",
            ["ArrowDown", "ArrowDown", "ArrowRight"],
            "160 s; database 9 s; from 3 s; to 12 s",
        ),
    ],
)
def test_keys_read_the_values_of_other_figures(
    visit: Visiting, title: str, keys: list[str], words: str
) -> None:
    seen = visit(page(*ALL))
    for key in keys:
        seen.chart(title).press(key)
    assert seen.said() == words


def test_tab_reaches_chart_legend_and_data(visit: Visiting) -> None:
    seen = visit(page(figure(rates("IOPS"), "Rates")))
    seen.page.get_by_role("button", name="readers read").focus()
    reached = []
    for _ in range(3):
        seen.page.keyboard.press("Tab")
        reached.append(seen.page.evaluate("document.activeElement.textContent.slice(0, 13)"))
    assert reached[0] == "writers write"
    assert reached[2] == "Data"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert seen.page.evaluate(outline) == "solid"


def test_the_data_are_a_table_and_whole_as_csv(visit: Visiting) -> None:
    seen = visit(page(figure(rates("IOPS"), "Rates")))
    seen.page.get_by_text("Data", exact=True).click()
    rows_shown = seen.page.locator(".data tbody tr")
    rows_shown.first.wait_for()
    assert 20 <= rows_shown.count() <= 60
    with seen.page.expect_download() as download:
        seen.page.get_by_role("button", name="Download CSV").click()
    text = download.value.path().read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["time (s)", "readers read (IOPS)", "writers write (IOPS)"]
    assert rows[1 + 210] == ["210", "", "1000"]
    assert len(rows) == 601
