"""yaspe's database, as version 0.13 makes it from a SystemPerformance report."""

import sqlite3
from pathlib import Path

import pytest

from blockyard.formats import foreign
from blockyard.formats.foreign import ForeignError
from blockyard.runs.run import Run

IOSTAT = """
CREATE TABLE iostat (
  id_key INTEGER, RunDate TEXT, RunTime TEXT, Device TEXT,
  "r/s" REAL, "w/s" REAL, "rkB/s" REAL, "wkB/s" REAL, "rrqm/s" REAL, "wrqm/s" REAL,
  "r_await" REAL, "w_await" REAL, "aqu-sz" REAL, "%util" REAL, "html name" TEXT, datetime TEXT
)
"""
MGSTAT = """
CREATE TABLE mgstat (
  id_key INTEGER, RunDate TEXT, RunTime TEXT, Glorefs INTEGER, PhyRds INTEGER, PhyWrs INTEGER,
  WDQsz INTEGER, WDphase INTEGER, WIJwri INTEGER, Jrnwrts INTEGER, "html name" TEXT,
  datetime TEXT
)
"""
OVERVIEW = "CREATE TABLE overview (id INTEGER PRIMARY KEY, field TEXT NOT NULL, value TEXT)"


class Database:
    """A database under construction."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = sqlite3.connect(path)
        self._connection.execute(OVERVIEW)
        self.overview("operating system", "Linux")

    def overview(self, field: str, value: str) -> None:
        self._connection.execute(
            "INSERT INTO overview (field, value) VALUES (?, ?)", (field, value)
        )

    def sample(self, time: str, device: str, reads: object = 100, day: str = "2026/11/21") -> None:
        """Reads of 8 KiB that take 2 ms each, and 50 writes a second."""
        self._connection.execute(IOSTAT.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
        kib = reads * 8 if isinstance(reads, int) else 0
        row = [0, day, time, device, reads, 50, kib, 400, 0, 0, 2.0, 4.0, 0.4, 20, day]
        self._connection.execute(
            f"INSERT INTO iostat VALUES ({','.join('?' * 16)})",  # noqa: S608
            [*row, f"{day} {time}"],
        )

    def count(self, second: int, phase: int = 0) -> None:
        self._connection.execute(MGSTAT.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
        time = f"09:{second // 60:02}:{second % 60:02}"
        row = [0, "2026/11/21", time, 9_000, 300, 200, 50, phase, 4, 7, "report"]
        self._connection.execute(
            f"INSERT INTO mgstat VALUES ({','.join('?' * 12)})",  # noqa: S608
            [*row, f"2026/11/21 {time}"],
        )

    def load(self) -> Run:
        self._connection.commit()
        run = foreign.read(self.path)
        assert run is not None
        return run


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "db1_SystemPerformance.sqlite")


def test_disks_are_read_from_iostat_s_table(database: Database) -> None:
    database.overview("linux hostname", "db1")
    for second in (0, 10, 20):
        for device in ("dm-2", "dm-3"):
            database.sample(f"09:00:{second:02}", device)
    run = database.load()
    assert run.name == "db1_SystemPerformance"
    assert (run.result["mode"], run.result["duration_s"]) == ("yaspe", 20)
    machine = run.result["machine"]
    assert machine
    assert machine["engine"] == "yaspe, iostat on db1"
    assert machine["started"] == "2026-11-21T09:00:00"
    assert run.intervals["t_s"].to_pylist() == [0] * 4 + [10] * 4
    reads = run.intervals.to_pylist()[0]
    assert (reads["device"], reads["op"], reads["ios"]) == ("dm-2", "read", 1000)
    assert (reads["bytes"], reads["latency_mean_us"]) == (1000 * 8192, 2000)


def test_devices_have_the_roles_that_the_overview_gives(database: Database) -> None:
    roles = {
        "iris disk role Database 0": "dm-2",
        "iris disk role Database 0 names": "IRISSYS,USER",
        "iris_disk_role_mount Database 0": "/data",
        "iris disk role Database 1": "dm-4",
        "iris disk role Primary Journal": "dm-3",
        "iris disk role WIJ": "dm-2",
    }
    for field, device in roles.items():
        database.overview(field, device)
    for second in (0, 10):
        for reads, device in enumerate(("sda", "dm-2", "dm-3", "dm-4"), start=2):
            database.sample(f"09:00:{second:02}", device, reads=100 * reads**2)
    assert {total["device"] for total in database.load().result["totals"]} == {
        "dm-2 (database, WIJ)",
        "dm-3 (journal)",
        "dm-4 (database)",
        "sda",
    }


def test_days_that_were_added_out_of_order_are_one_run(database: Database) -> None:
    for day in ("2026/11/22", "2026/11/21"):
        for second in (0, 10, 20):
            database.sample(f"09:00:{second:02}", "dm-2", day=day)
    run = database.load()
    day_s = 86_400
    # The first sample of each report covers the time since the boot.
    starts = [0, 10, day_s, day_s + 10]
    assert run.intervals["t_s"].to_pylist() == [start for start in starts for _ in range(2)]


def test_without_iostat_the_database_s_own_counters_are_read(database: Database) -> None:
    for second in range(0, 60, 10):
        database.count(second)
    run = database.load()
    totals = {(total["device"], total["op"]): total for total in run.result["totals"]}
    assert totals.keys() == {("database", "read"), ("database", "write"), ("wij", "write")}
    assert totals["database", "read"]["iops"] == 300
    assert totals["wij", "write"]["mib_per_s"] == 1
    assert {row["latency_mean_us"] for row in run.intervals.to_pylist()} == {None}


def test_phases_of_the_write_daemon_are_cycles(database: Database) -> None:
    # The first cycle is under way when sampling begins, the last when it ends.
    phases = [8, 0, 0, 5, 5, 7, 8, 8, 0, 0, 5, 8, 0, 5]
    for index, phase in enumerate(phases):
        database.count(10 * index, phase)
    first, second = database.load().result["cycles"]
    assert first == {
        "job": "observed",
        "start_s": 40,
        "listed_s": 40,
        "wij_done_s": 60,
        "journal_done_s": 70,
        "database_done_s": 90,
        "end_s": 90,
    }
    assert (second["start_s"], second["wij_done_s"], second["end_s"]) == (110, 120, 130)


def test_cycles_stand_on_the_time_of_the_disks(database: Database) -> None:
    for second in range(0, 60, 10):
        database.sample(f"09:00:{second:02}", "dm-2")
        database.count(second + 5, 5 if second == 20 else 0)
    [cycle] = database.load().result["cycles"]
    assert (cycle["start_s"], cycle["end_s"]) == (25, 35)


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("DROP TABLE iostat", "tables: overview; expected yaspe's iostat or mgstat"),
        ("ALTER TABLE iostat DROP COLUMN datetime", "iostat: no column datetime; no times"),
        ('ALTER TABLE iostat DROP COLUMN "r/s"', "iostat: columns .*expected r/s, w/s"),
        ("ALTER TABLE iostat DROP COLUMN Device", "SQLite: no such column: Device"),
        ("UPDATE iostat SET \"r/s\" = 'many'", "iostat: r/s: 'many'; expected a number"),
        ("UPDATE iostat SET datetime = 'now'", "iostat: datetime: 'now'; expected a date"),
        ("DELETE FROM iostat WHERE id_key = 0", "iostat: rows of fewer than two times"),
    ],
)
def test_what_is_not_as_yaspe_writes_it_is_named(
    database: Database, statement: str, error: str
) -> None:
    database.sample("09:00:00", "dm-2")
    database.sample("09:00:10", "dm-2")
    database._connection.execute(statement)
    with pytest.raises(ForeignError, match=error):
        database.load()


def test_a_column_that_older_days_lack_counts_nothing_on_them(database: Database) -> None:
    for second in (0, 10, 20):
        database.sample(f"09:00:{second:02}", "dm-2", reads=None if second == 10 else 100)
    reads = [row["ios"] for row in database.load().intervals.to_pylist() if row["op"] == "read"]
    assert reads == [0, 1000]


def test_a_torn_database_is_named(database: Database, tmp_path: Path) -> None:
    database.sample("09:00:00", "dm-2")
    database._connection.commit()
    torn = tmp_path / "torn.sqlite"
    torn.write_bytes(database.path.read_bytes()[:5000])
    with pytest.raises(ForeignError, match=r"torn.sqlite: SQLite: "):
        foreign.read(torn)
