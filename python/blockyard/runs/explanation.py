"""The facts of a run, worked out in Rust of its result, its scenario and its table of volumes."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from blockyard._core import Scenario
from blockyard._core import facts as facts_of
from blockyard._core import waited as waited_for
from blockyard.runs.volume_columns import packed
from blockyard.types.facts import Carrier, Credits, Facts, Waited
from blockyard.types.result import Result, Unit

if TYPE_CHECKING:
    import pyarrow as pa

# IOs or bytes a second.
_PER_S: dict[Unit, float] = {"IOPS": 1.0, "MiB/s": 1 << 20, "MB/s": 1e6}


def waited(times: Sequence[tuple[str, str, float]], scenario: Scenario) -> list[Waited]:
    """Which limits IOs waited for, from (owner, limit, time) as results of a scenario have."""
    return cast(list[Waited], json.loads(waited_for(times, scenario)))


def explain(name: str, result: Result, scenario: Scenario, volumes: "pa.Table") -> Facts:
    """The facts of a run whose result and table of volumes are given.

    Raises FileError, which `name` begins, for what cannot be read of them.
    """
    text = facts_of(name, json.dumps(result), scenario, packed(volumes))
    facts = cast(Facts, json.loads(text))
    for balance in facts["modelled"]["credits"] if facts["modelled"] else []:
        balance["carried_by"] = _carriers(facts, scenario, balance)
    return facts


def _carriers(facts: Facts, scenario: Scenario, balance: Credits) -> list[Carrier]:
    """What would sustain what IO takes of burst credits that run down."""
    limit = balance["limit"]
    if not balance["last_s"]:
        return []
    known = next((one for one in facts["limits"] if one["limit"] == limit), None)
    if known is None or known["used"] is None or limit["device"] is None or limit["leg"]:
        return []
    used = known["used"]["mean"] * _PER_S.get(known["unit"], 1.0)
    found = scenario.carrying(limit["device"], used, limit["counts"] == "bytes")
    return cast(list[Carrier], json.loads(found))
