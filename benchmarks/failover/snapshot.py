"""A node that gets a copy of all data (Galera's SST) under load, on emulated volumes."""

import asyncio
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from on_volumes import cluster_on_volumes

from databases.mariadb import MariaDb
from databases.open_loop import open_loop

#: Bytes of a table that nobody uses: most of what is copied.
FILLED = 400 << 20
ROW = 1 << 20
_VALUES = f"seq, repeat(md5(rand()), {ROW // 32}) from seq_1_to_{FILLED // ROW}"
FILL = (
    f"create table filled (id bigint primary key, pad longtext);insert into filled select {_VALUES}"
)
#: From its loss until it is started again: more than the cluster takes to give it up.
AWAY_S = 8
#: From its start until it asks for a copy, of these rows.
STARTED_S = 2
SETTINGS = {"max-allowed-packet": "64M", "wsrep-sst-auth": "root:"}


@dataclass(frozen=True)
class Snapshot:
    """What is done: the third node is killed, and started again."""

    method: Literal["rsync", "mariabackup"]
    connections: int = 8
    rate: float = 100

    def __str__(self) -> str:
        """As the table has it."""
        return f"SST, `{self.method}`"


@dataclass(frozen=True)
class Copied:
    """What was seen of a copy."""

    #: Whether the node with the load was the donor.
    from_writer: int
    #: For how long a node was a donor.
    copy_s: float
    #: The longest time without a commit since the node was started.
    stopped_s: float


def lose_and_copy(prepared: Path, folder: Path, asked: Snapshot, seed: str) -> Copied:
    """Kill a node under load, start it without a state, and see what its copy takes."""
    settings = SETTINGS | {"wsrep-sst-method": asked.method}
    with cluster_on_volumes(prepared, folder, settings) as (members, _):
        return asyncio.run(_copied(members, asked, seed))


async def _copied(members: list[MariaDb], asked: Snapshot, seed: str) -> Copied:
    writer, other, third = members
    async with open_loop(
        [*writer.client(), "--force"], asked.connections, asked.rate, seed
    ) as load:
        await load.some_time()
        third.kill()
        await asyncio.sleep(AWAY_S)
        began = time.monotonic()
        start = asyncio.create_task(asyncio.to_thread(third.start, timeout=300))
        donating: dict[int, list[float]] = {0: [], 1: []}
        while not start.done():
            for number, node in enumerate((writer, other)):
                if await asyncio.to_thread(_donates, node):
                    donating[number].append(time.monotonic())
            await asyncio.sleep(0.05)
        await start
        rows = sorted(at for at in load.acknowledged.values() if at > began)
        load.lose()
    donor = max(donating, key=lambda number: len(donating[number]))
    times = donating[donor]
    stopped = max(later - earlier for earlier, later in pairwise([began, *rows]))
    return Copied(int(donor == 0), times[-1] - times[0] if times else 0, stopped)


def _donates(node: MariaDb) -> bool:
    return "Donor" in node.query("show status like 'wsrep_local_state_comment'")
