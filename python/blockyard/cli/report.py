"""`blockyard report`: runs in words and charts."""

import contextlib
import dataclasses
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard._core import ScenarioError, seconds
from blockyard.cli import files, observed, options, running, streams
from blockyard.cli.status import CommandError, Status
from blockyard.formats.loading import load_all
from blockyard.hosts import about
from blockyard.runs.run import Run
from blockyard.sweeps.directory import is_sweep

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading
    from blockyard.pages.figure import Figure
    from blockyard.questions.known_storage import KnownStorage
    from blockyard.text.table import Table

EXAMPLE = """\b
Examples:
  blockyard report runs/b083 -o b083.html
  blockyard report simulated benched --bin 10s -o both.html
  blockyard report runs/b083 --static --stills -o mail.html
  blockyard report runs/b083 --svg pictures --trace b083.pftrace
  blockyard report fio.json
  blockyard report iostat.txt.gz --interval 5s --device dm-0 --volume gp2,size=500GiB
"""

Bin = Annotated[
    str | None,
    typer.Option(
        "--bin",
        metavar="TIME",
        help="Bin width of charts over time; by default from the run's length.",
    ),
]
Svg = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write each chart as SVG into a new folder.")
]
Png = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write each chart as PNG into a new folder.")
]


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Run directories, folders of them, a sweep, or files of fio, iostat, sar and "
            "others.",
        ),
    ],
    out: files.Out = None,
    device: observed.Devices = None,
    interval: observed.Interval = None,
    start: observed.Start = None,
    lsblk: observed.Lsblk = None,
    volume: observed.Volumes = None,
    instance: observed.Instance = None,
    on: observed.On = None,
    bin_width: Bin = None,
    stills: options.HtmlStills = False,
    static: options.Static = False,
    png: Png = None,
    svg: Svg = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write one run's counters, limits and cycles as a trace for Perfetto's viewer.",
        ),
    ] = None,
) -> None:
    """Report what runs delivered and their bottlenecks, in words, tables and charts.

    -o writes one HTML file that needs no network: several runs over each other, then each
    in detail, with a panel that simulates the scenario with what you change. Without -o,
    --png, --svg or --trace, words and tables go to standard output.
    """
    bin_s = width(bin_width)
    _check_out(out)
    if any(map(is_sweep, runs)):
        from blockyard.cli import sweep_report

        sweep_report.report(runs, out, stills=stills, png=png, svg=svg)
        return
    how = observed.reading(device, interval, start, lsblk)
    loaded = [run for group in read(runs, how) for run in group]
    known = observed.known(volume, instance, on)
    loaded = _on(loaded, known)
    fleets = [about.read(path) for path in runs if about.is_fleet(path)]
    if trace is not None:
        _trace(loaded, trace)
    for folder, suffix in ((png, "png"), (svg, "svg")):
        if folder is not None:
            _draw(loaded, bin_s, folder, suffix)
    if out is not None:
        from blockyard.pages import report
        from blockyard.pages.page import html

        with plots("--stills"):
            page = html(report.report(loaded, bin_s, fleets), stills=stills, static=static)
        files.write(page, out)
    elif not (trace or png or svg):
        for fleet in fleets:
            from blockyard.cli import bench_hosts

            bench_hosts.say(fleet)
        for run in loaded:
            _say(run)


def _on(runs: Sequence[Run], known: "KnownStorage") -> list[Run]:
    """Observed runs on the storage that the user says."""
    try:
        under = [known.under(run) for run in runs]
        known.check_devices(runs)
        return under
    except ScenarioError as error:
        raise CommandError(str(error), Status.BAD_INPUT) from error


def _check_out(out: Path | None) -> None:
    """Refuse a name that is not a page's, before anything is read."""
    if out is not None and out.suffix.lower() in (".png", ".svg"):
        option = f"--{out.suffix[1:].lower()}"
        message = f"{out}: -o writes a page, such as {out.stem}.html; {option} DIR writes pictures"
        raise CommandError(message, Status.BAD_INPUT)
    files.check_page(out)


