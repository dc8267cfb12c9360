"""What the hosts and the storage of a scenario cost, and what a run came to for it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from blockyard._core import FileError, Scenario, bill
from blockyard.runs import price_folder
from blockyard.text import files
from blockyard.types.bill import Bill
from blockyard.types.result import Result

# How instances are paid for: by the hour, reserved for one or three years, or by a Savings Plan.
Term = Literal[
    "on-demand",
    "1y-no-upfront",
    "1y-partial-upfront",
    "1y-all-upfront",
    "3y-no-upfront",
    "3y-partial-upfront",
    "3y-all-upfront",
    "savings-plan",
]


@dataclass(frozen=True)
class Terms:
    """On which terms a bill is made out; None stands for what the scenario says, or the usual."""

    region: str | None = None
    # The day whose prices hold.
    as_of: str | None = None
    term: str | None = None
    # 730 by default.
    hours_per_month: int | None = None
    # A file with prices of one's own.
    price_file: str | Path | None = None
    # How much lies in snapshots.
    snapshots: str | None = None


def of_scenario(scenario: Scenario, terms: Terms = Terms()) -> Bill:
    """The bill of a scenario.

    Raises ScenarioError in one line, and OSError or FileError if the price file cannot be read.
    """
    return _bill(scenario, None, terms)


def of_result(scenario: Scenario, result: Result, terms: Terms = Terms()) -> Bill:
    """The bill of a scenario that was run, with what its result says that its work came to.

    Raises as `of_scenario`.
    """
    return _bill(scenario, json.dumps(result), terms)


def prices(path: str | Path | None) -> tuple[str, str] | None:
    """The text of the user's prices and its name: of a price file, else of all imported prices.

    None if there are none. Raises OSError or FileError if they cannot be read.
    """
    return price_folder.imported() if path is None else (_text(Path(path)), str(path))


def _bill(scenario: Scenario, result: str | None, terms: Terms) -> Bill:
    made = bill(
        scenario,
        result,
        region=terms.region,
        as_of=terms.as_of,
        term=terms.term,
        hours_per_month=terms.hours_per_month,
        prices=prices(terms.price_file),
        snapshots=terms.snapshots,
    )
    return cast(Bill, json.loads(made))


def _text(path: Path) -> str:
    try:
        return files.text(path, files.WRITTEN)
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not UTF-8 text") from error
