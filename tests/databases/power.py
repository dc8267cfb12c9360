"""A power cut under load, and what a client outside finds missing afterwards."""

from pathlib import Path

from databases.emulated import volumes
from databases.filled import Filled
from databases.witness import witness

#: Rows that each connection has acknowledged before the power goes.
ROWS = 300


def lost(database: Filled, seed: int, *, torn: bool, folder: Path, **settings: str) -> set[int]:
    """The acknowledged rows that are missing after a power cut under load.

    `seed` and `torn` decide what the volume keeps of what was not flushed; `settings` are
    the server's. Raises RuntimeError where the database does not even start again.
    """
    with volumes("  data: {type: gp3, size: 20GiB}\n", folder) as served:
        with database.on(served.device(), **settings) as running, witness(*[running] * 4) as client:
            client.until(ROWS)
            served.cut_power(seed, torn=torn)
            # Those who flush find out; those who do not would go on for long.
            client.wait(5)
        served.restore_power()
        with (
            database.mounted(served.device()) as volume,
            database.running(volume, **settings) as recovered,
        ):
            return client.lost(recovered)
