"""What a report says of an observed load, held to a trace that is made to be like that."""

import csv
from pathlib import Path

import pytest

import blockyard as by
from blockyard.pages import charts
from blockyard.pages.figure import Curves, Lines
from conftest import Blockyard

MS, S = 10**6, 10**9
KIB, MIB = 1 << 10, 1 << 20
COLUMNS = ["issued_ns", "due_ns", "job", "slot", "device", "op", "offset", "bytes", "completed_ns"]
SECONDS, READS = 20, 100
# In these a checkpoint writes ten times as much, and reads take five times as long.
BURST = (10, 11)


def made(path: Path) -> Path:
    """A server that reads, half of the time in one block; a writer that goes on where it was."""
    rows: list[list[object]] = []

    def io(at: int, job: str, op: str, place: tuple[int, int], took: int) -> None:
        rows.append([at, at, job, int(job == "writer"), "data", op, *place, at + took])

    written = 0
    for second in range(SECONDS):
        slow = second in BURST
        for nth in range(READS):
            # Blocks 0 to 999, of which the first is hot.
            block = 0 if nth % 2 else second * READS // 2 + nth // 2
            place = (block * MIB + 8 * KIB * (nth % 7), 8 * KIB)
            io(second * S + nth * 9 * MS, "server", "read", place, (5 if slow else 1) * MS)
        for nth in range(160 if slow else 16):
            place = (2048 * MIB + written, 64 * KIB)
            io(second * S + nth * 5 * MS + 1, "writer", "write", place, MS)
            written += 64 * KIB
        # The last one ends with the last second, so the trace covers it whole.
        io(second * S + 950 * MS, "writer", "flush", (0, 0), 50 * MS)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *sorted(rows)])
    return path


@pytest.fixture
def run(blockyard: Blockyard, tmp_path: Path) -> by.RunView:
    done = blockyard("import", "trace", made(tmp_path / "ios.csv"), "-o", "run")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    writes = 18 * 16 + 2 * 160
    peak, mean = READS + 160, READS + writes / SECONDS
    assert f"peak of {peak} IOPS in 1 s, {peak / mean:.2f} times the mean" in said
    assert "0% of reads and 100% of writes sequential" in said
    assert "a flush for each 1.9 MiB written" in said
    assert (
        "data: in 2 s of heavy background writes (1 burst, 20 MiB by writer) 100 reads a second "
        "took p50 5.00 ms, p99 5.00 ms; otherwise 100 reads a second took p50 1.00 ms, p99 1.00 ms"
    ) in said
    return by.load(tmp_path / "run")


def test_order_places_and_issuers_are_those_of_the_trace(run: by.RunView) -> None:
    observed = run.result["observed"]
    assert observed
    [device] = observed["devices"]
    load = device["load"]
    assert load
    assert load["sequential_reads"] == pytest.approx(0, abs=0.01)
    assert load["sequential_writes"] == pytest.approx(1, abs=0.01)
    places = load["places"]
    written = (18 * 16 + 2 * 160) // 16
    assert (places["block_bytes"], places["touched"]) == (MIB, 1000 + written)
    reads, writes = SECONDS * READS, written * 16
    # The hottest: block 0, then those that are written, 16 times each.
    tenth = places["touched"] // 10
    hot = reads // 2 + 1 + min(tenth - 1, written) * 16 + max(0, tenth - 1 - written)
    assert places["hottest_10_pct"] == pytest.approx(hot / (reads + writes))
    assert (sum(places["reads"]), sum(places["writes"])) == (reads, writes)
    server, writer = load["issuers"]
    assert (server["name"], server["reads"], server["background_bytes"]) == ("server", reads, 0)
    assert (writer["writes"], writer["flushes"]) == (writes, SECONDS)
    assert writer["background_bytes"] == writer["write_bytes"] == writes * 64 * KIB
    heavy = 2 * 160 * 64 * KIB
    burst = {"from_s": 10, "to_s": 12, "bytes": heavy, "by": {"writer": heavy}}
    assert load["heavy_writes"] == [burst]


def test_the_page_shows_it(run: by.RunView, blockyard: Blockyard, tmp_path: Path) -> None:
    assert run.path
    done = blockyard("report", run.path, "-o", "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "Bursts by 1 s, and order" in page
    assert "Who issued it" in page
    figures = {figure.name: figure for figure in charts.all_figures([run])}
    places = figures["places-data"].plot
    assert isinstance(places, Lines)
    drawn = [sum(value or 0 for value in line.values) for line in places.series]
    writes = 18 * 16 + 2 * 160
    assert drawn == pytest.approx([READS, writes / SECONDS])
    # Reads in GiB 0, writes in GiB 2.
    peaks = [max(zip(line.values, places.at, strict=True))[1] for line in places.series]
    assert (places.x.unit, *peaks) == ("MiB", 0, 2048)
    rates = figures["iops-data"].plot
    assert isinstance(rates, Lines)
    spans = [(span.label, span.start, span.end) for span in rates.spans]
    assert spans == [("writes", 10, 12), ("", 12, SECONDS)]
    both = {figure.name: figure for figure in charts.all_figures([run, run])}
    assert isinstance(both["places-data"].plot, Curves)
