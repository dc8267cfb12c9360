"""The volume of a Galera node, or of a PostgreSQL primary, whose IOs all fail from a moment on."""

import asyncio
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from cluster import UNDER_WAY_S
from on_volumes import cluster_on_volumes

import undoing
from databases import filesystem, standby
from databases.emulated import Volumes, volumes
from databases.mariadb import MariaDb
from databases.open_loop import LAST, Outcome, connection, open_loop
from databases.postgres import Postgres
from databases.standby import Failover


@dataclass(frozen=True)
class FailedDisk:
    """What is done: a load on the first node, and the disk of a node fails."""

    node: Literal["writer", "other"]
    connections: int = 8
    rate: float = 100
    suspect_s: float = 5

    def __str__(self) -> str:
        """As the table has it."""
        return f"Galera, {self.node}'s disk failed"


@dataclass(frozen=True)
class FailedPrimary(Failover):
    """The same of a PostgreSQL primary, and its standby is promoted once it has ended."""

    def __str__(self) -> str:
        """As the table has it."""
        return f"{super().__str__()}, disk failed"


def fail_disk(prepared: Path, folder: Path, asked: FailedDisk, seed: str) -> Outcome:
    """Fail a node's disk under load, and see when a client commits again."""
    with cluster_on_volumes(prepared, folder) as (members, devices):
        return asyncio.run(_fail(members, devices, asked, seed))


async def _fail(members: list[MariaDb], devices: Volumes, asked: FailedDisk, seed: str) -> Outcome:
    writer, other, third = members
    options = ["--force"]
    async with (
        connection([*other.client(), *options]) as second,
        open_loop([*writer.client(), *options], asked.connections, asked.rate, seed) as load,
    ):
        await load.some_time()
        rows = load.acknowledged
        if asked.node == "writer":
            await asyncio.to_thread(devices.fail, "data_a")
            await asyncio.to_thread(writer.wait)
            load.lose()
            again = await second.inserted(LAST)
            last = max(rows.values())
        else:
            began = time.monotonic()
            await asyncio.to_thread(devices.fail, "data_c")
            await asyncio.to_thread(third.wait)
            middle = time.monotonic() + UNDER_WAY_S
            await load.until(lambda: max(rows.values()) > middle)
            times = [began, *sorted(at for at in rows.values() if at > began)]
            gaps = [(b - a, a, b) for a, b in pairwise(times)]
            _, last, again = max(gaps)
    return Outcome(len(rows), len(load.missing(other)), again - last)


def fail_primary(data: Path, folder: Path, asked: FailedPrimary, seed: str) -> Outcome:
    """Fail the primary's disk under load, promote the standby, and count what it lacks."""
    folder.mkdir()
    served = folder / "served"
    served.mkdir()
    settings = {
        "synchronous_commit": asked.synchronous_commit,
        "synchronous_standby_names": "*",
    }
    with volumes("  data_a: {type: gp3, size: 20GiB}\n", served) as devices:
        place = folder / "volume"
        filesystem.make(devices.device("data_a"))
        with (
            undoing.mounted(devices.device("data_a"), place),
            standby.pair(data, folder, settings, place) as (primary, other),
        ):
            return asyncio.run(
                standby.lose(
                    primary, other, folder / "link", asked, seed, lambda: _failed(primary, devices)
                )
            )


def _failed(primary: Postgres, devices: Volumes) -> None:
    devices.fail("data_a")
    primary.wait()
