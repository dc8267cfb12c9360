"""A Galera cluster over slow or lossy links, some of which are cut, perhaps for a time."""

import asyncio
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

import cluster
from cluster import UNDER_WAY_S

from databases import programs
from databases.mariadb import MariaDb
from databases.network import Link, Network, network
from databases.open_loop import PATIENCE_S, open_loop

#: How long latencies are measured.
MEASURED_S = 10


@dataclass(frozen=True)
class Linked:
    """What is done: a load on the first node, and links are cut."""

    link: Link = field(default_factory=Link)
    #: Of the load: how much is under way.
    connections: int = 40
    rate: float = 100
    suspect_s: float = 5
    #: Between which nodes: the third is cut off, or there is another way round.
    cut: tuple[tuple[int, int], ...] = ((2, 0), (2, 1))
    #: For how long; infinity leaves them cut.
    cut_s: float = math.inf

    def __str__(self) -> str:
        """As the table has it."""
        loss = f", {self.link.loss:.0%} lost" if self.link.loss else ""
        rate = f", {self.link.rate * 8 / 1e6:g} Mbit/s" if self.link.rate else ""
        names = [f"{'abc'[other]}{'abc'[one]}" for one, other in self.cut]
        cut = f", only {names[0]} cut" if len(names) == 1 else ""
        until = f", cut for {self.cut_s:g} s" if self.cut_s < math.inf else ""
        return f"Galera, {self.link.delay_s * 1e3:g} ms each way{loss}{rate}{cut}{until}"


@dataclass(frozen=True)
class Answered:
    """What clients saw."""

    rate: float
    p50_ms: float
    p99_ms: float
    #: Without a commit, once links were cut.
    outage_s: float


def load_and_cut(prepared: Path, folder: Path, asked: Linked, seed: str) -> Answered:
    """Measure latencies of commits over a network, and then cut links."""
    programs.run("cp", "-a", prepared, folder)
    with network(cluster.NODES, Link(), seed) as between:
        members = cluster.nodes(folder, asked.suspect_s, hosts=between.hosts)
        with cluster.running(members):
            return asyncio.run(_load_and_cut(members[0], between, asked, seed))


async def _load_and_cut(writer: MariaDb, between: Network, asked: Linked, seed: str) -> Answered:
    between.change(asked.link)
    async with open_loop(
        [*writer.client(), "--force"], asked.connections, asked.rate, seed
    ) as load:
        await load.some_time()
        rows, due = load.acknowledged, load.due
        first = max(rows)
        began = time.monotonic()
        await asyncio.sleep(MEASURED_S)
        measured = {row: at for row, at in rows.items() if row > first}
        rate = len(measured) / (time.monotonic() - began)
        cut = time.monotonic()
        for ends in asked.cut:
            between.cut(*ends)
        if asked.cut_s < math.inf:
            await asyncio.sleep(cut + asked.cut_s - time.monotonic())
            for ends in asked.cut:
                between.restore(*ends)
        middle = cut + UNDER_WAY_S
        async with asyncio.timeout(PATIENCE_S):
            await load.until(lambda: max(rows.values()) > middle)
        again = min(at for at in rows.values() if at > middle)
        last = max(at for at in rows.values() if at < middle)
    latencies = quantiles([at - due[row] for row, at in measured.items()], n=100)
    return Answered(rate, latencies[49] * 1e3, latencies[98] * 1e3, again - last)
