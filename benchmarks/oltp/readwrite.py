"""MariaDB under sysbench's read-write transactions."""

import re
from dataclasses import dataclass
from typing import ClassVar

from load import THREADS, Load, Measured, Sizes, Work, latencies

from databases.mariadb import PROGRAMS, USER, MariaDb

__all__ = ["PROGRAMS", "USER", "ReadWrite"]


@dataclass
class ReadWrite(Measured, MariaDb):
    """A MariaDB server whose data is eight times its buffer pool, with direct IO.

    All else is MariaDB's default: the doublewrite area is on, the log is flushed at each commit,
    and there is no binary log.
    """

    ENGINE: ClassVar = "innodb"
    POOL: ClassVar = "innodb_buffer_pool_size"
    SETTINGS: ClassVar = {"innodb_buffer_pool_size": "64M"}
    FILLING: ClassVar = {
        "innodb_buffer_pool_size": "512M",
        "innodb_flush_log_at_trx_commit": "0",
        "innodb_doublewrite": "0",
    }
    #: Rows of the table, some 240 bytes each with its index.
    SCALE: ClassVar = 2_000_000

    def fill(self) -> None:
        """Make sysbench's table."""
        self._sysbench("prepare", f"--table-size={self.SCALE}", test="oltp_read_write")

    def run(self, seconds: int) -> Load:
        """Put the load on it."""
        said = self._sysbench(
            "run", f"--table-size={self.SCALE}", f"--time={seconds}", f"--threads={THREADS}",
            "--histogram=on", test="oltp_read_write",
        )  # fmt: skip
        found = re.search(r"transactions: +(\d+) +\(([\d.]+) per sec", said)
        if not found:
            raise RuntimeError(f"sysbench printed no transactions: {said}")
        counted = re.findall(r"^ +([\d.]+) \|\** +(\d+)$", said, re.MULTILINE)
        times = latencies((float(value), int(count)) for value, count in counted)
        return Load(int(found[1]), float(found[2]), times)

    def counters(self) -> dict[str, float]:
        """What InnoDB has counted so far."""
        rows = self.query("show global status like 'Innodb%'").splitlines()
        fields = (row.split("\t") for row in rows)
        return {name: float(value) for name, value in fields if re.fullmatch(r"-?[\d.]+", value)}

    def work(self, counted: dict[str, float], transactions: int) -> Work:
        """What a transaction did. A page became dirty that was flushed or is dirty still."""
        each = {name: value / transactions for name, value in counted.items()}
        pool = "Innodb_buffer_pool_"
        return Work(
            accesses=each[f"{pool}read_requests"],
            misses=each[f"{pool}reads"],
            dirtied=each[f"{pool}pages_flushed"] + each[f"{pool}pages_dirty"],
            log_bytes=each["Innodb_os_log_written"],
            full_pages=0,
            counted=each,
        )

    def variables(self) -> dict[str, float]:
        """What says how it writes pages and how long its log is."""
        names = ("log_file_size", "io_capacity", "io_capacity_max", "adaptive_flushing_lwm",
                 "lru_scan_depth")  # fmt: skip
        values = self.query("select " + ", ".join(f"@@innodb_{name}" for name in names))
        return dict(zip(names, map(float, values.split("\t")), strict=True))

    def sizes(self) -> Sizes:
        """Sizes of data, pool and page."""
        page, pool, data = self.query(
            "select @@innodb_page_size, @@innodb_buffer_pool_size, sum(file_size)"
            " from information_schema.innodb_sys_tablespaces where name like 'test/%'"
        ).split("\t")
        return Sizes(int(data), int(pool), int(page))
