"""A row of the public series of transactions, and volumes of the cluster for the money."""

import pytest

import blockyard
from validation import percona
from validation.percona_layouts import LARGE, LOCAL, PROVISIONED, Layout
from validation.run import SCENARIOS

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


# A volume has to write pages once the log has filled up; a small one has after half a minute. Until
# a cold pool has filled it is that which decides.
SETTLED = (
    "workload.sysbench.start=warm",
    "workload.sysbench.log.file_size=256MiB",
    "warmup=30s",
    "duration=60s",
)


def tps_and_price(volume: str) -> tuple[float, float]:
    """Transactions a second of r4.2xlarge or i3.2xlarge, and dollars a month for each of them."""
    job = Layout("2xlarge", volume).job(*SETTLED)
    sets = dict(override.split("=", 1) for override in job.sets)
    run = blockyard.simulate(SCENARIOS / job.path, sets)
    work = blockyard.cost(run, term="1y-all-upfront", hours_per_month=720)["work"]
    assert work
    assert work["tps"]
    assert work["per_tps"]
    return work["tps"], work["per_tps"]


def test_local_disks_come_before_gp2_and_gp2_before_io1_for_the_money() -> None:
    (_, local), (large_tps, large), (io1_tps, io1) = map(tps_and_price, (LOCAL, LARGE, PROVISIONED))
    # As long as the log fills up, hardly a page is written, and both do the same.
    assert large_tps < 0.9 * io1_tps
    assert local < large < io1
