"""The plans of a fleet in words and as a table."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blockyard import _core
from blockyard.text.table import Table
from blockyard.types.plan import Answer


@dataclass(frozen=True)
class Fleet:
    """What is said of the plans of a fleet."""

    # What all plans cost, and save against what there is.
    headline: str
    # What to know before anything is bought, each once, with how many plans it is about.
    notes: Sequence[str]
    # A row for each database that can be had: what to buy, and the cost today and then.
    table: Table
    # The databases without a plan: why, and what comes nearest where nothing meets them.
    unmet: Sequence[str]


def said(answers: Sequence[Answer], failed: Mapping[str, str]) -> Fleet:
    """What is said of plans, and of why some databases have none, by name."""
    found = json.loads(_core.plans_of_fleet(list(map(json.dumps, answers)), list(failed.items())))
    return Fleet(**{**found, "table": Table(**found["table"])})
