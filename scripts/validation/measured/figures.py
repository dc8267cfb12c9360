"""What was measured in a row, by quantity."""

from dataclasses import dataclass

from validation.measured.loads import buffered_sync_us, held, in_flight, transactions
from validation.measured.rows import Operation, Row

LATENCIES = ("mean", "p50", "p95", "p99", "p99_9")
# Completion latency leaves out the submission. Its quantiles are those of the whole if the
# submission took no more than this of the mean.
MOST_SUBMISSION = 0.05
# Seconds of its rate that a run had beyond it: more is a higher rate, below 0 is no limit.
MOST_EXCESS_S = 2.0


@dataclass(frozen=True)
class Figure:
    """A measured figure."""

    # `iops`, `mib_per_s`, `tps`, `excess_s`, or one of LATENCIES in microseconds.
    quantity: str
    op: str
    # Whether a limit held the load.
    at_limit: bool
    measured: float
    # Of `excess_s`: the limit, in IOs a second.
    limit: float | None = None


def figures(row: Row) -> tuple[Figure, ...]:
    """What of a row can be compared."""
    at_limit = held(row)
    if transactions(row):
        return tuple(Figure("tps", "transaction", True, rate) for rate in _rate_of(row))
    synced = row.results.write.lat_us.get("mean") if row.results.write else None
    synced = synced or buffered_sync_us(row)
    if isinstance(synced, float | int) and not at_limit:
        # A write and its sync, as `sync`.
        return (Figure("mean", "sync", False, synced),)
    found: list[Figure] = []
    for op in ("read", "write"):
        made = row.results.of(op)
        if made is None:
            continue
        if at_limit and "serial_engine" not in row.flags:
            found += _rates(row, op, made)
        found += [
            Figure(name, op, at_limit, value) for name, value in _latencies(row, op, made).items()
        ]
    return tuple(found)


def _rate_of(row: Row) -> tuple[float, ...]:
    rate = row.results.db.get("tps_mean")
    return (rate,) if isinstance(rate, float | int) else ()


def _rates(row: Row, op: str, made: Operation) -> list[Figure]:
    """The rate that the limit counts; of a mix, each direction's."""
    by_bytes = "saturated_throughput" in row.classes or made.iops is None
    value = made.bw_mibps if by_bytes else made.iops
    found = [Figure("mib_per_s" if by_bytes else "iops", op, True, value)] if value else []
    excess, limit = row.derived.get("excess_s_of_rate"), row.derived.get("limit_iops")
    if not isinstance(excess, float | int) or not isinstance(limit, float | int):
        return found
    if 0 <= excess <= MOST_EXCESS_S:
        found.append(Figure("excess_s", op, True, excess, limit))
    return found


def _latencies(row: Row, op: str, made: Operation) -> dict[str, float]:
    """Latencies of whole IOs in microseconds."""
    if not in_flight(row) and not row.workload.rate_iops:
        # At a limit they follow from the number in flight.
        return {}
    if "serial_engine" in row.flags:
        # The guest's latency counts its queue: the device's own mean is what there is.
        device = row.results.device.get(f"{op}_us_mean")
        return {"mean": device} if isinstance(device, float | int) else {}
    mean = made.latency_us("total_lat_mean") or made.latency_us("mean")
    found = {"mean": mean} if mean else {}
    submission = made.slat_us_mean or 0
    if mean is None or submission <= MOST_SUBMISSION * mean:
        quantiles = {name: made.latency_us(name) for name in LATENCIES[1:]}
        found |= {name: value for name, value in quantiles.items() if value}
    return found
