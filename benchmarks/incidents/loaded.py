"""PostgreSQL and MariaDB on an incident's device, with its transactions."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

sys.path.append(str(Path(__file__).parents[2] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "oltp"))

from incident import Load
from uncached import uncached

import undoing
from databases import filesystem, mariadb, postgres
from databases.filled import Filled, filled
from databases.programs import owned

# Of load before anything is observed.
_WARM_UP_S = 3


@dataclass
class Postgres(postgres.Postgres):
    """PostgreSQL under pgbench, whose data is ten times its buffers unless it only commits."""

    SMALL: ClassVar = {"shared_buffers": "16MB", "autovacuum": "off"}
    LARGE: ClassVar = {"shared_buffers": "512MB", "autovacuum": "off"}
    BUILT_IN: ClassVar = {"reads": "select-only"}

    def fill(self) -> None:
        """Make pgbench's tables."""
        self._pgbench("--initialize", "--quiet", "--fillfactor=90", "--scale=10")
        self.query("checkpoint")

    def cache(self) -> None:
        """Have all data in memory."""
        self.query("create extension pg_prewarm")
        for relation in ("pgbench_accounts", "pgbench_accounts_pkey"):
            self.query(f"select pg_prewarm('{relation}')")

    def work(self, load: Load, seconds: int) -> None:
        """Put the load on it."""
        rate = [f"--rate={load.rate}"] if load.rate else []
        built_in = self.BUILT_IN.get(load.mix, "simple-update")
        self._pgbench(
            f"--builtin={built_in}", "--no-vacuum", f"--time={seconds}",
            f"--client={load.clients}", *rate,
        )  # fmt: skip

    def bypass(self) -> contextlib.AbstractContextManager[None]:
        """Keep its tables out of the page cache."""
        number = self.query("select oid from pg_database where datname = current_database()")
        return uncached(self.data / "base" / number)


@dataclass
class MariaDb(mariadb.MariaDb):
    """MariaDB under sysbench, whose data is ten times its pool unless it only commits."""

    SMALL: ClassVar = {"innodb_buffer_pool_size": "16M"}
    LARGE: ClassVar = {"innodb_buffer_pool_size": "512M"}

    def cache(self) -> None:
        """Have all data in memory."""
        self.query("select count(*), sum(length(c)) from sbtest1 force index (primary)")

    def work(self, load: Load, seconds: int) -> None:
        """Put the load on it."""
        rate = [f"--rate={load.rate}"] if load.rate else []
        test = "oltp_point_select" if load.mix == "reads" else "oltp_update_non_index"
        self._sysbench("run", f"--time={seconds}", f"--threads={load.clients}", *rate, test=test)

    def bypass(self) -> contextlib.AbstractContextManager[None]:
        """It reads and writes past the page cache anyway."""
        return contextlib.nullcontext()


DATABASES: dict[str, Any] = {
    "postgres": (Postgres, postgres.USER, {"fsync": "off", "shared_buffers": "256MB"}),
    "mariadb": (MariaDb, mariadb.USER, {"innodb_buffer_pool_size": "256M"}),
}


def image(database: str, folder: Path) -> Path:
    """A file system with the filled database, made once."""
    made = folder / f"{database}.image"
    if made.exists():
        return made
    kind, user, settings = DATABASES[database]
    new = made.with_suffix(".new")
    subprocess.run(["truncate", "--size", "2G", new], check=True)  # noqa: S603, S607
    with (
        filled(kind, user, **settings) as data,
        undoing.loop_device(new) as device,
        data.copied(device),
    ):
        pass
    new.rename(made)
    return made


def copied(source: Path, to: Path, size: str) -> None:
    """A copy of an image, as large as a volume."""
    subprocess.run(["cp", "--sparse=always", source, to], check=True)  # noqa: S603, S607
    subprocess.run(["truncate", "--size", size.removesuffix("iB"), to], check=True)  # noqa: S603, S607


@contextlib.contextmanager
def loaded(database: str, load: Load, device: str, seconds: int) -> Iterator[None]:
    """The database on a device that has its image, under load for at least so many seconds."""
    kind, user, _ = DATABASES[database]
    commits = load.mix == "commits"
    with filesystem.workspace() as folder:
        data = Filled(kind, owned(folder / "home", user) / "data", owned(folder / "sockets", user))
        running: Any
        with (
            # Copies of one file system have one UUID.
            undoing.mounted(device, folder / "mount", "-o", "nouuid") as place,
            data.running(place, **(kind.LARGE if commits else kind.SMALL)) as running,
            contextlib.nullcontext() if commits else running.bypass(),
        ):
            if commits:
                running.cache()
            working = threading.Thread(target=_work, args=(running, load, _WARM_UP_S + seconds + 1))
            working.start()
            time.sleep(_WARM_UP_S)
            yield
            running.kill()
            working.join()


def _work(running: Any, load: Load, seconds: int) -> None:
    # It is killed with clients at work.
    with contextlib.suppress(RuntimeError):
        running.work(load, seconds)
