"""A frame drawn on the whole screen, whatever its size."""

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.layout import Layout
from rich.progress_bar import ProgressBar
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from blockyard.cli import columns
from blockyard.cli.screen import devices
from blockyard.cli.screen.frame import Frame, Listing
from blockyard.text.formatting import clock

# The lines of the heading and the log: the log takes a sixth of the screen, at least three
# lines.
_HEAD_LINES = 2
_LEAST_LOG_LINES = 3
_LOG_PART = 6

# Columns that narrow terminals leave out.
_FIRST_TO_GO = ("depth", "MiB/s", "burst", "load")

# The heading, a row, and the number of further rows.
_LEAST_LISTING_LINES = 3


class Drawing:
    """A frame as rich draws it: as high and wide as the terminal currently is."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the whole screen to rich."""
        height = options.height or console.height
        log_lines = max(_LEAST_LOG_LINES, height // _LOG_PART)
        # The log has a line above it.
        body_lines = max(0, height - _HEAD_LINES - log_lines - 1)
        whole = Layout()
        whole.split_column(
            Layout(_head(self._frame), size=_HEAD_LINES),
            Layout(_body(self._frame, options.max_width, body_lines), size=body_lines),
            Layout(_log(self._frame, log_lines), size=log_lines + 1),
        )
        yield whole


def _head(frame: Frame) -> RenderableType:
    line = Table.grid(expand=True, padding=(0, 2, 0, 0))
    line.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    line.add_column(justify="right", no_wrap=True)
    line.add_row(Text(frame.title, style="bold"), Text(frame.progress))
    bar = Rule(style="dim") if frame.done is None else ProgressBar(total=1, completed=frame.done)
    return Group(line, bar)


def _body(frame: Frame, width: int, height: int) -> RenderableType:
    """The devices and, below them, as much of the listing as fits."""
    if not frame.devices:
        return Text("nothing measured yet", style="dim")
    shown, taken = devices.blocks(frame.devices, width)
    if taken > height:
        taken = min(1 + len(frame.devices), max(0, height - _LEAST_LISTING_LINES))
        shown = devices.lines(frame.devices, taken)
    left = height - taken - 1
    if not frame.listing or left < _LEAST_LISTING_LINES:
        return shown
    return Group(shown, Text(), _listing(frame.listing, width, left))


def _listing(listing: Listing, width: int, height: int) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    last = len(listing.headings) - 1
    places = columns.kept(listing.headings, listing.rows, width, _FIRST_TO_GO)
    for number in places:
        heading = listing.headings[number]
        text = number == 0 or (number == last and listing.last_is_text)
        # If space is short, names are cut but figures are not.
        widest = max(map(len, (heading, *(row[number] for row in listing.rows))))
        table.add_column(
            heading,
            justify="left" if text else "right",
            no_wrap=True,
            overflow="ellipsis",
            min_width=None if text else widest,
        )
    fits = len(listing.rows) < height
    shown = listing.rows if fits else listing.rows[: max(0, height - 2)]
    for row in shown:
        table.add_row(*(Text(row[number]) for number in places))
    if fits:
        return table
    return Group(table, Text(f"and {len(listing.rows) - len(shown)} more", style="dim"))


def _log(frame: Frame, height: int) -> RenderableType:
    newest = [
        Text(f"{clock(round(at_s))} {what}", no_wrap=True, overflow="ellipsis")
        for at_s, what in frame.events[-height:]
    ]
    bars = "" if frame.interval_s is None else f"a bar is {frame.interval_s:.3g} s, "
    line = Table.grid(expand=True, padding=(0, 1, 0, 0))
    line.add_column(ratio=1)
    line.add_column(no_wrap=True, overflow="ellipsis", style="dim")
    line.add_row(Rule("log", align="left", style="dim"), f"{bars}Ctrl-C ends the run")
    return Group(line, *newest)
