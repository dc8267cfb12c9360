"""A page with the simulator in it, in Chromium and Firefox: asked as a person asks."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import blockyard
from blockyard.pages import engine, report
from blockyard.pages.page import html
from blockyard.pages.playground import playground
from browser import Visit, Visiting, chromium, firefox, ink
from conftest import ROOT
from panel import Panel
from runs import simulated

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        engine.module() is None, reason="no compiler for WebAssembly: the module was not built"
    ),
]

pytest_plugins = ["visiting"]

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
MOST_BYTES = 2_000_000

# An open loop above what the volume has, behind an instance that has more.
ORDERS = """\
name: orders
as_of: 2026-11-01
region: us-east-1
duration: 20s
host: {instance: r6i.2xlarge}
storage:
  data: {type: gp3, size: 200GiB, iops: 3000, throughput: 250MiB/s}
workload:
  queries: {kind: ranread, on: data, file_size: 100GiB, rate: 4000/s, arrivals: poisson}
"""

# A million IOs a second.
LARGE = """\
name: large
duration: 60s
storage:
  data: {stripe: {width: 16, chunk: 64KiB}, of: {type: io2, size: 1TiB, iops: 64000}}
workload:
  readers: {kind: ranread, on: data, file_size: 1TiB, rate: 1000000/s}
"""

# What would show if a name were taken for markup.
EVIL = "<b id=evil>&amp;"


# What hardly differs between browsers is tried in one.
in_one = pytest.mark.parametrize("browser", ["chromium"], indirect=True)


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with {"chromium": chromium, "firefox": firefox}[request.param]() as found:
        yield found


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a run that its volume throttles."""
    run = simulated(tmp_path_factory.mktemp("orders"), ORDERS)
    return html(report.report([run], None))


@pytest.fixture(scope="module")
def played() -> str:
    return html(playground())


def test_a_drag_across_the_limit(visit: Visiting, orders: str) -> None:
    seen = visit(orders)
    panel = Panel(seen)
    own = panel.sentence()
    assert "throttled by data IOPS" in own
    assert panel.tiles()["Bottleneck"].value == "data IOPS"
    drag(seen, panel, "IOPS of data", 0.35)
    panel.settled()
    iops = int(panel.number("IOPS of data").input_value())
    assert 5000 < iops < 12000
    dollars = 388.92 + (iops - 3000) * 0.005
    said = panel.sentence()
    assert "p99 -100% (" in said
    assert said.endswith(f"(${dollars:,.2f} vs $388.92 a month): better, and dearer.")
    tiles = panel.tiles()
    assert tiles["Delivered"].before.startswith("before: 3,")
    assert tiles["Bottleneck"].value == "none"
    assert tiles["Price"].value == f"${dollars:,.2f}"
    assert tiles["Price"].before == "before: $388.92"
    assert panel.region.get_by_text(f"IOPS of data: {iops:,} IOPS, before 3,000 IOPS").is_visible()
    chart = seen.chart("IOPS: read on data")
    assert ink(chart) > 1000
    legend = seen.page.locator("figure:visible", has=chart).locator(".legend button")
    assert legend.all_inner_texts() == ["before", "after"]
    # All of it was one step.
    panel.click("Undo")
    assert panel.sentence() == own
    assert not seen.page.evaluate("location.hash")


def drag(seen: Visit, panel: Panel, name: str, to: float) -> None:
    """Drag a slider from where it is to a share of its width."""
    slider = panel.slider(name)
    box = slider.bounding_box()
    assert box
    share = float(slider.input_value()) / 1000
    y = box["y"] + box["height"] / 2
    inner = box["width"] - 16
    seen.page.mouse.move(box["x"] + 8 + share * inner, y)
    seen.page.mouse.down()
    seen.page.mouse.move(box["x"] + 8 + to * inner, y, steps=6)
    seen.page.mouse.up()


@in_one
def test_the_price_of_the_catalog(visit: Visiting, orders: str) -> None:
    """Changed type, instance, skew and failure, each with what it does."""
    panel = Panel(visit(orders))
    panel.choose("Volume type of data", "io2")
    assert panel.tiles()["Price"].before == "before: $388.92"
    panel.click("Undo")
    panel.more()
    panel.choose("Instance", "r6i.xlarge: 4 vCPU, 32 GiB")
    assert "cost -" in panel.sentence()
    panel.choose("Skew", "Zipf, exponent 0.99")
    panel.choose("Failure", "data fails for 3s")
    changes = panel.region.locator(".changes li").all_inner_texts()
    assert [change.partition(":")[0] for change in changes] == [
        "Instance",
        "Skew of queries",
        "Failure of what happens",
    ]


