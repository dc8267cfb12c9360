"""The live screen, whatever is measured and however large the terminal is."""

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.screen import Screen

from blockyard.cli.screen.bench import load_at
from blockyard.cli.screen.display import Screen as Display
from blockyard.cli.screen.drawing import Drawing
from blockyard.cli.screen.frame import Device, Frame, Gauge, Listing
from blockyard.cli.screen.history import History
from blockyard.cli.screen.sparkline import ASCII, sparkline
from blockyard.text.formatting import clock
from blockyard.types.jobs import Load


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        ([], "     "),
        ([0, 7, None, 3.5], " ▁█ ▅"),
        ([1, 2, 3, 4, 5, 6], "▃▄▅▆▇"),
        ([-1, 100], "   ▁█"),
    ],
)
def test_the_newest_values_are_rightmost(values: list[float | None], bars: str) -> None:
    assert sparkline(values, width=5, top=7) == bars


def test_without_a_scale_everything_is_low() -> None:
    assert sparkline([0, 0], width=2, top=0) == "▁▁"
    assert sparkline([0, 5], width=2, top=5, bars=ASCII) == ".@"
    assert sparkline([1], width=0, top=1) == ""


values = st.none() | st.floats(0, 1e12)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=60
)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    labels = draw(st.lists(st.sampled_from(["IOPS", "p99", "burst"]), unique=True))
    gauges = st.tuples(
        *(
            st.builds(
                Gauge,
                label=st.just(label),
                written=st.just("{:,.1f}".format),
                values=st.lists(values, max_size=40).map(tuple),
                most=st.none() | st.floats(0, 1e9),
                note=names,
            )
            for label in labels
        )
    )
    devices = st.builds(
        Device, name=names, place=names, gauges=gauges, throttled_by=st.none() | names
    )
    rows = st.lists(st.tuples(names, names), max_size=60).map(tuple)
    listings = st.builds(
        Listing, headings=st.just(("job", "load")), rows=rows, last_is_text=st.booleans()
    )
    return draw(
        st.builds(
            Frame,
            title=names,
            progress=names,
            done=st.none() | st.floats(0, 1),
            devices=st.lists(devices, max_size=40).map(tuple),
            listing=st.none() | listings,
            at_s=st.floats(0, 1e6),
            interval_s=st.none() | st.floats(0.001, 60),
            events=st.lists(st.tuples(st.floats(0, 1e6), names), max_size=20).map(tuple),
        )
    )


def drawn(frame: Frame, width: int, height: int) -> list[str]:
    """What a terminal of this size shows."""
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=False)
    # As Live draws it on the alternate screen.
    with console.capture() as captured:
        console.print(Screen(Drawing(frame)), end="")
    return captured.get().split("\n")


@pytest.mark.slow
@given(frames(), st.integers(1, 250), st.integers(1, 80))
def test_a_frame_fits_every_terminal(frame: Frame, width: int, height: int) -> None:
    lines = drawn(frame, width, height)
    assert len(lines) == height
    assert all(cell_len(line) <= width for line in lines)


def many(count: int) -> Frame:
    gauge = Gauge("IOPS", "{:,.0f}".format, (1.0, 2.0), most=4.0)
    devices = [Device(f"data{number}", "", (gauge,) * 4) for number in range(count)]
    rows = tuple((f"data{number}", "2") for number in range(count))
    return Frame("many", devices=tuple(devices), listing=Listing(("job", "IOPS"), rows))


def test_few_devices_have_blocks_and_many_have_lines() -> None:
    assert sum("of 4" in line for line in drawn(many(2), 80, 24)) == 8
    lines = drawn(many(10), 80, 24)
    assert not any("of 4" in line for line in lines)
    assert sum(line.startswith("data9 ") for line in lines) == 1
    assert any("▃▅" in line for line in lines)


def test_what_does_not_fit_is_counted() -> None:
    lines = drawn(many(40), 80, 24)
    shown = sum(line.startswith("data") and "▃▅" in line for line in lines)
    assert f"and {40 - shown} more devices" in "\n".join(lines)


def test_wide_terminals_have_devices_side_by_side() -> None:
    lines = drawn(many(2), 200, 50)
    assert any("data0" in line and "data1" in line for line in lines)


def test_a_history_ends_somewhere() -> None:
    history = History()
    for value in range(2_000):
        gauge = history.gauge("data", "IOPS", str, float(value))
    assert len(gauge.values) == 512
    assert gauge.values[-1] == 1_999


def test_a_warning_is_logged_and_repeated_below(capsys: pytest.CaptureFixture[str]) -> None:
    written = io.StringIO()
    console = Console(file=written, width=80, height=24, force_terminal=True)
    with Display(console) as display:
        display.start()
        display.show(Frame("run", at_s=72, events=((80.0, "later"), (70.0, "earlier"))))
        display.warn("nothing completes")
        # It is drawn within a quarter of a second.
        time.sleep(1)
    text = written.getvalue()
    places = [text.rindex(line) for line in ("1:10 earlier", "1:12 nothing", "1:20 later")]
    assert places == sorted(places)
    assert text.count("\x1b[?1049h") == text.count("\x1b[?1049l") == 1
    assert capsys.readouterr().err == "blockyard: nothing completes\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0:00"), (59.96, "1:00"), (1.5, "0:01.5"), (600, "10:00"), (3_661, "1:01:01")],
)
def test_times_are_read_as_on_a_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


CLOSED = {"kind": "closed", "steps": [[0, 1], [20_000_000_000, 4]]}


@pytest.mark.parametrize(
    ("load", "at_s", "text"),
    [
        (CLOSED, 0, "step 1 of 2: 1 proc"),
        (CLOSED, 20, "step 2 of 2: 4 proc"),
        ({"kind": "open", "steps": [[0, 100_000]]}, 5, "100,000/s"),
        ({"kind": "timed", "steps": [[0, 8]]}, 5, "8 proc"),
    ],
)
def test_steps_are_named_as_in_the_scenario(load: Load, at_s: float, text: str) -> None:
    assert load_at(load, at_s) == text
