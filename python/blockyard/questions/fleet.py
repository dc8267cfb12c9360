"""What to buy for each of many databases."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from blockyard._core import FileError, Scenario, ScenarioError
from blockyard.formats import fleet as table
from blockyard.formats.fleet import Database
from blockyard.questions import plan as single
from blockyard.questions.plan import Asked, Place, Plan
from blockyard.text import files

# So many rows that are wrong are named.
_NAMED = 10


class FleetError(Exception):
    """Rows of a fleet that cannot be planned, a line for each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True)
class Fleet:
    """What to buy for each of many databases."""

    # The largest saving first, then by the cost of the plan.
    plans: list[Plan]
    # Why a database could not be planned, such as a price that is not known, by name.
    failed: dict[str, str]


def plan_fleet(
    fleet: Place,
    sets: Mapping[str, object] | None = None,
    *,
    prices: Place | None = None,
    prove: bool = True,
    progress: Callable[[str], object] | None = None,
) -> Fleet:
    """Plan each database of a CSV file.

    A row is a database and a column the path of a value in a requirement, such as
    `latency.read.p99`. The column `name` is needed. `from` is a scenario with what there is today,
    `from.PATH` a value of one, `workload` a file or run whose load is taken, as `plan` takes them.
    `sets` overrides values of all rows. With `prove` what to buy is simulated, as many databases at
    once as there are processors; alternatives and what there is today are not.

    Raises FleetError, before anything is planned, for rows that are wrong; FileError for a file
    that is no such table; ScenarioError for `sets`; OSError.
    """
    told = progress or (lambda _: None)
    databases = table.read(Path(fleet))
    asked = list(_read(databases, sets or {}, prices))
    plans, failed = [], dict[str, str]()
    stopped: list[bool] = []

    def answer(one: Asked) -> Plan | ScenarioError:
        try:
            made = one.answer(lambda _: _go_on(stopped), prove=prove, only_best=True)
        except ScenarioError as error:
            return error
        # Why families of instances are not it is most of an answer, and nobody reads 500 of them.
        for family in made.answer["families"]:
            family["reasons"] = []
        return made

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        try:
            for number, made in enumerate(threads.map(answer, asked), 1):
                told(f"planned {number:,} of {len(asked):,}")
                if isinstance(made, Plan):
                    plans.append(made)
                else:
                    failed[databases[number - 1].name] = str(made)
        except BaseException:
            stopped.append(True)
            threads.shutdown(cancel_futures=True)
            raise
    return Fleet(sorted(plans, key=_by_saving), failed)


def _go_on(stopped: Sequence[bool]) -> None:
    if stopped:
        raise InterruptedError


def _by_saving(plan: Plan) -> tuple[float, float, str]:
    """Without a saving to tell comes after all that have one."""
    saving = float("-inf") if plan.saving is None else plan.saving
    return -saving, -(plan.usd_per_month or 0.0), plan.answer["name"]


def _read(
    databases: Sequence[Database], sets: Mapping[str, object], prices: Place | None
) -> Iterator[Asked]:
    """Every row as a question. Raises FleetError for all that are wrong together."""
    wrong = []
    for row in databases:
        try:
            today = _today(row)
        except (ScenarioError, OSError, UnicodeDecodeError) as error:
            wrong.append(_named(row, error, "from."))
            continue
        try:
            asked = single.read(
                None,
                {**row.wanted, **sets},
                workload=row.workload,
                since=today,
                prices=prices,
                progress=lambda _: None,
            )
        except ScenarioError as error:
            if _path(error) in sets:
                raise
            wrong.append(_named(row, error))
        except (FileError, OSError, UnicodeDecodeError) as error:
            wrong.append(_named(row, error))
        else:
            if not wrong:
                yield asked
    if wrong:
        more = len(wrong) - _NAMED
        raise FleetError(wrong[:_NAMED] + ([f"and {more:,} more rows"] if more > 0 else []))


def _today(row: Database) -> Scenario | None:
    """What a database has; a scenario needs a load, which is not looked at."""
    if row.today is None and not row.of_today:
        return None
    sets = [f"{path}={value}" for path, value in row.of_today.items()]
    if row.today is not None:
        return Scenario.load(files.text(row.today, files.WRITTEN), str(row.today), sets)
    load = {"kind": "ranread", "on": "data", "file_size": "1MiB", "processes": 1}
    scenario = {"name": row.name, "duration": "1s", "workload": {"load": load}}
    return Scenario.load(json.dumps(scenario), "", sets)


def _path(error: ScenarioError) -> str | None:
    """The path of the value that is wrong, if it was an override."""
    found = re.match(r"--set: ([\w.]+): ", str(error))
    return found[1] if found else None


def _named(row: Database, error: Exception, above: str = "") -> str:
    """What is wrong with a row: the column, `above` what stands before its path, and the value."""
    if isinstance(error, OSError):
        return f"{row.place}: {error.filename}: {error.strerror}"
    said = str(error)
    if said.startswith("--set: "):
        said = above + said.removeprefix("--set: ")
    # No file holds the row's values, so that its name and line say nothing.
    return f"{row.place}: {re.sub(_NO_FILE, '', said)}"


_NO_FILE = r"^(command line)?:1: "
