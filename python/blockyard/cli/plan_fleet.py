"""`blockyard plan FLEET.csv`: a table of plans, a page, and a folder of layouts."""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard.cli import files, streams
from blockyard.cli.running import reading
from blockyard.cli.status import CommandError, Status

if TYPE_CHECKING:
    from blockyard.questions.plan import Plan
    from blockyard.types.plan import Answer


@dataclass(frozen=True)
class Wanted:
    """What is to be made of the plans."""

    out: Path | None
    html: Path | None
    as_json: bool


def is_one(requirement: Path) -> bool:
    """Whether it is a table of requirements rather than one."""
    return requirement.suffix.lower() == ".csv"


def refuse(options: Mapping[str, object]) -> None:
    """Refuse what is said of one database. Raises CommandError."""
    for name, value in options.items():
        if value:
            column = name.removeprefix("--")
            instead = f"a column `{column}`" if column in ("from", "workload") else "a requirement"
            message = f"{name}: is of one database; expected {instead} beside a fleet"
            raise CommandError(message, Status.BAD_INPUT)


def run(
    fleet: Path,
    given: Mapping[str, object],
    *,
    prices: Path | None,
    prove: bool,
    wanted: Wanted,
    progress: Callable[[str], object],
) -> Status:
    """Plan each database of the file, print and write what is wanted."""
    from blockyard.questions.fleet import FleetError, plan_fleet

    files.check_new(wanted.out, wanted.html)
    with reading(fleet):
        try:
            made = plan_fleet(fleet, given, prices=prices, prove=prove, progress=progress)
        except FleetError as error:
            raise CommandError(error.lines, Status.BAD_INPUT) from error
    answers = [plan.answer for plan in made.plans]
    if wanted.out is not None:
        with reading(wanted.out):
            _write(made.plans, wanted.out)
    if wanted.html is not None:
        from blockyard.pages import fleet as pages
        from blockyard.pages import page

        files.write(page.html(pages.planned(fleet.stem, answers, made.failed)), wanted.html)
    if wanted.as_json:
        lacking = [{"name": name, "error": error} for name, error in made.failed.items()]
        streams.say(json.dumps([*answers, *lacking], indent=2))
    else:
        _print(answers, made.failed)
    found_all = not made.failed and all(plan.best for plan in made.plans)
    return Status.DONE if found_all else Status.MISSED


def _print(answers: Sequence["Answer"], failed: Mapping[str, str]) -> None:
    from blockyard.cli import terminal, text_table
    from blockyard.words import fleet

    width = terminal.on_stdout().width
    said = fleet.said(answers, failed)
    for line in (said.headline, *said.notes):
        streams.say(textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False))
    if said.table.rows:
        streams.say("\n".join(["", *text_table.lines(said.table, width)]))
    for line in said.unmet:
        streams.say(textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False))


def _write(plans: Sequence["Plan"], folder: Path) -> None:
    """A new folder with `plans.csv` and each layout as a scenario."""
    from blockyard.runs.new_folder import NewFolder

    rows = io.StringIO()
    lines = csv.writer(rows, lineterminator="\n")
    lines.writerow(["name", "today_usd", "plan_usd", "saving_usd", "layout"])
    with NewFolder(folder) as made:
        for plan in plans:
            name, today = plan.answer["name"], plan.answer["current"]
            costs = today["layout"]["usd_per_month"] if today is not None else None
            written = f"{name}.yaml" if plan.scenario is not None else ""
            lines.writerow(
                [name, _cell(costs), _cell(plan.usd_per_month), _cell(plan.saving), written]
            )
            if plan.scenario is not None:
                (made.partial / written).write_text(plan.scenario, encoding="utf-8")
        (made.partial / "plans.csv").write_text(rows.getvalue(), encoding="utf-8")
        made.publish()


def _cell(usd: float | None) -> str:
    return "" if usd is None else f"{usd:.2f}"
