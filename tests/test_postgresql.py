"""PostgreSQL on emulated volumes: credits and power cuts.

Its data is in the page cache, so that only commits reach the device: writes of its log, each
with a flush.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import burst, filled, power
from databases.emulated import need
from databases.filled import Filled
from databases.postgres import PROGRAMS, USER, Postgres

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database() -> Iterator[Filled]:
    need(USER, *PROGRAMS)
    with filled.filled(Postgres, USER, fsync="off") as database:
        yield database


@pytest.mark.realtime
def test_rate_falls_when_the_credits_end(database: Filled, tmp_path: Path) -> None:
    burst.check(database, tmp_path)


@pytest.mark.parametrize(("seed", "torn"), [(1, False), (2, True), (3, True)])
def test_no_acknowledged_row_is_lost_in_a_power_cut(
    database: Filled, seed: int, torn: bool, tmp_path: Path
) -> None:
    assert power.lost(database, seed, torn=torn, folder=tmp_path) == set()


def test_rows_that_were_not_flushed_are_missed(database: Filled, tmp_path: Path) -> None:
    # Commits are acknowledged before they are written, and the writer that would soon write
    # them sleeps.
    lazy = {"synchronous_commit": "off", "wal_writer_delay": "10s", "wal_writer_flush_after": "0"}
    assert power.lost(database, 1, torn=False, folder=tmp_path, **lazy)


def test_database_without_syncs_is_found_damaged(database: Filled, tmp_path: Path) -> None:
    try:
        lost = power.lost(database, 1, torn=True, folder=tmp_path, fsync="off")
    except RuntimeError:
        return  # It does not even start.
    assert lost
