"""Percona's comparison: the same load on a small gp2, a large gp2, an io1 and no limits."""

import statistics
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path

from databases.emulated import volumes
from databases.filled import Filled
from serving import Served

#: How long each layout is under load, and how much of it is only to warm up, in seconds.
LOAD_S, WARM_UP_S = 4, 1


@dataclass(frozen=True)
class Rates:
    """Transactions per second on the volumes of Percona's comparison, and without limits.

    Percona, "Percona XtraDB Cluster on Amazon GP2 volumes" (2018-03-28).
    """

    small_gp2: float
    large_gp2: float
    io1: float
    unlimited: float


def check(database: Filled, clients: int, folder: Path) -> None:
    """Check Percona's order: large gp2 and io1 near each other, the small gp2 far below.

    What the large gp2 and the io1 allow, 10,000 IOPS, is more than these loads use. What
    is left between them is latency: a read takes gp2 some 0.39 ms in the model and io1
    0.50 ms, a write 0.60 and 0.57 ms. Percona's own measurements of 2018
    (201808-rocksdb-cloudio) have InnoDB on gp2 at 0.71 of its rate on io1.

    What else the machine does can only lower
    a rate, so the best of up to three rounds counts. The test is skipped if the order is
    wrong and the volumes were late.
    """
    best, service = _measured(database, clients, folder)
    for _ in range(2):
        if not _wrong(best):
            return
        again, service = _measured(database, clients, folder)
        best = Rates(*map(max, astuple(best), astuple(again)))
    if _wrong(best):
        service.skip_if_late()
    assert not _wrong(best), (_wrong(best), best)


def _measured(database: Filled, clients: int, folder: Path) -> tuple[Rates, Served]:
    """The rates, and the service that served the volumes, which has ended."""
    layouts = {
        # First under load: an idle volume earns credits.
        "small_gp2": "{type: gp2, size: 200GiB, burst_balance: 0%}",
        "large_gp2": "{type: gp2, size: 3334GiB}",
        "io1": "{type: io1, size: 200GiB, iops: 10000}",
        "unlimited": "{type: unlimited, size: 200GiB}",
    }
    storage = "".join(f"  {name}: {volume}\n" for name, volume in layouts.items())
    with volumes(storage, folder) as served, ExitStack() as stack, ThreadPoolExecutor() as pool:
        copies = [database.copied(served.device(name)) for name in layouts]
        places = pool.map(stack.enter_context, copies)
        rates = {}
        for name, place in zip(layouts, list(places), strict=True):
            with database.running(place) as running:
                rates[name] = statistics.mean(running.load(LOAD_S, clients)[WARM_UP_S:])
    return Rates(**rates), served.served


def _wrong(rates: Rates) -> list[str]:
    """What is out of order."""
    expected = {
        "the small gp2 is far below": rates.small_gp2 < 0.4 * rates.large_gp2,
        "gp2 and io1 are near each other": 0.6 < rates.large_gp2 / rates.io1 < 1.15,
        "no limits are not slower": rates.unlimited > 0.95 * rates.io1,
    }
    return [what for what, held in expected.items() if not held]
