"""The SQLite database that yaspe makes from an InterSystems SystemPerformance report."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign import mgstat
from blockyard.formats.foreign.database import Database, numbers, timeline_of_table
from blockyard.formats.foreign.disks import Disks
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.observations import Source
from blockyard.formats.foreign.reading import Reading
from blockyard.runs.run import Run

MAGIC = b"SQLite format 3\0"

# What the table `overview` says about devices, if the report included the configuration: a field
# for each role, and one for each device with databases.
_ROLES = {
    "iris disk role Database": "database",
    "iris disk role Primary Journal": "journal",
    "iris disk role Alternate Journal": "alternate journal",
    "iris disk role WIJ": "WIJ",
}


def read(path: Path, reading: Reading) -> Run:
    """Read the disks from the table `iostat`; without one, the database's IO from `mgstat`.

    Raises ForeignError if it is another program's database or has neither table.
    """
    with Database(path) as database:
        tables = database.tables()
        overview = _overview(database) if "overview" in tables else {}
        host = f" on {overview['linux hostname']}" if "linux hostname" in overview else ""
        if "iostat" in tables:
            return _disks(database, tables, overview, f"yaspe, iostat{host}", reading)
        if "mgstat" in tables:
            return mgstat.run(database, tables["mgstat"], "yaspe", f"yaspe, mgstat{host}")
        found = ", ".join(sorted(tables))[:60] or "none"
        raise ForeignError(path, f"tables: {found}; expected yaspe's iostat or mgstat")


def _disks(
    database: Database,
    tables: dict[str, list[str]],
    overview: dict[str, str],
    engine: str,
    reading: Reading,
) -> Run:
    path = database.path
    disks = Disks(tables["iostat"], f"{path}: iostat")
    # The first report of iostat covers the time since the boot.
    timeline, starts = timeline_of_table(database, "iostat", tables["iostat"], first=False)
    named = _named(overview)
    needed = disks.needed()
    pieces: list[pa.Table] = []
    for rows in database.rows("iostat", ["datetime", "Device", *needed]):
        stamps, devices, *figures = zip(*rows, strict=True)
        piece = {
            "t_s": pa.array([starts.get(str(stamp)) for stamp in stamps], pa.float64()),
            "device": [named.get(str(device), str(device)) for device in devices],
        }
        for name, values in zip(needed, figures, strict=True):
            piece[name] = numbers(f"{path}: iostat: {name}", values)
        table = pa.table(piece)
        pieces.append(table.filter(pc.is_valid(table["t_s"])))
    # Reports are not always added in chronological order.
    samples = pa.concat_tables(pieces).sort_by("t_s")
    source = Source(path, "yaspe", engine, timeline.started.isoformat())
    cycles = mgstat.cycles(database, tables.get("mgstat", []), timeline)
    return disks.run(source, timeline, samples, reading, cycles)


def _overview(database: Database) -> dict[str, str]:
    return {
        str(field): str(value)
        for rows in database.rows("overview", ["field", "value"])
        for field, value in rows
    }


def _named(overview: dict[str, str]) -> dict[str, str]:
    """Return the name of each device with a role: `dm-2 (database, WIJ)`."""
    roles: dict[str, list[str]] = {}
    for field, device in overview.items():
        # `Database 0`, `Database 1` and so on, but not `Database 0 names`.
        role = _ROLES.get(field.rstrip("0123456789").rstrip())
        if role and role not in roles.setdefault(device, []):
            roles[device].append(role)
    return {device: f"{device} ({', '.join(of)})" for device, of in roles.items()}
