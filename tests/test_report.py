"""`blockyard report`: pages, pictures, traces, words."""

import shutil
from pathlib import Path

import pytest

from blockyard.pages import pictures
from blockyard.questions.simulate import simulate
from conftest import ONCE, ROOT, Blockyard, folder, one_line


@pytest.fixture
def run(blockyard: Blockyard, tmp_path: Path) -> Path:
    """A run directory."""
    assert blockyard("simulate", "gp3.yaml", "--out", "run").returncode == 0
    return tmp_path / "run"


def test_without_a_place_the_words_are_printed(blockyard: Blockyard, run: Path) -> None:
    said = blockyard("report", run)
    assert said.returncode == 0, said.stderr
    head, sentence, delivered = said.stdout.split("\n\n")[:3]
    assert (head, delivered.splitlines()[0]) == ("run", "What was delivered")
    assert sentence.startswith("1 to 5 processes of readers get ")
    assert "\nreaders read data\n" in delivered
    # The console's says the same.
    console = blockyard("simulate", "gp3.yaml", "--out", "again").stdout
    assert " ".join(sentence.split()) in " ".join(console.split())
    assert "data IOPS (3,000 IOPS)" in said.stdout
    assert max(map(len, said.stdout.splitlines())) <= 80


def test_a_page_has_what_the_run_says(blockyard: Blockyard, run: Path, tmp_path: Path) -> None:
    assert blockyard("report", run, "-o", "run.html").returncode == 0
    page = (tmp_path / "run.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "IOPS on data" in page
    assert page.index('<p class="headline" data-own>1 to 5 processes of readers get ') < page.index(
        "Summary</h2>"
    )
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "https://" not in page


def test_the_same_run_gives_the_same_page(blockyard: Blockyard, run: Path, tmp_path: Path) -> None:
    for name in ["one.html", "two.html"]:
        assert blockyard("report", run, "-o", name).returncode == 0
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_page_is_never_overwritten(blockyard: Blockyard, run: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("mine")
    assert "exists already" in one_line(blockyard("report", run, "-o", "mine.html"))
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_several_runs_are_drawn_together_and_apart(
    blockyard: Blockyard, run: Path, tmp_path: Path
) -> None:
    shutil.copytree(run, tmp_path / "again")
    assert blockyard("report", run, "again", "-o", "both.html").returncode == 0
    page = (tmp_path / "both.html").read_text()
    assert page.index("Together</h2>") < page.index("run</h2>", page.index("Together</h2>"))


def test_runs_of_one_name_are_told_apart_by_their_paths(
    blockyard: Blockyard, run: Path, tmp_path: Path
) -> None:
    shutil.copytree(run, tmp_path / "other" / "run")
    said = blockyard("report", "run", "other/run").stdout
    assert said.startswith("run\n\n")
    assert "\nother/run\n\n" in said


@pytest.mark.slow
def test_charts_become_pictures(blockyard: Blockyard, run: Path, tmp_path: Path) -> None:
    done = blockyard("report", run, "--svg", "svg", "--png", "png")
    assert done.returncode == 0, done.stderr
    names = folder(tmp_path / "svg")
    assert "iops-data.svg" in names
    assert folder(tmp_path / "png") == [name.replace(".svg", ".png") for name in names]
    assert (tmp_path / "svg" / "iops-data.svg").read_text().startswith("<?xml")


def test_pictures_need_a_place_that_can_be_made(blockyard: Blockyard, run: Path) -> None:
    said = one_line(blockyard("report", run, "--svg", "/proc/pictures"))
    assert said.startswith("blockyard: /proc/pictures: ")


def test_a_trace_has_counters_and_slices(blockyard: Blockyard, tmp_path: Path) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

    scenario = ROOT / "scenarios" / "examples" / "small-database.yaml"
    assert blockyard("simulate", scenario, *ONCE, "--out", "database").returncode == 0
    done = blockyard("report", "database", "--trace", "database.pftrace")
    assert done.returncode == 0, done.stderr
    packets = Trace.FromString((tmp_path / "database.pftrace").read_bytes()).packet
    tracks = {
        packet.track_descriptor.uuid: packet.track_descriptor.name
        for packet in packets
        if packet.HasField("track_descriptor")
    }
    assert {"database", "data", "readers read IOPS", "limit: iops"} <= set(tracks.values())
    events = [packet for packet in packets if packet.HasField("track_event")]
    assert all(event.track_event.track_uuid in tracks for event in events)
    kinds = [event.track_event.type for event in events]
    assert kinds.count(TrackEvent.TYPE_SLICE_BEGIN) == kinds.count(TrackEvent.TYPE_SLICE_END) > 0
    names = {event.track_event.name for event in events}
    assert {"WIJ", "database"} <= names


def test_a_trace_is_of_one_run(blockyard: Blockyard, run: Path) -> None:
    assert "expected one" in one_line(blockyard("report", run, run, "--trace", "trace"))


@pytest.mark.parametrize("width", ["5", "0s", "fast"])
def test_a_bin_is_a_time(blockyard: Blockyard, run: Path, width: str) -> None:
    said = one_line(blockyard("report", run, "--bin", width))
    assert said.startswith("blockyard: --bin: ")
    assert f"`{width}`" in said


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("x.pdf", "blockyard: x.pdf: a page is HTML; expected a name such as x.html"),
        ("x.png", "blockyard: x.png: -o writes a page, such as x.html; --png DIR writes pictures"),
    ],
)
def test_a_page_is_not_named_like_something_else(
    blockyard: Blockyard, run: Path, out: str, says: str
) -> None:
    assert one_line(blockyard("report", run, "-o", out)) == says


@pytest.mark.slow
def test_a_short_run_is_drawn_without_a_warning(tmp_path: Path) -> None:
    """Warnings are errors in these tests."""
    scenario = ROOT / "scenarios/examples/gp3.yaml"
    run = simulate(scenario, {"duration": "6s"}, out=tmp_path / "run")
    for bin_s in (None, 5.0):
        for name, figure in run.figures(bin_s).items():
            pictures.picture(figure, tmp_path / f"{name}.png")


def test_what_is_no_run_is_one_line(blockyard: Blockyard, run: Path) -> None:
    (run / "intervals.parquet").write_bytes(b"PAR1")
    assert "intervals.parquet: no whole Parquet file" in one_line(blockyard("report", run))
    assert "No such file" in one_line(blockyard("report", "none"))


def test_an_interrupted_run_is_said_to_be_one(
    blockyard: Blockyard, run: Path, tmp_path: Path
) -> None:
    result = run / "result.json"
    result.write_text(result.read_text().replace('"complete"', '"interrupted"'))
    assert "interrupted" in blockyard("report", run).stdout
    assert blockyard("report", run, "-o", "run.html").returncode == 0
    assert "interrupted" in (tmp_path / "run.html").read_text()
