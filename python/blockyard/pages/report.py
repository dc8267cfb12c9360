"""Which words and figures make a page."""

import re
from collections.abc import Sequence
from dataclasses import replace

from blockyard.comparison.sides import Compared
from blockyard.hosts import words as fleet_words
from blockyard.hosts.about import About
from blockyard.pages import charts
from blockyard.pages.engine import Engine, Scenario
from blockyard.pages.head import Head
from blockyard.pages.page import Page, Passage, Section
from blockyard.runs.run import Run
from blockyard.words import paragraphs as words
from blockyard.words.tiles import Tile, tiles


def report(runs: Sequence[Run], bin_s: float | None, fleets: Sequence[About] = ()) -> Page:
    """The page of runs: several first over each other, then each in detail.

    What hosts that were benched at one moment delivered together comes before all that.
    """
    several = len(runs) > 1
    together = [Section("Together", charts.all_figures(runs, bin_s))] if several else []
    return Page(
        title=", ".join(run.name for run in runs),
        headlines=[_headline(run, named=several) for run in runs],
        tiles=[] if several else tiles(runs[0]),
        heads=[Head.of(run) for run in runs],
        words=[_of_fleet(fleet) for fleet in fleets]
        + [passage for run in runs for passage in _said(run, named=several)],
        sections=[
            *together,
            *(
                Section(run.name if several else "Charts", charts.all_figures([run], bin_s))
                for run in runs
            ),
        ],
        engine=_engine(runs),
    )


def _of_fleet(about: About) -> Passage:
    return Passage("All hosts", [*fleet_words.outcome(about), fleet_words.table(about)])


# Whose scenarios have all that a simulation takes.
_SCRIPTED = ("simulate", "bench")


# Its trace is a file, and a page has none.
_REPLAY = re.compile(r"^\s*kind: replay\b", re.MULTILINE)


def _engine(runs: Sequence[Run]) -> Engine | None:
    """The scenarios of runs, to be changed in the page; None if no run has one."""
    scenarios = [
        Scenario(run.name, run.scenario, simulated=run.result["mode"] == "simulate")
        for run in runs
        if run.scenario is not None
        and run.result["mode"] in _SCRIPTED
        and not _REPLAY.search(run.scenario)
    ]
    return Engine(scenarios) if scenarios else None


# What the titles of maps that show where two runs differ begin with.
_DIFFERENCE = "Where they differ"


def comparison(sides: Sequence[Sequence[Run]], compared: Compared, bin_s: float | None) -> Page:
    """The page of a comparison: what it comes to, where the runs differ, and the rest."""
    names = compared.found["sides"]
    runs = [run for side in sides for run in side]
    # Repeats of a side look alike.
    colours = [number for number, side in enumerate(sides) for _ in side]
    figures = charts.all_figures(runs, bin_s, colours)
    maps = [figure for figure in figures if figure.title.startswith(_DIFFERENCE)]
    others = [figure for figure in figures if figure not in maps]
    # The first passage is the sentences above it.
    words = compared.passages[1:]
    return Page(
        title=" and ".join([", ".join(names[:-1]), names[-1]]),
        headlines=[one["sentence"] for one in compared.found["conclusions"]],
        first=Section(_DIFFERENCE, maps) if maps else None,
        opens_with_picture=True,
        tiles=_side_by_side(*runs) if len(runs) == len(sides) == 2 else [],
        heads=[Head.of(run) for run in runs],
        words=[Passage(one.heading, one.content) for one in words],
        sections=[Section("Over each other", others)],
    )


def _side_by_side(first: Run, second: Run) -> list[Tile]:
    """The second run's tiles, each with what the first had."""
    before = {tile.label: tile.value for tile in tiles(first)}
    return [
        replace(tile, before=f"{first.name}: {before[tile.label]}")
        if tile.label in before
        else tile
        for tile in tiles(second)
    ]


def _said(run: Run, *, named: bool) -> list[Passage]:
    """What there is to say of a run; under its name if there are others."""
    paragraphs = words.paragraphs(run)
    if named:
        return [Passage(run.name, [said for one in paragraphs for said in one.content])]
    return [Passage(one.heading, one.content) for one in paragraphs]


def _headline(run: Run, *, named: bool) -> str:
    """What a run comes to, after its name if there are others."""
    said = run.told.headline()
    return f"{run.name}: {said}" if named else said
