"""Devices on a live screen: a block for each if there is room, otherwise a line."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from blockyard.cli.screen.frame import Device, Gauge
from blockyard.cli.screen.sparkline import ASCII, BLOCKS, sparkline

# Blocks are side by side if each gets at least this many columns.
_BLOCK_COLUMNS = 90


def blocks(devices: Sequence[Device], width: int) -> tuple[RenderableType, int]:
    """The devices with all gauges, and how many lines these take on `width` columns."""
    abreast = max(1, min(width // _BLOCK_COLUMNS, len(devices)))
    grid = Table.grid(expand=True, padding=(0, 2, 0, 0))
    for _ in range(abreast):
        grid.add_column(ratio=1)
    height = 0
    for first in range(0, len(devices), abreast):
        row = devices[first : first + abreast]
        grid.add_row(*map(_block, row))
        height += max(1 + len(device.gauges) for device in row)
    return grid, height


def lines(devices: Sequence[Device], most: int) -> RenderableType:
    """At most `most` lines: a heading, a line for each device, and how many did not fit."""
    shown = devices if len(devices) < most else devices[: max(0, most - 2)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    table.add_column("device", no_wrap=True, overflow="ellipsis", ratio=1)
    gauges = devices[0].gauges
    if gauges:
        table.add_column("", no_wrap=True, ratio=1)
    for gauge in gauges:
        table.add_column(gauge.label, justify="right", no_wrap=True)
    if any(device.throttled_by is not None for device in devices):
        table.add_column("throttled by", no_wrap=True, overflow="ellipsis", max_width=24)
    for device in shown:
        bars = [_Bars(gauge) for gauge in device.gauges[:1]]
        figures = [gauge.now for gauge in device.gauges]
        throttled = [] if device.throttled_by is None else [Text(device.throttled_by)]
        table.add_row(Text(device.name), *bars, *figures, *throttled)
    if len(shown) == len(devices):
        return table
    return Group(table, Text(f"and {len(devices) - len(shown)} more devices", style="dim"))


def _block(device: Device) -> RenderableType:
    head = Text(device.name, style="bold", no_wrap=True, overflow="ellipsis")
    if device.throttled_by:
        head.append("  throttled by ", style="not bold")
        head.append(device.throttled_by, style="not bold yellow")
    if device.place:
        head.append(f"  {device.place}", style="not bold dim")
    labels = max((cell_len(gauge.label) for gauge in device.gauges), default=0)
    grid = Table.grid(expand=True, padding=(0, 1, 0, 0))
    grid.add_column(width=labels)
    grid.add_column(ratio=1, no_wrap=True)
    grid.add_column(width=9, justify="right", no_wrap=True)
    grid.add_column(width=28, no_wrap=True, overflow="ellipsis")
    for gauge in device.gauges:
        grid.add_row(
            gauge.label, _Bars(gauge), Text(gauge.now, style="bold"), Text(_scale(gauge), "dim")
        )
    return Group(head, Padding(grid, (0, 0, 0, 2)))


def _scale(gauge: Gauge) -> str:
    """The value of the highest bar."""
    if gauge.most is not None:
        scale = f"of {gauge.written(gauge.most)}"
    else:
        scale = f"peak {gauge.written(gauge.peak)}" if gauge.peak else ""
    return ", ".join(filter(None, (scale, gauge.note)))


class _Bars:
    """The history of a gauge, as wide as there is room."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        top = self._gauge.peak if self._gauge.most is None else self._gauge.most
        bars = ASCII if options.ascii_only else BLOCKS
        line = sparkline(self._gauge.values, width=options.max_width, top=top, bars=bars)
        yield Text(line, style="cyan", no_wrap=True)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, options.max_width)