def test_the_address_is_a_run(visit: Visiting, orders: str) -> None:
    seen = visit(orders)
    panel = Panel(seen).type("IOPS of data", 6000)
    said, tiles = panel.sentence(), panel.tiles()
    address = seen.page.url
    assert address.endswith("#set=storage.data.iops%3D6000")
    seen.page.reload()
    panel = Panel(seen)
    assert (panel.sentence(), panel.tiles()) == (said, tiles)
    panel.click("Undo")
    assert panel.tiles()["Price"].before == ""
    panel.click("Redo")
    assert panel.sentence() == said
    other = visit(orders)
    other.page.goto(address)
    other.page.reload()
    shared = Panel(other)
    assert (shared.sentence(), shared.tiles()) == (said, tiles)


def test_yaml_with_an_error_at_its_line(visit: Visiting, orders: str) -> None:
    panel = Panel(visit(orders))
    panel.more()
    lines = panel.editor.input_value().splitlines()
    line = next(at for at, text in enumerate(lines, 1) if "iops: 3000" in text)
    panel.edit("iops: 3000", "iops: 3000x")
    [error] = panel.errors()
    assert error.startswith(f"Line {line}: ")
    assert "3000x" in error
    panel.region.get_by_role("button", name=f"Line {line}").click()
    marked = "area => area.value.slice(area.selectionStart, area.selectionEnd)"
    assert "3000x" in panel.editor.evaluate(marked)
    panel.edit("iops: 3000x", "iops: 5000")
    assert panel.errors() == []
    assert panel.tiles()["Price"].value == "$398.92"
    assert panel.number("IOPS of data").input_value() == "5000"


@in_one
def test_what_is_refused_says_why_beside_it(visit: Visiting, orders: str) -> None:
    panel = Panel(visit(orders)).type("IOPS of data", 120_000)
    [error] = panel.refused()
    assert error.startswith("gp3 allows 3,000 to 80,000 IOPS")
    assert panel.said().startswith("IOPS of data is refused.")
    assert panel.number("IOPS of data").get_attribute("aria-invalid") == "true"
    assert panel.tiles()["Price"].value == "$388.92"
    panel.type("IOPS of data", 4000)
    assert panel.refused() == []


@in_one
def test_ten_changes_in_a_second(visit: Visiting, orders: str) -> None:
    """Only the last is answered, and as a drag they are one step."""
    seen = visit(orders)
    panel = Panel(seen)
    panel.slider("IOPS of data").evaluate(
        """async slider => {
            for (let place = 50; place <= 500; place += 50) {
                slider.value = place;
                slider.dispatchEvent(new Event("input"));
                await new Promise(resolve => setTimeout(resolve, 90));
            }
            slider.dispatchEvent(new Event("change"));
        }"""
    )
    panel.settled()
    iops = int(panel.number("IOPS of data").input_value())
    assert panel.region.get_by_text(f"IOPS of data: {iops:,} IOPS").is_visible()
    assert seen.page.url.endswith(f"#set=storage.data.iops%3D{iops}")
    assert panel.said() == "All 20 s simulated."
    panel.click("Undo")
    assert seen.page.evaluate("location.hash") == ""


def test_a_million_iops(visit: Visiting, played: str) -> None:
    """A first answer comes of a part; the rest can be stopped."""
    panel = Panel(visit(played))
    panel.more()
    panel.paste(LARGE)
    panel.region.get_by_text(re.compile(r"^First (0\.\d|1) s of 60 s\.")).wait_for()
    panel.click("Stop")
    assert panel.said().startswith("Stopped.")
    assert panel.tiles()["Delivered"].value


@in_one
def test_names_are_harmless(visit: Visiting, tmp_path: Path) -> None:
    text = ORDERS.replace("name: orders", f"name: {json.dumps(EVIL)}")
    (tmp_path / "evil.yaml").write_text(text.replace("20s", "2s"))
    run = blockyard.simulate(tmp_path / "evil.yaml", seeds=1, out=tmp_path / EVIL)
    seen = visit(html(report.report([run], None)))
    panel = Panel(seen).type("IOPS of data", 6000)
    panel.more()
    panel.click("Copy as a scenario")
    assert EVIL in panel.region.get_by_label("Copied text").input_value()
    assert seen.page.get_by_role("heading", level=1).inner_text() == EVIL
    assert seen.page.locator("#evil").count() == 0
    seen.page.evaluate("location.hash = '#set=<b id=evil>'")
    panel.region.get_by_text("<b id: unknown key").wait_for()
    hostile = ["#yaml=%3Cb%3E", f"#of={EVIL}", "#set=a%3D1&set=%3D", "#x=1"]
    for address in hostile:
        seen.page.evaluate("hash => { location.hash = hash; }", address)
        panel.region.get_by_role("alert").get_by_text("cannot be read").wait_for()
        panel.settled()
    assert seen.page.locator("#evil").count() == 0


