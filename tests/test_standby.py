"""A PostgreSQL standby promoted when its primary is lost, as benchmarks/failover counts it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import filesystem, standby
from databases.emulated import need
from databases.open_loop import UNDER_WAY
from databases.postgres import PROGRAMS, USER
from databases.standby import Failover

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    need(USER, *PROGRAMS)
    with filesystem.workspace() as folder:
        yield standby.prepared(folder)


def test_a_promoted_standby_has_what_commits_waited_for(data: Path) -> None:
    asked = Failover(synchronous_commit="on", failover_s=0, connections=8, rate=400, delay_s=0.001)
    found = standby.lose_primary(data, data.parent / "on", asked, "1")
    assert found.acknowledged >= UNDER_WAY
    assert found.lost == 0


def test_it_lacks_what_is_under_way(data: Path) -> None:
    # Nothing arrives before the primary is lost.
    asked = Failover(
        synchronous_commit="local", failover_s=0, connections=8, rate=400, delay_s=3600
    )
    found = standby.lose_primary(data, data.parent / "local", asked, "1")
    assert found.lost == found.acknowledged >= UNDER_WAY
