"""A row of the public series of transactions, run afresh."""

import pytest

from validation import percona

#: As much as any row may be off.
MOST = 0.15

pytestmark = pytest.mark.slow


def test_a_row_comes_out_as_the_page_says() -> None:
    [row] = [row for row in percona.PUBLISHED if row.title == "io1 4,000 IOPS"]
    run = row.run()
    assert abs(percona.tps(run) / row.tps - 1) < MOST
    assert 1 / 1.5 < percona.p95_ms(run) / row.p95_ms < 1.5
    assert percona.published([(row, run)]).splitlines()[2] in percona.PAGE.read_text()


def test_the_p95_is_the_median_of_the_seconds_after_the_warm_up() -> None:
    [row] = [row for row in percona.PUBLISHED if row.title == "gp2 1,000 GB"]
    run = row.run("warmup=3s", "duration=8s")
    seconds = {second.start_s: second.p95_ms for second in run.transactions}
    assert sorted(seconds) == list(range(8))
    assert percona.p95_ms(run) == sorted(seconds[second] for second in range(3, 8))[2]
