"""Times and figures for people to read: close to the exact value, and without an exponent."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard.text import formatting

_SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86_400}
_YEAR_S = 366 * 86_400.0

# Equally many of each magnitude, from 1 ns to a year.
any_time = st.floats(-9, 7.5).map(lambda power: min(10**power, _YEAR_S))


def parsed(text: str) -> float:
    """The seconds that a text such as `5 h 36 min` stands for."""
    assert re.fullmatch(r"[0-9,.]+ (ns|µs|ms|s|min|h|d)( [0-9]+ (s|min|h))?", text), text
    words = text.replace(",", "").split()
    return sum(float(n) * _SECONDS[unit] for n, unit in zip(words[::2], words[1::2], strict=True))


def digits(text: str) -> int:
    return len(re.sub(r"[^0-9]", "", text).lstrip("0")) or 1


@given(any_time)
def test_a_latency_reads_back_to_its_digits(seconds: float) -> None:
    text = formatting.latency(1e6 * seconds)
    if seconds >= 120:
        assert text == formatting.duration(seconds)
        return
    # Tenths of a millisecond have two digits, and nanoseconds are whole.
    off = 0.05 if text.startswith("0.") else 0.005
    assert abs(parsed(text) - seconds) <= off * seconds * 1.001 + 0.5e-9
    assert digits(text) <= 3, text


@given(any_time)
def test_a_duration_reads_back(seconds: float) -> None:
    text = formatting.duration(seconds)
    off = 0.5 if seconds < 3600 else 30 if seconds < 172_800 else 1800
    assert abs(parsed(text) - seconds) <= (off if seconds >= 120 else 0.005 * seconds) * 1.001


@given(st.floats(-9, 12).map(lambda power: 10**power))
def test_a_figure_reads_back(value: float) -> None:
    for text in (formatting.number(value), formatting.number(-value)):
        assert re.fullmatch(r"-?[0-9,]+(\.[0-9]+)?( million)?", text), text
        figure, _, million = text.replace(",", "").partition(" ")
        read = abs(float(figure)) * (1e6 if million else 1)
        assert abs(read - value) <= max(0.005 * value, 0.5 * (value > 99)) * 1.001


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.123456, "0.12"),
        (9.96, "10.0"),
        (2999.6, "3,000"),
        (999_400, "999,400"),
        (999_600, "1 million"),
        (1_234_567, "1.23 million"),
        (2.5e9, "2,500 million"),
    ],
)
def test_rates_are_whole_and_millions_are_millions(value: float, text: str) -> None:
    assert formatting.rate(value) == text


@given(st.floats(0, _YEAR_S))
def test_a_clock_reads_back(seconds: float) -> None:
    *hours, minutes, rest = formatting.clock(seconds).split(":")
    read = 3600 * int(*hours or "0") + 60 * int(minutes) + float(rest)
    assert abs(read - seconds) <= 0.0501
    assert float(rest) < 60


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (0, "0 ms"),
        (0.001, "1 ns"),
        (0.25, "250 ns"),
        (0.9999, "1.00 µs"),
        (12.34, "12.3 µs"),
        (99.96, "0.10 ms"),
        (620, "0.62 ms"),
        (999.6, "1.00 ms"),
        (36_400, "36.4 ms"),
        (999_900, "1.00 s"),
        (119.4e6, "119 s"),
        (31e7, "5 min 10 s"),
        (20_143e6, "5 h 36 min"),
        (365 * 86_400e6, "365 d"),
    ],
)
def test_latencies_change_their_unit(us: float, text: str) -> None:
    assert formatting.latency(us) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.5, "0.5 s"),
        (90, "90 s"),
        (300, "5 min"),
        (1830, "30 min 30 s"),
        (3599.7, "1 h"),
        (20_143, "5 h 36 min"),
        (86_400, "24 h"),
        (31_536_000, "365 d"),
    ],
)
def test_durations_change_their_unit(seconds: float, text: str) -> None:
    assert formatting.duration(seconds) == text


def test_a_sentence_leaves_names_as_they_are_written() -> None:
    assert formatting.sentence("assumed: limits of data") == "Assumed: limits of data."
    assert formatting.sentence("tpcc has not settled", {"tpcc"}) == "tpcc has not settled."
    assert formatting.sentence("io1, gp2: one seed", {"io1", "gp2"}) == "io1, gp2: one seed."
    assert formatting.sentence("data.0 fails", {"data.0"}) == "data.0 fails."
