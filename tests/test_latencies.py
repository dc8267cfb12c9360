"""Latencies: histograms and logs, checked against the values that went in."""

import bisect
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard._core import FileError, Histogram, Latencies

US = st.lists(st.floats(1, 1e7), min_size=1, max_size=50)


def of(us: list[float]) -> Histogram:
    return Histogram.of(us, [1] * len(us))


@given(US, st.lists(st.floats(0, 1), max_size=5))
def test_quantiles_are_those_of_the_sorted_values(us: list[float], quantiles: list[float]) -> None:
    exact = [sorted(us)[max(math.ceil(q * len(us)), 1) - 1] for q in quantiles]
    assert of(us).quantiles_us(quantiles) == pytest.approx(exact, rel=1e-3)


@given(US, US)
def test_merged_is_all_of_both(left: list[float], right: list[float]) -> None:
    both = Histogram.merged([of(left), of(right)])
    assert both.buckets() == of(left + right).buckets()
    assert both.count == len(left) + len(right)
    assert both.mean_us == pytest.approx(sum(left + right) / both.count, rel=1e-3)
    assert both.max_us == pytest.approx(max(left + right), rel=1e-3)


@given(US, st.lists(st.floats(0, 1e7), max_size=8).map(sorted))
def test_counts_are_between_the_edges(us: list[float], edges: list[float]) -> None:
    histogram = of(us)
    expected = [0] * max(len(edges) - 1, 0)
    for middle, count in histogram.buckets():
        place = bisect.bisect_right(edges, middle) - 1
        if 0 <= place < len(expected):
            expected[place] += count
    assert histogram.counts(edges) == expected


def test_what_is_no_histogram_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^2 latencies and 1 counts; expected as many of both$"):
        Histogram.of([1, 2], [1])
    with pytest.raises(ValueError, match=r"^1099511627777 latencies; expected at most 10995116"):
        Histogram.of([1, 2], [2**40, 1])
    with pytest.raises(ValueError, match=r"^a latency in µs of -1; expected 0 to "):
        Histogram.of([-1], [1])
    with pytest.raises(ValueError, match=r"^a quantile of 99; expected 0 to 1$"):
        of([5]).quantiles_us([99])
    with pytest.raises(ValueError, match=r"^no latencies have no quantiles$"):
        Histogram.of([], []).quantiles_us([0.5])


def test_times_and_tags_are_picked() -> None:
    rows = [
        ("readers.data.read", 0.0, 1.0, of([1])),
        ("writers.data.write", 0.0, 1.0, of([2, 2])),
        ("readers.data.read", 5.2, 1.0, of([3, 3, 3])),
        ("readers.data.read", 6.2, 1.0, Histogram.of([], [])),
    ]
    latencies = Latencies.of(rows)
    assert latencies.tags == ["readers.data.read", "writers.data.write"]
    assert latencies.merged(latencies.tags).count == 6
    assert latencies.merged(["nobody.data.read"]).count == 0
    reads = ["readers.data.read"]
    assert latencies.merged(reads, 1).count == 3
    assert latencies.merged(reads, 0.0, 1.0).count == 1
    bins = [(start, found.count) for start, found in latencies.over_time(reads, 2.5)]
    assert bins == [(0.0, 1), (5.0, 3)]
    with pytest.raises(ValueError, match=r"^bin_s is 0; expected 1e-9 or more$"):
        latencies.over_time(reads, 0)


def test_what_is_no_log_is_refused_with_its_place(tmp_path: Path) -> None:
    log = tmp_path / "latency.hlog"
    with pytest.raises(FileNotFoundError, match=r"latency\.hlog"):
        Latencies.read(log)
    log.write_text("#[BaseTime: 0.000 (seconds since epoch)]\nTag=a,0.000,1.000,5.000\n")
    with pytest.raises(FileError, match=r"latency\.hlog:2: `Tag=a,0.*expected \[Tag=NAME,\]START"):
        Latencies.read(log)