@in_one
def test_copies(visit: Visiting, orders: str) -> None:
    panel = Panel(visit(orders)).type("IOPS of data", 6000)
    panel.more()
    copied = panel.region.get_by_label("Copied text")
    panel.click("Copy as a command")
    copied.wait_for()
    assert copied.input_value() == "blockyard simulate orders.yaml --set storage.data.iops=6000"
    panel.click("Copy as a scenario")
    assert "iops: 6000" in copied.input_value()
    panel.click("Copy as Terraform")
    assert 'resource "aws_ebs_volume"' in copied.input_value()


@in_one
def test_the_playground_opens_examples(visit: Visiting, played: str) -> None:
    seen = visit(played)
    panel = Panel(seen)
    assert panel.tiles()["Delivered"].value
    panel.choose("Scenario", "blank")
    assert seen.page.url.endswith("#of=blank")
    panel.choose("Volume type of data", "gp2")
    assert "blank" not in panel.said()
    assert panel.tiles()["Price"].before == "before: $8.00"


@in_one
def test_on_a_phone_nothing_is_wider_than_it(visit: Visiting, orders: str) -> None:
    seen = visit(orders, phone=True)
    panel = Panel(seen).type("IOPS of data", 6000)
    tops = [tile.bounding_box() for tile in seen.page.locator(".tiles:visible > div").all()]
    rows = [box["y"] for box in tops if box]
    assert rows[0] == rows[1] < rows[2] == rows[3]
    # Firefox counts its scroll bar.
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    panel.more()
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390


@in_one
def test_paper_has_the_changes(visit: Visiting, orders: str) -> None:
    seen = visit(orders)
    panel = Panel(seen).type("IOPS of data", 6000)
    seen.page.emulate_media(media="print")
    assert panel.region.locator(".changes").is_visible()
    assert not panel.region.get_by_role("button", name="Undo").is_visible()
    assert not panel.slider("IOPS of data").is_visible()
    panel.page.emulate_media(media="screen")
    panel.click("Undo")
    seen.page.emulate_media(media="print")
    assert not panel.region.is_visible()


@in_one
@pytest.mark.skipif(not AXE.exists(), reason="no axe-core; it comes with make build")
def test_axe_finds_nothing(visit: Visiting, orders: str) -> None:
    seen = visit(orders.replace("script-src ", "script-src 'unsafe-inline' 'unsafe-eval' ", 1))
    panel = Panel(seen)
    panel.more()
    panel.type("IOPS of data", 120_000)
    assert violations(seen.page) == []
    panel.type("IOPS of data", 6000)
    assert violations(seen.page) == []


def violations(page: Page) -> list[str]:
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(found => found.violations)")
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


def test_by_keyboard_alone(visit: Visiting, orders: str) -> None:
    seen = visit(orders)
    panel = Panel(seen)
    panel.slider("IOPS of data").focus()
    for _ in range(3):
        seen.page.keyboard.press("ArrowRight")
    panel.settled()
    moved = int(panel.number("IOPS of data").input_value())
    assert moved > 3000
    seen.page.keyboard.press("Control+z")
    seen.page.wait_for_timeout(100)
    assert panel.settled().number("IOPS of data").input_value() == "3000"
    assert panel.slider("IOPS of data").get_attribute("aria-valuetext") == "3,000\u00a0IOPS"


@in_one
def test_without_scripts_it_is_a_report(visit: Visiting, orders: str) -> None:
    seen = visit(orders, scripts=False)
    assert seen.page.get_by_text("Without scripts, nothing can be changed here").is_visible()
    assert not seen.page.locator("#what-if").is_visible()
    assert "throttled by data IOPS" in seen.page.locator("p.headline").inner_text()


@in_one
def test_a_static_page_has_no_simulator(visit: Visiting, tmp_path: Path, orders: str) -> None:
    run = simulated(tmp_path, ORDERS.replace("20s", "2s"))
    text = html(report.report([run], None), static=True)
    assert len(text.encode()) < len(orders.encode()) / 3
    seen = visit(text)
    assert seen.page.get_by_text("This page is static").is_visible()
    assert seen.page.locator("#what-if").count() == 0


def test_a_page_has_at_most_two_megabytes(orders: str, played: str) -> None:
    assert len(orders.encode()) <= MOST_BYTES
    assert len(played.encode()) <= MOST_BYTES
