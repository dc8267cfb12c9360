"""A database filled once, and its copies on volumes."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import undoing
from databases import filesystem
from databases.mariadb import MariaDb
from databases.postgres import Postgres
from databases.programs import owned
from databases.witness import TABLE

Database = Postgres | MariaDb


@dataclass(frozen=True)
class Filled:
    """A database that was filled once, to be copied to each volume."""

    kind: type[Postgres] | type[MariaDb]
    data: Path
    sockets: Path

    @contextlib.contextmanager
    def on(self, device: str, **settings: str) -> Iterator[Database]:
        """A copy of it on a new file system, running, with `settings` of its server."""
        with self.copied(device) as folder, self.running(folder, **settings) as database:
            yield database

    @contextlib.contextmanager
    def copied(self, device: str) -> Iterator[Path]:
        """A new file system with a copy of it, in a folder."""
        filesystem.make(device)
        with self.mounted(device) as folder:
            filesystem.copy(self.data, folder)
            yield folder

    def mounted(self, device: str) -> contextlib.AbstractContextManager[Path]:
        """The file system on a device, where this database's copies are used."""
        return undoing.mounted(device, self.data.parent / f"mount-{Path(device).name}")

    @contextlib.contextmanager
    def running(self, folder: Path, **settings: str) -> Iterator[Database]:
        """The copy in `folder`, running; killed at the end."""
        options = {name.replace("_", self._between): value for name, value in settings.items()}
        database = self.kind(folder / self.data.name, self.sockets, options)
        try:
            database.start()
            yield database
        finally:
            database.kill()

    @property
    def _between(self) -> str:
        return "_" if issubclass(self.kind, Postgres) else "-"


@contextlib.contextmanager
def filled(kind: type[Postgres] | type[MariaDb], user: str, **settings: str) -> Iterator[Filled]:
    """A new database with its load's data; `settings` make that fast."""
    with filesystem.workspace() as folder:
        home, sockets = owned(folder / "home", user), owned(folder / "sockets", user)
        first = Filled(kind, home / "data", sockets)
        kind(first.data, sockets).create()
        with first.running(home, **settings) as database:
            database.fill()
            database.query(TABLE)
            database.stop()
        yield first
