"""PostgreSQL under pgbench's TPC-B-like transactions."""

import re
import tempfile
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from load import THREADS, Load, Measured, Sizes, Work, latencies
from uncached import uncached

from databases import programs
from databases.postgres import PROGRAMS, USER, Postgres

__all__ = ["PROGRAMS", "USER", "TpcB"]

#: Where it counts, each a single row: its own views, and some made here.
COUNTED = ["database", "statements", "pg_stat_wal", "pg_stat_bgwriter"]

#: These, and what is in the last 32 MiB of the log, from which a run's transactions are told.
VIEWS = """\
create extension pg_stat_statements;
create extension pg_walinspect;
create view database as select * from pg_stat_database where datname = current_database();
create view statements as
    select sum(shared_blks_hit) hit, sum(shared_blks_read) read,
        sum(shared_blks_dirtied) dirtied, sum(shared_blks_written) written
    from pg_stat_statements;
create view logged as
    select sum(record_size) bytes, sum(fpi_size) images,
        sum(count) filter (where "resource_manager/record_type" = 'Transaction/COMMIT') commits
    from pg_get_wal_stats(
        pg_current_wal_flush_lsn() - (32 << 20)::numeric, pg_current_wal_flush_lsn(), true);
"""


@dataclass
class TpcB(Measured, Postgres):
    """A PostgreSQL server whose data is ten times its buffers.

    Autovacuum is off, so that all IO is that of transactions and their checkpoints; those come
    every 30 s, so that a run of a minute sees several. The log is written to segments that are
    there from the fill, as in a database that has been running for long.
    """

    ENGINE: ClassVar = "postgres"
    POOL: ClassVar = "shared_buffers"
    SETTINGS: ClassVar = {
        "shared_buffers": "64MB",
        "checkpoint_timeout": "30s",
        "autovacuum": "off",
        "min_wal_size": "512MB",
        "max_wal_size": "4GB",
        "shared_preload_libraries": "pg_stat_statements",
    }
    FILLING: ClassVar = SETTINGS | {"fsync": "off", "checkpoint_timeout": "1h"}
    #: pgbench's scale: 13 MiB of accounts each.
    SCALE: ClassVar = 50

    def fill(self) -> None:
        """Make pgbench's tables, with room for a new version of a row on its own page."""
        self._pgbench("--initialize", "--quiet", "--fillfactor=90", f"--scale={self.SCALE}")
        self.query(VIEWS)
        self.query("checkpoint")

    def run(self, seconds: int) -> Load:
        """Put the load on it."""
        with tempfile.TemporaryDirectory() as folder:
            self._pgbench(
                "--builtin=tpcb-like", "--no-vacuum", f"--time={seconds}", f"--client={THREADS}",
                "--log", f"--log-prefix={folder}/log",
            )  # fmt: skip
            lines = [
                line for log in Path(folder).iterdir() for line in log.read_text().splitlines()
            ]
        took = Counter(float(line.split()[2]) / 1e3 for line in lines)
        return Load(len(lines), len(lines) / seconds, latencies(took.items()))

    def counters(self) -> dict[str, float]:
        """What it has counted so far: of the database, its log, its writers and its statements."""
        return {f"{view}.{name}": value for view in COUNTED for name, value in self._row(view)}

    def work(self, counted: dict[str, float], transactions: int) -> Work:
        """What a transaction did; the log's end tells how much of it is images of pages."""
        each = {name: value / transactions for name, value in counted.items()}
        logged = dict(self._row("logged"))
        hit, read = (each[f"statements.{name}"] for name in ("hit", "read"))
        return Work(
            accesses=hit + read,
            misses=read,
            dirtied=each["statements.dirtied"],
            log_bytes=logged["bytes"] / logged["commits"],
            full_pages=each["pg_stat_wal.wal_fpi"],
            counted=each,
        )

    def variables(self) -> dict[str, float]:
        """What says when it makes checkpoints: bytes of log, and seconds."""
        size, seconds = self.query(
            "select pg_size_bytes(current_setting('max_wal_size')),"
            " extract(epoch from current_setting('checkpoint_timeout')::interval)"
        ).split("|")
        return {"max_wal_size": float(size), "checkpoint_timeout": float(seconds)}

    def sizes(self) -> Sizes:
        """Sizes of data, pool and page."""
        page, data, pool = self.query(
            "select current_setting('block_size'), sum(pg_total_relation_size(relid)),"
            " pg_size_bytes(current_setting('shared_buffers')) from pg_stat_user_tables"
        ).split("|")
        return Sizes(int(data), int(pool), int(page))

    def bypass(self) -> AbstractContextManager[None]:
        """Keep its tables out of the page cache: up to version 15 it always reads through it."""
        number = self.query("select oid from pg_database where datname = current_database()")
        return uncached(self.data / "base" / number)

    def _row(self, view: str) -> list[tuple[str, float]]:
        """The numbers of a view's only row, by the names of their columns."""
        said = programs.run(*self.client(), "--expanded", "-c", f"table {view}").stdout
        found = re.findall(r"^(\w+)\|(-?[\d.]+)$", said, re.MULTILINE)
        return [(name, float(value)) for name, value in found]