def _say(run: Run) -> None:
    """A run in words and tables."""
    from blockyard.cli import terminal
    from blockyard.words import paragraphs, summary

    width = min(summary.COLUMNS, terminal.on_stdout().width)
    streams.say(f"{run.name}\n")
    streams.say(f"{_filled(run.told.headline(), width)}\n")
    for paragraph in paragraphs.paragraphs(run):
        streams.say("\n".join([paragraph.heading, *_lines(paragraph.content, width), ""]))


def _lines(content: Sequence["str | Table"], width: int) -> Iterator[str]:
    """Sentences as items of a list, and tables between empty lines."""
    from blockyard.cli import text_table

    for number, part in enumerate(content):
        before = content[number - 1] if number else ""
        if number and not (isinstance(part, str) and isinstance(before, str)):
            yield ""
        if isinstance(part, str):
            yield _filled(part, width, "- ")
        else:
            yield from text_table.lines(part, width)


def _filled(sentence: str, width: int, item: str = "") -> str:
    return textwrap.fill(
        sentence,
        width,
        initial_indent=item,
        subsequent_indent=" " * len(item),
        break_on_hyphens=False,
        break_long_words=False,
    )


def width(text: str | None) -> float | None:
    """The width of bins in seconds, if one is asked for."""
    if text is None:
        return None
    try:
        bin_s = seconds(text)
    except ScenarioError as error:
        raise CommandError(f"--bin: {error}", Status.BAD_INPUT) from error
    if bin_s == 0:
        raise CommandError(f"--bin: `{text}`; expected more than nothing", Status.BAD_INPUT)
    return bin_s


def read(paths: Sequence[Path], reading: "Reading | None") -> list[list[Run]]:
    """The runs of each path, each run with a name of its own."""
    found = []
    for path in paths:
        with running.reading(path):
            found.append(load_all(path, reading))
    return _told_apart(found)


def _told_apart(groups: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """Call runs with the same name by their paths, and number those from the same path."""
    names = Counter(run.name for runs in groups for run in runs)
    paths = Counter(str(run.path) for runs in groups for run in runs)
    seen: Counter[str] = Counter()

    def named(run: Run) -> Run:
        path = str(run.path)
        seen[path] += 1
        if names[run.name] == 1:
            return run
        return dataclasses.replace(run, name=path if paths[path] == 1 else f"{path} ({seen[path]})")

    return [[named(run) for run in runs] for runs in groups]


def _draw(runs: Sequence[Run], bin_s: float | None, folder: Path, suffix: str) -> None:
    """Each chart of the runs as a file of a new folder."""
    from blockyard.pages import charts

    pictured(charts.all_figures(runs, bin_s), folder, suffix)


def pictured(figures: "Sequence[Figure]", folder: Path, suffix: str) -> None:
    """Each figure as a file of a new folder."""
    from blockyard.pages import pictures

    with plots(f"--{suffix}"), running.opened(folder) as made, running.reading(folder):
        for figure in figures:
            pictures.picture(figure, made.partial / f"{figure.name}.{suffix}")
        made.publish()


@contextlib.contextmanager
def plots(option: str) -> Iterator[None]:
    """Name the option that matplotlib is needed for where it is missing."""
    from blockyard.pages import pictures

    try:
        yield
    except pictures.NoPlotsError as error:
        raise CommandError(f"{option}: {error}", Status.LACKING) from error


def _trace(runs: Sequence[Run], path: Path) -> None:
    from blockyard.pages import perfetto

    if len(runs) != 1:
        raise CommandError(f"--trace: {len(runs)} runs; expected one", Status.BAD_INPUT)
    try:
        with running.reading(path):
            perfetto.write(runs[0], path)
    except ImportError as error:
        message = (
            "--trace: needs Perfetto's library; install it with `pip install 'blockyard[trace]'`"
        )
        raise CommandError(message, Status.LACKING) from error
