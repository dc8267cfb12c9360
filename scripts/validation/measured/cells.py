"""Names and figures as cells of tables."""

from collections.abc import Callable

from validation.measured.compare import Compared
from validation.measured.errors import WANTED, Spread
from validation.measured.figures import LATENCIES
from validation.measured.rows import Row, Workload
from validation.measured.storage import stand_in

RATES = ("iops", "mib_per_s", "tps")
CALLED = {
    "tps": "transactions a second",
    "iops": "IOPS at a limit",
    "mib_per_s": "MiB/s at a limit",
    "excess_s": "tokens after rest, in s of the rate",
    "mean": "mean latency",
    "p99_9": "p99.9",
}


def quantity_of(one: Compared) -> tuple[str, bool]:
    """What a figure is summed up under."""
    return one.figure.quantity, one.figure.at_limit


def quantities() -> list[tuple[str, bool]]:
    """The summary's lines."""
    first = [(name, True) for name in ("iops", "mib_per_s", "tps", "excess_s")]
    return first + [(name, at_limit) for at_limit in (False, True) for name in LATENCIES]


def column_of(quantity: str) -> str:
    """The column of a quantity in tables by row, type or source."""
    return "rate" if quantity in RATES else quantity


def short(column: str) -> str:
    """The head of a column."""
    return {"excess_s": "after rest", "p99_9": "p99.9"}.get(column, column)


def called(quantity: str, at_limit: bool) -> str:
    """A quantity, as the summary calls it."""
    name = CALLED.get(quantity, quantity)
    if quantity not in LATENCIES:
        return name
    return f"{name}, {'at a limit' if at_limit else 'below it'}"


def wanted_of(quantity: str) -> str:
    """What is wanted of a quantity."""
    if quantity not in WANTED:
        return ""
    bound = f"{100 * WANTED[quantity]:.0f} %"
    return f"median {bound}" if quantity in LATENCIES else bound


def spread_cells(quantity: str, spread: Spread, wanted: bool) -> list[str]:
    """A spread, as the cells of the summary."""
    form, signed = forms(quantity)
    within = f"{spread.within} of {spread.rows}" if wanted else ""
    return [str(spread.rows), form(spread.median), form(spread.high), signed(spread.bias), within]


def forms(quantity: str) -> tuple[Callable[[float], str], Callable[[float], str]]:
    """How errors of a quantity are written, without and with their signs."""
    return (_seconds, _seconds) if quantity == "excess_s" else (_share, percent)


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def percent(value: float) -> str:
    """A signed share."""
    return f"{100 * value:+.0f} %"


def pair(one: Compared) -> str:
    """Measured, predicted, and the error."""
    figure = one.figure
    if figure.quantity == "excess_s":
        return f"{figure.measured:.2f} / {one.predicted:.2f} s"
    unit, form = "", "{:,.0f}"
    measured, predicted = figure.measured, one.predicted
    if figure.quantity == "mib_per_s":
        unit = " MiB/s"
    elif figure.quantity == "tps":
        unit = "/s"
    elif figure.quantity in LATENCIES:
        unit, form = " ms", "{:.2f}" if measured < 100_000 else "{:,.0f}"
        measured, predicted = measured / 1000, predicted / 1000
    both = f"{form.format(measured)} / {form.format(predicted)}{unit}"
    return f"{both}, {percent(one.error)}"


def storage_of(row: Row) -> str:
    """What was measured, in short."""
    volume = row.volume
    several = f"{volume.count} of " if volume.count > 1 else ""
    other = stand_in(row)
    size = f" {volume.size_gib} GiB" if volume.size_gib else ""
    iops = f" {volume.iops:,}" if volume.iops else ""
    throughput = f"/{volume.throughput_mibps:g}" if volume.throughput_mibps else ""
    instance = f", {row.instance}" if row.instance else ""
    instance += f" as {other}" if other else ""
    return f"{several}{volume.type}{size}{iops}{throughput}{instance}"


def load_of(load: Workload) -> str:
    """With what load, in short."""
    blocks = {size for size in (load.block_read, load.block_write) if size}
    sizes = "/".join(f"{size / 1024:g}" for size in sorted(blocks))
    rate = f" {load.rate_iops}/s" if load.rate_iops else ""
    depth = f", {load.numjobs} of depth {load.iodepth or 1}" if load.numjobs else ""
    return f"{load.rw}{f' {sizes} KiB' if sizes else ''}{depth}{rate}"
