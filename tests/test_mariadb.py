"""MariaDB on emulated volumes: layouts and power cuts.

InnoDB bypasses the page cache and keeps a quarter of the data in memory, so that reads and
writes of pages reach the device, as well as its log.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import filled, layouts, power
from databases.emulated import need
from databases.filled import Filled
from databases.mariadb import PROGRAMS, USER, MariaDb

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database() -> Iterator[Filled]:
    need(USER, *PROGRAMS)
    with filled.filled(MariaDb, USER, innodb_flush_log_at_trx_commit="0") as database:
        yield database


@pytest.mark.realtime
def test_layouts_come_in_perconas_order(database: Filled, tmp_path: Path) -> None:
    layouts.check(database, 8, tmp_path)


@pytest.mark.parametrize(("seed", "torn"), [(1, False), (2, True), (3, True)])
def test_no_acknowledged_row_is_lost_in_a_power_cut(
    database: Filled, seed: int, torn: bool, tmp_path: Path
) -> None:
    assert power.lost(database, seed, torn=torn, folder=tmp_path) == set()


@pytest.mark.parametrize("when", ["0", "2"])
def test_rows_that_were_not_flushed_are_missed(database: Filled, when: str, tmp_path: Path) -> None:
    # 0: written and flushed once in a while; 2: written at commit, flushed once in a while.
    lazy = {"innodb_flush_log_at_trx_commit": when, "innodb_flush_log_at_timeout": "60"}
    assert power.lost(database, 1, torn=False, folder=tmp_path, **lazy)
